#pragma once
/*
 * responses - OpenAI's Responses API: one document of output items, or events named response.*.
 *
 * All items make one choice: its text is that of all messages, its finish the response's own word
 * ("stop" for completed, the reason for incomplete). What events gave piece by piece is not taken
 * again from the wholes that later events repeat; what only a whole has is taken from it.
 */
#include "answers/draft.h"

/* One document, unary or an event's data. False: not one JSON object. */
bool responses_read(
        struct draft *d, struct span text, struct span event_name, bool is_error) MUST_CHECK;
