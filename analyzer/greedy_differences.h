#pragma once
/*
 * greedy_differences - the differences between greedy answers of a capture. Each has a key by which
 * the same difference is recognised in another capture.
 *
 * A key is PROMPT-PART-WORDS:
 *	PROMPT  the prompt hash of docs/format.md, with 32 zero bytes as the hash's key, in hex
 *	        digits. So whoever has the key can check a guess of the prompt
 *	PART    "text", or "rest" if only refusals or tool calls differ
 *	WORDS   a hash of what differs, in hex digits. PART is "text": of the word around the first
 *	        byte that differs, with its offset; else: of all refusals and tool calls
 */
#include <jansson.h>

#include "analyzer/rows/capture_walk.h"
#include "answers/reading.h"

struct greedy_differences {
	/* an object by key; its values have "exchange", "base" and "test" of the first pair with
	 * that key */
	json_t *found;
	uint64_t compared; /* number of pairs of greedy answers of two engines */
	/* number of differing pairs without a key: their texts were redacted or not recorded */
	uint64_t without_key;
};

/* Appends the key of the difference between two answers to a request, as it was sent. Returns
 * false, and appends nothing, if the request has no hash. */
bool greedy_difference_key(enum endpoint endpoint, struct span request, const struct choice *base,
        const struct choice *test, struct buf *key);

/* Reads the pairs that an analysis with these options compares, once more. */
void greedy_differences_read(
        struct capture *c, const struct analysis_options *options, struct greedy_differences *ret);
void greedy_differences_finish(struct greedy_differences *d);
