#pragma once
/*
 * campaign - replays into one capture under one schedule: each source to each target at each level, repeat by repeat.
 *
 *	level  so many requests in flight: a run. Targets share it, so that answers under one condition are held against
 *	       each other, and repeats within it are the noise floor
 *	lane   one source to one target at one level
 *	pass   one repeat of a lane
 *
 * Within a repeat lanes pass in random order, by the seed: what drifts with time drifts for all alike. A campaign that was
 * broken off, by Ctrl-C or by a crash, goes on where it was when the same one is run again; with more repeats it is added to.
 *
 * campaign_prepare() asks the targets who they are and reads the sources: nothing is sent, and without a capture in dir one
 * is made. campaign_run() once, campaign_finish() in any case. Exit codes; what was wrong has been said. One thread.
 */
#include "cli/replay/replay_job.h"

#define CAMPAIGN_LEVELS REPLAY_LEVELS
#define CAMPAIGN_TARGETS REPLAY_TARGETS

struct campaign_target {
	struct replay_wish wish; /* .name: its label, or NULL: as it is called elsewhere */
	enum role role;
	bool keeps_role;               /* that its configuration gives it, instead */
	struct replay_backend backend; /* the campaign's own */
};

struct campaign_lane {
	struct replay_options options;
	struct replay_job job;
	size_t source, target, level;
};

struct campaign { /* zero-initialised but for these, which outlive it: */
	const struct replay_options
	        *options; /* of every lane, but for source, wish and concurrency */
	const char **sources;
	size_t n_sources;
	struct campaign_target *targets;
	size_t n_targets;
	const unsigned *levels; /* 0: what is usual for the target */
	size_t n_levels;
	bool json;       /* its progress is told as events, on standard output */
	bool may_fail;   /* requests are meant to fail: no word of those that do */
	const char *dir; /* NULL: one by the campaign's name is found or made here */
	/* Before each pass, unless NULL: what is asked for may depend on the repeat. */
	void (*on_pass)(void *arg, struct campaign_target *t, uint32_t repeat);
	void *arg;

	char *made_dir;
	struct capture **captures; /* by source; NULL: a file */
	struct marker marker;
	struct campaign_lane *lanes;
	size_t n_lanes;
	struct id runs[CAMPAIGN_LEVELS];
	struct replay_store store;
	struct view view;
	struct campaign_figures {
		uint64_t sends, before; /* of all; recorded by earlier processes */
		uint64_t again;         /* sent again: the record of the first time was lost */
		uint64_t completed, failed, unfit, lost, left;
	} figures;
};

int campaign_prepare(struct campaign *c) MUST_CHECK;
/* Sends what is left. EXIT_PASS: all of it is recorded, though answers may be errors. */
int campaign_run(struct campaign *c) MUST_CHECK;
void campaign_finish(struct campaign *c);

/* The directories that hold the answers and, where sources are captures, what they answer. The caller frees the list. */
const char **campaign_dirs(const struct campaign *c, size_t *ret_n);
