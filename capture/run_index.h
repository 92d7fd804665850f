#pragma once
/*
 * run_index - the backends and runs of a capture, so that names on a command line can be checked
 * and runs can be named by number, age, or the beginning of their ids.
 *
 * Scored legs are no answers and do not count. Bounded: what exceeds the limits is counted.
 */
#include "capture/capture.h"

#define RUN_INDEX_LIMIT 1024 /* backends by run */
#define RUN_INDEX_MODELS 64

struct run_index_entry {
	char *backend; /* "": it has no name */
	enum role role;
	struct id run;
	unsigned number; /* number of the run, from 1, by age */
	uint64_t legs;
	uint64_t first_ns, last_ns; /* wall clock of the first and last leg's start */
};

struct run_index {
	struct run_index_entry *entries; /* by age */
	size_t n;
	unsigned runs;
	uint64_t beyond;                    /* legs over the limit */
	char *models[RUN_INDEX_MODELS + 1]; /* as requested; NULL-terminated */
	size_t n_models;
};

/* Reads all rows of the capture, then rewinds it. */
void run_index_read(struct run_index *r, struct capture *c);
void run_index_finish(struct run_index *r);

/* Returns NULL if there is such a backend, else a sentence with those that there are; the caller
 * frees it. */
char *run_index_check(const struct run_index *r, const char *backend) MUST_CHECK;
/*
 * Finds a run by its number, "first", "last", or the beginning or end of its id. backend: among its
 * runs only, or NULL. Returns NULL, or a sentence.
 */
char *run_index_find(const struct run_index *r, const char *backend, const char *name,
        struct id *ret) MUST_CHECK;
