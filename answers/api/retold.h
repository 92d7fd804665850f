#pragma once
/*
 * retold - what an answer says again: a stream whose events each hold all that was said so far, and
 * members beside a delta, or a last event, that repeat the text.
 */
#include "answers/draft.h"

/*
 * A text of an event that holds all so far or only what is new; which of them, its engine's events
 * tell together. whole: it is known to hold all so far.
 */
void retold_add(struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span text,
        bool whole);
/*
 * A text that stands beside, or after, what told the choice already. It is the text itself if
 * nothing else held any, and nothing if it repeats what is known, as a whole or its end; anything
 * else is marked as an unknown member of that name. True: it repeats.
 */
bool retold_text(
        struct draft *d, struct draft_choice *c, const struct json_token *text, const char *name);
/*
 * A message: the choice's own if it is the first one and no delta came before, one of a stream of
 * messages, or after deltas their repetition. j is after it then. True: it repeats.
 */
bool retold_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
