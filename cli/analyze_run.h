#pragma once
/*
 * analyze_run - a capture judged, saved and printed: what `plumbline analyze` does, and every command that ends in a report.
 */
#include <stdio.h>

#include <jansson.h>

#include "cli/analyze_options.h"

/* What a command adds of its own. */
struct analyze_additions {
	/* To the document, before a policy judges it and it is saved. The capture has been read to its end. */
	void (*on_document)(
	        void *arg, struct capture *c, const struct analysis *a, json_t *document);
	void *arg;
};

/* more may be NULL. An exit code, as analyze has them; what was wrong has been said. */
int analyze_run(struct analyze_options *options, const struct analyze_additions *more) MUST_CHECK;
