#pragma once
/*
 * text_calls - tool calls that an engine without a parser left in the answer's text.
 *
 * Only what is whole counts, and what the request offered: a mark that models are taught, the name
 * of a function, its arguments. What stands in a code block, behind a quotation mark, or in the
 * midst of a line that goes on is spoken of, and is text.
 */
#include "answers/calls/offered.h"
#include "answers/reading.h"

/* Bytes [from, to) of a text, marks included. */
struct text_place {
	uint32_t from, to;
};

/*
 * The calls in c->text outside of its thoughts, in order: appended to *ret_calls (struct
 * tool_call, whose strings the caller frees) and *ret_places (struct text_place, one or more calls
 * each), either of which may be NULL. Returns how many calls there are. offered: what may be called;
 * where the names are not known (of no names), calls with a mark count whatever they name, and
 * those without one do not.
 */
size_t text_calls_find(const struct choice *c, const struct offered *offered, struct buf *ret_calls,
        struct buf *ret_places);
/* Where the calls stand that were found in the text; nothing if they were not. Appended. */
void text_calls_places(const struct choice *c, struct buf *ret);
