#pragma once
/*
 * sentence - where a sentence begins and ends, in a text without markup. Pure; linear in what is passed over.
 */
#include "base/buf.h"

/* To the end of its first sentence or line; of one that is longer than `most` only so much that this is seen. The points of "St. Louis"
 * and of "1. Paris" end none. */
struct span sentence_first(struct span s, size_t most);
/* The sentence that `at`, which may be the end, stands in. Here each point before white space ends one. */
struct span sentence_around(struct span words, const char *at);
