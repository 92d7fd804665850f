#pragma once
/*
 * output - the items of a Responses output and their parts, whole or as events.
 *
 * What an event delivered before is not read again (answers/api/given.h).
 */
#include "answers/api/given.h"
#include "answers/calls/tool_calls.h"

/* The response's "output": a list of items. */
void output_read(struct draft *d, struct draft_choice *c, struct span list);
/* One item, complete or just begun. index: its place in the output. */
void output_read_item(struct draft *d, struct draft_choice *c, int64_t index, struct span item);
/* One part of an item. kind: the kind of its text, if the part's own type says only that it is
 * text. */
void output_read_part(
        struct draft *d, enum given_kind kind, const struct part *at, struct span value);
/* A part's logprobs: a delta has new ones, anything else the complete list. */
void output_read_logprobs(struct draft *d, const struct part *at, struct span list, bool is_delta);
/* A call, or a piece of one. */
void output_add_call(struct draft *d, const struct part *at, struct call_piece *p, bool is_whole);
/* A string member of an object, which may contain NaN elsewhere; an empty token if there is no
 * such member. */
struct json_token output_text_of(struct span object, const char *name);
