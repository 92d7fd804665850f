#pragma once
/*
 * text_calls - finds tool calls that an engine without a parser left in the answer's text. Pure.
 *
 * A call counts only if it is complete (a mark that models are trained on, the name, the arguments)
 * and the request offered the function. A call in a code block, after a quotation mark, or on a
 * line that continues after the call is ordinary text.
 */
#include "answers/calls/offered.h"
#include "answers/reading.h"

/* Bytes [from, to) of a text; the marks belong to it. */
struct text_place {
	uint32_t from, to;
};

/*
 * Finds the calls in c->text outside of reasoning, in order, and returns their number. Appends the
 * calls to *ret_calls (struct tool_call; the caller frees the strings), and their places to
 * *ret_places (struct text_place; one place may have several calls). Either may be NULL. If offered
 * has no names, calls with marks count whatever their name is, and calls without marks do not
 * count.
 */
size_t text_calls_find(const struct choice *c, const struct offered *offered, struct buf *ret_calls,
        struct buf *ret_places);
/* Appends the places (struct text_place) of the calls in c->calls that were found in the text. */
void text_calls_places(const struct choice *c, struct buf *ret);
