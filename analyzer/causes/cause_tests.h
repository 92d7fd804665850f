#pragma once
/*
 * cause_tests - tests a group's sums for causes: the p value of each test and the size of its
 * effect. Private to the causes.
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

/* An increase with a level (load, cached tokens). */
struct cause_rise {
	/* answers differ more often, noise is higher; only the direction, whether significant or
	 * not */
	bool differ, noise;
	/* Share of differing answers and mean noise, at the lowest level and above it; extra:
	 * answers above it that would not have differed at the lowest level. */
	double low, high, extra, noise_low, noise_high;
};

struct cause_tests {
	double p[N_CAUSE_TESTS]; /* adjusted; NaN: not tested */
	double contrast;         /* nats */
	/* From the base's scores of the test's answers. scored_contrast: the shift, in nats, of
	 * tokens that already stood in the answer; scored_stretch: the factor of all gaps. */
	double scored_contrast, scored_stretch, scored_fit;
	double slope, fit; /* of the test's gaps on the base's; the quality of the fit, 0 to 1 */
	struct cause_change change;
	struct cause_rise load, cache;
	const struct facet *stack; /* the stack that differs from the others */
	double stack_rate, others_rate;
	double noise, floor;           /* mean, nats; floor NaN: none */
	double base_noise, test_noise; /* of each side against itself; NaN: not known */
};

void cause_tests_make(const struct analysis_group *g, struct cause_tests *ret);
