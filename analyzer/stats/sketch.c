#include "analyzer/stats/sketch.h"

#include <math.h>
#include <stddef.h>

#include "base/check.h"
#include "base/rng.h"

void sketch_add(struct sketch *s, uint64_t key)
{
	uint64_t hash = rng_next(&(struct rng){key});
	uint8_t *rank = &s->ranks[hash & (SKETCH_PARTS - 1)];
	/* The lowest bits chose the register; a set bit ends the count of zeros. */
	uint8_t own = (uint8_t)(__builtin_clzll(hash | 1) + 1);
	*rank = MAX(*rank, own);
}

void sketch_merge(struct sketch *s, const struct sketch *other)
{
	for (size_t i = 0; i < SKETCH_PARTS; i++) {
		s->ranks[i] = MAX(s->ranks[i], other->ranks[i]);
	}
}

double sketch_number(const struct sketch *s)
{
	const double parts = SKETCH_PARTS, alpha = 0.7213 / (1 + 1.079 / parts);
	double sum = 0;
	for (size_t i = 0; i < SKETCH_PARTS; i++) {
		sum += ldexp(1, -s->ranks[i]);
	}
	return alpha * parts * parts / sum;
}
