#pragma once
/*
 * text_calls - tool calls that an engine without a parser left in the answer's text.
 *
 * Only what is whole counts: a mark that models are taught, a name, arguments that are JSON.
 */
#include "reading/reading.h"

/* Bytes [from, to) of a text, marks included. */
struct text_place {
	uint32_t from, to;
};

/*
 * The calls in c->text outside of its thoughts, in order: appended to *ret_calls (struct
 * tool_call, whose strings the caller frees) and *ret_places (struct text_place, one or more calls
 * each), either of which may be NULL. offered: the request offered tools; without that, only a text
 * that is nothing but calls has any. Returns how many calls there are.
 */
size_t text_calls_find(
        const struct choice *c, bool offered, struct buf *ret_calls, struct buf *ret_places);
