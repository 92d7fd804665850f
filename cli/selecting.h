#pragma once
/*
 * selecting - reads the options that select a part of a capture for the analysis: --base, --test,
 * --since, --until, --where, --by.
 */
#include "analyzer/analysis.h"
#include "base/options.h"
#include "capture/run_index.h"

/* Option rows that fill struct selecting. SELECTING_BY_OPTIONS has only --by, which not all
 * commands have. */
extern const struct option_row SELECTING_OPTIONS[], SELECTING_BY_OPTIONS[];

/* zero-initialised: the whole capture, each test against the base by their roles */
struct selecting {
	const char *base, *test, *since, *until; /* as given, or NULL */
	enum slice_by by;
	const char *where[FILTERS_LIMIT];
	size_t n_where;
	char *base_name, *test_name; /* base and test without "@RUN" */
	bool base_run, test_run;     /* base, or test, has "@RUN" */
};

/* Checks what needs no capture, and sets the options of the analysis. Returns NULL, or a
 * sentence. */
char *selecting_parse(struct selecting *s, struct analysis_options *to) MUST_CHECK;
/* Finds the given backends and runs in the capture, and sets the options of the analysis. In a
 * capture of a recipe, two targets at one URL are two backends. If a backend or a run was given,
 * reads all rows and rewinds the capture. Returns NULL, or a sentence. */
char *selecting_resolve(
        struct selecting *s, struct capture *c, struct analysis_options *to) MUST_CHECK;
/* Call after an analysis that compared nothing. Returns a text that the caller frees: which of the
 * user's conditions are the reason and, unless c is NULL, what could be selected. NULL: there is
 * another reason. */
char *selecting_nothing(
        const struct selecting *s, struct capture *c, const struct analysis *a) MUST_CHECK;
void selecting_finish(struct selecting *s);
