#pragma once
/*
 * grammar - which class of word follows which, so that what the simulated engine writes can be
 * read.
 *
 * The state is the class of the last word and whether the present clause has its verb: enough for
 * plain English.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/words.h"

/* The class that follows, drawn by u (0 <= u < 1). */
enum word_class grammar_next(enum word_class last, bool has_verb, double u);
/* Whether the clause has its verb once a word of that class was added. */
bool grammar_has_verb(bool had, enum word_class added);
