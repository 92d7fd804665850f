#pragma once
/*
 * openai - reads one JSON document (a body, or an event's data) in OpenAI's chat and completion
 * forms, as engines use them, into a draft.
 */
#include "answers/draft.h"

/* is_error: the event is named "error", or the status is an error. False: the text is not one JSON
 * object; the draft has what comes before the fault. */
bool openai_read(struct draft *d, struct span text, bool is_error);
