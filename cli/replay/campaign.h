#pragma once
/*
 * campaign - several replays into one capture on one schedule: each source to each target at each
 * level, repeat by repeat.
 *
 *	level  a number of requests in flight, recorded as one run. Targets share it, so that
 *	       answers under one condition are compared, and repeats within it measure the noise
 *	       floor
 *	lane   one source to one target at one level
 *	pass   one repeat of a lane
 *
 * Within a repeat, lanes pass in random order (by the seed), so that drift over time affects all
 * alike. A campaign that was interrupted, by Ctrl-C or a crash, continues when the same one is run
 * again; with more repeats it is extended.
 *
 * campaign_prepare() identifies the targets and reads the sources; it sends nothing, and creates
 * the capture if dir has none. Call campaign_run() once, and campaign_finish() in any case. They
 * return exit codes and have reported the error. One thread.
 */
#include "cli/replay/replay_job.h"

#define CAMPAIGN_LEVELS REPLAY_LEVELS
#define CAMPAIGN_TARGETS REPLAY_TARGETS

struct campaign_target {
	struct replay_wish wish; /* .name: its label, or NULL: its usual name */
	enum role role;
	bool keeps_role;               /* the role in its configuration is used instead of `role` */
	struct replay_backend backend; /* owned by the campaign */
};

struct campaign_lane {
	struct replay_options options;
	struct replay_job job;
	size_t source, target, level;
};

/* Zero-initialised, except for the following members. What they point to must outlive the
 * campaign. */
struct campaign {
	const struct replay_options
	        /* for every lane; each lane then gets its own source, wish and concurrency */
	        *options;
	const char **sources;
	size_t n_sources;
	struct campaign_target *targets;
	size_t n_targets;
	const unsigned *levels; /* 0: the target's default */
	size_t n_levels;
	bool json;     /* writes its progress as events to standard output */
	bool may_fail; /* requests are expected to fail: does not report them */
	/* Requests that the command sends before and after this campaign: its progress line covers
	 * all of them. */
	uint64_t sent_before, sent_after;
	const char *dir; /* NULL: a directory of the campaign's name, found or created here */
	/* Called before each pass, unless NULL: the request may depend on the repeat. */
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
		uint64_t sends, before; /* all sends; those recorded by earlier processes */
		uint64_t again;         /* sent again, because the first record was lost */
		uint64_t completed, failed, unfit, lost, left;
	} figures;
};

int campaign_prepare(struct campaign *c) MUST_CHECK;
/* Sends the rest. EXIT_PASS: all is recorded, though answers may be errors. */
int campaign_run(struct campaign *c) MUST_CHECK;
void campaign_finish(struct campaign *c);

/* The directories with the answers and, if sources are captures, with the originals. The caller
 * frees the list. */
const char **campaign_dirs(const struct campaign *c, size_t *ret_n);
