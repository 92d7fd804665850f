#pragma once
/*
 * parting - where two readings part. Pure comparison of two choices, by bytes first, so that two tokenisers
 * can be held against each other.
 *
 * A position is comparable iff both sides had the same bytes before it; the first differing one is included
 * (divergence is looked for on comparable positions only). With the same token boundaries that is simply:
 * tokens 0 .. first difference.
 */
#include "reading/reading.h"

struct parting {
	bool text_equal;            /* answer texts equal, byte for byte */
	size_t first_byte;          /* first differing byte of the answer; the shorter length if one is a prefix */
	bool has_tokens;            /* both sides have columns that spell their text */
	uint32_t comparable;        /* comparable positions */
	bool tokens_part;           /* a differing token was found at position first_token */
	uint32_t first_token;
};

void parting_find(const struct choice *a, const struct choice *b, struct parting *ret);
