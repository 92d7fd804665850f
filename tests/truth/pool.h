#pragma once
/*
 * pool - answers of two simulated engines, of which every figure is known exactly, because each
 * capture is a draw from it: the truth is the mean over the pool.
 *
 * An entry is one exchange: what an engine without noise answered (the base), what one with noise
 * answered (the test), and how the base's engine scores the test's tokens. Entries come in cells:
 * do the answers differ, and how loud is the noise. One thread.
 */
#include "analyzer/fold/figure.h"
#include "analyzer/fold/scores.h"
#include "analyzer/fold/pair_sums.h"

#define POOL_NOISES 2  /* quiet and loud */
#define POOL_CELL 1000 /* entries of one noise that differ, and as many that do not */

struct pool_entry {
	struct reading base, test, scored;
	struct pair_row row; /* without a cluster */
	struct pair_facts facts;
	int shift; /* of the score: -1, 0, 1 */
};

/* Sums over a cell. */
struct pool_sums {
	double part[N_FIGURES], whole[N_FIGURES];
	double forced_part[N_SCORE_FIGURES], forced_whole[N_SCORE_FIGURES];
	double changed, may_change, parted, at_risk, tops_differ, tops, shift;
	double scores_move; /* answers whose score is another */
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
