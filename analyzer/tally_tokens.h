#pragma once
/*
 * tally_tokens - the part of tally that walks through the comparable positions of a pair. Private to tally.
 */
#include <math.h>

#include "analyzer/tally.h"

/* What is added up over a pair, by figure; goes to the cluster at once. */
struct tally_sums {
	double part[N_FIGURES], whole[N_FIGURES];
};

static inline void tally_sum(struct tally_sums *s, enum figure f, double value)
{
	if (!isnan(value)) {
		s->part[f] += value;
		s->whole[f]++;
	}
}

/* The pair's choices have columns that spell their texts. */
void tally_walk(struct tally *t, struct tally_sums *s, const struct tally_pair *pair,
        struct tally_facts *facts);
