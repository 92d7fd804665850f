#pragma once
/*
 * reasoning - thoughts from a message's own members, whatever their name and shape: a string;
 * {"content" | "text" | "summary": ...}; lists of either (OpenRouter's reasoning_details, Mistral's
 * thinking parts). Encrypted ones are left out.
 *
 * The same thoughts under two names count once, also when they come piece by piece: each name has
 * its own place in the reasoning so far, and what it says again there is not taken again.
 */
#include "answers/draft.h"

/* The name's source; N_REASONING_SOURCES: not one of them. */
enum reasoning_source reasoning_source_of(const struct json_token *key);
/* Takes the value whose first token was given; j is after it then. */
void reasoning_read(struct draft *d, struct draft_choice *c, enum reasoning_source source,
        struct json *j, const struct json_token *first);
