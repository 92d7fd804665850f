#pragma once
/*
 * pool - exchanges with two simulated engines. Captures are random draws from the pool, so the true
 * value of each figure is its mean over the pool.
 *
 * An entry is one exchange: the answer of an engine without noise (the base), the answer of one
 * with noise (the test), and the scores of the test's tokens by the base's engine. Entries are
 * sorted into cells by two properties: whether the answers differ, and the level of the noise. One
 * thread.
 */
#include "analyzer/fold/figure.h"
#include "analyzer/fold/scores.h"
#include "analyzer/fold/pair_sums.h"

#define POOL_NOISES 2  /* levels of noise: low and high */
#define POOL_CELL 1000 /* entries of a cell */

struct pool_entry {
	struct reading base, test, scored;
	struct pair_row row; /* without a cluster */
	struct pair_facts facts;
	int shift; /* 1: only the test's answer is right; -1: only the base's; else 0 */
};

/* Sums over a cell. */
struct pool_sums {
	double part[N_FIGURES], whole[N_FIGURES];
	double forced_part[N_SCORE_FIGURES], forced_whole[N_SCORE_FIGURES];
	/* of struct pair_facts; may_change: changed or undecided */
	double changed, may_change, tokens_differ, at_risk, tops_differ, tops;
	double shift, scores_move; /* of pool_entry.shift: the sum; entries in which it is not 0 */
};

struct pool {
	struct pool_entry cells[2][POOL_NOISES][POOL_CELL]; /* [differs][noise] */
	struct pool_sums sums[2][POOL_NOISES];
};

struct pool *pool_create(uint64_t seed);
void pool_destroy(struct pool *p);

/* Add an entry to a capture's sums over pairs, and to its sums over scores. */
void pool_tally(
        const struct pool_entry *e, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct pair_sums *t);
void pool_force(
        const struct pool_entry *e, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct scores *f);
