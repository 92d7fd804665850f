#include "analyzer/stats/scatter.h"

#include <stdlib.h>

#include "base/k_smallest.h"
#include "base/rng.h"

static int by_hash(const void *a, const void *b)
{
	const struct scatter_point *x = a, *y = b;
	int order = (x->hash > y->hash) - (x->hash < y->hash);
	order = order ? order : id_compare(x->exchange, y->exchange);
	order = order ? order : (x->x > y->x) - (x->x < y->x);
	order = order ? order : (x->y > y->y) - (x->y < y->y);
	return order ? order : (x->marks > y->marks) - (x->marks < y->marks);
}

void scatter_add(struct scatter *s, uint64_t key, struct scatter_point point)
{
	static const struct k_smallest LIST = {sizeof(point), SCATTER_SIZE, by_hash, NULL};
	size_t at;
	bool is_new;
	point.hash = rng_mix(key);
	s->n++;
	s->points = k_smallest_place(&LIST, s->points, &s->kept, &point, NULL, &at, &is_new);
}

void scatter_finish(struct scatter *s)
{
	free(s->points);
	*s = (struct scatter){0};
}
