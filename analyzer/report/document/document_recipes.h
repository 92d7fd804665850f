#pragma once
/*
 * document_recipes - makes the members that recipes add to the document. docs/recipes.md defines
 * the figures, docs/analyze.schema.json describes the members. Each json_t * is a new reference.
 */
#include <jansson.h>

#include "analyzer/ablation.h"
#include "analyzer/analysis.h"
#include "analyzer/reruns.h"

/* For `plumbline determinism`. levels: requests in flight at each of n levels; 0: the default of
 * the command. */
json_t *document_reruns(
        const struct reruns *r, const char *backend, const unsigned *levels, size_t n);

/* Sets the verdict of a document that has "reruns", and of its first group. The noise floor
 * itself is compared with the least effect: the share of differing pairs among the answers to
 * one prompt. sampled: the answers have different seeds, so this share decides nothing, and the
 * verdict is UNCLEAR. Does nothing without a prompt that was answered twice. */
void document_reruns_verdict(
        json_t *document, const struct reruns *r, const struct analysis *a, bool sampled);

struct document_factor {
	const char *name, *off, *on;
};

/* For `plumbline ablate`. factors: the names of each factor and of its two settings, as many as
 * r->n_factors. */
json_t *document_ablation(const struct ablation_result *r, const struct document_factor *factors);
