#pragma once
/*
 * analysis - one pass through a capture: pairs of legs, split by who was held against whom and by
 * how both were decoded. Memory is bounded by the number of backends, not of exchanges.
 */
#include <stdio.h>

#include "analyzer/decoding.h"
#include "analyzer/embedding.h"
#include "analyzer/example.h"
#include "analyzer/forced.h"
#include "analyzer/metrics.h"
#include "analyzer/slice.h"
#include "analyzer/placement.h"
#include "analyzer/told.h"
#include "analyzer/unlike.h"
#include "capture/capture.h"

#define ANALYSIS_GROUPS_LIMIT 64

/* Signs of a cause, over all pairs of a group. */
struct evidence {
	uint64_t prompt_n, prompt_differ; /* pairs where both engines counted the prompt's tokens */
	int64_t prompt_low, prompt_high;  /* of test - base where they differ */
	/* Tokens of greedy answers with a list of alternatives, and those that are not the best of
	 * their list. */
	uint64_t base_greedy_tokens, base_not_top;
	uint64_t test_greedy_tokens, test_not_top;
	/* Of the latter: where the token that was passed over had been in the answer before. */
	uint64_t base_repeats, test_repeats;
	uint64_t base_without, test_without;   /* compared answers without token columns */
	uint64_t base_misspelt, test_misspelt; /* whose tokens do not spell their text */
	uint64_t base_refused, test_refused;   /* legs whose engine refused the added logprobs */
};

/* Why a pair of legs was left out of all figures. */
struct left_out {
	uint64_t base_cut[N_OUTCOMES], test_cut[N_OUTCOMES]; /* by outcome; the base's first */
	uint64_t unfinished;             /* complete, but a choice has no finish reason */
	uint64_t base_error, test_error; /* an error status or an error body */
	uint64_t unreadable;             /* parts missing or damaged, or not JSON */
	uint64_t unrecorded;             /* parts that the recorder let go when it was pressed */
	uint64_t unlike_choices;         /* a choice that the other side does not have */
};

struct analysis_group {
	char *base, *test; /* names of backends */
	enum role base_role, test_role;
	uint64_t legs; /* pairs of legs, left out or not */
	struct metrics by[N_DECODINGS];
	struct left_out left_out;
	struct evidence evidence;
	struct placements places;
	struct unlikes unlikes;
	struct embedding_figures embeddings;
	struct examples examples; /* of greedy answers */
};

struct analysis {
	uint64_t exchanges;
	uint64_t absent;         /* known from their legs alone */
	uint64_t not_understood; /* of an endpoint whose answers are not known */
	uint64_t not_read;       /* of one whose answers are kept as bytes only */
	uint64_t unpaired;       /* understood, but with no two legs to compare */
	uint64_t ungrouped;      /* pairs beyond ANALYSIS_GROUPS_LIMIT */
	struct analysis_group *groups;
	size_t n_groups;
	struct forced forced; /* what backends think of each other's tokens */
	struct slices slices; /* which stacks there were */
	struct capture_figures figures;
	struct told told; /* while it runs */
};

struct analysis_options {
	const char *base, *test; /* names, or both NULL: by role */
	enum slice_by by;        /* how legs of one backend are told apart */
	FILE *progress;          /* a terminal, or NULL */
};

void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret);
void analysis_finish(struct analysis *a);

/* Greedy answers that were compared, and those of them that differ: what the exit code rests on. */
uint64_t analysis_compared(const struct analysis *a);
uint64_t analysis_differing(const struct analysis *a);
uint64_t left_out_total(const struct left_out *l);
