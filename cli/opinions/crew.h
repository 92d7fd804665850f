#pragma once
/*
 * crew - worker threads for a long command: its own thread gives them pieces, shows progress, and
 * handles Ctrl-C. One crew at a time, since signals belong to the process.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

#define CREW_LIMIT 256

struct crew;

struct crew_count {
	const char *what; /* "answers" */
	uint64_t done, all, failed;
};

struct crew_settings {
	unsigned n; /* workers; at most CREW_LIMIT */
	void *arg;
	/* Works on one piece, on a worker's thread; worker: from 0. Frees the piece. */
	void (*work)(void *arg, unsigned worker, void *piece);
	/* Frees a piece that will not be worked on. */
	void (*drop)(void *arg, void *piece);
	/* The work is cancelled: running pieces should end. Called under the lock, once, by any
	 * thread; may be NULL. */
	void (*stop)(void *arg);
	/* Sets how far the work is. Called under the lock, by the command's own thread. */
	void (*count_done)(const void *arg, struct crew_count *ret);
};

unsigned crew_processors(void); /* workers, one for each processor; at most CREW_LIMIT */
struct crew *crew_start(const struct crew_settings *s);
/* Waits while the workers have enough pieces. False: the work was cancelled, and the piece
 * dropped. */
bool crew_give(struct crew *c, void *piece) MUST_CHECK;
/* True if more pieces are wanted; false once the work is cancelled. */
bool crew_goes_on(struct crew *c) MUST_CHECK;
/* No more pieces: waits for all workers and frees the crew. True: a signal cancelled the work. */
bool crew_finish(struct crew *c);

/* The crew's lock, which protects what workers share. */
void crew_lock(struct crew *c);
void crew_unlock(struct crew *c);
/* Cancels: no further piece begins. Under the lock; any thread. */
void crew_break_off(struct crew *c);
/* Waits a short time for a piece to finish. Call under the lock, in the command's own thread. */
void crew_attend(struct crew *c);
bool crew_is_broken(const struct crew *c); /* under the lock */
