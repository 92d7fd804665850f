#pragma once
/*
 * first_difference_kind - judges the first difference of two greedy answers. Pure.
 *
 * The *gap* of a side is the logprob of its own token minus that of the other side's token, both
 * from its own list, in nats. The *shift* is the sum of the two gaps: the difference of the logits
 * of these two tokens moved by this much between the engines. Renormalising adds the same number to
 * both logprobs of a side, so it does not change the shift. Nor does a temperature, if the engine
 * states the logprobs before the temperature is applied.
 *
 * If a gap is below 0, that side's choice contradicts its own list: a step after the logprobs (a
 * penalty, a sampler) changed the choice. Such a gap counts as 0 in the shift, which is then a
 * lower bound. Without this rule, the two gaps would cancel if the logits did not move, and the
 * difference would be judged a tie.
 *
 * first_judge() returns the first verdict that applies:
 *
 *	FIRST_UNKNOWN  the shift is unknown: a side has no list, or no logprob of its token
 *	FIRST_FOREIGN  a gap is censored: a side does not list the other side's token
 *	FIRST_TIE      the shift is at most first_tie_most()
 *	FIRST_UNKNOWN  there is no floor
 *	FIRST_DRIFT    the shift is at most the floor (first_scale.floor)
 *	FIRST_SHIFT    otherwise
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/tokens/listing.h"
#include "analyzer/stats/log_histogram.h"

struct first {
	/* nats, may be below 0; a lower bound if censored; NaN: unknown */
	double base_gap, test_gap;
	bool base_censored, test_censored; /* the other side's token is not in this side's list */
	/* nats; NaN: unknown; a lower bound if a gap is censored or below 0 (see above) */
	double shift;
};

/* base and test: the two sides at their first difference; their chosen tokens differ and begin at
 * the same byte. */
void first_find(const struct listing *base, const struct listing *test, struct first *ret);

/*
 * The noise of one comparable position before the first difference, in nats: the difference of the
 * logprobs of the base's two most probable tokens in the test's list, minus that in the base's. NaN
 * if the test does not list both, or the base lists fewer than two.
 */
double first_noise(const struct listing *base, const struct listing *test);

#define FIRST_NOISE_LEAST 200 /* the least number of positions for first_sigma() */
/* The standard deviation of first_noise(), in nats, if this noise is normal around 0: 1.4826 times
 * the median of its magnitudes (MAD). noise: counts of these magnitudes, so the median is accurate
 * to a bin (log_histogram.h). NaN: fewer than FIRST_NOISE_LEAST values. */
double first_sigma(const struct log_histogram *noise);
/* the least number of first differences between a backend and itself for first_scale.floor */
#define FIRST_FLOOR_LEAST 200

struct first_scale {
	double sigma; /* first_sigma(), nats */
	/* The 99.9 % quantile, in nats, of shifts at first differences between a backend and
	 * itself. NaN: no floor, or too few differences. Noise at ordinary positions can't replace
	 * this floor, because a first difference is a selected extreme. */
	double floor;
};

enum first_verdict { FIRST_TIE, FIRST_DRIFT, FIRST_SHIFT, FIRST_FOREIGN, FIRST_UNKNOWN, N_FIRSTS };
const char *first_verdict_name(enum first_verdict v);
/* The largest shift of a tie, nats: 3 sigma, and at least 1e-6. NaN for sigma counts as 0. */
double first_tie_most(const struct first_scale *scale);
enum first_verdict first_judge(const struct first *f, const struct first_scale *scale);
