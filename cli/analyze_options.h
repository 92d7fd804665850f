#pragma once
/*
 * analyze_options - the command line of `plumbline analyze`.
 */
#include "analyzer/analysis.h"
#include "base/options.h"
#include "cli/saving.h"
#include "cli/capture/selecting.h"

struct analyze_options {
	const char *command; /* whose name messages begin with */
	char *line;          /* the command as the report states it */
	const char **dirs;   /* point into argv, like all names; with from_pairs: files of rows */
	size_t n_dirs;
	struct analysis_options analysis;
	struct selecting selecting;
	struct saving saving;
	const char *policy;                    /* policy file, or NULL */
	const char *accepted;                  /* file of accepted differences, or NULL */
	double least_effects[N_LEAST_EFFECTS]; /* used if any was given: analysis.least_effects */
	bool has_exhibits;                     /* a number of exhibits was given */
	bool from_pairs, partial;
	bool as_rollout; /* the report shows rollout figures */
	bool json;
	bool full; /* print the full report */
};

/* Rows for struct analyze_options that recipes have too. The caller calls
 * analyze_options_settle_exhibits(). */
extern const struct option_row ANALYZE_REPORT_OPTIONS[];
/* The row of --accepted, for commands whose verdict is that of analyze. */
extern const struct option_row ANALYZE_ACCEPTED_OPTIONS[];
/* Sets how many pairs of answers are shown, and whether they are quoted. shows_pairs: a file is
 * written that shows pairs and is not in saving. */
void analyze_options_settle_exhibits(
        struct analyze_options *o, const struct operands *line, bool shows_pairs);

/* Reads the command line; prints --help or an error. False: return *ret_code. Call
 * analyze_options_finish() in both cases. */
bool analyze_options_read(
        int argc, char **argv, struct analyze_options *ret, int *ret_code) MUST_CHECK;
void analyze_options_finish(struct analyze_options *o);
