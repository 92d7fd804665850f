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
int capture_ls_runs(
        const char *const *dirs, size_t n_dirs, bool json); /* `ls --runs`; returns an exit code */
int command_capture_show(int argc, char **argv);
int command_capture_verify(int argc, char **argv);
int command_capture_export(int argc, char **argv);
int command_capture_prune(int argc, char **argv);
int command_capture_scrub(int argc, char **argv);
int command_capture_merge(int argc, char **argv);
int command_capture_compact(int argc, char **argv);
int command_capture_reread(int argc, char **argv);

/* Opens a capture; prints problems, and which segments it cannot read. NULL: the command must
 * return *ret_code. */
struct capture *verbs_open(const char *const *dirs, size_t n_dirs, int *ret_code);
/* Checks that the directory is a capture: EXIT_PASS, or an exit code after an error message. */
int verbs_check(const char *dir);
/* The capture's directories as words of a command line, quoted for a shell; the caller frees it. */
char *verbs_dirs(const struct capture *c) MUST_CHECK;
/* Closes the capture, and prints the problems of reading it. Returns code, or EXIT_RUNTIME if
 * rows could not be read. */
int verbs_close(struct capture *c, int code);
/* For a capture without exchanges: prints "DIR holds no exchange yet" and returns
 * EXIT_NOT_ENOUGH. If a segment could not be read, prints nothing and returns EXIT_RUNTIME;
 * verbs_close() reports it. */
int verbs_empty(const struct capture *c, const char *const *dirs, size_t n_dirs);
/* Like commands_read(), but reports an error if the operands name no capture's directory. */
bool verbs_read(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;
/* The error message if a command that creates a capture is called without --out. */
#define VERBS_WITHOUT_OUT "where is the new capture to be? Give --out DIR"

/* Appends text without control characters; at most `limit` characters, then "…". */
void verbs_put_text(struct buf *to, struct span text, size_t limit);
void verbs_put_time(struct buf *to, uint64_t wall_ns); /* 2026-01-31T12:00:00.123Z */
/* Appends in words where answers first differ from the primary's answer (from the first answer
 * if there is no primary). readings: one for each leg; NULL entries are skipped. */
void verbs_put_differences(
        struct buf *to, const struct capture_exchange *e, struct reading **readings);
/* Names of marks, as output shows them. */
/* of the flag 1 << bit; NULL: there is no such flag */
const char *verbs_exchange_mark(unsigned bit);
const char *verbs_leg_mark(unsigned bit);
const char *verbs_reading_mark(unsigned bit);
const char *verbs_content(enum content c);

/* A count of finished items on standard error, if that is a terminal. It is shown once the work
 * has taken more than a second. */
struct verbs_progress {
	const char *what;
	uint64_t begun_ns;
	struct progress progress;
};
void verbs_progress(struct verbs_progress *p, uint64_t n); /* redraws the count now and then */
void verbs_progress_now(struct verbs_progress *p, uint64_t n);
void verbs_progress_end(struct verbs_progress *p);
