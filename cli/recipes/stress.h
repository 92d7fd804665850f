#pragma once
/*
 * stress - what `plumbline stress` found, as words and as JSON.
 */
#include <jansson.h>

#include "cli/recipes/stress_read.h"

/* One sentence or more, the worst first, without a line's end. The caller frees it. */
char *stress_sentence(const struct stress_finding *f);
json_t *stress_json(const struct stress_finding *f);
/* The two sides are one server: a numerical difference is of its batches, not of quantisation. If
 * nothing was found there is nothing to do next. */
void stress_explain(json_t *document, bool found);
