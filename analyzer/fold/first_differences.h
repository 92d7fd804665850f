#pragma once
/*
 * first_differences - the first differences of many pairs, and what they are worth: ties, drift, shifts,
 * foreign tokens.
 *
 * A first difference is a selected extreme: it is there because something moved. So what noise does
 * is told by first differences of a backend from itself, not by ordinary positions; and because
 * there are many, shifts are told from drift at a false discovery rate over all of them.
 *
 * Adding in any order gives the same. Memory does not grow.
 */
#include "analyzer/compare/tokens/first.h"
#include "base/histogram.h"

#define FIRST_DIFFERENCES_DISCOVERY 0.05 /* at most this share of what is called a shift is noise */

struct first_differences {       /* zero-initialised is empty */
	struct histogram shifts; /* 2^-20 nats, where both sides list both tokens */
	uint64_t foreign;        /* a token is not in the other's list */
	uint64_t unknown;        /* no logprobs there */
};

void first_differences_add(struct first_differences *f, const struct first *first);
void first_differences_finish(struct first_differences *f);
uint64_t first_differences_total(const struct first_differences *f);

struct first_differences_verdict {
	uint64_t n[N_FIRSTS];
	/* Shifts above this are more than noise; infinite: none is; NaN: too few first differences of a
	 * backend from itself, so that drift and shift can't be told apart. */
	double threshold;
	uint64_t floor_n;
};

/*
 * sigma as in struct first_scale. floor: first differences between a backend and itself, or NULL.
 * Shifts in one bin of the histogram have one verdict: the threshold is within 0.1 %.
 */
void first_differences_judge(const struct first_differences *f, double sigma,
        const struct first_differences *floor, struct first_differences_verdict *ret);
