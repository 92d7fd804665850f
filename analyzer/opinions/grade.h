#pragma once
/*
 * grade - runs the program in an answer against the tests of its task.
 *
 * A grade is recorded as text that ends in one JSON object, {"grade": "right", "passed": 3, "of":
 * 3, "version": 1}, and read back from it.
 */
#include "analyzer/opinions/code_tests.h"
#include "analyzer/opinions/sandbox.h"

/* version of how programs are extracted and run; a new version grades again */
#define GRADE_VERSION 1

enum grade_verdict {
	GRADE_RIGHT, /* every test passed */
	GRADE_WRONG,
	GRADE_UNDECIDED, /* the program could not be run, for reasons outside of it */
	N_GRADES,
};
const char *grade_name(enum grade_verdict v);

struct grade {
	enum grade_verdict verdict;
	size_t passed, of;
	char *why; /* a sentence about the first failed test; or NULL */
};

struct grade_limits {
	uint64_t test_ms; /* ms of time for one test */
	uint64_t memory;  /* bytes, for each process */
	/* may be NULL; when it becomes true, the run stops at once: undecided */
	const atomic_bool *stopped;
};

/* Runs the program `code` against the tests. code empty: the answer has no program, which is
 * wrong. Any thread; takes seconds. */
void grade_run(const struct grade_limits *limits, struct span code, const struct code_tests *tests,
        struct grade *ret);
void grade_finish(struct grade *g);

/* Appends the text of the grade for a record. */
void grade_put(const struct grade *g, struct buf *to);
/* Reads the grade at the end of a recorded text. False: it has none of this version. */
bool grade_read(struct span words, enum grade_verdict *ret) MUST_CHECK;
