#include "analyzer/fold/meaning_counts.h"

void meaning_counts_add(struct meaning_counts *c, const struct meaning *m)
{
	c->pairs++;
	c->rungs[m->rung]++;
	c->classes[m->class]++;
	c->severities[m->severity]++;
	c->bases[m->basis][m->class]++;
	for (size_t i = 0; i < N_MEANING_MARKS; i++) {
		c->marks[i] += m->marks >> i & 1;
	}
	gold_add(&c->gold, m->base_gold, m->test_gold);
	c->gold.by_library += m->gold_by_library;
	const struct calls_difference *calls = &m->calls;
	c->calls.pairs += calls->base || calls->test;
	c->calls.base += calls->base;
	c->calls.test += calls->test;
	c->calls.matched += calls->matched;
	c->calls.named += calls->named;
	c->calls.base_checked += calls->base_checked;
	c->calls.base_valid += calls->base_valid;
	c->calls.test_checked += calls->test_checked;
	c->calls.test_valid += calls->test_valid;
	bool base = m->reasoning.base_len > 0, test = m->reasoning.test_len > 0;
	c->reasoning.one += base != test;
	c->reasoning.rungs[m->reasoning.rung] += base && test;
	c->reasoning.base_bytes += m->reasoning.base_len;
	c->reasoning.test_bytes += m->reasoning.test_len;
}
