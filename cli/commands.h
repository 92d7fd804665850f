#pragma once
/*
 * commands - the commands of the program: name, summary, and function.
 *
 * A command gets argv with its own name as argv[0] and returns an exit code. --help prints usage
 * with examples on standard output and exits 0; wrong usage prints one line on standard error and
 * exits EXIT_USAGE.
 */

#include <stdbool.h>

#include "base/exit_code.h"
#include "base/options.h"

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
	const char *group; /* heading of this command and those after it; NULL: as before */
};

int commands_run(int argc, char **argv);
/* The command of a list (ended by zeros) that was probably meant by an unknown word; or NULL. */
const char *commands_nearest(const struct command *list, const char *word);
/* Prints what is wrong on standard error and returns the code. Takes ownership of why. */
int commands_fail(const char *command, int code, char *why);
/* The same for a wrong command line, with a hint to --help; returns EXIT_USAGE. */
int commands_usage(const struct verb *v, char *why);
/* Reads a command line into the struct of its rows. False: return *ret_code; --help or an error was
 * printed. */
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
