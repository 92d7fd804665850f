#pragma once
/*
 * grade - runs the program in an answer against the tests of its task.
 *
 * A grade is recorded as text that ends in one JSON object, {"grade": "right", "passed": 3, "of":
 * 3, "version": 1}, and read back from it.
 */
#include "analyzer/compare/meaning/code_tests.h"
#include "analyzer/opinions/sandbox.h"

/* the version of the rules for extracting and running programs; grade_read() ignores grades of
 * other versions */
#define GRADE_VERSION 1

enum grade_verdict {
	GRADE_RIGHT, /* all tests passed */
	GRADE_WRONG,
	GRADE_UNDECIDED, /* the sandbox did not start, or the run was stopped */
	N_GRADES,
};
const char *grade_name(enum grade_verdict v);

struct grade {
	enum grade_verdict verdict;
	size_t passed, of;
	char *why; /* why the answer is wrong or undecided; NULL: it is right */
};

struct grade_limits {
	uint64_t test_ms; /* ms of real time for one test */
	uint64_t memory;  /* bytes, for each process */
	/* if *stopped becomes true, the run ends within 0.1 s with GRADE_UNDECIDED; may be NULL */
	const atomic_bool *stopped;
};

/* Runs the program `code` against the tests, at least one, and sets *ret. If code has only white
 * space, the answer has no program and is wrong. Any thread. Blocks for at most test_ms for each
 * test and 20 s more. Call grade_finish() last. */
void grade_run(const struct grade_limits *limits, struct span code, const struct code_tests *tests,
        struct grade *ret);
void grade_finish(struct grade *g);

/* Appends the text that is recorded for the grade. */
void grade_put(const struct grade *g, struct buf *to);
/* Reads the grade at the end of a recorded text. False: the text has no grade of GRADE_VERSION;
 * *ret is unchanged. */
bool grade_read(struct span words, enum grade_verdict *ret) MUST_CHECK;
