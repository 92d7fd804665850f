#pragma once
/*
 * left_side - what stands before a value's "=": a lone name, sums to be worked out, or a term ("3x", "half of
 * the total", "the sum of x and y") that leaves the value another one than its bare self. What is there to be
 * worked out with its letters ("\max(x, y)", an integral) is a name of its own.
 */
#include <stdbool.h>

#include "base/buf.h"

/*
 * The text from `from` to `end`, which stands behind the "=". False: a term. *ret_variable: the name in
 * letters, if it is one, or the whole side, if it is a sum of names or has a command in it.
 */
bool left_side_is_plain(const char *from, const char *end, struct span *ret_variable);
/* Whether what stands before an "is" makes another value of a name: "the reciprocal of $x$"; end: behind its first letter. */
bool left_side_is_made(const char *from, const char *end);
