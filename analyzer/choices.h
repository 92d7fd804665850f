#pragma once
/*
 * choices - which choice of one answer is held against which of another.
 */
#include "reading/reading.h"

/* The one with that index, or NULL. */
const struct choice *choices_at(const struct reading *r, int32_t index);
/*
 * Tokens of two choices: the engines' own counts, which include tokens without text, or else the
 * columns'; both of one kind. -1: not known.
 */
void choices_tokens(const struct reading *b, const struct choice *mine, const struct reading *t,
        const struct choice *other, int64_t *ret_base, int64_t *ret_test);
