#pragma once
/*
 * call_list - the tool calls that were found in a text. Pure.
 */
#include "answers/calls/offered.h"
#include "answers/reading.h"

/* The list owns the strings of its calls. A caller that takes the calls over must empty `calls`.
 * The caller sets offered and zeroes the rest. */
struct call_list {
	struct buf calls;              /* struct tool_call */
	const struct offered *offered; /* if it has no names, any function may be called */
	/* a JSON object is a call only if it has arguments, and no members beside those of a
	 * call */
	bool strict;
	size_t unclosed; /* values of arguments whose closing mark was not found */
	struct buf scratch;
};

/* Adds a call with copies of the texts; an empty id or arguments becomes NULL. False: no function
 * of this name may be called, or the list has READING_CALLS_LIMIT calls. */
bool call_list_add(struct call_list *l, struct span id, struct span name, struct span arguments);
size_t call_list_count(const struct call_list *l);
/* Drops all calls except the first `kept`. */
void call_list_cut(struct call_list *l, size_t kept);
void call_list_finish(struct call_list *l);
