#pragma once
/*
 * finish - what the finish reasons mean that engines and gateways give.
 *
 * The only list of them. Upper and lower case count as the same, and so do '_', '-' and nothing
 * between words ("MAX_TOKENS", "content-filter", "maxPredictedTokensReached").
 */
#include <stdbool.h>

#include "base/buf.h"

enum finish {
	FINISH_NONE,     /* no reason yet: the answer is not over */
	FINISH_STOP,     /* the model ended it, or a stop sequence did */
	FINISH_SEQUENCE, /* a stop sequence did, by a word that says so */
	FINISH_LENGTH, /* a limit cut it: of tokens, of the context, or a guard against repetition */
	FINISH_FILTER,  /* a filter withheld it, or the rest of it */
	FINISH_CALLS,   /* it calls tools */
	FINISH_ABORTED, /* the engine gave up */
	FINISH_UNKNOWN, /* a word that is not in the list */
};

enum finish finish_of(const char *reason); /* NULL or "": FINISH_NONE */
enum finish finish_of_span(struct span reason);

/*
 * Do two reasons mean the same, whatever word each engine has for it? A stop sequence counts as a
 * stop, since most engines do not say which of the two it was. Unknown words must be equal.
 */
bool finish_same(const char *a, const char *b);
