#pragma once
/*
 * analyze_options - the command line of `plumbline analyze`.
 */
#include "analyzer/analysis.h"
#include "base/options.h"
#include "cli/saving.h"
#include "cli/capture/selecting.h"

struct analyze_options {
	const char *command; /* that says what is wrong */
	const char **dirs;   /* point into argv, as all names do; with from_pairs: files of rows */
	size_t n_dirs;
	struct analysis_options analysis;
	struct selecting selecting;
	struct saving saving;
	const char *policy;                    /* its file, or NULL */
	double least_effects[N_LEAST_EFFECTS]; /* where any was given: analysis.least_effects */
	bool has_exhibits;                     /* how many was said */
	bool from_pairs, partial;
	bool as_rollout; /* the report shows rollout figures */
	bool json;
	bool full; /* more than one screen */
};

/* Rows for struct analyze_options: what recipes have too. has_exhibits is the caller's. */
extern const struct option_row ANALYZE_REPORT_OPTIONS[];

/* Also prints --help, or what is wrong. False: return *ret_code. analyze_options_finish() in both
 * cases. */
bool analyze_options_read(
        int argc, char **argv, struct analyze_options *ret, int *ret_code) MUST_CHECK;
void analyze_options_finish(struct analyze_options *o);
