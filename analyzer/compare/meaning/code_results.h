#pragma once
/*
 * code_results - what a program's comments say that it prints or returns: "# Output: Hello", "// -> abc", "# prints a b", a single word
 * behind a statement, a few words behind a call that prints or at the end. Others explain, and may do so in any words. Pure;
 * linear.
 */
#include <stdbool.h>

#include "base/buf.h"

struct code_results {    /* zero-initialised is ready */
	const char *end; /* of the comment before */
	bool told;       /* ... and the next one, if it stands below it, is a result */
	bool awaited;    /* ... the first one */
};

/* Comments one by one, in order, their marks included; they lie in the code. False: it tells no result. */
bool code_results_next(
        struct code_results *r, struct span code, struct span comment, struct span *ret);
/* A line of a list. place: how many tokens of the program stand before it, never less than that of the line before. */
void code_results_put(struct buf *to, size_t place, struct span result);
/* Of two lists about the same program: where both tell something at a place, it is the same. Some leave comments out. */
bool code_results_agree(struct span a, struct span b);
