#pragma once
/*
 * call_list - the tool calls that were found in a text. Pure.
 */
#include "answers/calls/offered.h"
#include "answers/reading.h"

/* The caller frees the strings of the calls that it takes out; call_list_finish() frees all
 * others. */
struct call_list {
	struct buf calls;              /* struct tool_call */
	const struct offered *offered; /* if it has no names, any function may be called */
	/* a JSON object is a call only if it has arguments, and no members besides name and
	 * arguments */
	bool strict;
	size_t unclosed; /* values of arguments whose closing mark was not found */
	struct buf scratch;
};

/* Adds a call with copies of the texts. False: no function of this name may be called, or the
 * list is full. */
bool call_list_add(struct call_list *l, struct span id, struct span name, struct span arguments);
size_t call_list_count(const struct call_list *l);
/* Drops all calls except the first `kept`. */
void call_list_cut(struct call_list *l, size_t kept);
void call_list_finish(struct call_list *l);
