#pragma once
/*
 * run_index - lists the backends and runs of a capture, so that commands can check the names that
 * users give: a backend's name; a run's number, "first", "last", or a part of its id.
 *
 * Of legs that are no answers (LEG_SCORED) it lists only the backends. It lists at most
 * RUN_INDEX_LIMIT pairs of run and backend, and counts the legs of further pairs.
 */
#include "capture/capture.h"

#define RUN_INDEX_LIMIT 1024 /* pairs of run and backend */
#define RUN_INDEX_NAMES 64   /* models, and scorers */

struct run_index_entry {
	char *backend; /* "": the backend has no name */
	enum role role;
	struct id run;
	unsigned number; /* the run's number: 1 is the oldest run */
	uint64_t legs;
	uint64_t first_ns, last_ns; /* wall clock (ns) of the start of the first and the last leg */
};

struct run_index {
	struct run_index_entry *entries; /* by age of the run, then by backend */
	size_t n;
	unsigned runs;
	uint64_t beyond;                   /* legs of further pairs */
	char *models[RUN_INDEX_NAMES + 1]; /* as requested; NULL-terminated */
	size_t n_models;
	char *scorers[RUN_INDEX_NAMES + 1]; /* backends that scored answers; NULL-terminated */
	size_t n_scorers;
};

/* Overwrites *r. Reads all rows of the capture from the first one, then rewinds it. */
void run_index_read(struct run_index *r, struct capture *c);
void run_index_finish(struct run_index *r);

/* Returns NULL if the capture has answers or scores of this backend, else a sentence that names the
 * backends with answers. */
char *run_index_check(const struct run_index *r, const char *backend) MUST_CHECK;
/*
 * Finds a run by its number, by "first" or "last", or by the beginning or end of its id. backend:
 * considers only its runs; NULL: all runs. Returns NULL, or a sentence.
 */
char *run_index_find(const struct run_index *r, const char *backend, const char *name,
        struct id *ret) MUST_CHECK;
