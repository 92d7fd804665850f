#pragma once
/*
 * vocabulary - the simulated engine's tokens: some thousand readable ones, and every byte.
 *
 * Built once, the same in every process, then read-only: any thread. Text is split by longest
 * match. Every byte has a token, so any bytes can be encoded, and decoding gives them back.
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

struct tokens {
	uint32_t *items;
	size_t n, cap;
};

void tokens_push(struct tokens *t, uint32_t id);
void tokens_finish(struct tokens *t);

struct vocabulary;

/* The only vocabulary; built at the first call. */
const struct vocabulary *vocabulary_get(void);
uint32_t vocabulary_size(const struct vocabulary *v);
/* A token's bytes; empty for control tokens. */
struct span vocabulary_bytes(const struct vocabulary *v, uint32_t id);
/* As vocabulary_bytes(), but control tokens have a name, such as "<think>". */
struct span vocabulary_name(const struct vocabulary *v, uint32_t id);
enum word_class vocabulary_class(const struct vocabulary *v, uint32_t id);
/* The ids of one class, most probable first. */
const uint32_t *vocabulary_of_class(
        const struct vocabulary *v, enum word_class class, uint32_t *ret_n);
void vocabulary_encode(const struct vocabulary *v, struct span text, struct tokens *to);
