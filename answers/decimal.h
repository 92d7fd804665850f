#pragma once
/*
 * decimal - numbers as text in one spelling, without rounding: 1, 1.0, 10e-1 and 1e0 become "1".
 */
#include "base/buf.h"

/*
 * Appends the one spelling of a JSON number. With the significant digits d (no zero at either end)
 * and the value d * 10^e: zero is "0" (also -0); a whole number of at most 21 digits is its digits;
 * everything else is the sign, d, "e" and e ("5e-1" is a half). An exponent beyond +-999999999
 * counts as that. The words NaN, Infinity and -Infinity stay.
 */
void decimal_normalise(struct buf *to, struct span number);
