#pragma once
/*
 * summary - what short forms say of an analysis, or of the comparison of two: first one screen with
 * the verdict, its figures, the likely cause, limitations and the next step; then the details.
 *
 * A document may be anybody's: what is absent or of another type is left out.
 */
#include <jansson.h>

#include "analyzer/report/writer.h"

void summary_screen(
        const json_t *document, struct writer *w); /* of an analysis: the first screen */
void summary_of_analysis(const json_t *document, struct writer *w);
void summary_of_change(const json_t *change, struct writer *w); /* docs/change.schema.json */
