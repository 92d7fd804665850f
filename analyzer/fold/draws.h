#pragma once
/*
 * draws - how each engine draws its tokens, compared with the probabilities that it states: sums of
 * draws_row (rows/draws_row.h) by backend, model, replica and stack, and by requested temperature.
 * draws_tests.h evaluates them.
 *
 * Rows may come in any order. Memory is limited: the first DRAWS_GROUPS_LIMIT groups in the order
 * of their names are kept, and of each group the lowest DRAWS_TEMPERATURES temperatures.
 */
#include "analyzer/fold/draws_tests.h"
#include "analyzer/rows/rows.h"

#define DRAWS_GROUPS_LIMIT 64
#define DRAWS_TEMPERATURES 8
#define DRAWS_SEEDS_LIMIT 64 /* the most seeds of a group that are counted */
/* if the mean number of answers of a seed is above this, answers with a seed do not count */
#define DRAWS_SEED_ANSWERS_MOST 1.25

struct draws_cell { /* sums over the answers with one temperature */
	double temperature;
	uint64_t answers;
	struct exact_sum sums[DRAWS_SUMS];
	uint64_t counts[DRAWS_TOTALS];
};

/* A seed and its number of answers. An engine draws the same random numbers for all requests
 * with one seed, so answers that share a seed are not independent. */
struct draws_seed {
	uint64_t hash;
	uint64_t answers;
};

struct draws_group {
	char *backend, *model, *replica; /* "": unknown */
	struct id stack;
	enum role role;
	uint64_t answers; /* answers that count: those in `cells` and `seeded` */
	uint64_t excluded[N_DRAWS_EXCLUSIONS];
	uint64_t other_temperatures; /* answers whose temperatures are beyond DRAWS_TEMPERATURES */
	/* bit set of enum logprobs_basis: the kinds of lists that the answers have */
	uint32_t lists;
	uint32_t longest;           /* tokens in the longest list */
	bool unasked;               /* a request left the temperature unset */
	bool at_one;                /* a request had temperature 1, stated or by default */
	struct draws_stated stated; /* the largest value of each member */
	struct draws_cell *cells;   /* ordered by temperature */
	size_t n_cells;
	/* Answers with a seed. draws_settle() adds them to `cells`; if requests share seeds, it
	 * excludes them instead. `seeds`, the DRAWS_SEEDS_LIMIT seeds with the smallest hashes,
	 * shows whether requests share seeds. */
	struct draws_cell *seeded;
	size_t n_seeded;
	struct draws_seed *seeds;
	size_t n_seeds;
	/* upper bound of the expected repeats_identical; sum over all answers, also excluded
	 * ones */
	struct exact_sum repeats_expected;
	/* sums of these members of struct draws_counts, over all answers, also excluded ones */
	uint64_t repeats_pairs, repeats_identical;
	struct draws_findings found; /* set by draws_settle() */
};

struct draws { /* zero-initialised: empty */
	struct draws_group *groups;
	size_t n_groups;
	uint64_t ungrouped; /* answers of groups beyond the limit */
};

void draws_add(struct draws *d, const struct draws_row *row);
/* Makes all tests, which share one alpha. Call once, after the last row. */
void draws_settle(struct draws *d);
/* True if scores of the backend's answers can be compared with the logprobs that the backend
 * stated: an answer had temperature 1, or the logprobs are before temperature. Also true if nothing
 * is known about the backend, or d is NULL. */
bool draws_may_be_scored(const struct draws *d, const char *backend);
void draws_finish(struct draws *d);
