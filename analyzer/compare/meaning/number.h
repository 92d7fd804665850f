#pragma once
/*
 * number - a number as people and models write it, read exactly: a sign, digits with commas between
 * thousands, a decimal point, a power of ten (1e3, 1.5 × 10^3), or a fraction (1/3, \frac{1}{3}).
 *
 * A number that does not fit into 128 bits, or begins with a zero as codes do (007), is not read. 1,234 and 1.234 may each
 * stand for the other, and so are never different for certain.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "base/buf.h"
#include "base/check.h"

__extension__ typedef unsigned __int128 natural;

struct number {
	bool negative;
	natural num, den;     /* the absolute value, in lowest terms */
	bool one_separator;   /* written as 1,234 or 1.234 */
	bool ratio;           /* written as a fraction: exact, not rounded */
	bool trailing_zeros;  /* 3.10: as good as 3.1, unless it names a version */
	uint16_t decimals;    /* digits after the point */
	uint16_t significant; /* digits from the first that is not zero */
};

/* The number that text begins with. Returns its bytes; 0: there is none. What follows it may make it
 * something else, which is for the caller to see. */
size_t number_read(struct span text, struct number *ret);
/* Multiplies by num / den. False: the product is too large. */
bool number_multiply(struct number *n, natural num, natural den) MUST_CHECK;
double number_value(const struct number *n);

/* Undecided: one may be the other, rounded or with another separator. versions: 3.10 and 3.1 are
 * undecided, for they may name versions. */
enum agreement number_agreement(const struct number *a, const struct number *b, bool versions);

/*
 * One spelling of a word that is a plain number: 12,345 and 12345.0 become 12345, 1e3 becomes 1000,
 * and a measured 3.10 becomes 3.1. Otherwise zeros that may belong to a version (3.10) stay.
 * Appended; false: the word is no such number, and nothing was.
 */
bool number_spell(struct span word, bool measured, struct buf *to);
