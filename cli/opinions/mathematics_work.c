#include "cli/opinions/mathematics_work.h"

#include <stdlib.h>

#include "backends/annotation.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/json_writer.h"
#include "cli/opinions/worker_threads.h"

struct work {
	const struct mathematics_job *job;
	struct mathematics library;
	struct mathematics_tasks *tasks;
	atomic_bool stopped;
	struct worker_threads *threads;
	uint64_t done; /* under the lock of the threads, and so are the reasons */
};

/* The tasks that one call of the library answers. */
struct batch {
	struct mathematics_task *tasks;
	size_t n;
};

void mathematics_tasks_add(struct mathematics_tasks *to, const struct mathematics_task *task)
{
	if (to->n == to->cap) {
		to->cap = to->cap ? 2 * to->cap : 64;
		to->items = xrealloc(to->items, to->cap * sizeof(*to->items));
	}
	to->items[to->n++] = *task;
}

void mathematics_tasks_finish(struct mathematics_tasks *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->items[i].first);
		free(t->items[i].second);
	}
	free(t->items);
	*t = (struct mathematics_tasks){0};
}

static void put_request(const char *version, const struct mathematics_task *t, struct buf *to)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_string(&w, "model", span_of(version));
	json_writer_string(&w, "first", span_of(t->first));
	json_writer_string(&w, "second", span_of(t->second));
	json_writer_close(&w, "}");
}

enum grade_verdict mathematics_grade(enum opinion verdict)
{
	static const enum grade_verdict grades[N_OPINIONS] = {
	        GRADE_RIGHT, GRADE_WRONG, GRADE_UNDECIDED};
	return grades[verdict];
}

static void put_words(enum mathematics_use use, const struct mathematics_reply *r, struct buf *to)
{
	if (*r->why) {
		buf_printf(to, "%s.\n", r->why);
	}
	if (use == MATHEMATICS_GOLD) {
		buf_printf(to, "{\"grade\":\"%s\",\"version\":%d}",
		        grade_name(mathematics_grade(r->verdict)), GRADE_VERSION);
	} else {
		buf_printf(to, "{\"verdict\":\"%s\"}", opinion_name(r->verdict));
	}
}

static bool record(const struct work *w, const struct mathematics_task *t,
        const struct mathematics_reply *r, uint64_t start_ns, uint64_t took_us)
{
	const struct mathematics_job *job = w->job;
	struct buf request = {0}, words = {0};
	struct call_answer answer;
	put_request(job->version, t, &request);
	put_words(job->use, r, &words);
	annotation_put_reply(job->version, buf_span(&words), took_us, &answer);
	const struct annotation a = {
	        .backend = job->name,
	        .url = "sandbox:",
	        .role = ROLE_REFERENCE,
	        .dialect = &dialect_generic,
	        .endpoint = ENDPOINT_CHAT,
	        .in_flight = job->concurrency,
	        .exchange = t->exchange,
	        .body_bytes = t->body_bytes,
	        .request = buf_span(&request),
	        .answer = &answer,
	        .start_ns = start_ns,
	        .marks = LEG_SCORED | (job->use == MATHEMATICS_GOLD ? LEG_GRADING : LEG_JUDGING),
	        .of = t->of,
	        .against = t->against,
	        .at = (uint32_t)t->choice,
	        .waits = true,
	};
	bool good = annotation_record(&a, job->to->recorder, job->to->book);
	call_answer_finish(&answer);
	buf_finish(&request);
	buf_finish(&words);
	return good;
}

/* Called under the lock. why: the reason for tasks without an answer; NULL: the work was
 * stopped. */
static void count(struct work *w, const struct batch *batch, size_t answered, const char *why)
{
	for (size_t i = 0; i < batch->n; i++) {
		if (batch->tasks[i].recorded) {
			w->done++;
		} else if (i < answered) {
			error_tally_add(w->job->failed, "the verdict could not be stored");
		} else if (why) {
			error_tally_add(w->job->failed, why);
		}
	}
}

static void serve(void *arg, unsigned worker, void *piece)
{
	struct work *w = arg;
	struct batch *batch = piece;
	struct mathematics_question questions[MATHEMATICS_BATCH];
	struct mathematics_reply *replies = xcalloc(batch->n, sizeof(*replies));
	uint64_t start_ns = clock_wall(), began = clock_mono();
	char *why = NULL;
	for (size_t i = 0; i < batch->n; i++) {
		const struct mathematics_task *t = &batch->tasks[i];
		questions[i] = (struct mathematics_question){span_of(t->first), span_of(t->second)};
	}
	size_t n = mathematics_ask(&w->library, w->job->use, questions, batch->n, replies, &why);
	uint64_t took_us = (clock_mono() - began) / 1000 / MAX(n, (size_t)1);
	for (size_t i = 0; i < n; i++) {
		struct mathematics_task *t = &batch->tasks[i];
		t->verdict = replies[i].verdict;
		t->recorded = record(w, t, &replies[i], start_ns, took_us);
		mathematics_reply_finish(&replies[i]);
	}
	worker_threads_lock(w->threads);
	count(w, batch, n, why);
	worker_threads_unlock(w->threads);
	free(replies);
	free(batch);
	free(why);
}

static void drop(void *arg, void *piece)
{
	free(piece);
}

static void stop(void *arg)
{
	struct work *w = arg;
	atomic_store(&w->stopped, true);
}

static void count_done(const void *arg, struct worker_threads_count *ret)
{
	const struct work *w = arg;
	*ret = (struct worker_threads_count){"values", w->done, w->tasks->n, w->job->failed->total};
}

bool mathematics_work(const struct mathematics_job *job, struct mathematics_tasks *tasks)
{
	struct work w = {.job = job, .library = job->library, .tasks = tasks};
	const struct worker_threads_settings settings = {
	        .n = job->concurrency,
	        .arg = &w,
	        .work = serve,
	        .drop = drop,
	        .stop = stop,
	        .count_done = count_done,
	};
	/* Starting the library costs as much as a hundred questions, so make few, large batches. */
	size_t share = (tasks->n + job->concurrency - 1) / job->concurrency;
	size_t most = MIN(MAX(share, (size_t)1), (size_t)MATHEMATICS_BATCH);
	bool going = true;
	w.library.stopped = &w.stopped;
	w.threads = worker_threads_start(&settings);
	for (size_t i = 0; going && i < tasks->n; i += most) {
		struct batch *batch = xcalloc(1, sizeof(*batch));
		*batch = (struct batch){&tasks->items[i], MIN(most, tasks->n - i)};
		going = worker_threads_submit(w.threads, batch);
	}
	return worker_threads_finish(w.threads);
}
