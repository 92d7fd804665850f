#pragma once
/*
 * analysis - one pass through a capture: pairs of legs, split by who was held against whom and by
 * how both were decoded. Memory is bounded by the number of backends, not of exchanges.
 */
#include <stdio.h>

#include "analyzer/forced.h"
#include "analyzer/group.h"
#include "analyzer/slice.h"
#include "analyzer/told.h"
#include "capture/capture.h"

#define ANALYSIS_GROUPS_LIMIT 64

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
};

struct analysis_options {
	const char *base, *test; /* names, or both NULL: by role */
	size_t exhibits;         /* pairs of answers to pick out for a report */
	enum slice_by by;        /* how legs of one backend are told apart */
	FILE *progress;          /* a terminal, or NULL */
	/* Threads that read beside this one, each through a capture of its own that it opens by
	 * dirs; the figures are the same, bit for bit. Only without by. */
	unsigned jobs;
	const char *const *dirs;
	size_t n_dirs;
};

void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret);
void analysis_finish(struct analysis *a);

/* The group of that key, made if it is the first; its names are copied. NULL: there are too many. */
struct analysis_group *analysis_group(struct analysis *a, const struct group_key *key);

/* Are backends held against others than themselves? */
bool analysis_has_trials(const struct analysis *a);
/* Greedy answers that were compared, and those of them that differ: what the exit code rests on.
 * Floors don't count, unless there is nothing else. */
uint64_t analysis_compared(const struct analysis *a);
uint64_t analysis_differing(const struct analysis *a);
