#pragma once
/*
 * document_scores - teacher-forced figures: what backends think of each other's tokens.
 */
#include <jansson.h>

#include "analyzer/fold/fold.h"
#include "analyzer/fold/verdict.h"

/* An array with an object for each group that has scores. */
json_t *report_scores_json(const struct analysis *a);
/* k3 of a group, with its floor; null where nothing was scored that decides. */
json_t *report_k3_json(const struct verdict_figure *k3);
