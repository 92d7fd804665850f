#pragma once
/*
 * replay_job - one source on its way to one backend under one condition, in so many repeats: what `plumbline replay` does
 * once, and a campaign many times.
 *
 *	replay_job_scan()    what there is to send; nothing is sent, and nothing but the source is read
 *	replay_job_open()    which run it is, and what of it is in the capture already
 *	replay_job_send()    all of it, or one repeat; again for the next one
 *	replay_job_finish()  in any case, however far it came
 *
 * Each returns an exit code; what was wrong has been said. Jobs may share a backend, a capture that is their source, and a
 * store; they are sent one at a time. One thread.
 */
#include "capture/keyset.h"
#include "capture/marker.h"
#include "cli/replay/replay_options.h"
#include "replay/summary.h"
#include "replay/view.h"

/* Where answers go: a segment of the capture. Must not be moved while it is open. */
struct replay_store {
	struct budget budget;
	struct recorder *recorder;
	struct ledger *ledger;
	struct ledger_book *book;
	struct keyset written; /* exchanges that it has been given */
};

/* settings: JSON without secrets, as the segment keeps it. An exit code. */
int replay_store_open(struct replay_store *s, const char *command, const char *dir,
        const uint8_t hash_key[32], const char *settings) MUST_CHECK;
/* Waits until all is written. Returns what could not be; closing what was never opened is fine. */
uint64_t replay_store_close(struct replay_store *s);

struct replay_job { /* zero-initialised but for these, which outlive it: */
	const struct replay_options *o;
	struct replay_backend *backends; /* found and identified; each send goes to one of them */
	size_t n_backends;
	struct capture *capture;     /* the source, or NULL: it is a file */
	const char *dir;             /* where answers go; a capture by now */
	const struct marker *marker; /* its own */
	struct view *view;           /* or NULL: nothing is shown meanwhile */
	bool is_repeated;            /* another job has the same source: what it is, is not said */

	struct source *source;
	struct plan plan;
	uint32_t repeats; /* of each request */
	struct error_tally unreplayable;
	struct source_scan scan;
	struct sent *sent;
	bool *done; /* by send: recorded */
	struct sessions *sessions;
	struct think think;
	const struct target *targets[REPLAY_TARGETS];
	char **models; /* that the first backend is asked for, each once */
	size_t n_models;
	struct figures *shares; /* by backend, where there are several */
	struct runner_settings runner;
	struct runner_result result; /* of the latest call; its reasons of all */
	struct figures figures;
	struct summary report;
};

int replay_job_scan(struct replay_job *j) MUST_CHECK;
/* The run that its sends were of, if it was begun before. */
bool replay_job_find_run(const struct replay_job *j, struct id *ret) MUST_CHECK;
/* run: that it must be of, or NULL: its own. */
int replay_job_open(struct replay_job *j, const struct id *run) MUST_CHECK;
/* Are later turns sent with this run's own answers in their history? */
bool replay_job_takes_answers(const struct replay_job *j);
#define REPLAY_JOB_ALL UINT32_MAX
/* How many sends of that repeat, or of all, are left. */
size_t replay_job_left(const struct replay_job *j, uint32_t repeat);
/* Sends what is left of that repeat, or of all. What became of it is in result, figures and report. */
void replay_job_send(struct replay_job *j, struct replay_store *store, uint32_t repeat);
struct replay_step {
	double rate;       /* a second */
	uint64_t duration; /* ns */
	uint64_t seed;     /* of its arrivals, and of what is cancelled */
	/* As runner_settings has it. */
	void (*on_tick)(void *arg, const struct figures *f, uint64_t left, bool last);
	void *arg;
};
/* Sends what is left at one rate, for a time; figures (empty) are of this alone, and not in the job's. */
void replay_job_send_step(struct replay_job *j, struct replay_store *store,
        const struct replay_step *step, struct figures *figures);
/* Did the latest call send what it was to send? */
bool replay_job_is_whole(const struct replay_job *j);
void replay_job_finish(struct replay_job *j);

/* The source of that name, if it is a capture: *ret, else NULL. */
int replay_job_open_source(
        const char *command, const char *source, struct capture **ret) MUST_CHECK;
