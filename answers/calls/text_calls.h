#pragma once
/*
 * text_calls - tool calls that an engine without a parser left in the answer's text.
 *
 * A call counts only if it is complete and the request offered the function: a mark that models are
 * trained on, the name, the arguments. In a code block, after a quotation mark, or within a line
 * that goes on, it is ordinary text.
 */
#include "answers/calls/offered.h"
#include "answers/reading.h"

/* Bytes [from, to) of a text, marks included. */
struct text_place {
	uint32_t from, to;
};

/*
 * Finds the calls in c->text outside of reasoning, in order. Appends them to *ret_calls (struct
 * tool_call; the caller frees the strings) and their places to *ret_places (struct text_place, one
 * or more calls each); either may be NULL. Returns the number of calls. offered: what may be
 * called; without names, marked calls count whatever they name, and unmarked ones do not.
 */
size_t text_calls_find(const struct choice *c, const struct offered *offered, struct buf *ret_calls,
        struct buf *ret_places);
/* Appends the places of the calls that were found in the text; nothing if there are none. */
void text_calls_places(const struct choice *c, struct buf *ret);
