#pragma once
/*
 * analyze_options - reads the command line of `plumbline analyze`.
 */
#include "analyzer/analysis.h"
#include "analyzer/fold/advice.h"
#include "base/options.h"
#include "cli/out_files.h"
#include "cli/selecting.h"

struct analyze_options {
	const char *command; /* name of the command, for messages */
	char *line;          /* the command line as text; the report states it */
	/* directories of the capture; with from_pairs: files of rows. They point into argv, like
	 * all names */
	const char **dirs;
	size_t n_dirs;
	/* the members down to `limit`: as in struct advice_place; a recipe sets them */
	const struct advice_key *keys;
	size_t n_keys;
	char *recipe; /* owned */
	const char *limit_option;
	uint64_t limit;
	struct analysis_options analysis;
	struct selecting selecting;
	struct out_files saving;
	const char *policy;   /* policy file, or NULL */
	const char *accepted; /* file of accepted differences, or NULL */
	/* analysis.least_effects points here if one was given */
	double least_effects[N_LEAST_EFFECTS];
	bool has_exhibits;        /* --exhibits was given */
	bool from_pairs, partial; /* the options of these names */
	bool as_rollout;          /* show rollout figures in the report */
	bool json;
	bool full; /* print the full report */
};

/* Option rows that fill struct analyze_options, for analyze and recipes. After reading options,
 * call analyze_options_set_exhibits(). */
extern const struct option_row ANALYZE_REPORT_OPTIONS[];
/* The option row of --accepted, for commands that end with the verdict of analyze. */
extern const struct option_row ANALYZE_ACCEPTED_OPTIONS[];
/* Applies --exhibits: a number above 0 sets saving.with_text. Without --exhibits, the report shows
 * EXHIBITS_USUAL pairs of answers if a file of `saving` shows pairs, or if shows_pairs is true: the
 * command also writes another file that shows them. line: the command line that was read. */
void analyze_options_set_exhibits(
        struct analyze_options *o, const struct operands *line, bool shows_pairs);

/* Reads the command line of analyze. False: --help or an error was printed, and the command must
 * return *ret_code. Call analyze_options_finish() in both cases. */
bool analyze_options_read(
        int argc, char **argv, struct analyze_options *ret, int *ret_code) MUST_CHECK;
void analyze_options_finish(struct analyze_options *o);
