#pragma once
/*
 * call_forms - the forms in which models write tool calls into their text: one table of the forms
 * that vLLM, SGLang, llama.cpp and chat templates know.
 *
 * A call must be complete: a mark that models are trained on (such as <tool_call>), the name of a
 * function, and arguments. Pure; time is linear in the text.
 */
#include "answers/calls/call_list.h"
#include "answers/cursor.h"

struct call_form;
/* The form whose mark is at the cursor, or NULL. leads: there is only white space before it on
 * its line. A mark counts anywhere on a line if it begins with '<', '[' or ']', else only if leads
 * is true. */
const struct call_form *call_form_at(const struct cursor *at, bool leads);
/* Reads the calls of a form, beginning at its mark, and the tokens after them that end the message.
 * False: there are none; list and cursor are unchanged. */
bool call_form_read(const struct call_form *form, struct cursor *at, struct call_list *l);
/* True if the model makes the call that was read; false if it only mentions the call. No quotation
 * mark precedes a call that is made, and the line or message ends after it. If its mark is plain
 * text and no special token, the mark also begins the line (leads), or follows the end of a
 * sentence without a blank, as chat templates write it. text: the rest of the answer's text after
 * the previous call; `call` is a part of it. */
bool call_form_is_used(
        const struct call_form *form, struct span text, struct span call, bool leads);
/* Reads a text that consists of calls without a mark: JSON objects, a list of them, or a list of
 * calls in Python syntax. False: there are none, and the list is unchanged. */
bool call_form_read_bare(struct span text, struct call_list *l);
