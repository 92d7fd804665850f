#pragma once
/*
 * analyze_options - the command line of `plumbline analyze`.
 */
#include "analyzer/analysis.h"

struct analyze_options {
	struct analysis_options analysis; /* its names and directories point into argv */
	const char **outs;                /* files to save, each in a form that there is */
	size_t n_outs;
	bool has_exhibits; /* how many was said */
	bool json, help;
};

/* NULL, or the problem (the caller frees it). analyze_options_finish() in both cases. */
char *analyze_options_parse(int argc, char **argv, struct analyze_options *ret) MUST_CHECK;
void analyze_options_finish(struct analyze_options *o);
void analyze_options_usage(void);
