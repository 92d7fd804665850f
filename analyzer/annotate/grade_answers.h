#pragma once
/*
 * grade_answers - grades answers that have no grade yet, and records the grades: runs programs
 * against the tests of their tasks, and has the library Math-Verify compare marked values with the
 * right answers.
 */
#include "analyzer/annotate/library.h"

struct grade_job { /* owns its lists and results, and the library's version */
	struct capture *capture;
	const struct recording *to; /* records the grades; must be open */
	struct grade_limits limits; /* of programs; `stopped` is not used */
	struct library library;     /* for values */
	unsigned concurrency;       /* 1 to ANNOTATOR_WORKERS */
	uint64_t limit;             /* the most choices to grade; UINT64_MAX: no limit */

	/* grade_list() sets these. */
	/* Choices to grade. `programs` may be longer than `limit`, because programs that can't be
	 * graded do not count in it. */
	struct annotator_items programs, values;
	uint64_t n_programs; /* number of programs to grade, at most `limit` */
	uint64_t wanted;     /* n_programs + values.n, at most `limit` */
	uint64_t answers;    /* all answers of the capture */
	uint64_t already;    /* choices that have a grade */
	/* Names of the first two backends, if `analyze` needs names, because the capture has no
	 * primary and no reference; else NULL. */
	char *base, *test;

	/* The results. tally.unable: answers and choices that cannot be graded. tally.failed: those
	 * that could not be graded now. */
	struct annotator_tally tally;
	uint64_t graded[N_GRADES];  /* programs and values that were graded now, by grade */
	struct error_tally failing; /* wrong programs, by kind of failure */
};

/* Lists the choices to grade. Reads the capture from its current exchange to its end. */
void grade_list(struct grade_job *j);
/* Grade the listed programs; the listed values. Block until all are graded or the work ended early
 * (tally). Return NULL, or a sentence: why the work could not begin. */
char *grade_programs(struct grade_job *j) MUST_CHECK;
char *grade_values(struct grade_job *j) MUST_CHECK;
void grade_job_finish(struct grade_job *j);
