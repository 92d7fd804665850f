#pragma once
/*
 * responses - OpenAI's Responses API: one document of output items, or events named response.*.
 *
 * All items make one choice. Its text is that of all messages; its finish is "stop" if the response
 * is completed, or the reason if it is incomplete. Later events repeat as a whole what earlier
 * events delivered in pieces; this is not read twice. Whatever only the later events contain is
 * read from them.
 */
#include "answers/draft.h"

/* Reads one document, a body or an event's data. False: not one JSON object. */
bool responses_read(
        struct draft *d, struct span text, struct span event_name, bool is_error) MUST_CHECK;
