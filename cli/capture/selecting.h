#pragma once
/*
 * selecting - what of a capture is to be judged, as a command line says it: --base, --test,
 * --since, --until, --where, --by. Problems are sentences that the caller frees.
 */
#include "analyzer/analysis.h"
#include "base/options.h"
#include "capture/run_index.h"

/* Rows for struct selecting; --by apart, which not all commands have. */
extern const struct option_row SELECTING_OPTIONS[], SELECTING_BY_OPTIONS[];

struct selecting {                               /* zero-initialised is: everything, by role */
	const char *base, *test, *since, *until; /* as given, or NULL */
	enum slice_by by;
	const char *where[FILTERS_LIMIT];
	size_t n_where;
	char *base_name, *test_name; /* without their runs */
	bool base_run, test_run;     /* are runs named? */
};

/* What can be said without looking at a capture. */
char *selecting_parse(struct selecting *s, struct analysis_options *to) MUST_CHECK;
/* Looks up names and runs; reads all rows where any were given, and rewinds the capture. */
char *selecting_resolve(
        struct selecting *s, struct capture *c, struct analysis_options *to) MUST_CHECK;
/* Why nothing was chosen, and what there is. NULL: something was, or nothing was asked. */
char *selecting_nothing(
        const struct selecting *s, struct capture *c, const struct analysis *a) MUST_CHECK;
void selecting_finish(struct selecting *s);
