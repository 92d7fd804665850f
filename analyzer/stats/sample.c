#include "analyzer/stats/sample.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/stats/stats.h"
#include "base/check.h"
#include "base/mem.h"

#define FEW (SAMPLE_SIZE / 32)

/* Brings the n items with the smallest hashes to the front (Hoare's selection). */
static void select_smallest(struct sample_item *items, size_t count, size_t n)
{
	size_t low = 0, high = count;
	while (high - low > 1) {
		uint64_t pivot = items[low + (high - low - 1) / 2].hash;
		size_t i = low, k = high - 1;
		for (;;) {
			while (items[i].hash < pivot) {
				i++;
			}
			while (items[k].hash > pivot) {
				k--;
			}
			if (i >= k) {
				break;
			}
			struct sample_item held = items[i];
			items[i++] = items[k];
			items[k--] = held;
		}
		/* Left of the cut none is greater than the pivot, right of it none is less. */
		size_t cut = k + 1;
		if (n < cut) {
			high = cut;
		} else if (n > cut) {
			low = cut;
		} else {
			return;
		}
	}
}

/* Brings items whose hashes are below the pivot to the front; their number. Without a branch that would be
 * guessed wrong half the time. */
static size_t split(struct sample_item *items, size_t count, uint64_t pivot)
{
	size_t below = 0;
	for (size_t i = 0; i < count; i++) {
		struct sample_item held = items[i];
		items[i] = items[below];
		items[below] = held;
		below += held.hash < pivot;
	}
	return below;
}

/* Keeps the smallest, and no more. */
static void shrink(struct sample *s)
{
	if (s->kept <= SAMPLE_SIZE) {
		return;
	}
	select_smallest(s->items, s->kept, SAMPLE_SIZE);
	s->kept = SAMPLE_SIZE;
	s->bound = 0;
	for (size_t i = 0; i < s->kept; i++) {
		s->bound = MAX(s->bound, s->items[i].hash);
	}
}

/*
 * Keeps the smallest and a few more, in one pass. Hashes are evenly spread up to the bound, unless somebody chose
 * their keys: so it is known nearly below which one there are as many as that.
 */
static void thin(struct sample *s)
{
	uint64_t most = s->bound ? s->bound : UINT64_MAX;
	uint64_t cut = most / s->kept * (SAMPLE_SIZE + FEW);
	size_t below = split(s->items, s->kept, cut);
	if (below < SAMPLE_SIZE || below > SAMPLE_SIZE + 2 * FEW) {
		shrink(s);
		return;
	}
	s->kept = below;
	s->bound = cut;
}

/* Room for n more, or for as many as there may be. */
static void reserve(struct sample *s, size_t n)
{
	size_t most = MIN(s->kept + n, (size_t)2 * SAMPLE_SIZE);
	if (most > s->cap) {
		size_t cap = s->cap ? s->cap : 16;
		while (cap < most) {
			cap *= 4;
		}
		s->cap = MIN(cap, (size_t)2 * SAMPLE_SIZE);
		s->items = xrealloc(s->items, s->cap * sizeof(*s->items));
	}
}

void sample_keep(struct sample *s, struct sample_item item)
{
	reserve(s, 1);
	s->items[s->kept++] = item;
	if (s->kept == (size_t)2 * SAMPLE_SIZE) {
		thin(s);
	}
}

static void widen(struct sample *s, double least, double greatest)
{
	s->least = s->n ? fmin(s->least, least) : least;
	s->greatest = s->n ? fmax(s->greatest, greatest) : greatest;
}

void sample_expect(struct sample *s, const struct sample *other)
{
	expect(s->n == 0);
	s->bound = other->bound;
}

/* Those that are kept, until there is room for no more; how many were looked at, at least one. */
static size_t take_some(struct sample *s, const struct sample_item *items, size_t n)
{
	reserve(s, n);
	uint64_t last = s->bound - 1; /* of none: all */
	size_t i = 0, kept = s->kept;
	for (; i < n && kept < s->cap; i++) {
		s->items[kept] = items[i];
		kept += items[i].hash <= last;
	}
	s->kept = kept;
	if (kept == (size_t)2 * SAMPLE_SIZE) {
		thin(s);
	}
	return i;
}

void sample_merge(struct sample *s, const struct sample *other)
{
	if (other->n == 0) {
		return;
	}
	widen(s, other->least, other->greatest);
	s->n += other->n;
	s->sum += other->sum;
	s->squares += other->squares;
	for (size_t at = 0; at < other->kept;) {
		at += take_some(s, other->items + at, other->kept - at);
	}
	/* Last, for an item with that hash may be one of other's. What it has let go is not among the smallest of both
	 * either. */
	if (other->bound > 0 && (s->bound == 0 || other->bound < s->bound)) {
		s->bound = other->bound;
	}
}

void sample_finish(struct sample *s)
{
	free(s->items);
	*s = (struct sample){0};
}

void sample_settle(struct sample *s)
{
	shrink(s);
	double *values = xcalloc(s->kept + 1, sizeof(*values));
	for (size_t i = 0; i < s->kept; i++) {
		values[i] = s->items[i].value;
	}
	stats_sort(values, s->kept);
	for (size_t i = 0; i < s->kept; i++) {
		s->items[i] = (struct sample_item){.value = values[i]};
	}
	free(values);
}

double sample_quantile(const struct sample *s, double f)
{
	if (s->n == 0) {
		return NAN;
	}
	if (f <= 0 || f >= 1) {
		return f <= 0 ? s->least : s->greatest;
	}
	double at = f * (double)(s->kept - 1);
	size_t low = (size_t)at, high = MIN(low + 1, s->kept - 1);
	double share = at - (double)low;
	return s->items[low].value * (1 - share) + s->items[high].value * share;
}

double sample_above(const struct sample *s, double value)
{
	size_t low = 0, high = s->kept;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->items[middle].value > value) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return s->kept ? (double)(s->kept - low) / (double)s->kept : NAN;
}

/*
 * How far from the centre the n-th nearest value is, from 0 on, and the one before it. To both sides of the centre they
 * lie in order, so that nothing needs to be sorted.
 */
static double nth_distance(const struct sample *s, double centre, size_t n, double *ret_before)
{
	size_t right = 0;
	while (right < s->kept && s->items[right].value < centre) {
		right++;
	}
	double nearest = 0;
	for (size_t i = 0, left = right; i <= n; i++) {
		double below = left > 0 ? centre - s->items[left - 1].value : INFINITY;
		double above = right < s->kept ? s->items[right].value - centre : INFINITY;
		bool is_below = left > 0 && (right == s->kept || below < above);
		left -= is_below;
		right += !is_below;
		*ret_before = nearest;
		nearest = fabs(is_below ? below : above);
	}
	return nearest;
}

double sample_robust_sd(const struct sample *s)
{
	if (s->kept < 2) {
		return NAN;
	}
	double before, median = sample_quantile(s, 0.5);
	double upper = nth_distance(s, median, s->kept / 2, &before);
	return 1.4826 * (s->kept % 2 ? upper : (before + upper) / 2);
}
