#pragma once
/*
 * prose_known - what is known of some short words. Pure.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/eight.h"

#define PROSE_KNOWN_MOST 7 /* letters */

enum prose_known_flag {
	KNOWN_THE = 1 << 0,
	KNOWN_JOINT = 1 << 1,  /* a comma before it is at its author's choice */
	KNOWN_PARTED = 1 << 2, /* it means another thing behind "the" */
	KNOWN_NEGATION = 1 << 3,
	KNOWN_NUMERAL = 1 << 4, /* a small one; "one" is a pronoun as often */
	KNOWN_ANY = 1 << 5,     /* set of no word: stands for all */
};

struct prose_known {
	char word[PROSE_KNOWN_MOST + 1]; /* zeros behind it */
	char digits[3];                  /* of a numeral */
	uint8_t n;
	uint32_t flags;
};

/* A perfect hash: by the first three letters and their number, no two of the words have the same slot, of which the compiler
 * would warn. The factor was found by trial. */
#define PROSE_KNOWN_BITS 7
#define PROSE_KNOWN_SLOT(three, n)                                                                 \
	((((three) | (n) << 24) * UINT32_C(0x18564b09)) >> (32 - PROSE_KNOWN_BITS))

extern const struct prose_known prose_known_words[1 << PROSE_KNOWN_BITS];

/* Of a word of n bytes, whose first eight these are, in lower case and with zeros behind them: as eight_load() has them. No
 * flags: nothing is known of it. */
static inline const struct prose_known *prose_known(uint64_t first, size_t n)
{
	size_t slot = PROSE_KNOWN_SLOT((uint32_t)first & 0xffffff, (uint32_t)n);
	const struct prose_known *known = &prose_known_words[slot];
	size_t is = (known->n == n) & (eight_load(known->word, 8) == first);
	return &prose_known_words[slot * is]; /* a branch would be foreseen too seldom */
}
