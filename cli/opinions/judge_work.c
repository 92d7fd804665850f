#include "cli/opinions/judge_work.h"

#include "backends/annotation.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/opinions/worker_threads.h"
#include "cli/opinions/judge_texts.h"

#define GONE_LIMIT 3 /* consecutive requests that could not even be sent */

struct work {
	const struct judge_job_settings *s;
	const struct judge_list *list;
	struct judge_client *clients[JUDGE_CONCURRENCY_LIMIT]; /* one a worker */
	unsigned n;
	struct worker_threads *threads;
	/* Under the lock of the threads: this and all members below. */
	struct capture *capture;
	unsigned gone_in_a_row;
	struct judge_tally tally;
};

static void count_done(const void *arg, struct worker_threads_count *ret)
{
	const struct work *w = arg;
	const struct judge_tally *t = &w->tally;
	*ret = (struct worker_threads_count){"judgements", t->replies + t->failed.total,
	        judge_list_requests(w->list), t->failed.total};
}

static void stop_all(void *arg)
{
	struct work *w = arg;
	for (unsigned i = 0; i < w->n; i++) {
		judge_client_stop(w->clients[i]);
	}
}

static bool record(const struct work *w, const struct judge_item *item, const struct judge_texts *t,
        bool base_first, const struct judge_client_reply *r)
{
	const struct judge_job_settings *s = w->s;
	const struct annotation a = {
	        .backend = s->backend->name,
	        .url = s->backend->url,
	        .role = s->backend->role,
	        .dialect = s->client.dialect,
	        .endpoint = ENDPOINT_CHAT,
	        .in_flight = s->concurrency,
	        .exchange = item->exchange,
	        .body_bytes = t->body_bytes,
	        .request = buf_span(&r->request),
	        .answer = &r->answer,
	        .start_ns = r->start_ns,
	        .marks = LEG_SCORED | LEG_JUDGING,
	        .of = base_first ? item->base : item->test,
	        .against = base_first ? item->test : item->base,
	        .at = (uint32_t)item->choice,
	        .waits = true,
	};
	return annotation_record(&a, s->to->recorder, s->to->book);
}

static void count_reply(struct work *w, const struct judge_client_reply *r)
{
	struct judge_tally *t = &w->tally;
	w->gone_in_a_row = r->end == JUDGE_CLIENT_GONE ? w->gone_in_a_row + 1 : 0;
	if (r->end == JUDGE_CLIENT_DONE) {
		t->replies++;
		t->replies_by_opinion[r->opinion]++;
		t->unclear += !r->clear;
	} else if (r->end != JUDGE_CLIENT_STOPPED) {
		error_tally_add(&t->failed, r->why);
	}
	if (w->gone_in_a_row >= GONE_LIMIT && !worker_threads_is_cancelled(w->threads)) {
		t->gone = true;
		worker_threads_cancel(w->threads);
	}
}

/* Asks about a pair in one order. False: the question must be asked again in a later run. */
static bool ask(struct work *w, struct judge_client *client, const struct judge_item *item,
        const struct judge_texts *t, bool base_first)
{
	struct judge_client_reply r;
	struct span base = buf_span(&t->base), test = buf_span(&t->test);
	judge_client_ask(client, buf_span(&t->request), base_first ? base : test,
	        base_first ? test : base, &r);
	if (r.end == JUDGE_CLIENT_DONE && !record(w, item, t, base_first, &r)) {
		r.end = JUDGE_CLIENT_FAILED;
		r.why = xstrdup("the engine's answer could not be stored");
	}
	bool done = r.end == JUDGE_CLIENT_DONE;
	worker_threads_lock(w->threads);
	count_reply(w, &r);
	worker_threads_unlock(w->threads);
	judge_client_reply_finish(&r);
	return done;
}

static void serve(void *arg, unsigned worker, void *piece)
{
	struct work *w = arg;
	struct judge_client *client = w->clients[worker];
	const struct judge_item *item = piece;
	struct judge_texts t;
	worker_threads_lock(w->threads);
	bool good = judge_texts_read(w->capture, item, &t);
	if (!good) {
		error_tally_add(&w->tally.failed, "the answers can no longer be read");
	}
	worker_threads_unlock(w->threads);
	if (good && item->need_base_first) {
		good = ask(w, client, item, &t, true);
	}
	if (good && item->need_test_first) {
		good = ask(w, client, item, &t, false);
	}
	worker_threads_lock(w->threads);
	w->tally.judged += good;
	worker_threads_unlock(w->threads);
	judge_texts_finish(&t);
}

static void ask_all(struct work *w)
{
	const struct worker_threads_settings settings = {
	        .n = w->n,
	        .arg = w,
	        .work = serve,
	        .stop = stop_all,
	        .count_done = count_done,
	};
	bool going = true;
	w->threads = worker_threads_start(&settings);
	for (size_t i = 0; going && i < judge_list_pairs(w->list); i++) {
		going = worker_threads_submit(w->threads, &w->list->items[i]);
	}
	w->tally.stopped = worker_threads_finish(w->threads);
}

char *judge_work(struct capture *c, const struct judge_list *list,
        const struct judge_job_settings *s, struct judge_tally *ret)
{
	struct work w = {.s = s, .list = list, .capture = c};
	uint64_t began = clock_mono();
	char *error = NULL;
	for (unsigned i = 0; i < s->concurrency && !error; i++) {
		w.clients[i] = judge_client_create(&s->client, &error);
		w.n += !error;
	}
	if (!error) {
		ask_all(&w);
	}
	for (unsigned i = 0; i < w.n; i++) {
		judge_client_destroy(w.clients[i]);
	}
	w.tally.seconds = (clock_mono() - began) / SECOND_NS;
	*ret = w.tally;
	return error;
}

void judge_tally_finish(struct judge_tally *t)
{
	error_tally_finish(&t->failed);
	*t = (struct judge_tally){0};
}
