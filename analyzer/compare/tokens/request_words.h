#pragma once
/*
 * request_words - the words in a request's texts. They show whether a token occurred in the prompt,
 * without the engine's tokenizer. Only hashes of the words are stored. Pure.
 *
 * A word is a run of ASCII letters, digits and bytes above 127, or one other character that is not
 * white space. At most REQUEST_WORDS_LIMIT different words are stored; further ones are ignored.
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

/* Adds the words of all string values in the body, up to the first error in its JSON. */
void request_words_read(struct request_words *w, struct span body);
/* True if the token, without white space around it, is one of the words. */
bool request_words_have(const struct request_words *w, struct span token);
void request_words_finish(struct request_words *w);
