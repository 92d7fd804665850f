#pragma once
/*
 * output - reads the output items of the Responses API and their parts, whole or from events.
 *
 * It does not read again what an earlier event gave (answers/api/received.h).
 */
#include "answers/api/received.h"
#include "answers/calls/tool_calls.h"

/* Reads the response's "output": a list of items. */
void output_read(struct draft *d, struct draft_choice *c, struct span list);
/* Reads one item, complete or just begun. index: its place in the output. */
void output_read_item(struct draft *d, struct draft_choice *c, int64_t index, struct span item);
/* Reads one part of an item. kind: that of its text, unless the part's own type shows another. */
void output_read_part(
        struct draft *d, enum received_kind kind, const struct part *at, struct span value);
/* Reads a part's logprobs. is_delta: the list has only new tokens; else it has all of the part. */
void output_read_logprobs(struct draft *d, const struct part *at, struct span list, bool is_delta);
/* Adds a whole call, or a piece of one. Drops the arguments of a whole call if they were received
 * before. Changes *p. */
void output_add_call(struct draft *d, const struct part *at, struct call_piece *p, bool is_whole);
/* The string under a key of an object; the rest of the object may contain NaN. An empty token:
 * there is no such string. */
struct json_token output_text_of(struct span object, const char *name);
