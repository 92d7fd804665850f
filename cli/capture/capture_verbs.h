#pragma once
/*
 * capture_verbs - the verbs of `plumbline capture`, and what they share. Each gets argv with
 * argv[0] its own name.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/capture.h"
#include "base/options.h"

int command_capture_ls(int argc, char **argv);
int capture_ls_runs(
        const char *const *dirs, size_t n_dirs, bool json); /* ls --runs; returns an exit code */
int command_capture_show(int argc, char **argv);
int command_capture_verify(int argc, char **argv);
int command_capture_export(int argc, char **argv);
int command_capture_prune(int argc, char **argv);
int command_capture_scrub(int argc, char **argv);
int command_capture_merge(int argc, char **argv);
int command_capture_compact(int argc, char **argv);
int command_capture_reread(int argc, char **argv);

/* Opens; says on standard error what is wrong and which segments are left out. NULL: return
 * *ret_code. */
struct capture *verbs_open(const char *const *dirs, size_t n_dirs, int *ret_code);
/* Its directories as operands of a command that is shown; the caller's. */
char *verbs_dirs(const struct capture *c) MUST_CHECK;
/* Says what went wrong while it was read, closes, and gives the exit code: EXIT_RUNTIME when rows
 * were not reached. */
int verbs_close(struct capture *c, int code);
/* "DIR holds no exchange yet", unless a segment is left out, of which verbs_close() will tell. */
int verbs_empty(const struct capture *c, const char *const *dirs, size_t n_dirs);
/* As commands_read(); a capture's directory must be among the operands. */
bool verbs_read(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;
/* What a verb that makes a capture says without --out. */
#define VERBS_WITHOUT_OUT "where is the new capture to be? Give --out DIR"
/* Flushes standard output; EXIT_RUNTIME when not all of it could be written. */
int verbs_flush(int code);

/* Appends without control characters, at most so many characters ("…" for the rest). */
void verbs_put_text(struct buf *to, struct span text, size_t limit);
void verbs_put_time(struct buf *to, uint64_t wall_ns); /* 2026-01-31T12:00:00.123Z */
/* Where the primary's answer (else the first) and every other part, in words; readings: of each
 * leg, or NULL. */
void verbs_put_partings(
        struct buf *to, const struct capture_exchange *e, struct reading **readings);
/* Names of set bits. */
const char *verbs_exchange_mark(unsigned bit); /* of 1 << bit, or NULL */
const char *verbs_leg_mark(unsigned bit);
const char *verbs_reading_mark(unsigned bit);
const char *verbs_content(enum content c);

/* A count that moves on a terminal, on standard error, once the work has taken over a second. */
struct verbs_progress {
	const char *what;
	uint64_t begun_ns, shown_ns;
	bool shown;
};
void verbs_progress(struct verbs_progress *p, uint64_t n); /* looks at the clock now and then */
void verbs_progress_now(struct verbs_progress *p, uint64_t n);
void verbs_progress_end(struct verbs_progress *p);
