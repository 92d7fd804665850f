#pragma once
/*
 * diff - aligns two lists of words by their longest common subsequence. Pure.
 *
 * Time and memory are limited: if there are more than DIFF_CELLS pairs of words between the first
 * difference and the last one, everything between them counts as replaced.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define DIFF_CELLS 4000000 /* pairs of words */

struct diff_run { /* runs follow each other without gaps on both sides */
	/* index of the first word on each side, and number of words */
	uint32_t a, b, n_a, n_b;
	bool equal; /* then n_a is n_b */
};

/* Returns the number of runs; the caller frees *ret_runs. For two empty lists: NULL and 0. */
size_t diff_find(const struct span *a, uint32_t n_a, const struct span *b, uint32_t n_b,
        struct diff_run **ret_runs);
