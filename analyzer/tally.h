#pragma once
/*
 * tally - all that is summed up over pairs of one group and one decoding to judge them: figures by
 * cluster, distributions of token figures, survival, first differences, expected flips.
 *
 * Bounded: it does not grow with pairs, first differences apart (8 bytes each). Tallies merge; the
 * same tallies merged in the same order give the same bits.
 */
#include "analyzer/figure.h"
#include "analyzer/firsts.h"
#include "analyzer/compare/tokens/flips.h"
#include "analyzer/meaning_counts.h"
#include "analyzer/compare/tokens/metrics.h"
#include "analyzer/stats/sample.h"
#include "analyzer/stats/survival.h"
#include "reading/parting.h"

struct tally {                     /* zero-initialised is empty */
	struct clusters *clusters; /* N_FIGURE_COLUMNS; NULL while nothing was added */
	struct crossing crossing;  /* of answers with a seed, as many columns */
	struct survival survival;
	struct sample delta_lp, delta_p; /* of tokens that both chose */
	struct sample kl_low;
	struct sample noise; /* first_noise(), before the parting */
	struct firsts firsts;
	struct flips flips;
	struct meaning_counts meanings;
	uint64_t tiers[4];      /* infer-check's severities by similarity */
	uint64_t rank_unlisted; /* the test's token is not in the base's list */
	uint64_t hidden_much;   /* positions with over 0.2 of the mass unlisted */
};

struct cause_signs_reader;

struct tally_pair {
	const uint8_t *cluster; /* CLUSTERS_KEY_SIZE bytes */
	const int64_t *seed;    /* with which both were drawn; NULL: with none, or with two */
	uint64_t key;           /* names the pair, the same in every run */
	const struct choice *base, *test;
	const struct parting *parting;
	bool differ;                      /* text, refusal or tool calls */
	int64_t base_tokens, test_tokens; /* -1: unknown */
	const struct meaning *meaning;    /* NULL: not looked at */
	bool greedy;                      /* only then first differences and flips mean something */
	struct metrics *metrics;          /* to which each position is added too; or NULL */
	struct cause_signs_reader *signs; /* which looks on at each position; or NULL */
};

/* What one pair says, for those who sum it up otherwise. */
struct tally_facts {
	bool differ;
	bool compared;         /* its meaning was */
	bool decided, changed; /* the answer's meaning */
	enum meaning_gold base_gold, test_gold;
	uint64_t at_risk;          /* tokens; 0: no columns */
	bool parted;               /* within them */
	uint64_t tops, tops_equal; /* positions */
	double divergence_index;   /* where there are columns, at_risk or not */
	bool has_first;            /* greedy, and they part where a token begins on both sides */
	struct first first;
};

void tally_add(struct tally *t, const struct tally_pair *pair, struct tally_facts *ret);
/* Of an empty tally that will be merged into other: it need not keep what other has no use for. */
void tally_expect(struct tally *t, const struct tally *other);
void tally_merge(struct tally *t, const struct tally *other);
/* Once, after the last pair: nothing is added or merged any longer. */
void tally_settle(struct tally *t);
void tally_finish(struct tally *t);

/* The noise of the pair of backends, nats; NaN: fewer than FIRST_NOISE_LEAST positions. Settled. */
double tally_sigma(const struct tally *t);
