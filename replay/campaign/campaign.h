#pragma once
/*
 * campaign - several replays into one capture: sends each source to each target at each level,
 * repeat by repeat.
 *
 *	level  a number of requests in flight. All its requests are recorded as one run, whichever
 *	       target they went to. So the analyzer compares answers under one condition, and
 *	       repeats within the run measure the noise floor
 *	lane   one source to one target at one level; with `spread`, to all targets
 *	pass   one repeat of a lane
 *
 * Within a repeat, the passes of all lanes run in random order (by the seed), so that drift over
 * time affects all lanes alike. If Ctrl-C or a crash interrupted a campaign, the same campaign
 * continues it; with more repeats it extends a finished one.
 *
 *	campaign_open()     opens the sources; the caller then finds the targets, in `backends`
 *	campaign_prepare()  identifies the targets, reads the sources, and creates the capture if
 *	                    dir has none; sends nothing
 *	campaign_run()      sends; call once
 *	campaign_finish()   must be called in any case
 *
 * Functions that return an int return an exit code, and have printed the error. One thread.
 */
#include "replay/campaign/replay_job.h"

#define CAMPAIGN_LEVELS REPLAY_LEVELS
#define CAMPAIGN_TARGETS REPLAY_TARGETS

struct campaign_target {
	struct replay_backend_options backend; /* .name is its label; NULL: its usual name */
	enum role role;
	bool keeps_role; /* record answers under the role in the configuration, not under `role` */
};

struct campaign_lane {
	struct replay_options options;
	struct replay_job job;
	size_t source, target, level; /* target: the first of its job's backends */
};

/* Zero-initialise it, then set the members down to `arg`. What they point to must outlive the
 * campaign. */
struct campaign {
	/* options of all lanes; each lane gets its own source, backend and concurrency in them */
	const struct replay_options *options;
	const char **sources;
	size_t n_sources;
	struct campaign_target *targets;
	size_t n_targets;
	/* each request goes to one of the targets in turn, so that one lane has them all */
	bool spread;
	const unsigned *levels; /* indexed by level: requests in flight; 0: the target's default */
	size_t n_levels;
	bool json;     /* print progress as JSON events on standard output */
	bool may_fail; /* requests are expected to fail: do not print failures */
	/* Number of requests that the command sends before, and after, this campaign. The
	 * progress line covers them too. */
	uint64_t sent_before, sent_after;
	const char *dir; /* of the capture; NULL: a new one in the current directory */
	/* Called before each pass, because requests may depend on the repeat; may be NULL. */
	void (*on_pass)(void *arg, size_t target, uint32_t repeat);
	void *arg;

	/* indexed by target; the caller of campaign_open() finds them */
	struct replay_backend *backends;
	char *made_dir;            /* `dir`, if it was NULL; owned */
	struct capture **captures; /* indexed by source; NULL: the source is a file */
	struct marker marker;
	struct campaign_lane *lanes;
	size_t n_lanes;
	struct id runs[CAMPAIGN_LEVELS]; /* indexed by level */
	struct replay_store store;
	struct progress_view view;
	struct campaign_figures {
		uint64_t sends;  /* all sends of the campaign */
		uint64_t before; /* sends that earlier processes recorded */
		/* sends that were repeated because a crash lost the first record */
		uint64_t again;
		/* of this process: */
		uint64_t completed, failed; /* answers that did not fail; that failed */
		uint64_t unfit;             /* sends that cannot be made */
		uint64_t lost;              /* answers that could not be recorded */
		uint64_t left;              /* sends that are left */
	} figures;
};

int campaign_open(struct campaign *c) MUST_CHECK;
int campaign_prepare(struct campaign *c) MUST_CHECK;
/* Sends what earlier processes did not send. EXIT_PASS: everything is recorded; some answers may
 * be errors. */
int campaign_run(struct campaign *c) MUST_CHECK;
void campaign_finish(struct campaign *c);

/* For a command that sends the campaign's only lane by itself, in place of campaign_run(). Begins
 * to record into campaign.store, with the targets' manifests. settings: JSON that describes what
 * the command sends; it is freed. */
int campaign_record(struct campaign *c, char *settings) MUST_CHECK;
/* Writes the member "references" with all targets into the settings for campaign_record(), so that
 * known_backend_find() later finds the targets by their names. */
void campaign_put_references(const struct campaign *c, struct json_writer *w);

/* Directories to analyze: that of the answers and, if sources are captures, theirs. The caller
 * frees the list, but not the texts. */
const char **campaign_dirs(const struct campaign *c, size_t *ret_n);
