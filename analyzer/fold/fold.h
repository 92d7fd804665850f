#pragma once
/*
 * fold - adds up the rows of a capture. Pairs with the same names (base, test) are one group. Rows
 * may come in any order: the figures are the same, bit for bit. Memory depends on the number of
 * backends, not on that of exchanges. One thread.
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
	/* the most pairs to pick for a report; the caller sets it before the first row */
	size_t exhibits;
	struct exchange_counts counts;
	struct repeat_counts repeated;
	bool repeats_sampled;      /* only a sample of the repeated prompts was examined */
	uint64_t ungrouped;        /* pairs of legs of groups beyond ANALYSIS_GROUPS_LIMIT */
	uint64_t ungrouped_scores; /* scored legs of these groups */
	uint64_t orphan_scores;    /* scored legs whose answers are not in the capture */
	struct analysis_group *groups;
	size_t n_groups;
	struct traffic traffic;     /* over all selected answers */
	struct draws draws;         /* how each engine draws its tokens */
	struct stacks stacks;       /* stacks of all backends */
	enum slice_by by;           /* how the legs of one backend were divided */
	struct selection selection; /* what was analyzed; the caller owns its texts */
	struct capture_figures figures;
};

/* Adds a row, which must not be a PART_ROW or END_ROW. texts: the texts of the row's answers, used
 * only during the call; NULL: unknown, so that no report can quote them. */
void fold_row(struct analysis *a, const struct row *row, const struct pair_texts *texts);
/* Adds the counts of one part. */
void fold_counts(struct analysis *a, const struct exchange_counts *counts,
        const struct repeat_counts *repeats);
void analysis_finish(struct analysis *a);
/* The group with these names; NULL: there is none. */
struct analysis_group *analysis_find_group(
        const struct analysis *a, const char *base, const char *test);

/* Call the following after analysis_settle(). */

/* True if a group that is_judged compares two different backends. */
bool analysis_has_trials(const struct analysis *a);
/* The number of compared pairs of greedy answers; the number of those that differ. The exit code
 * depends on both. Groups that compare a backend with itself count only if analysis_has_trials() is
 * false. */
uint64_t analysis_compared(const struct analysis *a);
uint64_t analysis_differing(const struct analysis *a);
