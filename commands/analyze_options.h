#pragma once
/*
 * analyze_options - the command line of `plumbline analyze`.
 */
#include "analyzer/analysis.h"
#include "commands/saving.h"
#include "commands/selecting.h"

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
	bool json, help;
};

/* NULL, or the problem (the caller frees it). analyze_options_finish() in both cases. */
char *analyze_options_parse(int argc, char **argv, struct analyze_options *ret) MUST_CHECK;
/* "1%", "hazard=0.5": of the figure that decides, unless another is named. NULL, or the problem. */
char *analyze_options_least_effect(struct analyze_options *o, const char *value) MUST_CHECK;
void analyze_options_finish(struct analyze_options *o);
void analyze_options_usage(void);
