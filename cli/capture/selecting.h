#pragma once
/*
 * selecting - the options that select which part of a capture is analyzed: --base, --test, --since,
 * --until, --where, --by. Problems are sentences that the caller frees.
 */
#include "analyzer/analysis.h"
#include "base/options.h"
#include "capture/run_index.h"

/* Rows for struct selecting; --by is separate, since not all commands have it. */
extern const struct option_row SELECTING_OPTIONS[], SELECTING_BY_OPTIONS[];

struct selecting {                               /* zero-initialised: everything, by role */
	const char *base, *test, *since, *until; /* as given, or NULL */
	enum slice_by by;
	const char *where[FILTERS_LIMIT];
	size_t n_where;
	char *base_name, *test_name; /* without their runs */
	bool base_run, test_run;     /* a run is given */
};

/* Checks what needs no capture. */
char *selecting_parse(struct selecting *s, struct analysis_options *to) MUST_CHECK;
/* Resolves names and runs. If any was given, reads all rows and rewinds the capture. */
char *selecting_resolve(
        struct selecting *s, struct capture *c, struct analysis_options *to) MUST_CHECK;
/* Why nothing was selected, and what there is. NULL: something was, or there was no condition. */
char *selecting_nothing(
        const struct selecting *s, struct capture *c, const struct analysis *a) MUST_CHECK;
void selecting_finish(struct selecting *s);
