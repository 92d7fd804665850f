#pragma once
/*
 * cause_tests - tests whether a group of pairs has certain causes: the p value of each test, and
 * the size of the effect. For the files of causes/ only.
 */
#include "analyzer/fold/group.h"

enum cause_test {
	TEST_PENALTY_OF_BASE,
	TEST_PENALTY_OF_TEST,
	TEST_CONTRAST,
	TEST_PROCESSED,
	TEST_CROSSTALK_OF_BASE,
	TEST_CROSSTALK_OF_TEST,
	TEST_CHANGE,
	TEST_LOAD,
	TEST_LOAD_NOISE,
	TEST_CACHE,
	TEST_CACHE_NOISE,
	TEST_STACK,
	TEST_UNSTABLE,
	TEST_DRIFT,
	TEST_SCORED_CONTRAST,
	TEST_SCORED_GAPS,
	N_CAUSE_TESTS,
};

/* Whether a level goes together with differences or noise. The level is the number of requests
 * in flight to the test's backend, or whether the test's prompt was in the cache (0 or 1). */
struct cause_rise {
	/* differ: the mean level is higher over differing answers than over all answers. noise:
	 * it is higher if positions are weighted by their noise. Both state only the direction,
	 * not whether it is significant. */
	bool differ, noise;
	/* The lowest levels, as many as are needed for 10 answers ("low"), compared with all
	 * higher levels ("high").
	 *	low, high              the share of differing answers; NaN: no answers
	 *	extra                  the number of differing answers in "high" minus the number
	 *	                       expected there at the share `low`; at least 0
	 *	noise_low, noise_high  the mean noise of a position, nats; NaN: no positions */
	double low, high, extra, noise_low, noise_high;
};

struct cause_tests {
	/* adjusted (Holm); NaN: not tested, because there is too little data */
	double p[N_CAUSE_TESTS];
	/* Mean over positions, nats (struct cause_signs): how much the test's logprobs of tokens
	 * that already stood in the answer are above the base's, relative to new tokens. Below
	 * 0: the test makes such tokens less probable. NaN: no data. */
	double contrast;
	/* From the base's scores of the test's answers (struct score_row). A gap is a difference
	 * of two logprobs in one list.
	 *	scored_contrast  the same as contrast, but against the scores
	 *	scored_stretch   the test's gaps divided by the scorer's
	 *	scored_fit       how well one factor explains all gaps, 0 to 1 */
	double scored_contrast, scored_stretch, scored_fit;
	/* The test's gaps divided by the base's; how well this one factor explains all gaps, 0
	 * to 1. */
	double slope, fit;
	struct cause_change change;
	struct cause_rise load, cache;
	/* the stack whose answers differ most from those of the other stacks; NULL: none */
	const struct facet *stack;
	/* the share of differing answers under this stack; that under all other stacks */
	double stack_rate, others_rate;
	/* noise: the mean noise between the sides, nats. floor: the mean noise of a side against
	 * itself, over the sides where it was measured, nats; NaN: not measured. */
	double noise, floor;
	/* the mean noise of this side against itself, nats; NaN: not measured */
	double base_noise, test_noise;
};

/* Makes all tests. *ret points into g, which must outlive it, and needs no freeing. */
void cause_tests_make(const struct analysis_group *g, struct cause_tests *ret);
