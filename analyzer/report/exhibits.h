#pragma once
/*
 * exhibits - the pairs of answers that a document shows: the worst of each group and some at
 * random. They are read again from the capture after the analysis.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

#define EXHIBITS_USUAL 250      /* pairs; three of five are the worst, the others random */
#define EXHIBITS_MOST 10000     /* the largest number allowed */
#define EXHIBITS_BYTES 13000000 /* of the whole document in a page */

/*
 * Sets "exhibits" in the document of a settled analysis. If the document would be longer than limit
 * bytes, the last ones are left out and counted.
 */
void exhibits_add(
        json_t *document, struct capture *c, const struct analysis *a, size_t most, size_t limit);
/* Whether a document quotes prompts or answers: exhibits, or examples of its groups. */
bool exhibits_any(const json_t *document);
/* A copy of an analysis that quotes none. Shares what it does not change. */
json_t *exhibits_drop(const json_t *document);
/* The size of a value in a page, bytes: compact JSON, escaped for HTML. */
size_t exhibits_cost(const json_t *value);
