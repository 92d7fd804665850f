#pragma once
/*
 * run_index - who answered in a capture, and in which runs: so that names on a command line can be checked,
 * and runs be called by number, by age, or by the beginning of their ids.
 *
 * Scored legs are no answers and do not count. Bounded: what finds no room is counted.
 */
#include "capture/capture.h"

#define RUN_INDEX_LIMIT 1024 /* backends by run */
#define RUN_INDEX_MODELS 64

struct run_index_entry {
	char *backend; /* "" where it has no name */
	enum role role;
	struct id run;
	unsigned number; /* of the run, from 1, by age */
	uint64_t legs;
	uint64_t first_ns, last_ns; /* wall clock, when legs began */
};

struct run_index {
	struct run_index_entry *entries; /* by age */
	size_t n;
	unsigned runs;
	uint64_t beyond;                    /* legs without room */
	char *models[RUN_INDEX_MODELS + 1]; /* as asked for; NULL-terminated */
	size_t n_models;
};

/* Reads all rows of the capture, from the first one; the capture is rewound afterwards. */
void run_index_read(struct run_index *r, struct capture *c);
void run_index_finish(struct run_index *r);

/* NULL: there is such a backend; or a sentence that says which there are (the caller frees it). */
char *run_index_check(const struct run_index *r, const char *backend) MUST_CHECK;
/*
 * The run that name means: its number, "first" or "last", or what its id begins or ends with; backend: of
 * its runs only, or NULL. NULL, or a sentence.
 */
char *run_index_find(const struct run_index *r, const char *backend, const char *name,
        struct id *ret) MUST_CHECK;
