#pragma once
/*
 * number - a number as people and models write it, read exactly: a sign, digits with commas between
 * thousands, a decimal point, a power of ten (1e3, 1.5 × 10^3), or a fraction (1/3, \frac{1}{3}).
 *
 * A number that does not fit into 128 bits, or begins with a zero as codes do (007), is not read.
 * 1,234 and 1.234 may mean the same, so they are never certainly different.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"
#include "base/check.h"

__extension__ typedef unsigned __int128 natural;

struct number {
	bool negative;
	natural num, den;     /* the absolute value, in lowest terms */
	bool one_separator;   /* written as 1,234 or 1.234 */
	bool ratio;           /* written as a fraction, so it is not rounded */
	bool trailing_zeros;  /* such as 3.10, which equals 3.1 unless it is a version */
	uint16_t decimals;    /* number of digits after the point */
	uint16_t significant; /* number of digits from the first that is not zero */
};

/* Reads the number at the beginning of the text. Returns its length in bytes; 0: there is none. The
 * caller must check whether the following text changes its meaning. */
size_t number_read(struct span text, struct number *ret);
/* Multiplies by num / den. False: the product is too large. */
bool number_multiply(struct number *n, natural num, natural den) MUST_CHECK;
double number_value(const struct number *n);

/* AGREE_UNDECIDED: the numbers may be equal after rounding, or if a comma or point is read as the
 * other separator. versions: 3.10 and 3.1 are undecided, since they may be versions. */
enum agreement number_agreement(const struct number *a, const struct number *b, bool versions);

/*
 * Appends the uniform spelling of a word that is a plain number: 12,345 and 12345.0 become 12345,
 * 1e3 becomes 1000. measured: the number is a measurement, and 3.10 becomes 3.1; otherwise such
 * zeros stay, since they may belong to a version (3.10). False: the word is not such a number, and
 * nothing was appended.
 */
bool number_spell(struct span word, bool measured, struct buf *to);
