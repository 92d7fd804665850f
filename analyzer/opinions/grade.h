#pragma once
/*
 * grade - a program out of an answer, run against the tests of its task.
 *
 * A grade is told in words that end in one JSON object, {"grade": "right", "passed": 3, "of": 3, "version": 1}: this is what
 * is recorded, and what is read again.
 */
#include "analyzer/opinions/code_tests.h"
#include "analyzer/opinions/sandbox.h"

#define GRADE_VERSION 1 /* of how programs are taken and run: another one grades anew */

enum grade_verdict {
	GRADE_RIGHT, /* every test passed */
	GRADE_WRONG,
	GRADE_UNDECIDED, /* it could not be run, which is not its fault */
	N_GRADES,
};
const char *grade_name(enum grade_verdict v);

struct grade {
	enum grade_verdict verdict;
	size_t passed, of;
	char *why; /* the first test that it failed, in a sentence; or NULL */
};

struct grade_limits {
	uint64_t test_ms;           /* of one test */
	uint64_t memory;            /* bytes, of each process */
	const atomic_bool *stopped; /* true: end at once, undecided; may be NULL */
};

/* code: empty where the answer has none, which is wrong. Any thread; seconds. */
void grade_run(const struct grade_limits *limits, struct span code, const struct code_tests *tests,
        struct grade *ret);
void grade_finish(struct grade *g);

void grade_tell(const struct grade *g, struct buf *to);
/* False: the words end in no grade of this version. */
bool grade_read(struct span words, enum grade_verdict *ret) MUST_CHECK;
