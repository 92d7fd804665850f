#pragma once
/*
 * examine_draws - compares the draws of one sampled answer with its own lists: computes the figures
 * of a draws_row. Pure.
 */
#include "analyzer/compare/tokens/request_words.h"
#include "analyzer/rows/draws_list.h"

struct draws_input {
	const struct choice *choice;
	const struct request_words *words; /* words of the request */
	struct draws_asked asked;
};

/* Sets counts, sums and longest of *row. *ret_chance: the natural logarithm of an upper bound of
 * the answer's probability. Returns DRAWS_COUNTS, or why the answer is excluded. */
enum draws_exclusion examine_draws(
        const struct draws_input *in, struct draws_row *row, double *ret_chance);
