#pragma once
/*
 * analysis - one pass through a capture: pairs of legs, split by who was held against whom and by
 * how both were decoded. Memory is bounded by the number of backends, not of exchanges.
 */
#include <stdio.h>

#include "analyzer/forced.h"
#include "analyzer/group.h"
#include "analyzer/leg_times.h"
#include "analyzer/compare/pair.h"
#include "analyzer/repeats.h"
#include "analyzer/selection.h"
#include "analyzer/slice.h"
#include "analyzer/causes/told.h"
#include "analyzer/traffic.h"
#include "capture/capture.h"

#define ANALYSIS_GROUPS_LIMIT 64

struct analysis {
	struct exchange_counts counts;
	uint64_t ungrouped; /* pairs beyond ANALYSIS_GROUPS_LIMIT */
	struct analysis_group *groups;
	size_t n_groups;
	struct cause_words words; /* of the group that is merged or settled; empty meanwhile */
	struct traffic traffic;   /* of all answers that were chosen */
	struct timed_legs timed;  /* whose tokens' times are read after the last exchange */
	struct forced forced;     /* what backends think of each other's tokens */
	struct repeats repeats, samples; /* of greedy and of sampled requests */
	struct repeat_figures {
		uint64_t prompts; /* that some backend answered twice under one condition */
		uint64_t pairs;   /* of such answers that were held against each other */
		uint64_t unlike;  /* and that were not: the requests differed beside the prompt */
		bool sampled;     /* there are more than were looked at */
	} repeated;
	struct slices slices;       /* which stacks there were */
	struct selection selection; /* what was asked for; values are the asker's */
	struct capture_figures figures;
};

struct analysis_options {
	struct pair_wish wish;
	/* What the sides are called where their runs were asked for; else NULL. Not with by. */
	const char *base_label, *test_label;
	struct selection selection;
	size_t exhibits;  /* pairs of answers to pick out for a report */
	enum slice_by by; /* how legs of one backend are told apart */
	FILE *progress;   /* a terminal, or NULL */
	/* For the commands that are proposed; NULL: none are. */
	const struct advice_place *place;
	const double *least_effects; /* by enum blame_figure; NULL: the usual ones */
	/* Threads that read beside this one, each through a capture of its own; the figures are the
	 * same, bit for bit. Only without by. */
	unsigned jobs;
};

void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret);
void analysis_finish(struct analysis *a);

/* The group of that key, made if it is the first; its names are copied. NULL: there are too many. */
struct analysis_group *analysis_group(struct analysis *a, const struct group_key *key);
/* NULL: there is none. */
struct analysis_group *analysis_group_named(struct analysis *a, const char *base, const char *test);

/* Are backends held against others than themselves? */
bool analysis_has_trials(const struct analysis *a);
/* Greedy answers that were compared, and those of them that differ: what the exit code rests on.
 * Floors don't count, unless there is nothing else. */
uint64_t analysis_compared(const struct analysis *a);
uint64_t analysis_differing(const struct analysis *a);
uint64_t analysis_sampled(const struct analysis *a); /* sampled pairs, counted likewise */
