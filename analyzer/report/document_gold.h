#pragma once
/*
 * document_gold - what right answers tell, in words and as JSON. Only where there are any.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

/* One sentence, or NULL: no right answers. The caller frees it. */
char *report_gold_sentence(const struct analysis_group *g);
/* Members "known", "judged", ...; shift: the interval of the score shift, in points. */
json_t *report_gold_json(const struct gold_counts *c, struct interval shift);
