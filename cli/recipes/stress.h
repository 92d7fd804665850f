#pragma once
/*
 * stress - the findings of `plumbline stress` in words and as JSON.
 */
#include <jansson.h>

#include "cli/recipes/stress_read.h"

json_t *stress_json(const struct stress_finding *f);
/* Sets verdict, cause and next steps. least_effect: a share of answers; dir: the capture; url: the
 * server's. */
void stress_set_verdict(json_t *document, const struct stress_finding *f, double least_effect,
        const char *dir, const char *url);
