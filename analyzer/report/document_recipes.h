#pragma once
/*
 * document_recipes - what recipes add to the document. docs/recipes.md defines the figures, docs/analyze.schema.json
 * describes the members. The caller owns what is returned.
 */
#include <jansson.h>

#include "analyzer/ablation.h"
#include "analyzer/reruns.h"

/* Of determinism. levels[n]: requests in flight of each level; 0: what is usual. */
json_t *report_reruns_json(
        const struct reruns *r, const char *backend, const unsigned *levels, size_t n);

struct report_factor {
	const char *name, *off, *on;
};

/* Of ablate. factors: as many as the result has. */
json_t *report_ablation_json(const struct ablation_result *r, const struct report_factor *factors);
