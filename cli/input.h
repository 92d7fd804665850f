#pragma once
/*
 * input - opens the captures that a command reads, and prints on standard error what cannot be
 * read. command: its name, with which messages begin. One thread.
 */
#include "capture/capture.h"

/* Opens a capture, and shows how many segments were checked. NULL: the capture cannot be opened;
 * the error was printed, and the command must return *ret_code. */
struct capture *input_open(
        const char *command, const char *const *dirs, size_t n_dirs, int *ret_code);
/* Prints what cannot be read (capture_problems()), so that nobody takes the rest for the whole.
 * Returns the number of messages. For a capture that input_close() does not close. */
size_t input_warn(const char *command, const struct capture *c);
/* For `plumbline capture`: returns EXIT_PASS if the directory is a capture, else an exit code
 * after an error message. */
int input_check(const char *dir);
/* The capture's directories as words of a command line, quoted for a shell; the caller frees it. */
char *input_words(const struct capture *c) MUST_CHECK;
/* Closes the capture. If segments or rows could not be read, prints which segments and how many
 * rows, and returns EXIT_RUNTIME; else returns code. */
int input_close(const char *command, struct capture *c, int code);
/* For a capture without exchanges. Prints "DIR has no exchange yet" and returns EXIT_NOT_ENOUGH.
 * If a segment could not be read, returns EXIT_RUNTIME silently; input_close() prints why. */
int input_empty(
        const char *command, const struct capture *c, const char *const *dirs, size_t n_dirs);
