#pragma once
/*
 * resume - stores what a run has sent, so that an interrupted replay can resume.
 *
 * The legs in the capture decide what was sent. In addition, a small file DIR/replay-KEY.sent names
 * the run and gets an entry when a send begins; a running replay locks the file. If a send has an
 * entry but no leg, a crash lost the leg with the last commit. The replay sends this request again
 * and counts it (resume_lost()). One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "capture/capture.h"

struct resume;

/*
 * Opens or creates the file of the run with this key (hex digits) in dir, which must exist.
 *
 *	run    the id of the run, if another job has begun it; NULL: any. If the
 *	       file names another id, resume_open() empties the file and writes `run`
 *	again  true: empty an existing file and begin a new run
 *
 * NULL: the file cannot be opened, has another format, or another process has locked it; *ret_error
 * is then a sentence that the caller frees.
 */
struct resume *resume_open(
        const char *dir, const char *key, const struct id *run, bool again, char **ret_error);
/* Reads the id of the run that the file names, without opening the run. False: there is no such
 * file, or it has another format. */
bool resume_find_run(const char *dir, const char *key, struct id *ret) MUST_CHECK;
/* Deletes the file if it has no entry, which means that nothing was sent. Call only resume_close()
 * after it. */
void resume_drop_empty(struct resume *s);
void resume_close(struct resume *s); /* NULL is fine */
struct id resume_run(const struct resume *s);
/* True if the file had an entry when it was opened. */
bool resume_is_resumed(const struct resume *s);

/* Reads the run's legs from the capture, which must be in the same directory. backend: only legs
 * of this backend; NULL: of all. Leaves out legs that plumbline interrupted. Call once, before
 * the functions below. */
void resume_read(struct resume *s, struct capture *c, const char *backend);
/* True if resume_read() found a leg of this send. */
bool resume_has(const struct resume *s, struct id exchange, uint32_t repeat);
/* True if resume_read() found the exchange's row. */
bool resume_knows(const struct resume *s, struct id exchange);
/* The number of sends whose latest entry is RESUME_SENT, but of which no leg was found. */
uint64_t resume_lost(const struct resume *s);

enum resume_entry {
	RESUME_SENT = 1,
	RESUME_NOT_SENT = 2 /* not delivered, or plumbline interrupted it */
};
/* Adds an entry to the file. The latest entry of a send counts. Returns 0 or -errno. */
int resume_add(
        struct resume *s, struct id exchange, uint32_t repeat, enum resume_entry state) MUST_CHECK;
