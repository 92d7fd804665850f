#pragma once
/*
 * resume - what a run has sent, so that an interrupted replay can resume.
 *
 * The legs in the capture decide what was sent. In addition, a small file DIR/replay-KEY.sent names
 * the run and gets an entry when a send begins; a running replay locks the file. If an entry has no
 * leg, a crash lost the leg together with the last commit; the replay then sends this request again
 * and counts it (resume_lost()). One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "capture/capture.h"

struct resume;

/*
 * Opens or creates the file of the run `key` (hex digits) in the capture's directory dir, which
 * must exist. again: begin a new run. run: the id of the run that this file must belong to, if the
 * run sends to several backends; NULL: the file has a run of its own. NULL: the file cannot be
 * opened, or another process works on this run; *ret_error is then a sentence that the caller
 * frees.
 */
struct resume *resume_open(
        const char *dir, const char *key, const struct id *run, bool again, char **ret_error);
/* Reads the id of the run that the file names, and resumes nothing. False: there is none. */
bool resume_find_run(const char *dir, const char *key, struct id *ret) MUST_CHECK;
/* Deletes the file if it has no entry, that is, if the run has no legs. Call resume_close() next.
 * */
void resume_drop_empty(struct resume *s);
void resume_close(struct resume *s); /* NULL is fine */
struct id resume_run(const struct resume *s);
bool resume_is_resumed(const struct resume *s); /* true if an earlier process sent something */

/* Reads the run's legs of one backend (NULL: of any) from the capture of the same directory. */
void resume_read(struct resume *s, struct capture *c, const char *backend);
/* True if the leg of this send is recorded. */
bool resume_has(const struct resume *s, struct id exchange, uint32_t repeat);
/* true if the capture has the exchange's row */
bool resume_knows(const struct resume *s, struct id exchange);
/* The number of sends with an entry, but without a leg among those that resume_read() read. */
uint64_t resume_lost(const struct resume *s);

enum resume_entry {
	RESUME_SENT = 1,
	RESUME_NOT_SENT = 2 /* not delivered, or interrupted by plumbline */
};
/* Adds an entry to the file. Returns 0 or -errno. */
int resume_add(
        struct resume *s, struct id exchange, uint32_t repeat, enum resume_entry what) MUST_CHECK;
