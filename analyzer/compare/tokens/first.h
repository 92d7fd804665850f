#pragma once
/*
 * first - what the first difference of two greedy answers is worth: a tie, drift, a shift, or a
 * token that is foreign to the other side. Pure.
 *
 * P chose a, R chose b at the same position. Each side's gap is how much more probable it holds its
 * own token than the other's, in nats. Their sum, the shift, is exactly how far the difference of the
 * two logits moved between the engines; temperature or renormalising don't enter it, as long as the
 * logprobs are of the unprocessed distribution.
 *
 * A gap below 0 is of a side that chose against its own list: something behind the logprobs (a
 * penalty, a sampler) moved its choice by at least that much. Such a gap counts as 0, so that the
 * shift is then the least by which the choice moved. Without this the logits, which did not move,
 * would make a tie of it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/tokens/listing.h"
#include "analyzer/stats/log_histogram.h"

struct first {
	double gap_p, gap_r;         /* at least that where censored; NaN: no list */
	bool p_censored, r_censored; /* the other's token is not in this side's list */
	double shift;                /* NaN: unknown; at least that where either is censored */
};

/* Of two tokens that differ and begin at the same byte. */
void first_find(const struct listing *p, const struct listing *r, struct first *ret);

/*
 * The noise of a comparable position before the parting: how far the difference of the two most
 * probable tokens of r, as p has them, moved. NaN where either side lacks them. Its robust standard
 * deviation over many positions is the scale of first_judge().
 */
double first_noise(const struct listing *p, const struct listing *r);

#define FIRST_NOISE_LEAST 200 /* positions, before a scale is believed */
/* Of the sizes of first_noise(): 1.4826 times the median. NaN: fewer than FIRST_NOISE_LEAST. */
double first_sigma(const struct log_histogram *noise);
#define FIRST_FLOOR_LEAST 200 /* shifts at first differences of a backend from itself */

struct first_scale {
	double sigma; /* robust sd of first_noise(); NaN: too few */
	/* The 99.9 % quantile of shifts at first differences between a backend and itself. A first
	 * difference is a selected extreme, so noise at ordinary positions can't stand for it. NaN: no
	 * floor, or too few of them. */
	double floor;
};

enum first_verdict { FIRST_TIE, FIRST_DRIFT, FIRST_SHIFT, FIRST_FOREIGN, FIRST_UNKNOWN, N_FIRSTS };
const char *first_verdict_name(enum first_verdict v);
enum first_verdict first_judge(const struct first *f, const struct first_scale *scale);

/* The chance that a position with this gap between its two best tokens flips, given the noise. */
double first_flip_chance(double gap, double sigma);
