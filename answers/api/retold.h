#pragma once
/*
 * retold - text that an answer repeats: streams whose events each hold all text so far, members
 * beside a delta, and last events that repeat the text.
 */
#include "answers/draft.h"

/*
 * Adds an event's text, which is all text so far or only new text; several events together decide
 * which. whole: it is known to be all text so far.
 */
void retold_add(struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span text,
        bool whole);
/*
 * Handles a text beside or after the member that gave the choice's text. If no member gave any text
 * so far, this one becomes the choice's text. If it repeats the known text or the end of it, it is
 * dropped. Otherwise it is noted as an unknown member called `name`. True: it repeats.
 */
bool retold_text(
        struct draft *d, struct draft_choice *c, const struct json_token *text, const char *name);
/*
 * Reads a message. It is the choice's own message if it is the first and no delta came before. If
 * messages came before, it is the next of a stream of messages; if deltas came before, it should
 * repeat them. j is then after the message. True: it repeats.
 */
bool retold_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
