#pragma once
/*
 * left_clause - how far what stands before a value's "=" reaches to the left. Pure; linear in the text.
 */
#include <stdbool.h>

#include "base/buf.h"

/*
 * From where the clause or formula begins to the "=" that the text from `from` to `end` ends in. Commas in brackets
 * part nothing, and of a formula that was closed before the "=" ("the sum of $x$ and $y$ =") the words before it
 * are its too.
 */
struct span left_clause_of(const char *from, const char *end);
/* To its first "=", or that behind its last arrow: of a chain, that is what it stands for. */
struct span left_clause_first(struct span clause);
/* Does a formula go on at `at`? Its sign is before it on its line, or ends the line before. */
bool left_clause_in_formula(const char *from, const char *at);
