#pragma once
/*
 * word - the words of a text. A word is made of letters, digits and underscores, with hyphens and apostrophes within it. Pure;
 * linear in what is passed over.
 */
#include <stdbool.h>

#include "base/buf.h"

/* The one that begins at `at`; empty: none does. */
struct span word_at(struct span s, size_t at);
/* The next one, whatever stands before it; *rest begins behind it then. False: there is none. */
bool word_next(struct span *rest, struct span *ret);
/* The last one on the line that ends at `at`, or marks before it; empty: there is none. */
struct span word_before(struct span s, size_t at);
/* The letters from `at` on, of a word or of a part of one; empty: there are none. */
struct span word_letters(struct span s, size_t at);
/* How many there are of what white space parts. */
size_t word_count(struct span s);
/* The first ones of these; returns how many, and most + 1 if there are more, for which ret has room, too. */
size_t word_split(struct span s, size_t most, struct span *ret);
