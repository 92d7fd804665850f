#pragma once
/*
 * call_forms - the forms in which models write tool calls into their text: one table of what vLLM,
 * SGLang, llama.cpp and chat templates know.
 *
 * A call must be complete: a mark that models are trained on, the name of a function, and
 * arguments. Pure; time is linear in the text.
 */
#include "answers/cursor.h"
#include "answers/calls/offered.h"
#include "answers/reading.h"

/* Calls that were found. Whoever takes them frees the strings. */
struct call_list {
	struct buf calls;              /* struct tool_call */
	const struct offered *offered; /* without names, any function may be called */
	bool strict;                   /* objects may hold only a call, arguments included */
	struct buf scratch;
};

size_t call_list_count(const struct call_list *l);
/* Drops all except the first `kept`. */
void call_list_cut(struct call_list *l, size_t kept);
void call_list_finish(struct call_list *l);

struct call_form;
/* The form whose mark is at the cursor, or NULL. leads: only white space is before it on its line;
 * marks that are ordinary words count only there. */
const struct call_form *call_form_at(const struct cursor *at, bool leads);
/* True if its mark is a special token, which may follow text on a line. */
bool call_form_is_token(const struct call_form *form);
/* Reads the calls of a form from its mark on. False: there are none; list and cursor are
 * unchanged. */
bool call_form_read(const struct call_form *form, struct cursor *at, struct call_list *l);
/* Reads a text that consists of calls without a mark: JSON objects, a list of them, or a list of
 * calls in Python syntax. False: as above. */
bool call_form_read_bare(struct span text, struct call_list *l);
