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

#define POOL_NOISES 2  /* quiet and loud */
#define POOL_CELL 1000 /* entries of a cell */

struct pool_entry {
	struct reading base, test, scored;
	struct pair_row row; /* without a cluster */
	struct pair_facts facts;
	int shift; /* change of the score: -1, 0, 1 */
};

/* Sums over a cell. */
struct pool_sums {
	double part[N_FIGURES], whole[N_FIGURES];
	double forced_part[N_SCORE_FIGURES], forced_whole[N_SCORE_FIGURES];
	double changed, may_change, parted, at_risk, tops_differ, tops, shift;
	double scores_move; /* answers whose score changes */
};

struct pool {
	struct pool_entry cells[2][POOL_NOISES][POOL_CELL]; /* [differs][noise] */
	struct pool_sums sums[2][POOL_NOISES];
};

struct pool *pool_create(uint64_t seed);
void pool_destroy(struct pool *p);

void pool_tally(
        const struct pool_entry *e, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct pair_sums *t);
void pool_force(
        const struct pool_entry *e, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct scores *f);
