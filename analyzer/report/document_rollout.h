#pragma once
/*
 * document_rollout - how far an engine's stated probabilities are from the scorer's, for those who
 * train on its answers.
 */
#include <jansson.h>

#include "analyzer/fold/rollout.h"

/* null where nothing was scored. Where no answer counts, "why" says so, and figures are null. */
json_t *report_rollout_json(const struct rollout *r);
