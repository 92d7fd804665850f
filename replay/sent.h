#pragma once
/*
 * sent - what a run has sent, so that an interrupted replay can resume.
 *
 * The legs in the capture are the truth. In addition, a small file DIR/replay-KEY.sent names the
 * run and gets an entry when a send begins; a running replay locks it. If an entry has no leg, the
 * leg was lost in a crash, together with the last commit; that send is sent again, and counted. One
 * thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "capture/capture.h"

struct sent;

/*
 * Opens or creates the file of the run `key` (hex digits) in the capture's directory dir, which
 * must exist. again: begins a new run. run: the id of a run that sends to several backends and that
 * this file must belong to; NULL: the file has a run of its own. Returns NULL and a sentence that
 * the caller frees if that is impossible or another process works on this run.
 */
struct sent *sent_open(
        const char *dir, const char *key, const struct id *run, bool again, char **ret_error);
/* Reads the run that the file names, without resuming it. False: there is none. */
bool sent_find_run(const char *dir, const char *key, struct id *ret) MUST_CHECK;
/* Deletes the file if it has no entry, for a run without legs; the next call is sent_close(). */
void sent_drop_empty(struct sent *s);
void sent_close(struct sent *s); /* NULL is fine */
struct id sent_run(const struct sent *s);
bool sent_is_resumed(const struct sent *s); /* something was sent before */

/* Reads the run's legs of one backend (NULL: of any) from the capture of the same directory. */
void sent_read(struct sent *s, struct capture *c, const char *backend);
/* True if the leg of this send is recorded. */
bool sent_has(const struct sent *s, struct id exchange, uint32_t repeat);
bool sent_knows(const struct sent *s, struct id exchange); /* the capture has the exchange's row */
/* The number of sends that have an entry but no leg among those that sent_read() read. */
uint64_t sent_lost(const struct sent *s);

enum sent_what { SENT_OUT = 1, SENT_NOT = 2 /* not delivered, or interrupted by plumbline */ };
int sent_note(struct sent *s, struct id exchange, uint32_t repeat, enum sent_what what) MUST_CHECK;
