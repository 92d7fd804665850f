#pragma once
/*
 * draws - how each engine draws its tokens, compared with the probabilities that it states: sums of
 * draws_row by backend, model, replica and stack, and by requested temperature. draws_tests.h
 * evaluates them.
 *
 * Rows may come in any order. Memory is limited: only the first DRAWS_GROUPS_LIMIT groups by name
 * are kept, and the lowest DRAWS_TEMPERATURES temperatures of each.
 */
#include "analyzer/fold/draws_tests.h"
#include "analyzer/rows/rows.h"

#define DRAWS_GROUPS_LIMIT 64
#define DRAWS_TEMPERATURES 8
#define DRAWS_SEEDS_LIMIT 64 /* seeds that are examined */
/* the most answers per seed, on average, that count as independent */
#define DRAWS_SEED_ANSWERS_MOST 1.25

struct draws_cell { /* sums over the answers with one temperature */
	double temperature;
	uint64_t answers;
	struct exact_sum sums[DRAWS_SUMS];
	uint64_t counts[DRAWS_TOTALS];
};

/* A seed and its number of answers. With one seed an engine draws the same random numbers for
 * all requests, so answers that share a seed are not independent. */
struct draws_seed {
	uint64_t hash;
	uint64_t answers;
};

struct draws_group {
	char *backend, *model, *replica; /* "": unknown */
	struct id stack;
	enum role role;
	uint64_t answers; /* answers that count */
	uint64_t excluded[N_DRAWS_EXCLUSIONS];
	uint64_t other_temperatures; /* answers with temperatures beyond the limit */
	/* bit set of enum logprobs_basis: the kinds of lists that the answers have */
	uint32_t lists;
	uint32_t longest; /* tokens in the longest list */
	bool unasked;     /* some requests left the temperature unset */
	struct draws_stated stated;
	struct draws_cell *cells; /* ordered by temperature */
	size_t n_cells;
	/* Answers with a seed. draws_settle() adds them to `cells`, or excludes them if requests
	 * share seeds. `seeds` has the seeds with the smallest hashes, which show whether they
	 * do. */
	struct draws_cell *seeded;
	size_t n_seeded;
	struct draws_seed *seeds;
	size_t n_seeds;
	struct exact_losses losses;
	struct exact_sum repeats_expected; /* over all answers, including those that do not count */
	/* sums of these members of struct draws_counts, over all answers */
	uint64_t repeats_pairs, repeats_identical;
	struct draws_findings found; /* set by draws_settle() */
};

struct draws { /* zero-initialised: empty */
	struct draws_group *groups;
	size_t n_groups;
	uint64_t ungrouped; /* answers of groups beyond the limit */
};

void draws_add(struct draws *d, const struct draws_row *row);
/* Call once, after the last row. Makes the tests, which share one alpha. */
void draws_settle(struct draws *d);
void draws_finish(struct draws *d);
