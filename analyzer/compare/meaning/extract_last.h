#pragma once
/*
 * extract_last - the last number of a text, where nothing marks the answer.
 */
#include "analyzer/compare/meaning/extract.h"

/* False: there is none. */
bool extract_last(struct span words, struct extract *ret);
/* Whether some number in the text may be this one. */
bool extract_last_mentions(struct span words, const struct number *n);
