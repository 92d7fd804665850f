#pragma once
/*
 * grammar - draws the class of the next word, so that the simulated engine writes readable text.
 * Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/words.h"

/* The class of the word after one of class `last`, drawn with the random number u (0 <= u < 1).
 * has_verb: the clause has its verb already. */
enum word_class grammar_next(enum word_class last, bool has_verb, double u);
/* True if the clause has its verb once a word of class `added` follows. had: it had its verb
 * before. */
bool grammar_has_verb(bool had, enum word_class added);
