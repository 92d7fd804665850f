#pragma once
/*
 * analyze_run - analyzes a capture, saves and prints the report: for `plumbline analyze` and all
 * commands that end in a report.
 */
#include <stdio.h>

#include <jansson.h>

#include "cli/analyze_options.h"

/* What a command adds to the report. */
struct analyze_additions {
	/* Called before a policy is applied and the document is saved. The capture was read to its
	 * end. */
	void (*on_document)(
	        void *arg, struct capture *c, const struct analysis *a, json_t *document);
	void *arg;
};

/* The exit code for a report: by its policy, else by its verdict. */
int analyze_exit_code(const json_t *document);
/* more may be NULL. Returns an exit code of analyze; errors were printed. */
int analyze_run(struct analyze_options *options, const struct analyze_additions *more) MUST_CHECK;
