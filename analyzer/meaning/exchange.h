#pragma once
/*
 * exchange - two sentences that are the same but for a word or two in one place: "so the cat weighs 12 kg", "so the
 * dog weighs 12 kg". Whether that place matters nobody can tell by the words alone. Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/* Or one has words more there: "the gross profit is 12", "the profit is 12". Articles, what a sentence begins with ("so", "therefore"), "in
 * total", case and punctuation aside; numbers are exchanged for nothing. */
bool exchange_of_words(struct span a, struct span b);
