#pragma once
/*
 * finish - the meaning of the finish reasons of engines and gateways.
 *
 * This is the only list of them. Case does not count, and neither do '_' and '-' ("MAX_TOKENS",
 * "content-filter", "maxPredictedTokensReached").
 */
#include <stdbool.h>

#include "base/buf.h"

enum finish {
	FINISH_NONE,     /* no reason yet: the answer goes on */
	FINISH_STOP,     /* ended by the model or a stop sequence */
	FINISH_SEQUENCE, /* ended by a stop sequence, and the word says so */
	FINISH_LENGTH,   /* cut by a limit of tokens or context, or by a guard against repetition */
	FINISH_FILTER,   /* withheld by a filter, wholly or in part */
	FINISH_CALLS,    /* it calls tools */
	FINISH_ABORTED,  /* the engine gave up */
	FINISH_UNKNOWN,  /* a word that is not in the list */
};

enum finish finish_of(const char *reason); /* NULL or "": FINISH_NONE */
enum finish finish_of_span(struct span reason);

/*
 * True if two reasons mean the same. A stop sequence counts as a stop, since most engines do not
 * distinguish them. Unknown words must be equal.
 */
bool finish_same(const char *a, const char *b);
