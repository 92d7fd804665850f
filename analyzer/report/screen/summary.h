#pragma once
/*
 * summary - writes the content of the readable reports, for one analysis or for the comparison of
 * two: first one screen with the verdict, its figures, the likely cause, limits and the next step;
 * then the details.
 *
 * The document is not trusted: a member that is missing or has another type is left out.
 */
#include <jansson.h>

#include "analyzer/report/screen/writer.h"

/* Write the first screen of an analysis, or of a comparison (docs/change.schema.json). is_alone:
 * no details follow, so the screen names --full, which shows them. */
void summary_screen(const json_t *document, bool is_alone, struct writer *w);
void summary_change_screen(const json_t *change, bool is_alone, struct writer *w);
/* Write the first screen and the details. */
void summary_of_analysis(const json_t *document, struct writer *w);
void summary_of_change(const json_t *change, struct writer *w);
