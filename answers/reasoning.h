#pragma once
/*
 * reasoning - reads reasoning from the members of a message that hold it, under any name and in any
 * shape: a string; {"content" | "text" | "summary": ...}; a list of these (OpenRouter's
 * reasoning_details, Mistral's thinking parts). It leaves out encrypted reasoning.
 *
 * Engines may send the same reasoning under two names, also in pieces. Such reasoning is added
 * once. For each name the draft remembers how much of the reasoning this name has sent already. If
 * another name has already sent the next text, it is skipped.
 */
#include "answers/draft.h"

/* The number of sources that are members of a message; reasoning.c has the table of their names. */
#define REASONING_MEMBERS REASONING_OF_PART

/* The name of the source's member. source: less than REASONING_MEMBERS. */
const char *reasoning_member(enum reasoning_source source);
/* The source with this key; N_REASONING_SOURCES: none. */
enum reasoning_source reasoning_source_of(const struct json_token *key);
bool reasoning_is_member(struct span name); /* the name of such a member */
/* Reads the value that begins with the token first, and moves j past the value. */
void reasoning_read(struct draft *d, struct draft_choice *c, enum reasoning_source source,
        struct json *j, const struct json_token *first);
