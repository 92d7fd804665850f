#pragma once
/*
 * tool_calls - reads tool calls, whole or in pieces, and the older function_call, into a draft.
 */
#include "answers/draft.h"

/* The part of a call in one list element or one event. Absent members are zero. */
struct call_piece {
	bool has_index;
	int64_t index; /* without has_index: the position in the list */
	bool is_text;  /* its arguments are a text, not JSON */
	struct json_token id, name, arguments;
	struct span arguments_span; /* the whole value of the member "arguments" */
};

/* Adds the piece to the call that it continues, or begins a new call. */
void tool_calls_add(struct draft *d, struct draft_choice *c, const struct call_piece *p);
/* Reads "tool_calls", a list of calls or pieces, and moves j past the value. */
void tool_calls_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
/* Reads "function_call": {name, arguments}, and moves j past the value. */
void tool_calls_read_legacy(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first);
