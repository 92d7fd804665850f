#pragma once
/*
 * library - asks Math-Verify (analyzer/opinions/mathematics.h) on behalf of an annotator, and
 * records each result.
 */
#include "analyzer/annotate/annotator.h"
#include "analyzer/opinions/grade.h"
#include "analyzer/opinions/mathematics.h"

#define LIBRARY_NAME "math-verify" /* default name of the backend in the legs that it records */

struct library {
	struct mathematics mathematics;
	char *version; /* from mathematics_check(), or NULL */
};

struct library_question {
	/* The annotation to record. The caller sets all members except `request`, `answer` and
	 * `start_ns`. */
	struct annotation about;
	/* LaTeX; library_ask() frees both. MATHEMATICS_PAIR: the values that the two answers state.
	 * MATHEMATICS_GOLD: first: the right answer; second: the value that the answer states. */
	char *first, *second;
	bool recorded;        /* result: the verdict is in the capture */
	enum opinion verdict; /* result, if recorded */
};

/* The grade of an answer. verdict: of the library on this answer and the right answer. */
enum grade_verdict library_grade(enum opinion verdict);
/* Returns how many items a worker should take at a time (annotator_settings.batch). A start of the
 * library costs as much as a hundred questions, so batches are few and large. questions: the most
 * questions about one item, at least 1. */
size_t library_batch(size_t items, unsigned workers, unsigned questions);
/* Asks n <= MATHEMATICS_BATCH questions at once, records each verdict, and counts the end of each
 * question (annotator_count()). Blocks. Any thread; call it without the annotator's lock. */
void library_ask(struct annotator *a, const struct library *l, enum mathematics_use use,
        struct library_question *questions, size_t n);
