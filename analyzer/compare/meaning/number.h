#pragma once
/*
 * number - a number as people and models write it, read exactly: a sign, digits with commas between
 * thousands, a decimal point, a power of ten (1e3, 1.5 × 10^3), or a fraction (1/3, \frac{1}{3}).
 *
 * A number is not read if its numerator or denominator does not fit into 128 bits, or if it begins
 * with a zero as codes do (007). In some countries 1.234 means 1,234, so these two are never
 * certainly different.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"
#include "base/check.h"

__extension__ typedef unsigned __int128 natural;

struct number {
	bool negative;
	natural num, den; /* the absolute value, in lowest terms */
	/* written as 1,234 or 1.234: either the comma or the point may separate thousands */
	bool one_separator;
	bool ratio; /* written as a fraction, so it is not rounded */
	/* the decimals end in a zero, but are not all zero: perhaps a version, as in 3.10 */
	bool trailing_zeros;
	uint16_t decimals;    /* number of digits after the point */
	uint16_t significant; /* number of digits from the first that is not zero */
};

/* Reads the number at the beginning of the text. Returns its length in bytes; 0: there is none,
 * and *ret is undefined. The caller must check whether the following text changes its meaning. */
size_t number_read(struct span text, struct number *ret);
/* Multiplies by num / den. False: the product is too large, and *n is undefined. */
bool number_multiply(struct number *n, natural num, natural den) MUST_CHECK;
double number_value(const struct number *n); /* rounded to a double */

/* Compares two numbers.
 *
 *	AGREE_SAME       equal
 *	AGREE_UNDECIDED  one may be the other one rounded; or they are equal if a comma or a point
 *	                 is read as the other separator; or they are equal, but `versions` is set
 *	                 and they may be different versions (3.10 and 3.1)
 *	AGREE_CHANGED    otherwise */
enum agreement number_agreement(const struct number *a, const struct number *b, bool versions);

/*
 * Appends the uniform spelling of a word that is a plain number: digits with or without commas,
 * decimals and an exponent. Commas are removed, and an exponent is resolved (1e3 becomes 1000).
 * Decimals that are all zero are removed (12345.0 becomes 12345). Other trailing zeros (3.10) are
 * removed only if the word has an exponent, or if `measured`: the word is certainly no version.
 * False: the word is not such a number, and nothing was appended.
 */
bool number_spell(struct span word, bool measured, struct buf *to);
