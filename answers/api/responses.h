#pragma once
/*
 * responses - reads OpenAI's Responses API: one document of output items, or events named
 * response.*.
 *
 * All items make one choice. Its text is the text of all messages. Its finish reason is "stop" if
 * the response is completed; if it is incomplete, the stated reason ("length" for
 * max_output_tokens). Later events repeat as a whole what earlier events gave in pieces: this
 * reader reads only what the earlier events did not contain.
 */
#include "answers/draft.h"

/* Reads one document: a body, or an event's data. event_name, is_error: as in struct document
 * (answers/api/documents.h). False: the text is not one JSON object. */
bool responses_read(
        struct draft *d, struct span text, struct span event_name, bool is_error) MUST_CHECK;
