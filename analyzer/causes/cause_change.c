#include "analyzer/causes/cause_change.h"

#include <math.h>

#include "analyzer/stats/proportion.h"

#define STRETCHES 64
#define STRETCHES_LEAST 8 /* to tell how much they vary */
#define HITS_LEAST 8      /* hits needed before a change can be found */
#define SIDE_LEAST 20     /* answers needed before and after the point of change */

/* Groups of adjacent bins; each group has about as many answers. */
struct stretches {
	size_t n;
	struct {
		uint64_t n, hits;
		uint64_t end_key; /* the first key behind it */
	} items[STRETCHES];
};

static void cut(const struct timeline *t, uint64_t total, struct stretches *ret)
{
	uint64_t so_far = 0;
	ret->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = (size_t)(so_far * STRETCHES / total);
		bool begins = ret->n == 0 || at >= ret->n;
		if (begins && ret->n < STRETCHES) {
			ret->items[ret->n].n = ret->items[ret->n].hits = 0;
			ret->n++;
		}
		ret->items[ret->n - 1].n += t->bins[i].n;
		ret->items[ret->n - 1].hits += t->bins[i].differ;
		ret->items[ret->n - 1].end_key = t->bins[i].number + 1;
		so_far += t->bins[i].n;
	}
}

/* How many times more neighbouring stretches vary than independent answers would. The pair of
 * stretches around the supposed change is skipped. change: how many of the shortest stretches
 * are before the change; each: how many of the shortest stretches make one stretch of s. */
static double overdispersion_of(const struct stretches *s, double rate, size_t change, size_t each)
{
	double sum = 0;
	size_t n = 0, at = change / each;
	for (size_t i = 1; i < s->n; i++) {
		if (i == at || (i == at + 1 && change % each != 0)) {
			continue;
		}
		double a = (double)s->items[i - 1].n, b = (double)s->items[i].n;
		double rate_before = (double)s->items[i - 1].hits / a,
		       rate_after = (double)s->items[i].hits / b;
		double local = (double)(s->items[i - 1].hits + s->items[i].hits) / (a + b);
		double variance =
		        fmax(local * (1 - local), rate * (1 - rate) / 10) * (1 / a + 1 / b);
		sum += variance > 0
		               ? (rate_before - rate_after) * (rate_before - rate_after) / variance
		               : 0;
		n++;
	}
	return n > 0 ? sum / (double)n : 1;
}

/* Returns at least 1. Correlated answers may fill several stretches; only longer stretches show
 * that correlation, so this tries several lengths. */
static double overdispersion(const struct stretches *s, double rate, size_t change)
{
	struct stretches longer = *s;
	double most = 1;
	for (size_t each = 1; longer.n >= STRETCHES_LEAST; each *= 2) {
		most = fmax(most, overdispersion_of(&longer, rate, change, each));
		for (size_t i = 0; i + 1 < longer.n; i += 2) {
			longer.items[i / 2] = longer.items[i];
			longer.items[i / 2].n += longer.items[i + 1].n;
			longer.items[i / 2].hits += longer.items[i + 1].hits;
		}
		longer.n /= 2;
	}
	return most;
}

struct overall {
	uint64_t n, hits;
	double design_effect;
};

/* Two-sided p value of the number of hits among the first n answers, if hits fell anywhere. Draws
 * without replacement vary less than the binomial, so the p value is too large rather than too
 * small. */
static double p_of(const struct overall *all, uint64_t n, uint64_t hits)
{
	double q = (double)n / (double)all->n, total = (double)all->hits / all->design_effect;
	double part = (double)hits / all->design_effect;
	double tail = part > total * q ? proportion_binomial_above(part, total, q)
	                               : proportion_binomial_above(total - part, total, 1 - q);
	return fmin(1, 2 * tail);
}

void cause_change_find(const struct timeline *t, double design_effect, struct cause_change *ret)
{
	struct overall all = {0};
	*ret = (struct cause_change){.p = NAN};
	for (size_t i = 0; i < t->n; i++) {
		all.n += t->bins[i].n;
		all.hits += t->bins[i].differ;
	}
	if (all.hits < HITS_LEAST || all.n < 2 * SIDE_LEAST) {
		return;
	}
	struct stretches s;
	cut(t, all.n, &s);
	double rate = (double)all.hits / (double)all.n;
	uint64_t n = 0, hits = 0;
	size_t tried = 0;
	double least = 2;
	for (size_t i = 0; i + 1 < s.n; i++) {
		n += s.items[i].n;
		hits += s.items[i].hits;
		if (n < SIDE_LEAST || all.n - n < SIDE_LEAST) {
			continue;
		}
		all.design_effect = fmax(design_effect, overdispersion(&s, rate, i + 1));
		double p = p_of(&all, n, hits);
		tried++;
		if (p < least) {
			least = p;
			*ret = (struct cause_change){NAN,
			        s.items[i].end_key << (t->shift + CAUSE_TIME_SHIFT), n, hits,
			        all.n - n, all.hits - hits};
		}
	}
	ret->p = tried ? fmin(1, least * (double)tried) : NAN;
}
