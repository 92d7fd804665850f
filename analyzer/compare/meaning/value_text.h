#pragma once
/*
 * value_text - short answers in words: case, an article in front and punctuation aside.
 */
#include <stdbool.h>

#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"

/*
 * Same: the same words, but for case (not of a single letter or an abbreviation: US is not us).
 * Undecided: one has all words of the other, may abbreviate it, is spelt almost alike, or is too long.
 */
enum agreement value_text_agreement(struct span a, struct span b);
/* Its last "!" belongs to a formula: "5!", "n!", "(n-1)!". */
bool value_text_is_factorial(struct span s);
