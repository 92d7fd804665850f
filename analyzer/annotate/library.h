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
	/* LaTeX, freed by library_ask(). MATHEMATICS_PAIR: the values that two answers state.
	 * MATHEMATICS_GOLD: the right answer, and the value that the answer states. */
	char *first, *second;
	bool recorded;        /* result: the verdict is in the capture */
	enum opinion verdict; /* result, if recorded */
};

/* The grade of an answer, by the library's verdict on it and the right answer. */
enum grade_verdict library_grade(enum opinion verdict);
/* How many items a worker should take at a time (annotator_settings.batch). Starting the library
 * costs as much as a hundred questions, so batches are few and large. questions: the most questions
 * about one item, at least 1. */
size_t library_batch(size_t items, unsigned workers, unsigned questions);
/* Asks n <= MATHEMATICS_BATCH questions at once, and counts the end of each (annotator_count()).
 * Any thread. Call it without the annotator's lock, which it takes. */
void library_ask(struct annotator *a, const struct library *l, enum mathematics_use use,
        struct library_question *questions, size_t n);
