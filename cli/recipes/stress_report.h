#pragma once
/*
 * stress_report - writes the findings of `plumbline stress` in words and as JSON.
 */
#include <jansson.h>

#include "analyzer/stress.h"

struct analysis_group;
struct replay_backend;

json_t *stress_json(const struct stress_finding *f); /* member "stress"; a new reference */
/* Sets verdict, cause and next steps in the document of a report.
 *
 *	levels        the comparison of the highest level with the lowest; NULL: there is none
 *	least_effect  smallest share of answers that matters, 0 to 1
 *	dir           the capture's directory
 *	server        the backend that got the requests */
void stress_set_verdict(json_t *document, const struct stress_finding *f,
        const struct analysis_group *levels, double least_effect, const char *dir,
        const struct replay_backend *server);
