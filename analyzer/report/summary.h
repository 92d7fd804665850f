#pragma once
/*
 * summary - what short forms say of an analysis, or of the comparison of two: the verdict, the
 * figures that decide, causes, limits, next steps; then the details.
 *
 * A document may be anybody's: what is absent or of another type is left out.
 */
#include <jansson.h>

#include "analyzer/report/writer.h"

void summary_of_analysis(const json_t *document, struct writer *w);
void summary_of_change(const json_t *change, struct writer *w); /* docs/change.schema.json */
