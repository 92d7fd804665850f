#pragma once
/*
 * crew - workers for a long command: its own thread gives them piece after piece, shows how far they
 * are, and looks for Ctrl-C. One crew at a time, for signals belong to the process.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/check.h"

#define CREW_LIMIT 256

struct crew;

struct crew_settings {
	unsigned n; /* workers; at most CREW_LIMIT */
	void *arg;
	/* One piece, on a worker's thread; worker: from 0. Frees the piece. */
	void (*work)(void *arg, unsigned worker, void *piece);
	/* What nobody will work on any more. */
	void (*drop)(void *arg, void *piece);
	/* The work is broken off: what is under way should end. Called under the lock, once, by any thread; may be NULL. */
	void (*stop)(void *arg);
	/* How far it is, without a line's end. Called under the lock, by the command's own thread. */
	void (*show)(void *arg, double seconds, FILE *to);
};

struct crew *crew_start(const struct crew_settings *s);
/* Waits while the workers have enough. False: the work was broken off, and the piece dropped. */
bool crew_give(struct crew *c, void *piece) MUST_CHECK;
/* Whether more is wanted: false once the work is broken off. For whoever looks long for a piece to give. */
bool crew_goes_on(struct crew *c) MUST_CHECK;
/* Nothing more comes: waits for the last worker. True: it was broken off by a signal. Frees the crew. */
bool crew_finish(struct crew *c);

/* For show(): "12 of 40 answers, 3.1 a second, 9 s left, 1 failed"; what: "answers". */
void crew_show(
        FILE *to, double seconds, const char *what, uint64_t done, uint64_t all, uint64_t failed);

/* Around whatever workers share. */
void crew_lock(struct crew *c);
void crew_unlock(struct crew *c);
/* Under the lock; any thread. No further piece is begun. */
void crew_break_off(struct crew *c);
/* Under the lock, by the command's own thread: waits a little for a piece to be done. */
void crew_attend(struct crew *c);
bool crew_is_broken(const struct crew *c); /* under the lock */
