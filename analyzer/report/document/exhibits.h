#pragma once
/*
 * exhibits - the pairs of answers that a document shows: the worst of each group and some random
 * ones. They are read from the capture again after the analysis.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

/* the usual number of pairs: three fifths are the worst pairs, two fifths random ones */
#define EXHIBITS_USUAL 250
#define EXHIBITS_MOST 10000     /* the largest number that a user may set */
#define EXHIBITS_BYTES 13000000 /* the most bytes of the whole document in a page */

/*
 * Sets "exhibits" in the document of a settled analysis: at most `most` pairs; fewer, so that the
 * document does not exceed `limit` bytes (exhibits_cost()). "left_out" is the number of all other
 * pairs.
 */
void exhibits_add(
        json_t *document, struct capture *c, const struct analysis *a, size_t most, size_t limit);
/* True if a document quotes prompts or answers: in exhibits, in examples of its groups, or in the
 * tokens of its repeated prompts. */
bool exhibits_any(const json_t *document);
/* A copy of a document without these quotes, which shares all other members; a new reference. */
json_t *exhibits_drop(const json_t *document);
/* The bytes that a value takes in a page: as compact JSON, escaped for HTML. */
size_t exhibits_cost(const json_t *value);
