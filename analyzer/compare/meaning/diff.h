#pragma once
/*
 * diff - aligns two lists of words by their longest common subsequence. Pure.
 *
 * Time and memory are limited. Let n and m be the numbers of words on the two sides between the
 * first difference and the last one. If n * m exceeds DIFF_CELLS, all these words count as
 * replaced.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define DIFF_CELLS 4000000 /* pairs of words */

struct diff_run { /* each run begins where the one before it ends, on both sides */
	/* a, b: index of the run's first word on each side. n_a, n_b: number of its words on
	 * each side. */
	uint32_t a, b, n_a, n_b;
	bool equal; /* the words are equal, and n_a is n_b */
};

/* Returns the number of runs; the caller frees *ret_runs. For two empty lists: NULL and 0. */
size_t diff_find(const struct span *a, uint32_t n_a, const struct span *b, uint32_t n_b,
        struct diff_run **ret_runs);
