#pragma once
/*
 * prose_marks - marks at the end of a word that are no punctuation.
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
