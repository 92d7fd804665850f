#pragma once
/*
 * capture_verbs - the commands of `plumbline capture`, and what they share. Each gets argv with its
 * own name as argv[0].
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/capture.h"
#include "base/options.h"
#include "base/progress.h"

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

/* Opens a capture; prints problems and segments that are left out. NULL: return *ret_code. */
struct capture *verbs_open(const char *const *dirs, size_t n_dirs, int *ret_code);
/* The capture's directories, written as operands of a command that is printed; the caller frees
 * it. */
char *verbs_dirs(const struct capture *c) MUST_CHECK;
/* Prints problems of reading, closes, and returns the exit code: EXIT_RUNTIME if rows could not be
 * read. */
int verbs_close(struct capture *c, int code);
/* Prints "DIR holds no exchange yet", unless a segment was left out, which verbs_close()
 * reports. */
int verbs_empty(const struct capture *c, const char *const *dirs, size_t n_dirs);
/* As commands_read(); a capture's directory must be among the operands. */
bool verbs_read(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;
/* The error message if a command that creates a capture is called without --out. */
#define VERBS_WITHOUT_OUT "where is the new capture to be? Give --out DIR"
/* Flushes standard output; EXIT_RUNTIME if it could not be written completely. */
int verbs_flush(int code);

/* Appends text without control characters, at most so many characters ("…" for the rest). */
void verbs_put_text(struct buf *to, struct span text, size_t limit);
void verbs_put_time(struct buf *to, uint64_t wall_ns); /* 2026-01-31T12:00:00.123Z */
/* Appends in words where each other answer first differs from the primary's answer (from the
 * first answer if there is no primary). readings: one for each leg; NULL entries are skipped. */
void verbs_put_differences(
        struct buf *to, const struct capture_exchange *e, struct reading **readings);
/* Names of set bits. */
const char *verbs_exchange_mark(unsigned bit); /* the name of the flag 1 << bit, or NULL */
const char *verbs_leg_mark(unsigned bit);
const char *verbs_reading_mark(unsigned bit);
const char *verbs_content(enum content c);

/* A progress count on a terminal (standard error), shown once the work has taken more than a
 * second. */
struct verbs_progress {
	const char *what;
	uint64_t begun_ns;
	struct progress progress;
};
void verbs_progress(struct verbs_progress *p, uint64_t n); /* checks the clock from time to time */
void verbs_progress_now(struct verbs_progress *p, uint64_t n);
void verbs_progress_end(struct verbs_progress *p);
