#pragma once
/*
 * examine_draws - compares the draws of one sampled answer with the lists of its tokens: computes
 * the sums of a draws_row. Pure.
 */
#include "analyzer/compare/tokens/request_words.h"
#include "analyzer/rows/draws_list.h"

struct draws_input {
	const struct choice *choice;
	const struct request_words *words; /* words of the request */
	struct draws_requested requested;
};

/* Sets counts, sums and longest of *row, which the caller zero-initialised. *ret_chance: the
 * natural logarithm of an upper bound of the answer's probability. Returns DRAWS_COUNTS,
 * DRAWS_NO_LISTS, DRAWS_UNLISTED or DRAWS_OUTSIDE. */
enum draws_exclusion examine_draws(
        const struct draws_input *in, struct draws_row *row, double *ret_chance);
