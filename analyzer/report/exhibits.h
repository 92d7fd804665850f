#pragma once
/*
 * exhibits - the pairs of answers that a document shows: the worst of each group and some random
 * ones. They are read from the capture again after the analysis.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

#define EXHIBITS_USUAL 250      /* pairs; of five, three are the worst and two are random */
#define EXHIBITS_MOST 10000     /* the largest number allowed */
#define EXHIBITS_BYTES 13000000 /* the most bytes of the whole document in a page */

/*
 * Sets "exhibits" in the document of a settled analysis, at most `most`. If the document would
 * become longer than limit bytes, the last ones are left out and counted.
 */
void exhibits_add(
        json_t *document, struct capture *c, const struct analysis *a, size_t most, size_t limit);
/* True if a document quotes prompts or answers: in exhibits, or in examples of its groups. */
bool exhibits_any(const json_t *document);
/* A copy of a document that quotes none. It shares unchanged members with the original. */
json_t *exhibits_drop(const json_t *document);
/* The bytes that a value takes in a page: as compact JSON, escaped for HTML. */
size_t exhibits_cost(const json_t *value);
