#pragma once
/*
 * prose_marks - where a word ends, and marks at its end that are no punctuation.
 */
#include <stdbool.h>

#include "base/buf.h"

/* What may end a word without being a part of it. */
extern const bool prose_marks_closing[256];

/* How many bytes at the end are the marks of a factorial, a derivative, feet or inches; s is not empty. quoted: it stands in
 * a quotation, which they may close. */
size_t prose_marks_of_symbol(struct span s, bool quoted);
/* Whether the punctuation at a run's end says something: two points or more, that it goes on; a point or two "!" that are
 * all of it, the end of a command. */
bool prose_marks_count(struct span run, struct span end);
/* Whether the point behind a word says that letters were left out: "Mt.", "Dr.". */
bool prose_marks_shorten(struct span word, struct span end);
/* Whether the point behind such a word, which stands in that run of the text, may end a sentence all the same: a name or an ordinal is
 * before it, in marks or not, and behind it, after white space, a capital, a letter other than ASCII's, a digit, or what opens a quotation
 * or a bracket. "On Elm St. John lives", "on 42nd St. 5 people live", and not "Mr. Smith". */
bool prose_marks_may_end(struct span text, struct span run, struct span word);
/* The next white space or dash, both of which end a run. */
const char *prose_marks_run_end(const char *at, const char *end);
