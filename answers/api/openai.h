#pragma once
/*
 * openai - one JSON document of an answer (a whole body, or the data of one event) in OpenAI's
 * chat and completion dialects as engines speak them, into a draft.
 */
#include "answers/draft.h"

/*
 * is_error: the event is named "error", or the status says so. False: the text is not one JSON
 * object; what came before the fault was read.
 */
bool openai_read(struct draft *d, struct span text, bool is_error);
