#pragma once
/*
 * tool_calls - tool calls whole or in pieces, and the function_call from before them.
 */
#include "answers/draft.h"

/* What one element of a list, or one event, says of a call. What it does not say is left zero. */
struct call_piece {
	bool has_index;
	int64_t index;
	struct json_token id, name, arguments;
	struct span arguments_span; /* the whole value of arguments */
};

/* Adds to the call that the piece goes on with, or begins one. */
void tool_calls_take(struct draft *d, struct draft_choice *c, const struct call_piece *p);
/* "tool_calls": a list of calls or of pieces of calls; each read through its end. */
void tool_calls_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* "function_call": {name, arguments}. */
void tool_calls_read_legacy(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
