#pragma once
/*
 * exchange - two sentences that are the same but for a word or two in one place: "so the cat weighs 12 kg", "so the
 * dog weighs 12 kg". Whether that place matters nobody can tell by the words alone. Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/* Articles, what a sentence begins with ("so", "therefore"), case and punctuation aside; numbers are exchanged for nothing, and sentences of
 * more than 48 words are not looked at. */
bool exchange_of_words(struct span a, struct span b);
