#pragma once
/*
 * number - a number as people and models write it, read exactly.
 *
 * Text is expected as format_digits() leaves it: ASCII digits, one minus. Separators may be read in
 * two ways: 1,234 is 1234 to most and 1.234 to some. Then `other` is the second reading. A number
 * whose first reading is no more likely (1.234,50 and 12,34: a comma for the point) is unsure, and
 * never agrees for certain with one that is written in another way.
 */
#include "analyzer/compare/meaning/agreement.h"
#include "analyzer/compare/meaning/fraction.h"
#include "base/buf.h"

struct number {
	struct fraction value;
	struct fraction other;
	bool has_other;
	bool unsure;
	bool ratio;           /* written as a fraction: exact, not rounded */
	bool trailing_zeros;  /* 3.10: as good as 3.1, unless it names a version */
	uint16_t decimals;    /* digits after the point */
	uint16_t significant; /* digits from the first that is not zero */
};

/*
 * The number that text begins with: signs, separators of thousands, fractions (1/3, \frac{1}{3}, ½,
 * 1 1/2), powers of ten (1e3, 1.5 × 10^3), words (forty-two). Returns its bytes; 0: there is none.
 * What follows it may make it something else, which is for the caller to see.
 */
size_t number_read(struct span text, struct number *ret);

/*
 * Same: equal values, both sure. Undecided: equal in one of the readings, or one may be the other
 * rounded or cut. versions: 3.10 and 3.1 are undecided, for they may name versions.
 */
enum agreement number_agreement(const struct number *a, const struct number *b, bool versions);

/*
 * One spelling of a word that is a plain number: 12,345 and 12345.0 become 12345, 1e3 becomes 1000,
 * and a measured 3.10 becomes 3.1. Otherwise zeros that may belong to a version (3.10) or a code
 * (007) stay. Appended; false: the word is no such number, and nothing was.
 */
bool number_spell(struct span word, bool measured, struct buf *to);
