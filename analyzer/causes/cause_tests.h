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
	/* Above the lowest level, answers differ more often (differ), or the noise is higher
	 * (noise). Both state only the direction, not whether it is significant. */
	bool differ, noise;
	/* low, high: the share of differing answers at the lowest level, and above it.
	 * noise_low, noise_high: the mean noise at the lowest level, and above it, nats; NaN: no
	 * data. extra: the number of differing answers above the lowest level, minus the number
	 * expected at the share of the lowest level. */
	double low, high, extra, noise_low, noise_high;
};

struct cause_tests {
	double p[N_CAUSE_TESTS]; /* adjusted; NaN: not tested */
	/* Mean over positions, nats: how much less probable than the base the test makes tokens
	 * that already stood in the answer (struct cause_signs). */
	double contrast;
	/* From the base's scores of the test's answers; a gap is a difference of logprobs within
	 * one list. scored_contrast: the shift, in nats, of tokens that already stood in the
	 * answer. scored_stretch: the test's gaps divided by the scorer's. scored_fit: the
	 * quality of that fit, 0 to 1. */
	double scored_contrast, scored_stretch, scored_fit;
	/* The test's gaps divided by the base's, and the quality of that fit, 0 to 1. */
	double slope, fit;
	struct cause_change change;
	struct cause_rise load, cache;
	/* the stack whose answers differ most from those of the other stacks; NULL: none */
	const struct facet *stack;
	/* share of differing answers of this stack, and of the other stacks */
	double stack_rate, others_rate;
	/* noise: the mean noise between the sides, nats. floor: the mean noise of the sides
	 * against themselves, nats; NaN: not measured. */
	double noise, floor;
	/* mean noise of each side against itself, nats; NaN: unknown */
	double base_noise, test_noise;
};

/* Makes all tests. *ret points into g, which must outlive it, and needs no freeing. */
void cause_tests_make(const struct analysis_group *g, struct cause_tests *ret);
