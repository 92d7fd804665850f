#pragma once
/*
 * progress - the line that shows how far long work is: redrawn on a terminal, where it never
 * wraps, else a new line from time to time. Standard error. One thread. Zero-initialised, it shows
 * nothing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct progress {
	bool terminal;  /* standard error is a terminal */
	bool drawn;     /* the line is on the screen */
	uint64_t shown; /* when, clock_mono() ns */
	uint64_t every; /* time between two lines, ns */
	size_t width;   /* columns of the line; SIZE_MAX: any number */
	/* Two recent moments, the older one first, and what was done then. */
	struct progress_mark {
		uint64_t at, done;
	} marks[2];
	struct buf line;
};

void progress_begin(struct progress *p);
/* The rate is measured anew, from what was done then. */
void progress_restart(struct progress *p, uint64_t now, uint64_t done);
/* How much was done a second in the last ten seconds; since the beginning while that is less. */
double progress_rate(struct progress *p, uint64_t done, uint64_t now);
/* True if the line is due. */
bool progress_is_due(struct progress *p, uint64_t now) MUST_CHECK;
/* Begins the line: "old [#####---------------] 25 %, 240 of 960, 22/s, 33 s left". name: what is
 * worked on, at most 20 bytes are shown; or NULL. */
void progress_line(
        struct progress *p, const char *name, uint64_t done, uint64_t total, double rate);
/* Adds ", " and this part, unless the line would be longer than the terminal is wide. */
void progress_add(struct progress *p, const char *format, ...) PRINTF(2, 3);
void progress_show(struct progress *p);
/* Shows a line of another form; only on a terminal. */
void progress_say(struct progress *p, const char *format, ...) PRINTF(2, 3);
/* Clears the line on a terminal, so that other text can be printed, and frees it. Call it last. */
void progress_clear(struct progress *p);
