#pragma once
/*
 * tool_calls - tool calls whole or in pieces, and the function_call from before them.
 */
#include "reading/draft.h"

/* "tool_calls": a list of calls or of pieces of calls; each read through its end. */
void tool_calls_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* "function_call": {name, arguments}. */
void tool_calls_read_legacy(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
