#pragma once
/*
 * annotation_store - the capture that `score`, `judge` and `grade` read answers from, and the
 * segment in which they record their results.
 *
 * Each result is an annotation (backends/annotation.h): a leg with scores, a grade or a judge's
 * opinion about another leg's answer. One thread.
 */
#include <stdio.h>

#include "capture/capture.h"
#include "capture/recording.h"

/* Opens the capture in dir; the caller closes it with capture_close(). to: another directory for
 * the results; NULL: dir. If `to` is a capture already, it is read together with dir, so that
 * finished work is not repeated. Prints, in the name of `command`, which segments are left out.
 * NULL: a capture cannot be read; *ret_error is then a sentence that the caller frees. */
struct capture *annotation_capture(
        const char *command, const char *dir, const char *to, char **ret_error);
/* Begins a segment in `to`, or in dir if `to` is NULL. settings, book and the returned text are
 * as in recording_open(). */
char *annotation_open(const char *dir, const char *to, const char *settings, const char *book,
        struct recording *ret) MUST_CHECK;

/* Prints the command that shows the results: `plumbline analyze DIR [TO] [--base BASE] [--test
 * TEST]`. to, base, test: NULL: without it. */
void annotation_print_command(
        const char *dir, const char *to, const char *base, const char *test, FILE *out);
