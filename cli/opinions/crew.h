#pragma once
/*
 * crew - worker threads for a long command. The command's own thread gives them pieces of work,
 * shows progress, and handles Ctrl-C. One crew at a time, since signals belong to the process.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

#define CREW_LIMIT 256

struct crew;

struct crew_count {
	const char *what; /* what is counted, such as "answers" */
	uint64_t done, all, failed;
};

struct crew_settings {
	unsigned n; /* workers; at most CREW_LIMIT */
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
	void (*count_done)(const void *arg, struct crew_count *ret);
};

unsigned crew_processors(void); /* number of processors; at most CREW_LIMIT */
struct crew *crew_start(const struct crew_settings *s);
/* Passes a piece to the workers; waits while they have enough pieces. False: the work was
 * cancelled, and the piece was dropped. */
bool crew_submit(struct crew *c, void *piece) MUST_CHECK;
/* True unless the work was cancelled. */
bool crew_wants_more(struct crew *c) MUST_CHECK;
/* Call after the last piece. Waits for all workers and frees the crew. True: a signal cancelled
 * the work. */
bool crew_finish(struct crew *c);

/* Lock and unlock the crew's lock, which protects what the workers share. */
void crew_lock(struct crew *c);
void crew_unlock(struct crew *c);
/* Cancels the work: no further piece begins. Call under the lock; any thread. */
void crew_cancel(struct crew *c);
/* Waits a short time for a piece to be finished. Call under the lock, in the command's own
 * thread. */
void crew_wait(struct crew *c);
/* True if the work was cancelled. Call under the lock. */
bool crew_is_cancelled(const struct crew *c);
