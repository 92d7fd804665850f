#pragma once
/*
 * input - the captures that a command reads: opens them, and prints what cannot be read. Messages
 * begin with the name of `command`. One thread.
 */
#include "capture/capture.h"

/* Opens a capture, and prints which segments cannot be read. NULL: it cannot be opened; the
 * error was printed, and the command must return *ret_code. */
struct capture *input_open(
        const char *command, const char *const *dirs, size_t n_dirs, int *ret_code);
/* Prints the problems that capture_problems() gives: nobody must take the rest for the whole.
 * Returns their number. For a capture that input_close() does not close. */
size_t input_warn(const char *command, const struct capture *c);
/* Returns EXIT_PASS if the directory is a capture, else an exit code after an error message. */
int input_check(const char *dir);
/* The capture's directories as words of a command line, quoted for a shell; the caller frees it. */
char *input_words(const struct capture *c) MUST_CHECK;
/* Closes the capture, and prints problems that came up while reading it. Returns EXIT_RUNTIME if
 * there were any, else code. */
int input_close(const char *command, struct capture *c, int code);
/* For a capture without exchanges. Prints "DIR holds no exchange yet" and returns
 * EXIT_NOT_ENOUGH; but if a segment could not be read, it prints nothing and returns
 * EXIT_RUNTIME, and input_close() prints the problem. */
int input_empty(
        const char *command, const struct capture *c, const char *const *dirs, size_t n_dirs);
