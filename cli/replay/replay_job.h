#pragma once
/*
 * replay_job - one source sent to one backend under one condition, with repeats: once for
 * `plumbline replay`, many times for a campaign.
 *
 *	replay_job_scan()    finds what to send; reads only the source
 *	replay_job_open()    finds or begins the run, and what the capture has of it
 *	replay_job_send()    sends all of it, or one repeat; call again for the next one
 *	replay_job_finish()  in any case
 *
 * Each returns an exit code; errors were printed. Jobs may share a backend, a source capture and a
 * store; they are sent one at a time. One thread.
 */
#include "capture/keyset.h"
#include "capture/marker.h"
#include "cli/replay/replay_options.h"
#include "replay/summary.h"
#include "replay/view.h"

/* A segment for the answers. It must not move while it is open. */
struct replay_store {
	struct budget budget;
	struct recorder *recorder;
	struct ledger *ledger;
	struct ledger_book *book;
	struct keyset written; /* exchanges that it has */
};

/* settings: JSON without secrets, stored in the segment. Returns an exit code. */
int replay_store_open(struct replay_store *s, const char *command, const char *dir,
        const uint8_t hash_key[32], const char *settings) MUST_CHECK;
/* Waits until everything is written. Returns the number of rows that could not be written. May
 * be called if the store was never opened. */
uint64_t replay_store_close(struct replay_store *s);

/* zero-initialised, except the members down to is_repeated, which the caller sets; what they
 * point to outlives the job */
struct replay_job {
	const struct replay_options *o;
	struct replay_backend *backends; /* found and identified; each send goes to one of them */
	size_t n_backends;
	struct capture *capture;     /* the source, or NULL: it is a file */
	const char *dir;             /* where answers go; a capture by now */
	const struct marker *marker; /* the marker of `dir` */
	struct view *view;           /* or NULL: show no progress */
	/* another job has the same source, which is then not reported again */
	bool is_repeated;

	struct source *source;
	struct plan plan;
	uint32_t repeats; /* of each request */
	struct error_tally unreplayable;
	struct source_scan scan;
	struct sent *sent;
	bool *done; /* indexed by send: its answer is recorded */
	struct sessions *sessions;
	struct think think;
	const struct target *targets[REPLAY_TARGETS];
	char **models; /* models that requests ask the first backend for, without duplicates */
	size_t n_models;
	struct figures *shares; /* indexed by backend; NULL if there is only one */
	struct runner_settings runner;
	/* result of the latest call; but its reasons (unfit) are of all calls */
	struct runner_result result;
	struct figures figures;
	struct summary report;
};

int replay_job_scan(struct replay_job *j) MUST_CHECK;
/* Finds the job's run. True: it was begun earlier, and *ret is its id. */
bool replay_job_find_run(const struct replay_job *j, struct id *ret) MUST_CHECK;
/* Finds or begins the run. run: the run that the job must belong to; NULL: a run of its own. */
int replay_job_open(struct replay_job *j, const struct id *run) MUST_CHECK;
/* True if later turns have this run's answers in their history. */
bool replay_job_takes_answers(const struct replay_job *j);
#define REPLAY_JOB_ALL UINT32_MAX
/* The number of sends left of this repeat, or of all. */
size_t replay_job_left(const struct replay_job *j, uint32_t repeat);
/* Sends what is left of this repeat, or of all. The results are in result, figures and report. */
void replay_job_send(struct replay_job *j, struct replay_store *store, uint32_t repeat);
struct replay_step {
	double rate;       /* a second */
	uint64_t duration; /* ns */
	uint64_t seed;     /* of its arrivals, and of what is cancelled */
	/* As in struct runner_settings. */
	void (*on_tick)(void *arg, const struct figures *f, uint64_t left, bool last);
	void *arg;
};
/* Sends what is left at one rate, for a limited time. figures: empty at first; counts only this
 * call. The job's own figures do not count it. */
void replay_job_send_step(struct replay_job *j, struct replay_store *store,
        const struct replay_step *step, struct figures *figures);
/* True if the latest call sent everything. */
bool replay_job_is_whole(const struct replay_job *j);
void replay_job_finish(struct replay_job *j);

/* If the source is a capture, opens it; else sets *ret to NULL. Returns an exit code. */
int replay_job_open_source(
        const char *command, const char *source, struct capture **ret) MUST_CHECK;
