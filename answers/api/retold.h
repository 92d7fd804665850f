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
 * Handles a text beside or after the member that gave the choice's text. It is the text itself if
 * no other member had any, and is dropped if it repeats the known text or its end; otherwise it is
 * noted as an unknown member of that name. True: it repeats.
 */
bool retold_text(
        struct draft *d, struct draft_choice *c, const struct json_token *text, const char *name);
/*
 * Reads a message: the choice's own if it is the first and no delta came before; one of a stream of
 * messages; or, after deltas, their repetition. j is then after it. True: it repeats.
 */
bool retold_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
