#pragma once
/* repetition - handles text that an answer repeats: in streams whose events each have all text so
 * far, in members next to a delta, and in last events that repeat the text. */
#include "answers/draft.h"

/* Adds an event's text: either all text so far, or only the new text. The texts of several events
 * show which. whole: the event's tokens show that it is all text so far. */
void repetition_add(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        struct span text, bool whole);
/* True if the text repeats the known one, or its beginning or end; white space at the ends does not
 * matter. */
bool repetition_is_of(struct span known, struct span repeated);
/* Handles a text that is not in the usual member for the choice's text. If the choice has no text
 * so far, this becomes its text. Returns true if this repeats the choice's text, or its beginning
 * or end. Any other text counts as an unknown member of this name (members_add_unknown()). */
bool repetition_text(
        struct draft *d, struct draft_choice *c, const struct json_token *text, const char *name);
/*
 * Reads a message; arguments as for message_read(). If no delta and no message came before, this is
 * the choice's message. After messages, it is the next one of a stream of messages. After deltas,
 * it should repeat them. Returns true if something came before, and the message agrees with that.
 */
bool repetition_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* Reads the output of the last response of a Responses stream, which should repeat what the events
 * contained. Its items may have other numbers than in the events. */
void repetition_output(struct draft *d, struct draft_choice *c, struct span output);
