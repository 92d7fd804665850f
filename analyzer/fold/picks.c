#include "analyzer/fold/picks.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/k_smallest.h"

#define SHIFT_MOST 100.0 /* nats */
#define LEVEL_BITS 20
#define SEVERITIES (2 * N_MEANING_SEVERITIES)

/* Converts a share of 0 to 1 to an integer. */
static uint64_t level(double share)
{
	double most = (double)((UINT64_C(1) << LEVEL_BITS) - 1);
	return isnan(share) ? 0 : (uint64_t)(fmin(fmax(share, 0), 1) * most);
}

uint64_t pick_rank(const struct pair_facts *facts, const struct meaning *meaning, bool greedy)
{
	if (!facts->differ) {
		return 0;
	}
	bool sure = meaning->class != MEANING_UNDECIDED;
	uint64_t severity = 2 * (uint64_t)meaning->severity + sure + 1;
	severity += greedy ? SEVERITIES : 0;
	double shift = facts->has_first ? facts->first.shift / SHIFT_MOST : NAN;
	return severity << 2 * LEVEL_BITS | level(shift) << LEVEL_BITS |
	       level(1 - (double)meaning->similarity);
}

static int by_name(const struct pick *x, const struct pick *y)
{
	int order = id_compare(x->exchange, y->exchange);
	order = order ? order : id_compare(x->base, y->base);
	order = order ? order : id_compare(x->test, y->test);
	return order ? order : (x->choice > y->choice) - (x->choice < y->choice);
}

bool pick_is_same(const struct pick *a, const struct pick *b)
{
	return by_name(a, b) == 0;
}

static int by_hash(const void *a, const void *b)
{
	const struct pick *x = a, *y = b;
	int order = (x->hash > y->hash) - (x->hash < y->hash);
	return order ? order : by_name(x, y);
}

static int by_rank(const void *a, const void *b)
{
	const struct pick *x = a, *y = b;
	int order = (x->rank < y->rank) - (x->rank > y->rank);
	return order ? order : by_hash(a, b);
}

static void keep(struct pick_list *l, size_t most, int (*order)(const void *a, const void *b),
        const struct pick *pick)
{
	const struct k_smallest list = {sizeof(*pick), most, order, NULL};
	(void)k_smallest_place(&list, &l->items, &l->n, pick, NULL, NULL);
}

void picks_consider(struct picks *p, size_t most, const struct pick *pick)
{
	if (most > 0 && pick->rank > 0) {
		keep(&p->worst, most, by_rank, pick);
	}
	if (most > 0) {
		keep(&p->random, most, by_hash, pick);
	}
}

void picks_finish(struct picks *p)
{
	free(p->worst.items);
	free(p->random.items);
	*p = (struct picks){0};
}
