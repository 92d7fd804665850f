#pragma once
/*
 * verb - what every command does: reads its command line, reports errors, flushes its output.
 *
 * --help prints usage with examples on standard output; the exit code is EXIT_PASS. Wrong usage
 * prints one line on standard error; the exit code is EXIT_USAGE.
 */
#include <stdbool.h>

#include "base/options.h"
#include "base/verb_fail.h"

struct command { /* a row of a list of commands; the last row has name NULL */
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
	/* in the program's --help, the heading above this command and the ones after it; NULL:
	 * the same heading as the command before */
	const char *group;
	/* the only VERB that `plumbline help COMMAND VERB` accepts; NULL: none (capture has a list
	 * of its own) */
	const char *verb;
};

/* The name in the list that an unknown word probably means; NULL: none is similar. */
const char *command_nearest(const struct command *list, const char *word);

/* Reads a command line: options into *to, a struct that the option rows of v describe, and
 * operands into *ret. False: --help or an error was printed, and the command must return
 * *ret_code. */
bool verb_read(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;
/* The same for a command whose operands are captures' directories, at least one. */
bool verb_read_dirs(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;
/* The same for exactly one directory. */
bool verb_read_dir(const struct verb *v, int argc, char **argv, void *to, const char **ret_dir,
        int *ret_code) MUST_CHECK;
/* Prints a problem with the command line of v on standard error, with a hint to its --help.
 * Frees `why` and returns EXIT_USAGE. */
int verb_usage(const struct verb *v, char *why);
/* Flushes standard output. Returns code, or EXIT_RUNTIME after an error message if the output
 * could not be written completely. A reader that closes the pipe early (`| head`) is no error. */
int verb_flush(const char *command, int code);
