#pragma once
/*
 * prose_marks - marks at the end of a word that are no punctuation.
 */
#include <stdbool.h>

#include "base/buf.h"

/* How many bytes at the end are the marks of a factorial, a derivative, feet or inches; s is not empty. quoted: it stands in
 * a quotation, which they may close. */
size_t prose_marks_of_symbol(struct span s, bool quoted);
/* Two points or more, which say that it goes on. */
bool prose_marks_go_on(struct span s);
