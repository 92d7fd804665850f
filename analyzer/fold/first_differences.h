#pragma once
/*
 * first_differences - classifies the first differences of many pairs: ties, drift, shifts, foreign
 * tokens.
 *
 * A first difference is a selected extreme: it exists because something moved. Therefore noise is
 * measured at the first differences between answers of one backend, not at ordinary positions. And
 * because there are many first differences, the threshold between drift and shifts controls the
 * false discovery rate over all of them.
 *
 * The result does not depend on the order of adding. Memory does not grow.
 */
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "base/histogram.h"

#define FIRST_DIFFERENCES_DISCOVERY 0.05 /* the largest share of shifts that are noise */

struct first_differences {       /* zero-initialised: empty */
	struct histogram shifts; /* shifts in 2^-20 nats, where both sides list both tokens */
	/* first differences where one side's token is not in the other side's list */
	uint64_t foreign;
	uint64_t unknown; /* first differences without logprobs */
};

void first_differences_add(struct first_differences *f, const struct first *first);
void first_differences_finish(struct first_differences *f);
uint64_t first_differences_total(const struct first_differences *f);

struct first_differences_verdict {
	uint64_t n[N_FIRSTS]; /* first differences by verdict */
	/* Nats; shifts above this are more than noise. Infinity: no shift is. NaN: there are too
	 * few first differences of a backend from itself to separate drift and shifts. */
	double threshold;
	uint64_t floor_n; /* first differences of a backend from itself */
};

/*
 * Judges all first differences. sigma: see struct first_scale. floor: first differences of a
 * backend from itself, or NULL. All shifts in one bin of the histogram get one verdict, so the
 * threshold is accurate to 0.1 %.
 */
void first_differences_judge(const struct first_differences *f, double sigma,
        const struct first_differences *floor, struct first_differences_verdict *ret);
