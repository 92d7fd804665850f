#pragma once
/*
 * replay_job - sends one source under one condition, with repeats. `plumbline replay` has one job,
 * a campaign has many.
 *
 *	replay_job_scan()    finds what to send; reads only the source
 *	replay_job_open()    finds or begins the run, and reads what the capture has of it
 *	replay_job_send()    sends all of it, or one repeat; call again for the next repeat
 *	replay_job_finish()  must be called in any case
 *
 * Functions that return an int return an exit code; errors were printed. Jobs may share a backend,
 * a source capture and a store; send them one after the other. One thread.
 */
#include "capture/keyset.h"
#include "capture/marker.h"
#include "capture/recorder/recording.h"
#include "replay/campaign/replay_options.h"
#include "replay/replay_summary.h"
#include "replay/progress_view.h"

/* Where the answers go. */
struct replay_store {
	struct recording to;
	struct keyset written; /* exchanges that the segment has; the owner calls keyset_finish() */
};

/* Checks that the process may open as many connections as the highest of the n levels needs. */
int replay_check_levels(const char *command, const unsigned *levels, size_t n) MUST_CHECK;

/* Zero-initialise it, then set the members down to is_repeated. What they point to must outlive
 * the job. */
struct replay_job {
	const struct replay_options *o;
	struct replay_backend *backends; /* found and identified; each send goes to one of these */
	size_t n_backends;
	struct capture *capture;     /* the source; NULL: the source is a file */
	const char *dir;             /* directory of the answers; it must be a capture already */
	const struct marker *marker; /* the marker of `dir` */
	struct progress_view *view;  /* NULL: show no progress */
	/* an earlier job has the same source, so do not print again how it is read */
	bool is_repeated;

	struct source *source;
	struct plan plan;
	uint32_t repeats;                /* number of repeats of each request */
	struct error_tally unreplayable; /* requests that cannot be sent, by reason */
	struct source_scan scan;
	struct resume *sent;
	bool *done; /* indexed by send; true: its answer is recorded */
	struct sessions *sessions;
	struct think_time think;
	const struct target *targets[REPLAY_TARGETS];
	/* models that requests name, under their names at the first backend, each once */
	char **models;
	size_t n_models;
	struct load_figures *shares; /* indexed by backend; NULL if there is only one */
	struct runner_settings runner;
	/* result of the latest call; `unfit` adds up over all calls */
	struct runner_result result;
	struct load_figures figures;
	struct replay_summary report;
};

int replay_job_scan(struct replay_job *j) MUST_CHECK;
/* True if an earlier process began the job's run, and the options do not ask for a new one; *ret
 * is then its id. */
bool replay_job_find_run(const struct replay_job *j, struct id *ret) MUST_CHECK;
/* Finds or begins the job's run, and reads what the capture has of it. run: the id that the run
 * must have; NULL: the job has a run of its own. */
int replay_job_open(struct replay_job *j, const struct id *run) MUST_CHECK;
/* True if this run's answers go into the history of later turns. */
bool replay_job_takes_answers(const struct replay_job *j);
#define REPLAY_JOB_ALL UINT32_MAX
/* The number of sends that are left in this repeat (from 0), or in all (REPLAY_JOB_ALL). */
size_t replay_job_left(const struct replay_job *j, uint32_t repeat);
/* Sends what replay_job_left() counts. Updates result, figures and report. */
void replay_job_send(struct replay_job *j, struct replay_store *store, uint32_t repeat);

struct replay_step {
	double rate;       /* requests a second */
	uint64_t duration; /* ns */
	uint64_t seed;     /* seed for arrivals, and for the choice of requests to cancel */
	/* As in struct runner_settings. */
	void (*on_tick)(void *arg, const struct load_figures *f, uint64_t left, bool last);
	void *arg;
};
/* Sends what is left at one rate, for a limited time. Adds to *figures, which must be empty
 * except for `goals`, and not to the job's own figures. */
void replay_job_send_step(struct replay_job *j, struct replay_store *store,
        const struct replay_step *step, struct load_figures *figures);
/* True if the latest call ended because all was sent, or all steps were measured, or the
 * duration was over. */
bool replay_job_is_whole(const struct replay_job *j);
void replay_job_finish(struct replay_job *j);

/* Opens the source if it is a capture; else sets *ret to NULL. */
int replay_job_open_source(
        const char *command, const char *source, struct capture **ret) MUST_CHECK;
