#pragma once
/*
 * sent - what a run has sent: so that one that was broken off goes on where it was.
 *
 * The truth are the legs in the capture. Beside it a small file DIR/replay-KEY.sent names the run and gets
 * one entry for each send as it begins; it is locked while a replay is at work. What it holds and the
 * capture does not was lost with the last commit of a crash: those few are sent again, and counted.
 * One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "capture/capture.h"

struct sent;

/*
 * Opens or makes the file of the run that is called key (hex digits) in the capture's directory dir, which
 * exists. again: a new run is begun whatever was sent before. run: the run that it must be of, where several
 * backends are sent to in one run; what was sent in another one is no matter then. NULL: its own. NULL and a
 * sentence (the caller frees it): it can't be, or another process is at work on this run.
 */
struct sent *sent_open(
        const char *dir, const char *key, const struct id *run, bool again, char **ret_error);
/* The run that the file names, without taking it up. False: there is none. */
bool sent_find_run(const char *dir, const char *key, struct id *ret) MUST_CHECK;
void sent_close(struct sent *s); /* NULL is fine */
struct id sent_run(const struct sent *s);
bool sent_is_resumed(const struct sent *s); /* something was sent before */

/* Looks through the capture (of the same directory) for the run's legs of one backend; NULL: of any. */
void sent_read(struct sent *s, struct capture *c, const char *backend);
bool sent_has(const struct sent *s, struct id exchange, uint32_t repeat); /* and it is recorded */
bool sent_knows(
        const struct sent *s, struct id exchange); /* the capture holds the exchange's row */
/* Sends without a record, as far as sent_read() saw. */
uint64_t sent_lost(const struct sent *s);

enum sent_what { SENT_OUT = 1, SENT_NOT = 2 /* it never left, or was broken off by ourselves */ };
int sent_note(struct sent *s, struct id exchange, uint32_t repeat, enum sent_what what) MUST_CHECK;
