#pragma once
/*
 * stress - the findings of `plumbline stress`, in words and as JSON.
 */
#include <jansson.h>

#include "analyzer/causes/advice.h"
#include "cli/recipes/stress_read.h"

json_t *stress_json(const struct stress_finding *f);
/* Sets verdict, cause and next steps in the document of a report.
 *
 *	least_effect  smallest share of answers that matters, 0 to 1
 *	dir           the capture's directory
 *	server        URL of the server, and the variable with its API key or NULL */
void stress_set_verdict(json_t *document, const struct stress_finding *f, double least_effect,
        const char *dir, struct advice_key server);
