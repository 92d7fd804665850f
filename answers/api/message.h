#pragma once
/*
 * message - reads an assistant's message, whole or as a delta.
 */
#include "answers/draft.h"

/* Reads a message into the choice: reasoning before content, in whatever order the JSON has them.
 * first: the first token of the message, already read from j. Moves j past the whole message. */
void message_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
