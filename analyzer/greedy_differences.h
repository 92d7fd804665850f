#pragma once
/*
 * greedy_differences - the differences between greedy answers of a capture, each with a key by
 * which the same difference is found in another capture.
 *
 * A key is PROMPT-PART-WORDS:
 *	PROMPT  the prompt hash of docs/format.md with a key of 32 zero bytes, in hex digits. So a
 *	        person who has the key can check a guess of the prompt
 *	PART    "text", or "rest" if only refusals or tool calls differ
 *	WORDS   a hash of what the two answers have there, in hex digits. Of a text that is the word
 *	        around the first byte that differs, with its offset; of the rest it is everything
 */
#include <jansson.h>

#include "analyzer/rows/walk.h"

struct greedy_differences {
	/* for each key, an object: the "exchange", "base" and "test" where it was first found */
	json_t *found;
	uint64_t compared; /* pairs of greedy answers of two engines */
	/* pairs that differ and have no key: texts were redacted or not recorded */
	uint64_t without_key;
};

/* Reads the pairs again that an analysis with these options compares. */
void greedy_differences_read(
        struct capture *c, const struct analysis_options *options, struct greedy_differences *ret);
void greedy_differences_finish(struct greedy_differences *d);
