#pragma once
/*
 * document_ablation - what an ablation came to, for machines; docs/analyze.schema.json.
 */
#include <jansson.h>

#include "analyzer/ablation.h"

struct report_factor {
	const char *name, *off, *on;
};

/* factors: as many as the result has. The caller's. */
json_t *report_ablation_json(const struct ablation_result *r, const struct report_factor *factors);
