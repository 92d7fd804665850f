#pragma once
/*
 * exchange - two sentences that are the same but for a word or two in one place or in several: "so the cat weighs 12 kg",
 * "so the dog weighs 12 kg". Whether that matters nobody can tell by the words alone. Pure; linear but for 48 words whose
 * order is looked at.
 */
#include <stdbool.h>

#include "base/buf.h"

/* Or one has words more in one place: "the gross profit is 12", "the profit is 12". Where they differ in several, most words are the
 * same. Articles, what a sentence begins with ("so", "therefore"), "in total", sums ("3 + 9 ="), case and punctuation aside. Numbers
 * are no words here: who asks has compared them. */
bool exchange_of_words(struct span a, struct span b);
/* The same of two sentences that tell the same number, with its unit: it parts both alike. */
bool exchange_beside(struct span a, struct span at_a, struct span b, struct span at_b);
