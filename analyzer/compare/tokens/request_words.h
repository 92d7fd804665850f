#pragma once
/*
 * request_words - the words in a request's texts, to decide whether a token stood in the prompt
 * without the engine's tokenizer. Pure.
 *
 * A word is a run of letters, digits and bytes above 127, or one other character. Bounded: words
 * over REQUEST_WORDS_LIMIT are ignored.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash_table.h"

#define REQUEST_WORDS_LIMIT 16384

struct request_words { /* zero-initialised is empty */
	struct hash_table hashes;
};

/* Reads all texts in the body; a body that is not JSON has none. */
void request_words_read(struct request_words *w, struct span body);
/* Ignores blanks around the token. */
bool request_words_have(const struct request_words *w, struct span token);
void request_words_finish(struct request_words *w);
