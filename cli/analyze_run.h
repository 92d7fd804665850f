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
	/* Called after the whole capture was read, and before the policy is applied and the
	 * document is saved. It may change the document. */
	void (*on_document)(
	        void *arg, struct capture *c, const struct analysis *a, json_t *document);
	void *arg;
};

/* The exit code of a report: that of its policy if it has one, else that of its verdict. If
 * accepted_excuses_verdict(document) is true, any verdict counts as SAME. */
int analyze_exit_code(const json_t *document);
/* Returns an exit code of `plumbline analyze`; errors were printed. more may be NULL; it has no
 * effect on an analysis of rows (from_pairs). */
int analyze_run(struct analyze_options *options, const struct analyze_additions *more) MUST_CHECK;
