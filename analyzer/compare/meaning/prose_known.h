#pragma once
/*
 * prose_known - what is known of some words. Pure.
 */
#include <stdint.h>

#include "base/buf.h"

enum prose_known_flag {
	KNOWN_THE = 1 << 0,
	KNOWN_JOINT = 1 << 1,  /* a comma before it is at its author's choice */
	KNOWN_PARTED = 1 << 2, /* it means another thing behind "the" */
	KNOWN_NEGATION = 1 << 3,
	KNOWN_NUMERAL = 1 << 4, /* a small one; "one" is a pronoun as often */
	KNOWN_ANY = 1 << 5,     /* set of no word: stands for all */
};

struct prose_known {
	const char *word;
	uint32_t flags;
	const char *digits; /* of a numeral */
};

/* In any case; a word of which nothing is known has no flags. */
const struct prose_known *prose_known(struct span word);
