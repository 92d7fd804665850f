#pragma once
/*
 * decimal - one spelling for each number, without rounding: 1, 1.0, 10e-1 and 1e0 become "1".
 */
#include "base/buf.h"

/*
 * Appends the spelling of a JSON number. Let its value be d * 10^e, where the integer d begins and
 * ends with a digit other than 0. Zero is "0" (also -0). An integer of at most 21 digits is written
 * as its digits. Every other number is the sign, d, "e" and e ("5e-1" is a half). An exponent
 * beyond +-999999999 counts as that limit. The words NaN, Infinity and -Infinity stay unchanged.
 */
void decimal_normalise(struct buf *to, struct span number);
