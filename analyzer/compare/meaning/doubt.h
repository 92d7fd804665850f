#pragma once
/*
 * doubt - words that put a statement in question, or take it back. English only; pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/* Before a statement at words.data[at], in its sentence: "if", "not", "I doubt that". */
bool doubt_before(struct span words, size_t at);
/* Right before an "answer" at words.data[at]: one of several answers, or somebody's: "the smaller", "Bob's". */
bool doubt_names(struct span words, size_t at);
/* The same as doubt_before() in its clause, from the last comma or colon on, bounds included: "at least", "minus". */
bool doubt_in_clause(struct span words, size_t at);
/* Anywhere in it: "wait", "mistake". */
bool doubt_takes_back(struct span words);
/* In what follows, from the end of its sentence on: "Wait, ...", "It could also be ...", "But ...". */
bool doubt_behind(struct span rest);
/* What goes on behind its comma or bracket makes it another statement: "or 15", "if it rains". */
bool doubt_joins(struct span rest);
/* What stands behind an option's letter is no option: "A. But B too", "A. No: B". */
bool doubt_opens(struct span option);
/* The words say when it holds, or how far: "if", "unless", "only", "sometimes". */
bool doubt_limits(struct span words);
/* A few words that begin with the case that it holds in: "with a permit", "before 1990", "formerly". */
bool doubt_conditions(struct span words);
/* Of a few words: they are no sentence and affirm nothing: "de jure", "every Sunday". A heading is none of these. */
bool doubt_fragment(struct span words);
/* The words may begin with such a case and be a sentence: "In 1969, men landed there". */
bool doubt_is_sentence(struct span words);
