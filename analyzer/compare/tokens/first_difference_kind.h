#pragma once
/*
 * first_difference_kind - judges the first difference of two greedy answers: a tie, drift, a shift,
 * or a token that is foreign to the other side. Pure.
 *
 * P is the test and R is the base, as in position.h. At the same position, P chose a and R chose b.
 * The gap of a side is how much more probable its own list makes its token than the other side's,
 * in nats. The sum of the two gaps, the shift, is how far the difference of the two logits moved
 * between the engines. Temperature and renormalising do not change it, as long as the logprobs are
 * of the unprocessed distribution.
 *
 * If a gap is below 0, that side's choice contradicts its own list: something after the logprobs (a
 * penalty, a sampler) moved its choice by at least that much. Such a gap counts as 0, so the shift
 * is then a lower bound for the movement. Without this rule the two gaps would cancel, because the
 * logits did not move, and the difference would be judged a tie.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/tokens/listing.h"
#include "analyzer/stats/log_histogram.h"

struct first {
	double gap_p, gap_r;         /* nats; a lower bound if censored; NaN: no list */
	bool p_censored, r_censored; /* the other side's token is not in this side's list */
	double shift; /* nats; NaN: unknown; a lower bound if either gap is censored */
};

/* For two different tokens that begin at the same byte. */
void first_find(const struct listing *p, const struct listing *r, struct first *ret);

/*
 * The noise of one comparable position before the first difference, in nats: how far the difference
 * between r's two most probable tokens moved in p. NaN if a side does not list them. The robust
 * standard deviation over many positions is the scale of first_judge().
 */
double first_noise(const struct listing *p, const struct listing *r);

#define FIRST_NOISE_LEAST 200 /* the least number of positions for a scale */
/* 1.4826 times the median of |first_noise()|. NaN: fewer than FIRST_NOISE_LEAST. */
double first_sigma(const struct log_histogram *noise);
/* the least number of first differences between a backend and itself */
#define FIRST_FLOOR_LEAST 200

struct first_scale {
	double sigma; /* robust standard deviation of first_noise(), nats; NaN: too few positions */
	/* The 99.9 % quantile, in nats, of shifts at first differences between a backend and
	 * itself. A first difference is a selected extreme, so noise at ordinary positions can't
	 * replace it. NaN: no floor, or too few differences. */
	double floor;
};

enum first_verdict { FIRST_TIE, FIRST_DRIFT, FIRST_SHIFT, FIRST_FOREIGN, FIRST_UNKNOWN, N_FIRSTS };
const char *first_verdict_name(enum first_verdict v);
/* The largest shift of a tie, nats. */
double first_tie_most(const struct first_scale *scale);
enum first_verdict first_judge(const struct first *f, const struct first_scale *scale);

/* The probability that a position with this gap between its two best tokens flips, given the
 * noise. */
double first_flip_chance(double gap, double sigma);

/*
 * The number of greedy answers that numeric noise alone would change, compared with the number that
 * differ.
 *
 * A position with a gap between its two best tokens flips with probability P(Z < -gap / sigma),
 * where sigma is the noise of the pair of backends. The gaps are kept in a histogram, because sigma
 * is known only at the end.
 */
/* The expected number of positions that flip. NaN: sigma is NaN, or there are no positions. */
double flips_expected(const struct log_histogram *gaps, double sigma);

/* Does the expected number explain the observed one? The expectation is accurate only to a
 * factor of 2, because the noise of neighbouring positions is correlated. */
enum flips_verdict {
	FLIPS_NOISE,   /* observed: at most twice the expected number */
	FLIPS_TOO_FEW, /* more than that, but chance explains it */
	FLIPS_MORE,
};

/* observed: greedy answers that differ. positions: positions where answers could have differed. */
enum flips_verdict flips_judge(double expected, uint64_t observed, uint64_t positions);
