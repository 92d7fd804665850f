#pragma once
/*
 * reasoning - reads reasoning from members of its own in a message, of any name and shape: a
 * string; {"content" | "text" | "summary": ...}; lists of either (OpenRouter's reasoning_details,
 * Mistral's thinking parts). Encrypted reasoning is left out.
 *
 * If the same reasoning comes under two names, it counts once, also when it comes in pieces: each
 * name has its own position in the reasoning so far, and text that it repeats is not added again.
 */
#include "answers/draft.h"

/* The sources that are members of a message come first; reasoning.c has the table of their names.
 */
#define REASONING_MEMBERS REASONING_OF_PART

/* The name of the source's member; source: below REASONING_MEMBERS. */
const char *reasoning_member(enum reasoning_source source);
/* The source of this key; N_REASONING_SOURCES: none. */
enum reasoning_source reasoning_source_of(const struct json_token *key);
bool reasoning_is_member(struct span name);
/* Reads the value whose first token is passed; j is then after it. */
void reasoning_read(struct draft *d, struct draft_choice *c, enum reasoning_source source,
        struct json *j, const struct json_token *first);
