#pragma once
/*
 * choices - which choice of one answer is held against which of another.
 */
#include "reading/reading.h"

/*
 * Tokens of two choices: the engines' own counts, which include tokens without text, or else the
 * columns'; both of one kind. -1: not known.
 */
void choices_tokens(const struct reading *b, const struct choice *mine, const struct reading *t,
        const struct choice *other, int64_t *ret_base, int64_t *ret_test);
#define CHOICES_HASH_SIZE 16
/* Of what a choice says: text, refusal and tool calls, their ids apart. Equal for what is the
 * same byte for byte. */
void choices_hash(const struct choice *c, uint8_t ret[CHOICES_HASH_SIZE]);
