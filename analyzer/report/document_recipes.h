#pragma once
/*
 * document_recipes - the members that recipes add to the document. docs/recipes.md defines the
 * figures, docs/analyze.schema.json describes the members. The caller owns what is returned.
 */
#include <jansson.h>

#include "analyzer/ablation.h"
#include "analyzer/reruns.h"

/* For determinism. levels[n]: requests in flight at each level; 0: the default. */
json_t *report_reruns_json(
        const struct reruns *r, const char *backend, const unsigned *levels, size_t n);

struct report_factor {
	const char *name, *off, *on;
};

/* For ablate. factors: those of the result. */
json_t *report_ablation_json(const struct ablation_result *r, const struct report_factor *factors);
