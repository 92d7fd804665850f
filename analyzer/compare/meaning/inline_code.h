#pragma once
/*
 * inline_code - what two texts have between backquotes. Each of its characters counts, which would be punctuation or a
 * sentence's first capital elsewhere: `sort!` is not `sort`, nor `Map` `map`. Pure; linear.
 */
#include <stdbool.h>

#include "base/buf.h"

struct inline_code {
	const struct buf *places; /* of markup_plain_placed() */
	struct span words;        /* ... which these are places in */
	struct span part;         /* of the words: what is looked at */
};

/* As many on both sides: they are the same, one by one. Else those of each stand in the other's part, in order, for
 * some leave the backquotes out. `a b` is not `a` and `b`. */
bool inline_code_agree(const struct inline_code *a, const struct inline_code *b);
/* Of the same words: none of one side reaches over two of the other's, or over the end of one. */
bool inline_code_borders_agree(const struct buf *a, const struct buf *b);
