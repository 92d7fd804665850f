#pragma once
/*
 * progress - a line on standard error that shows how far long work is. On a terminal it is redrawn
 * in place and never wraps; elsewhere a new line is printed from time to time. One thread.
 * Zero-initialised: progress_message() and progress_clear() do nothing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct progress {
	bool terminal;  /* standard error is a terminal */
	bool drawn;     /* the line is on the screen */
	uint64_t shown; /* time of the last line, clock_mono() ns */
	uint64_t every; /* time between two lines, ns */
	size_t width;   /* columns of the line; SIZE_MAX: any number */
	/* Two recent times (clock_mono(), ns), the older one first, and the work done by then. */
	struct progress_mark {
		uint64_t at, done;
	} marks[2];
	struct buf line;
};

void progress_begin(struct progress *p);
/* From now on the rate counts only work after this call. done: the work done so far. */
void progress_restart(struct progress *p, uint64_t now, uint64_t done);
/* The work done per second in the last 5 to 10 seconds, or since the beginning if that is less.
 * now: clock_mono(), here and below. Call it every few seconds. */
double progress_rate(struct progress *p, uint64_t done, uint64_t now);
/* True if the line is due; the next one is then due `every` ns after now. */
bool progress_is_due(struct progress *p, uint64_t now) MUST_CHECK;
/* Begins the line, such as "old [#####---------------] 25 %, 240 of 960, 22/s, 33 s left". name:
 * what the work is done on, or NULL; its first 20 bytes are shown. rate: per second. */
void progress_line(
        struct progress *p, const char *name, uint64_t done, uint64_t total, double rate);
/* Appends ", " and this part, unless the line would become wider than the terminal. */
void progress_add(struct progress *p, const char *format, ...) PRINTF(2, 3);
void progress_show(struct progress *p); /* prints the line */
/* Shows a line of any form; only on a terminal. */
void progress_message(struct progress *p, const char *format, ...) PRINTF(2, 3);
/* Clears the line on a terminal, so that other text can be printed, and frees it. Call it last. */
void progress_clear(struct progress *p);
