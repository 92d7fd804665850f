#pragma once
/*
 * request_words - the words of a request's texts: whether a token had been in the prompt, as far as that can
 * be told without the engine's tokenizer. Pure.
 *
 * A word is a run of letters, digits and bytes above 127, or one other character. Bounded: the words beyond
 * REQUEST_WORDS_LIMIT are not known.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define REQUEST_WORDS_LIMIT 16384

struct request_words {    /* zero-initialised is empty */
	uint64_t *hashes; /* open addressing; 0: a free place */
	size_t n, room;
};

/* Of all texts in the body; what is no JSON has none. */
void request_words_read(struct request_words *w, struct span body);
/* Blanks around the token are no part of it. */
bool request_words_have(const struct request_words *w, struct span token);
void request_words_finish(struct request_words *w);
