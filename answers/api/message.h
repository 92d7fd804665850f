#pragma once
/*
 * message - what an assistant said: a message, whole, or a delta of it.
 */
#include "answers/draft.h"

/* Reasoning goes before content, wherever it stands in the text. j is after the value then. */
void message_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
