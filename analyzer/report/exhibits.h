#pragma once
/*
 * exhibits - the pairs of answers that a document shows, read again from the capture after the pass:
 * the worst of each group and some at random, as many as were asked for and as fit.
 */
#include <jansson.h>

#include "analyzer/analysis.h"

#define EXHIBITS_USUAL 250      /* pairs; three of five the worst, the others at random */
#define EXHIBITS_MOST 10000     /* that may be asked for */
#define EXHIBITS_BYTES 13000000 /* of the whole document, as a page holds it */

/*
 * Sets "exhibits" in the document of a settled analysis, as many as it was asked for. Where the document
 * would be longer than limit bytes the last ones are left out, and counted.
 */
void exhibits_add(
        json_t *document, struct capture *c, const struct analysis *a, size_t most, size_t limit);
/* Bytes of a value in a page: compact, with what HTML could take for its own escaped. */
size_t exhibits_cost(const json_t *value);
