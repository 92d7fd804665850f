#pragma once
/*
 * finish - the meaning of the finish reasons of engines and gateways.
 *
 * No other module interprets finish reasons. Letter case, '_' and '-' do not matter ("MAX_TOKENS",
 * "content-filter", "maxPredictedTokensReached"). Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

enum finish {
	FINISH_NONE,     /* no reason: the answer continues */
	FINISH_STOP,     /* ended by the model or a stop sequence */
	FINISH_SEQUENCE, /* ended by a stop sequence, and the word says so */
	/* cut off at a limit of tokens or context, or by a guard against repetition */
	FINISH_LENGTH,
	FINISH_FILTER,  /* a filter withheld all or part of it */
	FINISH_CALLS,   /* the answer calls tools */
	FINISH_ABORTED, /* the engine aborted the answer */
	FINISH_UNKNOWN, /* a reason that plumbline does not know */
};

enum finish finish_of(const char *reason); /* NULL or "": FINISH_NONE */
enum finish finish_of_span(struct span reason);
/* As finish_of_span(), but FINISH_UNKNOWN, not FINISH_ABORTED, for a word that is not in the table
 * and says that something failed ("kv_transfer_error"). */
enum finish finish_of_word(struct span reason);

/* True if two reasons (or NULL) mean the same. A stop sequence counts as a stop, since most engines
 * do not distinguish them. Unknown words must be equal. */
bool finish_same(const char *a, const char *b);
