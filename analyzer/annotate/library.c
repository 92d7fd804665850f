#include "analyzer/annotate/library.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/mem.h"

enum grade_verdict library_grade(enum opinion verdict)
{
	static const enum grade_verdict grades[N_OPINIONS] = {
	        GRADE_RIGHT, GRADE_WRONG, GRADE_UNDECIDED};
	return grades[verdict];
}

size_t library_batch(size_t items, unsigned workers, unsigned questions)
{
	size_t share = (items + workers - 1) / workers;
	return MIN(MAX(share, (size_t)1), (size_t)MATHEMATICS_BATCH / questions);
}

static void put_request(const char *version, const struct library_question *q, struct buf *to)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_string(&w, "model", span_of(version));
	json_writer_string(&w, "first", span_of(q->first));
	json_writer_string(&w, "second", span_of(q->second));
	json_writer_close(&w, "}");
}

static void put_words(enum mathematics_use use, const struct mathematics_reply *r, struct buf *to)
{
	if (*r->why) {
		buf_printf(to, "%s.\n", r->why);
	}
	if (use == MATHEMATICS_GOLD) {
		buf_printf(to, "{\"grade\":\"%s\",\"version\":%d}",
		        grade_name(library_grade(r->verdict)), GRADE_VERSION);
	} else {
		buf_printf(to, "{\"verdict\":\"%s\"}", opinion_name(r->verdict));
	}
}

static void record(struct annotator *a, const char *version, enum mathematics_use use,
        const struct mathematics_reply *r, uint64_t took_us, struct library_question *q)
{
	struct buf request = {0}, words = {0};
	put_request(version, q, &request);
	put_words(use, r, &words);
	q->about.request = buf_span(&request);
	q->recorded = annotator_record_words(a, &q->about, version, buf_span(&words), took_us);
	q->verdict = r->verdict;
	buf_finish(&request);
	buf_finish(&words);
}

void library_ask(struct annotator *a, const struct library *l, enum mathematics_use use,
        struct library_question *questions, size_t n)
{
	struct mathematics m = l->mathematics;
	struct mathematics_question values[MATHEMATICS_BATCH];
	struct mathematics_reply *replies = xcalloc(n + 1, sizeof(*replies));
	uint64_t start_ns = clock_wall(), began = clock_mono();
	char *why = NULL;
	m.stopped = annotator_stops(a);
	for (size_t i = 0; i < n; i++) {
		values[i] = (struct mathematics_question){
		        span_of(questions[i].first), span_of(questions[i].second)};
		questions[i].about.start_ns = start_ns;
	}
	size_t n_replies = mathematics_ask(&m, use, values, n, replies, &why);
	uint64_t took_us = (clock_mono() - began) / 1000 / MAX(n_replies, (size_t)1);
	for (size_t i = 0; i < n_replies; i++) {
		record(a, l->version, use, &replies[i], took_us, &questions[i]);
		mathematics_reply_finish(&replies[i]);
	}
	annotator_lock(a);
	for (size_t i = 0; i < n; i++) {
		bool answered = i < n_replies;
		annotator_count(a,
		        questions[i].recorded ? QUESTION_DONE
		        : answered || why     ? QUESTION_FAILED
		                              : QUESTION_STOPPED,
		        answered ? "the verdict could not be stored" : why);
	}
	annotator_unlock(a);
	for (size_t i = 0; i < n; i++) {
		free(questions[i].first);
		free(questions[i].second);
	}
	free(replies);
	free(why);
}
