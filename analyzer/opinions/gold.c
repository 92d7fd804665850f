#include "analyzer/opinions/gold.h"

#include <math.h>

#include "analyzer/stats/proportion.h"

void gold_add(struct gold_counts *c, enum meaning_gold base, enum meaning_gold test)
{
	c->by[base][test]++;
}

uint64_t gold_known(const struct gold_counts *c)
{
	uint64_t n = 0;
	for (size_t b = GOLD_RIGHT; b < N_MEANING_GOLDS; b++) {
		for (size_t t = GOLD_RIGHT; t < N_MEANING_GOLDS; t++) {
			n += c->by[b][t];
		}
	}
	return n;
}

uint64_t gold_judged(const struct gold_counts *c)
{
	return c->by[GOLD_RIGHT][GOLD_RIGHT] + c->by[GOLD_WRONG][GOLD_WRONG] + gold_broke(c) +
	       gold_fixed(c);
}

uint64_t gold_broke(const struct gold_counts *c)
{
	return c->by[GOLD_RIGHT][GOLD_WRONG];
}

uint64_t gold_fixed(const struct gold_counts *c)
{
	return c->by[GOLD_WRONG][GOLD_RIGHT];
}

uint64_t gold_base_right(const struct gold_counts *c)
{
	return c->by[GOLD_RIGHT][GOLD_RIGHT] + gold_broke(c);
}

uint64_t gold_test_right(const struct gold_counts *c)
{
	return c->by[GOLD_RIGHT][GOLD_RIGHT] + gold_fixed(c);
}

double gold_score_shift(const struct gold_counts *c)
{
	uint64_t n = gold_judged(c);
	double fixed = (double)gold_fixed(c), broke = (double)gold_broke(c);
	return n ? 100 * (fixed - broke) / (double)n : NAN;
}

double gold_p(const struct gold_counts *c)
{
	return gold_judged(c) ? proportion_mcnemar(gold_broke(c), gold_fixed(c)) : NAN;
}
