#pragma once
/*
 * fold - adds up the rows of a capture: groups of pairs, by their two backends and by decoding.
 * Rows may come in any order: the figures are the same, bit for bit. Memory depends on the number
 * of backends, not of exchanges.
 */
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/fold/draws.h"
#include "analyzer/fold/group.h"
#include "analyzer/rows/selection.h"
#include "analyzer/rows/slice.h"
#include "analyzer/rows/stacks.h"
#include "analyzer/fold/traffic.h"

#define ANALYSIS_GROUPS_LIMIT 64

struct analysis {
	size_t exhibits; /* number of pairs to show in a report; set it before the first row */
	struct exchange_counts counts;
	struct repeat_counts repeated;
	bool repeats_sampled;      /* only a sample of repeated prompts was examined */
	uint64_t ungrouped;        /* pairs of groups beyond ANALYSIS_GROUPS_LIMIT */
	uint64_t ungrouped_scores; /* scores of groups beyond ANALYSIS_GROUPS_LIMIT */
	uint64_t orphan_scores;    /* scores of answers that are not in the capture */
	struct analysis_group *groups;
	size_t n_groups;
	struct traffic traffic;     /* figures over all selected answers */
	struct draws draws;         /* how each engine draws its tokens */
	struct stacks stacks;       /* stacks of all backends */
	enum slice_by by;           /* how legs of one backend were separated */
	struct selection selection; /* what was selected; the caller owns its texts */
	struct capture_figures figures;
};

/* Adds a row, which must not be the first or the last row of a part. texts: NULL if only the row
 * is known; the pair can then not be an example in a report. */
void fold_row(struct analysis *a, const struct row *row, const struct pair_texts *texts);
/* Adds the counts of one part. */
void fold_counts(struct analysis *a, const struct exchange_counts *counts,
        const struct repeat_counts *repeats);
/* Call once, after the last row. Computes estimates and verdicts. place, least_effects: see
 * struct analysis_group. */
void analysis_settle(
        struct analysis *a, const struct advice_place *place, const double *least_effects);
void analysis_finish(struct analysis *a);

/* True if a backend is compared with another one. */
bool analysis_has_trials(const struct analysis *a);
/* The number of greedy answers that were compared, and of those that differ; the exit code
 * depends on them. Pairs that measure noise (floors) count only if there are no other pairs. */
uint64_t analysis_compared(const struct analysis *a);
uint64_t analysis_differing(const struct analysis *a);
