#pragma once
/*
 * request_words - the words in a request's texts. They show whether a token stood in the prompt,
 * without the engine's tokenizer. Pure.
 *
 * A word is a run of letters, digits and bytes above 127, or one other character. At most
 * REQUEST_WORDS_LIMIT words are stored; further ones are ignored.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash_table.h"

#define REQUEST_WORDS_LIMIT 16384

struct request_words { /* zero-initialised: empty */
	struct hash_table hashes;
};

/* Reads all texts in the body; a body that is not JSON has none. */
void request_words_read(struct request_words *w, struct span body);
/* True if the token, without blanks around it, is one of the words. */
bool request_words_have(const struct request_words *w, struct span token);
void request_words_finish(struct request_words *w);
