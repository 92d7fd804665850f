#pragma once
/*
 * commands - every verb of the program: name, one line of help, and what runs it.
 *
 * A command gets argv with argv[0] its own name and returns an exit code of enum exit_code. --help
 * prints usage with examples on standard output and exits 0; wrong usage prints one line to
 * standard error and exits EXIT_USAGE.
 */

#include <stdbool.h>

#include "base/exit_code.h"
#include "base/options.h"

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
	const char *group; /* what it and those after it are listed under; NULL: as before */
};

int commands_run(int argc, char **argv);
/* What of a list (which ends in zeros) was perhaps meant by a word that is none of it; or NULL. */
const char *commands_nearest(const struct command *list, const char *word);
/* Says on standard error what is wrong with a command, and returns the code; why is taken over. */
int commands_fail(const char *command, int code, char *why);
/* The same of a wrong command line, with the place of the right one; returns EXIT_USAGE. */
int commands_usage(const struct verb *v, char *why);
/* Reads a verb's line into the struct of its rows. False: return *ret_code; --help was printed, or
 * what is wrong. */
bool commands_read(const struct verb *v, int argc, char **argv, void *to, struct operands *ret,
        int *ret_code) MUST_CHECK;

int command_proxy(int argc, char **argv);
int command_engine(int argc, char **argv);
int command_suites(int argc, char **argv);
int command_stress(int argc, char **argv);
int command_analyze(int argc, char **argv);
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
