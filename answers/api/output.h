#pragma once
/*
 * output - the items of a Responses output and their parts, whole or as events give them.
 *
 * What an event gave before is not read again (answers/api/given.h).
 */
#include "answers/api/given.h"
#include "answers/calls/tool_calls.h"

/* The response's "output": a list of items. */
void output_read(struct draft *d, struct draft_choice *c, struct span list);
/* One item, whole or just begun. index: where it stands in the output. */
void output_read_item(struct draft *d, struct draft_choice *c, int64_t index, struct span item);
/* One part of an item. kind: what its text is if its type says no more than that it is one. */
void output_read_part(
        struct draft *d, enum given_kind kind, const struct part *at, struct span value);
/* A part's logprobs: those of a delta are new, any others the whole list. */
void output_read_logprobs(struct draft *d, const struct part *at, struct span list, bool is_delta);
/* A call, or a piece of one. */
void output_add_call(struct draft *d, const struct part *at, struct call_piece *p, bool is_whole);
/* A text of an object, also of one with NaN in it; nothing if it has none. */
struct json_token output_text_of(struct span object, const char *name);
