#pragma once
/*
 * capture_verbs - the commands of `plumbline capture`, and functions that they share. Each command
 * gets argv with its own name as argv[0] and returns an exit code.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/capture.h"
#include "base/options.h"
#include "base/progress.h"

int command_capture_ls(int argc, char **argv);
/* `plumbline capture ls --runs`; returns an exit code */
int capture_ls_runs(const char *const *dirs, size_t n_dirs, bool json);
int command_capture_show(int argc, char **argv);
int command_capture_verify(int argc, char **argv);
int command_capture_export(int argc, char **argv);
int command_capture_prune(int argc, char **argv);
int command_capture_scrub(int argc, char **argv);
int command_capture_merge(int argc, char **argv);
int command_capture_compact(int argc, char **argv);
int command_capture_reread(int argc, char **argv);

/* Opens a capture, and prints which segments cannot be read. NULL: it cannot be opened; the
 * error was printed, and the command must return *ret_code. */
struct capture *verbs_open(const char *const *dirs, size_t n_dirs, int *ret_code);
/* Returns EXIT_PASS if the directory is a capture, else an exit code after an error message. */
int verbs_check(const char *dir);
/* The capture's directories as words of a command line, quoted for a shell; the caller frees it. */
char *verbs_dirs(const struct capture *c) MUST_CHECK;
/* Closes the capture, and prints problems that came up while reading it. Returns EXIT_RUNTIME if
 * there were any, else code. */
int verbs_close(struct capture *c, int code);
/* For a capture without exchanges. Prints "DIR holds no exchange yet" and returns
 * EXIT_NOT_ENOUGH; but if a segment could not be read, it prints nothing and returns
 * EXIT_RUNTIME, and verbs_close() prints the problem. */
int verbs_empty(const struct capture *c, const char *const *dirs, size_t n_dirs);
/* Like commands_read(). Also prints an error and returns false if the user gave no operand: each
 * command needs the directory of a capture. */
bool verbs_read(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;
/* The error message if a command that creates a capture is called without --out. */
#define VERBS_WITHOUT_OUT "where is the new capture to be? Give --out DIR"

/* Appends the text without control characters. Of more than `limit` characters it appends the
 * first ones and "…". */
void verbs_put_text(struct buf *to, struct span text, size_t limit);
void verbs_put_time(struct buf *to, uint64_t wall_ns); /* appends 2026-01-31T12:00:00.123Z */
/* Appends sentences that say where each answer first differs from the primary's, or from the
 * first answer if there is no primary's. readings: indexed by leg; NULL entries are left out. */
void verbs_put_differences(
        struct buf *to, const struct capture_exchange *e, struct reading **readings);
/* Names of marks, for output. */
/* of the flag 1 << bit; NULL: there is no such flag */
const char *verbs_exchange_mark(unsigned bit);
const char *verbs_leg_mark(unsigned bit);
const char *verbs_reading_mark(unsigned bit);
const char *verbs_content(enum content c);

/* A count of finished items, shown on standard error if that is a terminal and the work has
 * taken more than a second. */
struct verbs_progress {
	const char *what;
	uint64_t begun_ns;
	struct progress progress;
};
void verbs_progress(struct verbs_progress *p, uint64_t n); /* redraws the count if that is due */
void verbs_progress_now(struct verbs_progress *p, uint64_t n);
void verbs_progress_end(struct verbs_progress *p);
