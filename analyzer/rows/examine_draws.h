#pragma once
/*
 * examine_draws - the draws of one sampled answer against its own lists: the figures of a draws_row. Pure.
 */
#include "analyzer/compare/tokens/request_words.h"
#include "analyzer/rows/draws_list.h"

struct draws_input {
	const struct choice *choice;
	const struct request_words *words; /* of the request */
	struct draws_asked asked;
};

/* Fills in counts, sums and the longest list. *ret_chance: the logarithm of an upper bound of the chance that
 * this very answer comes. Returns DRAWS_COUNTS, or why the answer says nothing. */
enum draws_exclusion examine_draws(
        const struct draws_input *in, struct draws_row *row, double *ret_chance);
