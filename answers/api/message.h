#pragma once
/*
 * message - an assistant's message, whole or as a delta.
 */
#include "answers/draft.h"

/* Reasoning is put before content, wherever it is in the JSON. j is then after the value. */
void message_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
