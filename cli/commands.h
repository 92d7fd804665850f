#pragma once
/*
 * commands - the commands of the program: name, summary, and function.
 *
 * A command gets argv with its own name as argv[0] and returns an exit code. --help prints usage
 * with examples on standard output and returns EXIT_PASS. Wrong usage prints one line on standard
 * error and returns EXIT_USAGE.
 *
 * struct verb (base/options.h) describes the command line of a command, or of a command of
 * `plumbline capture`.
 */

#include <stdbool.h>

#include "base/exit_code.h"
#include "base/options.h"

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
	/* in the program's --help, the heading above this command and the ones after it; NULL:
	 * the same heading as the command before */
	const char *group;
};

int commands_run(int argc, char **argv);
/* The name in the list, whose last entry has name NULL, that an unknown word probably means;
 * NULL: none is similar. */
const char *commands_nearest(const struct command *list, const char *word);
/* Prints "plumbline COMMAND: why" on standard error, frees `why`, and returns code. */
int commands_fail(const char *command, int code, char *why);
/* Prints a problem with the command line of v on standard error, with a hint to its --help.
 * Frees `why` and returns EXIT_USAGE. */
int commands_usage(const struct verb *v, char *why);
/* Flushes standard output. Returns code, or EXIT_RUNTIME after an error message if the output
 * could not be written completely. A reader that closes the pipe early (`| head`) is no error. */
int commands_flush(const char *command, int code);
/* Reads a command line: options into *to, a struct that the option rows of v describe, and
 * operands into *ret. False: --help or an error was printed, and the command must return
 * *ret_code. */
bool commands_read(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;

int command_proxy(int argc, char **argv);
int command_engine(int argc, char **argv);
int command_runs(int argc, char **argv);
int command_suites(int argc, char **argv);
int command_stress(int argc, char **argv);
int command_analyze(int argc, char **argv);
int command_baseline(int argc, char **argv);
int command_pairs(int argc, char **argv);
int command_report(int argc, char **argv);
int command_diff_report(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_ablate(int argc, char **argv);
int command_determinism(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_grade(int argc, char **argv);
int command_score(int argc, char **argv);
int command_probe(int argc, char **argv);
int command_manifest(int argc, char **argv);
int command_import(int argc, char **argv);
int command_repro(int argc, char **argv);
