#pragma once
/*
 * cause_tests - tests whether a group of pairs has certain causes: the p value of each test, and
 * the size of the effect. For the files of causes/ only. Pure.
 *
 *	test             null hypothesis                                       method, min. clusters
 *	PENALTY_OF_side  the best token is seen as often among not_top tokens  binomial, above
 *	                 as among all tokens (struct cause_choices)
 *	CROSSTALK_OF_    see crosstalk_side_p()
 *	CHANGE           see cause_change_find()
 *	CONTRAST         the mean contrast is at most 0.05 nats from 0         t, 8
 *	PROCESSED        sums of squared gaps: the test's = the base's         t, 20
 *	LOAD, CACHE      the mean level at first differences (if fewer than    t, 20
 *	                 8: over differing answers) = that at all comparable
 *	                 positions (over all answers)
 *	LOAD_NOISE, ...  the mean level weighted by noise = the mean level     t, 20
 *	STACK            share of differing answers: under this stack = under  t; 20 answers on
 *	                 all others; p times the number of stacks              either side
 *	UNSTABLE         the test's noise = the base's                         t, 20
 *	DRIFT            the noise between the sides is at most the floor; at  t, above, 8
 *	                 most 0.05 nats if no floor has 8 clusters
 *	SCORED_CONTRAST  the mean contrast to the scores is at most 0.05 nats  t, 8
 *	                 from that of the base's own answers (0 if fewer than
 *	                 8 clusters were scored)
 *	SCORED_GAPS      squared gaps, the engine's / the scorer's = that of   t, 8
 *	                 the base's own answers (1 if fewer were)
 *
 * Two-sided, except "above". t: the difference divided by its standard error over clusters
 * (clusters_estimate_linear()), with Student's distribution and the fewest degrees of freedom of
 * its terms; if the clusters do not vary at all, the one-sided p is 2^-(freedom + 1). binomial:
 * not_top tokens count as the smaller effective number of independent ones. LOAD, LOAD_NOISE,
 * CACHE, CACHE_NOISE, CHANGE and STACK need 8 differing answers. For the first four, p is at least
 * 2^(1 - events). The variance of STACK is that of independent answers times their design effect.
 */
#include "analyzer/causes/cause_change.h"
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
	/* differ: the mean level is higher at differences than elsewhere (the two means that LOAD
	 * or CACHE above compares). noise: the mean level is higher if positions are weighted by
	 * their noise. Both state only the direction, not whether it is significant. False: also if
	 * the test has too little data. */
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
	 * that already occurred in the answer are above the base's, relative to new tokens. Below
	 * 0: the test makes such tokens less probable. NaN: no data. */
	double contrast;
	/* The factor between the test's gaps x and the base's gaps y (struct cause_signs), with
	 * sums over positions: slope = sqrt(sum x^2 / sum y^2); NaN: no data. How well one factor
	 * explains all gaps: fit = (sum xy)^2 / (sum x^2 sum y^2), 0 to 1; 0: no data. */
	double slope, fit;
	/* From the base's scores of the test's answers (struct score_row): scored_contrast is as
	 * contrast, but against the scores, minus that of the base's own answers (0 as above);
	 * scored_stretch and scored_fit are as slope and fit, with the scorer's gaps as y. NaN: too
	 * little data. */
	double scored_contrast, scored_stretch, scored_fit;
	/* the point in time before and after which the shares of differing answers differ most */
	struct cause_change change;
	struct cause_rise load, cache;
	/* the stack whose answers differ most from those of the other stacks; NULL: none */
	const struct facet *stack;
	/* stack_rate: share of differing answers under this stack; others_rate: under all other
	 * stacks. Both 0 if stack is NULL */
	double stack_rate, others_rate;
	/* noise: the mean noise between the sides, nats. floor: the mean noise of a side against
	 * itself, over the sides where it was measured in at least 8 clusters, nats; NaN: none
	 * was. */
	double noise, floor;
	/* the mean noise of the base (of the test) against itself, from any number of clusters,
	 * nats; NaN: not measured */
	double base_noise, test_noise;
};

/* Makes all tests. *ret points into g, which must outlive it, and needs no freeing. */
void cause_tests_make(const struct analysis_group *g, struct cause_tests *ret);
