#pragma once
/*
 * campaign - several replays into one capture: sends each source to each target at each level,
 * repeat by repeat.
 *
 *	level  a number of requests in flight, recorded as one run. All targets share the run, so
 *	       that the analyzer compares answers under one condition, and repeats within it
 *	       measure the noise floor
 *	lane   one source to one target at one level
 *	pass   one repeat of a lane
 *
 * Within a repeat, the passes of all lanes run in random order (by the seed), so that drift over
 * time affects all lanes alike. A campaign that Ctrl-C or a crash interrupted continues when the
 * same campaign is run again; with more repeats it is extended.
 *
 * campaign_prepare() identifies the targets and reads the sources. It sends nothing, and creates
 * the capture if dir has none. Then call campaign_run() once; call campaign_finish() in any case.
 * Functions that return an int return an exit code, and have printed the error. One thread.
 */
#include "cli/replay/replay_job.h"

#define CAMPAIGN_LEVELS REPLAY_LEVELS
#define CAMPAIGN_TARGETS REPLAY_TARGETS

struct campaign_target {
	struct replay_wish wish; /* .name is its label; NULL: its usual name */
	enum role role;
	bool keeps_role;               /* use the role of its configuration in place of `role` */
	struct replay_backend backend; /* owned by the campaign */
};

struct campaign_lane {
	struct replay_options options;
	struct replay_job job;
	size_t source, target, level;
};

/* Zero-initialise it, then set the members down to `arg`. What they point to must outlive the
 * campaign. */
struct campaign {
	/* for every lane; each lane then gets its own source, wish and concurrency */
	const struct replay_options *options;
	const char **sources;
	size_t n_sources;
	struct campaign_target *targets;
	size_t n_targets;
	const unsigned *levels; /* requests in flight; 0: the target's default */
	size_t n_levels;
	bool json;     /* print progress as JSON events on standard output */
	bool may_fail; /* requests are expected to fail: do not report failures */
	/* Requests that the command sends before and after this campaign. The progress line
	 * covers them too. */
	uint64_t sent_before, sent_after;
	const char *dir; /* NULL: a directory in the current one, named after the campaign */
	/* Called before each pass, because requests may depend on the repeat; may be NULL. */
	void (*on_pass)(void *arg, struct campaign_target *t, uint32_t repeat);
	void *arg;

	char *made_dir;
	struct capture **captures; /* indexed by source; NULL: the source is a file */
	struct marker marker;
	struct campaign_lane *lanes;
	size_t n_lanes;
	struct id runs[CAMPAIGN_LEVELS];
	struct replay_store store;
	struct progress_view view;
	struct campaign_figures {
		uint64_t sends, before; /* number of sends; those that earlier processes recorded */
		uint64_t again;         /* sends repeated because a crash lost the first record */
		uint64_t completed, failed, unfit, lost, left;
	} figures;
};

int campaign_prepare(struct campaign *c) MUST_CHECK;
/* Sends what earlier processes did not send. EXIT_PASS: everything is recorded, though answers
 * may be errors. */
int campaign_run(struct campaign *c) MUST_CHECK;
void campaign_finish(struct campaign *c);

/* The directory with the answers and, if sources are captures, theirs. The caller frees the
 * list. */
const char **campaign_dirs(const struct campaign *c, size_t *ret_n);
