#pragma once
/*
 * greedy_differences - the differences between greedy answers of two engines in a capture. Each
 * difference has a key, by which it is recognised in another capture.
 *
 * A key is PROMPT-PART-WORDS:
 *
 *	PROMPT  the prompt hash of docs/format.md, in hex digits. The hash's key is 32 zero bytes,
 *	        no secret, so anybody who has PROMPT can check a guess of the prompt
 *	PART    "text", or "rest" if only refusals or tool calls differ
 *	WORDS   a hash of what differs, in hex digits. If PART is "text": of the words of both sides
 *	        around the first byte that differs, and of that byte's offset. If PART is "rest": of
 *	        all refusals and tool calls
 */
#include <jansson.h>

#include "analyzer/rows/capture_walk.h"
#include "answers/reading.h"

struct greedy_differences {
	/* object: maps each key to {"exchange", "base", "test"} of the first pair with this key */
	json_t *found;
	uint64_t compared; /* compared pairs of greedy answers */
	/* differing pairs without a key, because texts were redacted or not recorded */
	uint64_t without_key;
};

/* Appends the key of the difference between two answers that differ. request: the request's body.
 * Returns false, and appends nothing, if the request has no prompt hash. */
bool greedy_difference_key(enum endpoint endpoint, struct span request, const struct choice *base,
        const struct choice *test, struct buf *key);

/* Reads the whole capture again, and compares the pairs that an analysis with these options
 * compares. Overwrites *ret; the caller frees it with greedy_differences_finish(). */
void greedy_differences_read(
        struct capture *c, const struct analysis_options *options, struct greedy_differences *ret);
void greedy_differences_finish(struct greedy_differences *d);
