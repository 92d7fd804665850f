#include "analyzer/stats/scatter.h"

#include <stdlib.h>

#include "base/dice.h"
#include "base/check.h"
#include "base/mem.h"

static int by_hash(const void *a, const void *b)
{
	const struct scatter_point *x = a, *y = b;
	int order = (x->hash > y->hash) - (x->hash < y->hash);
	order = order ? order : id_compare(x->exchange, y->exchange);
	order = order ? order : (x->x > y->x) - (x->x < y->x);
	order = order ? order : (x->y > y->y) - (x->y < y->y);
	return order ? order : (x->marks > y->marks) - (x->marks < y->marks);
}

static void shrink(struct scatter *s)
{
	if (s->kept > 0) {
		qsort(s->points, s->kept, sizeof(*s->points), by_hash);
	}
	s->is_full |= s->kept >= SCATTER_SIZE;
	s->kept = MIN(s->kept, (size_t)SCATTER_SIZE);
}

static void keep(struct scatter *s, const struct scatter_point *point)
{
	/* The first ones lie in their order since they were sorted out: what is beyond them all would not stay. */
	if (s->is_full && point->hash > s->points[SCATTER_SIZE - 1].hash) {
		return;
	}
	if (s->kept == (size_t)2 * SCATTER_SIZE) {
		shrink(s);
	}
	if (s->kept == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		s->points = xrealloc(s->points, s->cap * sizeof(*s->points));
	}
	s->points[s->kept++] = *point;
}

void scatter_add(struct scatter *s, uint64_t key, struct scatter_point point)
{
	point.hash = dice_mix(key);
	s->n++;
	keep(s, &point);
}

void scatter_merge(struct scatter *s, const struct scatter *other)
{
	s->n += other->n;
	for (size_t i = 0; i < other->kept; i++) {
		keep(s, &other->points[i]);
	}
}

void scatter_settle(struct scatter *s)
{
	shrink(s);
}

void scatter_finish(struct scatter *s)
{
	free(s->points);
	*s = (struct scatter){0};
}
