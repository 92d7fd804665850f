#pragma once
/*
 * vocabulary - the simulated engine's tokens: some thousand readable ones, and every byte.
 *
 * There is one vocabulary, the same in every process. It is built at the first call, and then
 * read-only: any thread. Text is split by longest match. Every byte has a token, so any bytes can
 * be encoded, and decoding gives them back.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/engine/words.h"
#include "base/buf.h"

/* Control tokens. They have no text, and text never becomes one of them. */
enum {
	TOKEN_BOS,
	TOKEN_EOS,
	TOKEN_TURN_END,
	TOKEN_SYSTEM,
	TOKEN_USER,
	TOKEN_ASSISTANT,
	TOKEN_TOOL,
	TOKEN_REASONER, /* the last token of a prompt whose answer begins with reasoning */
	TOKEN_THINK,
	TOKEN_THINK_END,
	TOKEN_TOOL_CALL,
	TOKEN_TOOL_CALL_END,
	TOKEN_IMAGE, /* stands for content that is not text */
	TOKEN_CONTROLS,
	TOKEN_BYTE_0 = 16, /* the first of 256 tokens, one for each byte */
};

struct json_token;

struct tokens {
	uint32_t *items;
	size_t n, cap;
};

void tokens_push(struct tokens *t, uint32_t id);
void tokens_finish(struct tokens *t);
/* A hash of the tokens, mixed into an earlier hash. */
uint64_t tokens_hash(const struct tokens *t, uint64_t hash);

uint32_t vocabulary_size(void);
/* A token's bytes; empty for control tokens. */
struct span vocabulary_bytes(uint32_t id);
/* As vocabulary_bytes(), but control tokens have a name, such as "<think>". */
struct span vocabulary_name(uint32_t id);
enum word_class vocabulary_class(uint32_t id);
/* The ids of one class, most probable first. */
const uint32_t *vocabulary_of_class(enum word_class class, uint32_t *ret_n);
/* Appends the tokens of a text; vocabulary_encode_string(): of a JSON string. */
void vocabulary_encode(struct span text, struct tokens *to);
void vocabulary_encode_string(const struct json_token *string, struct tokens *to);
