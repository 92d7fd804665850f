#pragma once
/*
 * fold - what the rows of a capture sum up to: groups of pairs, split by who was compared with
 * whom and by how both were decoded. Rows may come in any order: the figures are the same, bit for
 * bit. Memory is bounded by the number of backends, not of exchanges.
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
	size_t exhibits; /* pairs to pick out for a report; set before the first row */
	struct exchange_counts counts;
	struct repeat_counts repeated;
	bool repeats_sampled; /* not all prompts that came again were looked at */
	uint64_t ungrouped;   /* pairs beyond ANALYSIS_GROUPS_LIMIT */
	uint64_t ungrouped_scores;
	uint64_t orphan_scores; /* of answers that are not in the capture */
	struct analysis_group *groups;
	size_t n_groups;
	struct traffic traffic;     /* of all answers that were chosen */
	struct draws draws;         /* how each engine draws its tokens */
	struct stacks stacks;       /* that backends had */
	enum slice_by by;           /* how legs of one backend were told apart */
	struct selection selection; /* what was asked for; values are the asker's */
	struct capture_figures figures;
};

/* Not of a part's first or last row. texts: NULL where only the row is known; then there are no
 * examples of it. */
void fold_row(struct analysis *a, const struct row *row, const struct pair_texts *texts);
void fold_counts(struct analysis *a, const struct exchange_counts *counts,
        const struct repeat_counts *repeats);
/* Once, after the last row: estimates and verdicts. place, least_effects: as struct
 * analysis_group has them. */
void analysis_settle(
        struct analysis *a, const struct advice_place *place, const double *least_effects);
void analysis_finish(struct analysis *a);

/* Are backends compared with others than themselves? */
bool analysis_has_trials(const struct analysis *a);
/* Greedy answers that were compared, and those of them that differ: what the exit code rests on.
 * Floors don't count, unless there is nothing else. */
uint64_t analysis_compared(const struct analysis *a);
uint64_t analysis_differing(const struct analysis *a);
