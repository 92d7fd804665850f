#pragma once
/*
 * first_differences - classifies the first differences of many pairs: ties, drift, shifts, foreign
 * tokens (enum first_verdict in compare/tokens/first_difference_kind.h, which also defines the
 * shift).
 *
 * A position becomes a first difference only if the probabilities moved there, so the noise of
 * ordinary positions is too small a measure. The first differences between answers of one backend
 * (the floor) are the measure of noise here. The threshold
 * between drift and shifts controls the false discovery rate (Benjamini and Hochberg 1995), because
 * there are many first differences. The p value of a shift is (1 + the number of the floor's shifts
 * that are at least as large) / (1 + the number of the floor's shifts).
 *
 * The result does not depend on the order of adding. Memory does not grow. One thread.
 */
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "base/histogram.h"

/* the false discovery rate: the largest share of noise among the shifts that are found */
#define FIRST_DIFFERENCES_DISCOVERY 0.05

struct first_differences {       /* zero-initialised: empty */
	struct histogram shifts; /* where both sides list both tokens: the shift, unit 2^-20 nats */
	/* where a token is not in the other side's list */
	uint64_t foreign;
	uint64_t unknown; /* where the shift is unknown, for lack of logprobs */
};

void first_differences_add(struct first_differences *f, const struct first *first);
void first_differences_finish(struct first_differences *f);
uint64_t first_differences_total(const struct first_differences *f);

struct first_differences_verdict {
	uint64_t n[N_FIRSTS]; /* first differences by verdict */
	/* Nats; shifts above this are more than noise. Infinity: no shift is. NaN: fewer than
	 * FIRST_FLOOR_LEAST first differences of a backend from itself. */
	double threshold;
	uint64_t floor_n; /* number of shifts in `floor` of first_differences_judge() */
};

/*
 * Judges all first differences. sigma: see struct first_scale. floor: first differences of a
 * backend from itself; NULL: none. All shifts in one bin of the histogram get one verdict, so the
 * threshold is accurate to 0.1 %.
 */
void first_differences_judge(const struct first_differences *f, double sigma,
        const struct first_differences *floor, struct first_differences_verdict *ret);
