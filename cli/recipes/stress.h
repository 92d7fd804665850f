#pragma once
/*
 * stress - the findings of `plumbline stress` in words and as JSON.
 */
#include <jansson.h>

#include "cli/recipes/stress_read.h"

/* One or more sentences, worst first, without a line end. The caller frees it. */
char *stress_sentence(const struct stress_finding *f);
json_t *stress_json(const struct stress_finding *f);
/* Adds to the document that both sides are one server, so a numeric difference comes from its
 * batches, not from quantisation. */
void stress_explain(json_t *document, bool found);
