#pragma once
/*
 * document_recipes - makes the members that recipes add to the document. docs/recipes.md defines
 * the figures, docs/analyze.schema.json describes the members. Each json_t * is a new reference.
 */
#include <jansson.h>

#include "analyzer/ablation.h"
#include "analyzer/analysis.h"
#include "analyzer/reruns.h"

/* Makes "reruns", for `plumbline determinism`. levels[i]: requests in flight at level i of n; 0:
 * the default of the command. */
json_t *document_reruns(
        const struct reruns *r, const char *backend, const unsigned *levels, size_t n);

/* Sets "verdict", "figures", "limits" and "next" of a document that has "reruns", and of its first
 * group. The verdict compares the noise floor (the share of differing pairs among the answers to
 * one prompt) with the least effect. sampled: the answers have different seeds, so the floor
 * decides nothing, and the verdict is UNCLEAR. Does nothing if no prompt was answered twice, or if
 * `a` has no group. */
void document_reruns_verdict(
        json_t *document, const struct reruns *r, const struct analysis *a, bool sampled);

struct document_factor {
	const char *name, *off, *on;
};

/* Makes "ablation", for `plumbline ablate`. factors[i]: the names of factor i of r and of its two
 * settings. */
json_t *document_ablation(const struct ablation_result *r, const struct document_factor *factors);
