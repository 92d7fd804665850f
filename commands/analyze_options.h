#pragma once
/*
 * analyze_options - the command line of `plumbline analyze`.
 */
#include "analyzer/analysis.h"
#include "commands/saving.h"

struct analyze_options {
	struct analysis_options analysis; /* its names and directories point into argv */
	struct saving saving;
	const char *policy; /* its file, or NULL */
	bool json, help;
};

/* NULL, or the problem (the caller frees it). analyze_options_finish() in both cases. */
char *analyze_options_parse(int argc, char **argv, struct analyze_options *ret) MUST_CHECK;
void analyze_options_finish(struct analyze_options *o);
void analyze_options_usage(void);
