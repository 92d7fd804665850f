#pragma once
/* repetition - handles text that an answer repeats: in streams whose events each have all text so
 * far, in members next to a delta, and in last events that repeat the text. */
#include "answers/draft.h"

/*
 * Adds an event's text, which is either all text so far or only the new text; the events together
 * show which. whole: it is known to be all text so far.
 */
void repetition_add(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        struct span text, bool whole);
/* Handles a text next to or after the member that contained the choice's text. If no member
 * contained text so far, this text becomes the choice's text. If it repeats the known text or its
 * end, it is dropped (the function returns true). Otherwise it is added as an unknown member with
 * this name. */
bool repetition_text(
        struct draft *d, struct draft_choice *c, const struct json_token *text, const char *name);
/*
 * Reads a message. If no delta and no message came before, it is the choice's message. If messages
 * came before, it is the next one of a stream of messages. If deltas came before, it should repeat
 * them. j is then after the message. True: it repeats what came before.
 */
bool repetition_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/*
 * Reads the output of a stream's last response (Responses), which should repeat what the events
 * contained. Events may number its items otherwise than the response does.
 */
void repetition_output(struct draft *d, struct draft_choice *c, struct span output);
