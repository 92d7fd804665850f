#pragma once
/*
 * call_forms - the forms in which models write tool calls into their text: one table of what vLLM,
 * SGLang, llama.cpp and templates know.
 *
 * A call must be whole: a mark that models are taught, the name of a function, and arguments. Pure;
 * the time that a call takes is linear in the text.
 */
#include "answers/cursor.h"
#include "answers/calls/offered.h"
#include "answers/reading.h"

/* Calls that were found; the strings are freed by whoever takes them. */
struct call_list {
	struct buf calls;              /* struct tool_call */
	const struct offered *offered; /* of no names: any name may be called */
	bool strict;                   /* objects hold nothing but a call, arguments included */
	struct buf scratch;
};

size_t call_list_count(const struct call_list *l);
/* Drops all but the first `kept`. */
void call_list_cut(struct call_list *l, size_t kept);
void call_list_finish(struct call_list *l);

struct call_form;
/* The form whose mark stands at the cursor, or NULL. leads: only blanks stand before it on its
 * line; marks that are words are not looked for elsewhere. */
const struct call_form *call_form_at(const struct cursor *at, bool leads);
/* Its mark is a token of its own, and may follow text on a line. */
bool call_form_is_token(const struct call_form *form);
/* Reads the calls of a form, marks included, from its mark on. False: there are none, and the list
 * and the cursor are as they were. */
bool call_form_read(const struct call_form *form, struct cursor *at, struct call_list *l);
/* Calls without any mark, which are all of the text: JSON objects, a list of them, or a list of
 * calls as Python writes them. False: as above. */
bool call_form_read_bare(struct span text, struct call_list *l);
