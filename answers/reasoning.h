#pragma once
/*
 * reasoning - reasoning in a message's own members, of any name and shape: a string; {"content" |
 * "text" | "summary": ...}; lists of either (OpenRouter's reasoning_details, Mistral's thinking
 * parts). Encrypted reasoning is left out.
 *
 * The same reasoning under two names counts once, also in pieces: each name has its own position in
 * the reasoning so far, and what it repeats is not added again.
 */
#include "answers/draft.h"

/* The source of this key; N_REASONING_SOURCES: none. */
enum reasoning_source reasoning_source_of(const struct json_token *key);
/* Reads the value whose first token is passed; j is then after it. */
void reasoning_read(struct draft *d, struct draft_choice *c, enum reasoning_source source,
        struct json *j, const struct json_token *first);
