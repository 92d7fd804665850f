#pragma once
/*
 * cause_tests - what the sums of a group say, cause by cause, as numbers: each test's p and the size
 * of its effect. Private to the causes.
 */
#include "analyzer/fold/group.h"

enum cause_test {
	TEST_PENALTY_OF_BASE,
	TEST_PENALTY_OF_TEST,
	TEST_CONTRAST,
	TEST_PROCESSED,
	TEST_TALK_OF_BASE,
	TEST_TALK_OF_TEST,
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

/* What grows with a level. */
struct cause_rise {
	bool differ, noise; /* more answers, more noise: its direction alone */
	/* Shares of differing answers, and mean noise, at the least level and above it; answers above it
	 * that would not have differed at the least level. */
	double low, high, extra, noise_low, noise_high;
};

struct cause_tests {
	double p[N_CAUSE_TESTS]; /* adjusted; NaN: not made */
	double contrast;         /* nats */
	/* Of the test's answers, as the base scored them: tokens that stood in the answer, nats; how far all gaps
	 * are stretched. */
	double scored_contrast, scored_stretch, scored_fit;
	double slope, fit; /* of the test's gaps on the base's; how well they fit, 0 to 1 */
	struct cause_change change;
	struct cause_rise load, cache;
	const struct facet *stack; /* the one that stands out */
	double stack_rate, others_rate;
	double noise, floor;           /* mean, nats; floor NaN: none */
	double base_noise, test_noise; /* of each side from itself; NaN: not known */
};

void cause_tests_make(const struct analysis_group *g, struct cause_tests *ret);
