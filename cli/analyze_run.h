#pragma once
/*
 * analyze_run - analyzes a capture, saves and prints the report; for `plumbline analyze` and all
 * other commands that end in a report.
 */
#include <stdio.h>

#include <jansson.h>

#include "cli/analyze_options.h"

/* What a command adds to the report. */
struct analyze_additions {
	/* Called when the capture was read to its end, before the policy is applied and the
	 * document is saved. It may change the document. */
	void (*on_document)(
	        void *arg, struct capture *c, const struct analysis *a, json_t *document);
	void *arg;
};

/* The exit code of a report: that of its policy if it has one, else that of its verdict. */
int analyze_exit_code(const json_t *document);
/* more may be NULL. Returns an exit code, as `plumbline analyze` has them; errors were printed. */
int analyze_run(struct analyze_options *options, const struct analyze_additions *more) MUST_CHECK;
