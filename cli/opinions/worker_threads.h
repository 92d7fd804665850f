#pragma once
/*
 * worker_threads - worker threads for a long command. The command's own thread gives them pieces of
 * work, shows progress, and handles Ctrl-C. One crew at a time, since signals belong to the
 * process.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

#define WORKER_THREADS_LIMIT 256

struct worker_threads;

struct worker_threads_count {
	const char *what; /* what is counted, such as "answers" */
	uint64_t done, all, failed;
};

struct worker_threads_settings {
	unsigned n; /* workers; at most WORKER_THREADS_LIMIT */
	void *arg;
	/* Works on one piece and frees it. Called on a worker's thread; worker: its number, from
	 * 0. */
	void (*work)(void *arg, unsigned worker, void *piece);
	/* Frees a piece that will not be worked on; may be NULL. */
	void (*drop)(void *arg, void *piece);
	/* Called once when the work is cancelled: running pieces should end. Called by any
	 * thread, under the crew's lock. May be NULL. */
	void (*stop)(void *arg);
	/* Fills *ret with the progress of the work. Called by the command's own thread, under
	 * the lock. */
	void (*count_done)(const void *arg, struct worker_threads_count *ret);
};

unsigned worker_threads_processors(void); /* number of processors; at most WORKER_THREADS_LIMIT */
struct worker_threads *worker_threads_start(const struct worker_threads_settings *s);
/* Passes a piece to the workers; waits while they have enough pieces. False: the work was
 * cancelled, and the piece was dropped. */
bool worker_threads_submit(struct worker_threads *c, void *piece) MUST_CHECK;
/* True unless the work was cancelled. */
bool worker_threads_wants_more(struct worker_threads *c) MUST_CHECK;
/* Call after the last piece. Waits for all workers and frees the crew. True: a signal cancelled
 * the work. */
bool worker_threads_finish(struct worker_threads *c);

/* Lock and unlock the crew's lock, which protects what the workers share. */
void worker_threads_lock(struct worker_threads *c);
void worker_threads_unlock(struct worker_threads *c);
/* Cancels the work: no further piece begins. Call under the lock; any thread. */
void worker_threads_cancel(struct worker_threads *c);
/* Waits a short time for a piece to be finished. Call under the lock, in the command's own
 * thread. */
void worker_threads_wait(struct worker_threads *c);
/* True if the work was cancelled. Call under the lock. */
bool worker_threads_is_cancelled(const struct worker_threads *c);
