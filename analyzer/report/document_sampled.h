#pragma once
/*
 * document_sampled - what can be said of answers in which chance has a part.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"

json_t *report_sampled_json(const struct analysis_group *g);  /* the two-sample test; null: none */
json_t *report_openings_json(const struct analysis_group *g); /* first tokens; null: none */
/* The caller frees it; NULL: there were no sampled answers. */
char *report_sampled_sentence(const struct analysis_group *g);
