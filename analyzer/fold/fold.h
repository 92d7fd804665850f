#pragma once
/*
 * fold - sums the rows of a capture: groups of pairs, split by backends and by decoding. Rows may
 * come in any order: the figures are the same, bit for bit. Memory depends on the number of
 * backends, not of exchanges.
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
	size_t exhibits; /* pairs to select for a report; set before the first row */
	struct exchange_counts counts;
	struct repeat_counts repeated;
	bool repeats_sampled;      /* only a sample of repeated prompts was examined */
	uint64_t ungrouped;        /* pairs beyond ANALYSIS_GROUPS_LIMIT */
	uint64_t ungrouped_scores; /* scores of groups beyond this limit */
	uint64_t orphan_scores;    /* scores of answers that are not in the capture */
	struct analysis_group *groups;
	size_t n_groups;
	struct traffic traffic;     /* of all selected answers */
	struct draws draws;         /* how each engine draws its tokens */
	struct stacks stacks;       /* stacks of all backends */
	enum slice_by by;           /* how legs of one backend were separated */
	struct selection selection; /* the selection; the caller owns the values */
	struct capture_figures figures;
};

/* Adds a row; the first and the last row of a part are not for it. texts: NULL if only the row is
 * known; the pair can then not be an example in a report. */
void fold_row(struct analysis *a, const struct row *row, const struct pair_texts *texts);
/* Adds the counts of one part. */
void fold_counts(struct analysis *a, const struct exchange_counts *counts,
        const struct repeat_counts *repeats);
/* Call once, after the last row: estimates and verdicts. place, least_effects: as in struct
 * analysis_group. */
void analysis_settle(
        struct analysis *a, const struct advice_place *place, const double *least_effects);
void analysis_finish(struct analysis *a);

/* True if a backend is compared with another one. */
bool analysis_has_trials(const struct analysis *a);
/* The numbers of greedy answers that were compared, and of those that differ; the exit code is
 * based on them. Pairs that measure noise (floors) count only if there are no other pairs. */
uint64_t analysis_compared(const struct analysis *a);
uint64_t analysis_differing(const struct analysis *a);
