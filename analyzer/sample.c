#include "analyzer/sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"

/* Spreads the bits of a key (splitmix64's finaliser). */
static uint64_t hash_of(uint64_t key)
{
	key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
	key = (key ^ key >> 27) * 0x94d049bb133111ebu;
	return key ^ key >> 31;
}

static void swap(struct sample *s, size_t a, size_t b)
{
	struct sample_item held = s->items[a];
	s->items[a] = s->items[b];
	s->items[b] = held;
}

static void rise(struct sample *s, size_t at)
{
	while (at > 0 && s->items[(at - 1) / 2].hash < s->items[at].hash) {
		swap(s, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

static void sink(struct sample *s, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= s->kept) {
			return;
		}
		child += child + 1 < s->kept && s->items[child + 1].hash > s->items[child].hash;
		if (s->items[child].hash <= s->items[at].hash) {
			return;
		}
		swap(s, at, child);
		at = child;
	}
}

static void keep(struct sample *s, struct sample_item item)
{
	if (s->kept == SAMPLE_SIZE) {
		if (item.hash < s->items[0].hash) {
			s->items[0] = item;
			sink(s, 0);
		}
		return;
	}
	if (s->kept == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->items = xrealloc(s->items, s->cap * sizeof(*s->items));
	}
	s->items[s->kept] = item;
	rise(s, s->kept++);
}

static void widen(struct sample *s, double least, double greatest)
{
	s->least = s->n ? fmin(s->least, least) : least;
	s->greatest = s->n ? fmax(s->greatest, greatest) : greatest;
}

void sample_add(struct sample *s, uint64_t key, double value)
{
	if (isnan(value)) {
		return;
	}
	widen(s, value, value);
	s->n++;
	s->sum += value;
	s->squares += value * value;
	keep(s, (struct sample_item){hash_of(key), value});
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
	for (size_t i = 0; i < other->kept; i++) {
		keep(s, other->items[i]);
	}
}

void sample_finish(struct sample *s)
{
	free(s->items);
	*s = (struct sample){0};
}

static int by_value(const void *a, const void *b)
{
	double x = ((const struct sample_item *)a)->value;
	double y = ((const struct sample_item *)b)->value;
	return (x > y) - (x < y);
}

void sample_settle(struct sample *s)
{
	if (s->kept) {
		qsort(s->items, s->kept, sizeof(*s->items), by_value);
	}
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

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double sample_robust_sd(const struct sample *s)
{
	if (s->kept < 2) {
		return NAN;
	}
	double median = sample_quantile(s, 0.5);
	double *away = xcalloc(s->kept, sizeof(*away));
	for (size_t i = 0; i < s->kept; i++) {
		away[i] = fabs(s->items[i].value - median);
	}
	qsort(away, s->kept, sizeof(*away), by_number);
	double middle =
	        s->kept % 2 ? away[s->kept / 2] : (away[s->kept / 2 - 1] + away[s->kept / 2]) / 2;
	free(away);
	return 1.4826 * middle;
}
