#pragma once
/*
 * worker_threads - worker threads for a long command. The command's own thread gives them pieces of
 * work, shows progress, and cancels the work after SIGINT or SIGTERM. Only one struct
 * worker_threads at a time, since signals belong to the process. Functions belong to the command's
 * own thread unless stated otherwise.
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
	unsigned n; /* number of worker threads, 1 to WORKER_THREADS_LIMIT */
	void *arg;
	/* Works on one piece and frees it. Called on a worker's thread, without the lock;
	 * worker: its number, from 0. */
	void (*work)(void *arg, unsigned worker, void *piece);
	/* Frees a piece that will not be worked on; may be NULL. */
	void (*drop)(void *arg, void *piece);
	/* Called once when the work is cancelled, so that running pieces end soon. Called on any
	 * thread, under the lock. May be NULL. */
	void (*stop)(void *arg);
	/* Fills *ret with the progress of the work. Called on the command's own thread, under
	 * the lock. */
	void (*count_done)(const void *arg, struct worker_threads_count *ret);
};

unsigned worker_threads_processors(void); /* number of processors, 1 to WORKER_THREADS_LIMIT */
struct worker_threads *worker_threads_start(const struct worker_threads_settings *s);
/* Passes a piece to the workers. Waits while twice as many pieces as workers are queued. False:
 * the work was cancelled, and the piece was passed to drop(). */
bool worker_threads_submit(struct worker_threads *c, void *piece) MUST_CHECK;
/* True unless the work was cancelled. */
bool worker_threads_wants_more(struct worker_threads *c) MUST_CHECK;
/* Call after the last piece. Waits for all workers, passes the queued pieces of cancelled work
 * to drop(), and frees c. True: SIGINT or SIGTERM came. */
bool worker_threads_finish(struct worker_threads *c);

/* The lock that protects what the workers share. Any thread. */
void worker_threads_lock(struct worker_threads *c);
void worker_threads_unlock(struct worker_threads *c);
/* Cancels the work: no further piece begins. Any thread; call under the lock. */
void worker_threads_cancel(struct worker_threads *c);
/* Waits until a piece is finished, at most a tenth of a second. Call under the lock, which it
 * releases while it waits. */
void worker_threads_wait(struct worker_threads *c);
/* True if the work was cancelled. Any thread; call under the lock. */
bool worker_threads_is_cancelled(const struct worker_threads *c);
