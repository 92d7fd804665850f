#pragma once
/*
 * selecting - what of a capture is to be judged, as a command line says it: --base, --test,
 * --since, --until, --where, --by. Problems are sentences that the caller frees.
 */
#include "analyzer/analysis.h"
#include "base/options.h"
#include "capture/run_index.h"

/* For a command's table of flags, and what --help says of them. */
enum selecting_flag {
	SELECTING_BASE = 512,
	SELECTING_TEST,
	SELECTING_SINCE,
	SELECTING_UNTIL,
	SELECTING_WHERE,
	SELECTING_BY,
};
#define SELECTING_FLAGS                                                                            \
	{"base", required_argument, NULL, SELECTING_BASE},                                         \
	        {"test", required_argument, NULL, SELECTING_TEST},                                 \
	        {"since", required_argument, NULL, SELECTING_SINCE},                               \
	        {"until", required_argument, NULL, SELECTING_UNTIL},                               \
	{                                                                                          \
		"where", required_argument, NULL, SELECTING_WHERE                                  \
	}
#define SELECTING_BY_FLAG                                                                          \
	{                                                                                          \
		"by", required_argument, NULL, SELECTING_BY                                        \
	}
#define SELECTING_USAGE                                                                            \
	"  --base NAME[@RUN]   the backend to compare with; with --test\n"                         \
	"  --test NAME[@RUN]   the backend to judge; with --base. The same name twice: its "       \
	"repeats. RUN is\n"                                                                        \
	"                 a number, first, last, or an id or its beginning: capture ls --runs "    \
	"lists them\n"                                                                             \
	"  --since TIME   exchanges from then on: 2026-01-31T18:00 (UTC), or how long ago: 2h, "   \
	"7d\n"                                                                                     \
	"  --until TIME   exchanges before then\n"                                                 \
	"  --where KEY=VALUE   only these; KEY!=VALUE: all others. Given several times, all "      \
	"must hold. Of\n"                                                                          \
	"                 requests: model, endpoint, stream, tools, id, session, category; of "    \
	"answers:\n"                                                                               \
	"                 backend, run, status, outcome, replica. VALUE may be a pattern "         \
	"(model='qwen*')\n"                                                                        \
	"  --by WHAT      stack or replica: a deployment in mid-capture, or each server behind "   \
	"an address,\n"                                                                            \
	"                 is shown by itself\n"

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

/* Is it one of enum selecting_flag? */
bool selecting_has(int flag);
char *selecting_take(struct selecting *s, int flag, const char *value) MUST_CHECK;
/* What can be said without looking at a capture. */
char *selecting_parse(struct selecting *s, struct analysis_options *to) MUST_CHECK;
/* Looks up names and runs; reads all rows where any were given, and rewinds the capture. */
char *selecting_resolve(
        struct selecting *s, struct capture *c, struct analysis_options *to) MUST_CHECK;
/* Why nothing was chosen, and what there is. NULL: something was, or nothing was asked. */
char *selecting_nothing(
        const struct selecting *s, struct capture *c, const struct analysis *a) MUST_CHECK;
void selecting_finish(struct selecting *s);
