#pragma once
/*
 * responses - reads OpenAI's Responses API: one document of output items, or events named
 * response.*.
 *
 * All items make one choice. Its text is the text of all messages. Its finish is "stop" if the
 * response is completed, or the reason if it is incomplete. Later events repeat as a whole what
 * earlier events gave in pieces; the repeated text is not read again, but what only the later
 * events contain is read.
 */
#include "answers/draft.h"

/* Reads one document: a body, or an event's data. event_name, is_error: as in struct document
 * (answers/api/documents.h). False: the text is not one JSON object. */
bool responses_read(
        struct draft *d, struct span text, struct span event_name, bool is_error) MUST_CHECK;
