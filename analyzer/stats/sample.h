#pragma once
/*
 * sample - a bounded sample of many values, and what it says of their distribution.
 *
 * The values with the smallest hashes of their keys are kept, so that the sample depends neither on
 * the order in which values came nor on who saw which: two samples can be merged, and several
 * threads give the same as one. As long as no more than SAMPLE_SIZE came it is all of them. Count,
 * sum, least and greatest are of all values. One thread a sample.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/dice.h"

#define SAMPLE_SIZE 16384

struct sample_item {
	uint64_t hash;
	double value;
};

struct sample { /* zero-initialised is empty */
	uint64_t n;
	double sum, squares, least, greatest;
	/* Up to twice SAMPLE_SIZE, then those with the smallest hashes and a few more; once settled
	 * SAMPLE_SIZE at most, sorted by value, their hashes gone. */
	struct sample_item *items;
	size_t kept, cap;
	uint64_t bound; /* hashes from here on are not kept; 0: all are */
};

/* Of a key, so that which values are kept does not follow its order. */
static inline uint64_t sample_hash(uint64_t key)
{
	return dice_mix(key);
}

/* Private: one whose hash is below the bound. */
void sample_keep(struct sample *s, struct sample_item item);

/* hash: sample_hash() of what names the value, the same one in every run (exchange, position). NaN is
 * passed over. */
static inline void sample_add_hashed(struct sample *s, uint64_t hash, double value)
{
	if (value != value) {
		return;
	}
	s->least = value < s->least || s->n == 0 ? value : s->least;
	s->greatest = value > s->greatest || s->n == 0 ? value : s->greatest;
	s->n++;
	s->sum += value;
	s->squares += value * value;
	if (hash < s->bound || s->bound == 0) {
		sample_keep(s, (struct sample_item){hash, value});
	}
}

static inline void sample_add(struct sample *s, uint64_t key, double value)
{
	sample_add_hashed(s, sample_hash(key), value);
}
/* Of an empty sample that other, which grows, will take in: what other would not keep isn't kept either. */
void sample_expect(struct sample *s, const struct sample *other);
void sample_merge(struct sample *s, const struct sample *other);
void sample_finish(struct sample *s);

/* Once, after the last value: before any of the figures below. */
void sample_settle(struct sample *s);
/* Linear interpolation at f (n - 1) of the sorted values, as llama.cpp's perplexity does; 0 and 1
 * are exact. NaN when empty. */
double sample_quantile(const struct sample *s, double f);
/* Share of the values that are greater. */
double sample_above(const struct sample *s, double value);
/* 1.4826 times the median of the absolute distances from the median: the standard deviation of a
 * normal distribution, whatever its tails do. NaN below 2 values. */
double sample_robust_sd(const struct sample *s);
