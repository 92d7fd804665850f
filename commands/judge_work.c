#include "commands/judge_work.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/choices.h"
#include "analyzer/task.h"
#include "base/clock.h"
#include "base/mem.h"
#include "commands/aside.h"

#define GONE_LIMIT 3 /* requests in a row that could not even be sent */
#define SECOND_NS UINT64_C(1000000000)
#define TERMINAL_NS (SECOND_NS / 4)
#define LINE_NS (10 * SECOND_NS)

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = 1;
}

struct work {
	const struct judge_job_settings *s;
	const struct judge_list *list;
	struct capture *capture; /* under the lock, as is all below it */
	struct juror *jurors[JUDGE_CONCURRENCY_LIMIT];
	pthread_t threads[JUDGE_CONCURRENCY_LIMIT];
	unsigned n;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned started, running; /* workers */
	size_t next;               /* pair of the list */
	bool broken;               /* no further pair is begun */
	unsigned gone_in_a_row;
	struct judge_tally tally;
	uint64_t began, shown;
	bool on_terminal;
};

/* One pair, as it is shown. */
struct texts {
	uint64_t body_bytes; /* of the exchange's request */
	struct buf request, base, test;
};

static void texts_finish(struct texts *t)
{
	buf_finish(&t->request);
	buf_finish(&t->base);
	buf_finish(&t->test);
}

/* The answer of a leg's choice; empty if it can't be had. */
static void read_answer(struct capture *c, const struct capture_exchange *e, struct id leg,
        int32_t choice, struct buf *to)
{
	struct reading *r = NULL;
	for (size_t i = 0; i < e->n_legs && !r; i++) {
		if (id_compare(e->legs[i].row.id, leg) == 0 && capture_reading(c, e, i, &r) < 0) {
			return;
		}
	}
	const struct choice *said = r ? choices_at(r, choice) : NULL;
	if (said) {
		choice_answer(said, to);
	}
	reading_destroy(r);
}

/* False: the pair can't be read a second time. */
static bool read_texts(struct capture *c, const struct judge_item *item, struct texts *ret)
{
	struct capture_exchange e;
	*ret = (struct texts){0};
	if (capture_find(c, item->exchange, &e) < 0) {
		return false;
	}
	struct buf body = {0};
	if (capture_request_body(c, &e, &body) == 0) {
		task_words(e.row.endpoint, buf_span(&body), &ret->request);
	}
	buf_finish(&body);
	ret->body_bytes = e.row.body_bytes;
	read_answer(c, &e, item->base, item->choice, &ret->base);
	read_answer(c, &e, item->test, item->choice, &ret->test);
	capture_exchange_finish(&e);
	return ret->base.len > 0 && ret->test.len > 0;
}

static void show(struct work *w)
{
	uint64_t now = clock_mono(), every = w->on_terminal ? TERMINAL_NS : LINE_NS;
	const struct judge_tally *t = &w->tally;
	if (now - w->shown < every) {
		return;
	}
	w->shown = now;
	uint64_t all = judge_list_requests(w->list), done = t->replies + t->failed.total;
	double rate = (double)done / ((double)(now - w->began) / 1e9);
	fprintf(stderr, "%s%" PRIu64 " of %" PRIu64 " requests, %.1f a second",
	        w->on_terminal ? "\r\033[K" : "", done, all, rate);
	if (rate > 0 && all > done) {
		fprintf(stderr, ", %.0f s left", (double)(all - done) / rate);
	}
	if (t->failed.total) {
		fprintf(stderr, ", %" PRIu64 " failed", t->failed.total);
	}
	fputs(w->on_terminal ? " " : "\n", stderr);
	fflush(stderr);
}

/* Under the lock. */
static void stop_all(struct work *w)
{
	w->broken = true;
	for (unsigned i = 0; i < w->n; i++) {
		juror_stop(w->jurors[i]);
	}
}

static bool record(const struct work *w, const struct judge_item *item, const struct texts *t,
        bool base_first, const struct juror_reply *r)
{
	const struct judge_job_settings *s = w->s;
	const struct aside a = {
	        .backend = s->backend,
	        .dialect = s->juror.dialect,
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
	};
	return aside_record(&a, s->recorder, s->book);
}

static void count_reply(struct work *w, const struct juror_reply *r)
{
	struct judge_tally *t = &w->tally;
	w->gone_in_a_row = r->end == JUROR_GONE ? w->gone_in_a_row + 1 : 0;
	if (r->end == JUROR_DONE) {
		t->replies++;
		t->said[r->opinion]++;
		t->unclear += !r->clear;
	} else if (r->end != JUROR_STOPPED) {
		reasons_add(&t->failed, r->why);
	}
	if (w->gone_in_a_row >= GONE_LIMIT && !w->broken) {
		t->gone = true;
		stop_all(w);
	}
}

/* One order. False: it has to be asked again, another time. */
static bool ask(struct work *w, struct juror *juror, const struct judge_item *item,
        const struct texts *t, bool base_first)
{
	struct juror_reply r;
	struct span base = buf_span(&t->base), test = buf_span(&t->test);
	juror_ask(juror, buf_span(&t->request), base_first ? base : test, base_first ? test : base,
	        &r);
	if (r.end == JUROR_DONE && !record(w, item, t, base_first, &r)) {
		r.end = JUROR_FAILED;
		r.why = xstrdup("the engine's answer could not be stored");
	}
	bool done = r.end == JUROR_DONE;
	pthread_mutex_lock(&w->lock);
	count_reply(w, &r);
	pthread_mutex_unlock(&w->lock);
	juror_reply_finish(&r);
	return done;
}

static void serve(struct work *w, struct juror *juror, const struct judge_item *item)
{
	struct texts t;
	pthread_mutex_lock(&w->lock);
	bool good = read_texts(w->capture, item, &t);
	if (!good) {
		reasons_add(&w->tally.failed, "the answers can't be read any more");
	}
	pthread_mutex_unlock(&w->lock);
	if (good && item->need_base_first) {
		good = ask(w, juror, item, &t, true);
	}
	if (good && item->need_test_first) {
		good = ask(w, juror, item, &t, false);
	}
	pthread_mutex_lock(&w->lock);
	w->tally.judged += good;
	pthread_mutex_unlock(&w->lock);
	texts_finish(&t);
}

static void *work_thread(void *arg)
{
	struct work *w = arg;
	pthread_mutex_lock(&w->lock);
	struct juror *juror = w->jurors[w->started++];
	while (!w->broken && w->next < judge_list_pairs(w->list)) {
		const struct judge_item *item = judge_list_item(w->list, w->next++);
		pthread_mutex_unlock(&w->lock);
		serve(w, juror, item);
		pthread_mutex_lock(&w->lock);
	}
	w->running--;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static char *start(struct work *w)
{
	char *error = NULL;
	for (unsigned i = 0; i < w->s->concurrency; i++) {
		w->jurors[i] = juror_create(&w->s->juror, &error);
		if (!w->jurors[i]) {
			return error;
		}
		w->n++;
	}
	w->running = w->n;
	for (unsigned i = 0; i < w->n; i++) {
		expect(pthread_create(&w->threads[i], NULL, work_thread, w) == 0);
	}
	return NULL;
}

/* Shows the progress and looks for signals until the last worker has ended. */
static void wait_for_all(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->running > 0) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 100000000;
		until.tv_sec += until.tv_nsec / (long)SECOND_NS;
		until.tv_nsec %= (long)SECOND_NS;
		(void)pthread_cond_timedwait(&w->changed, &w->lock, &until);
		if (signalled && !w->broken) {
			stop_all(w);
		}
		show(w);
	}
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->n; i++) {
		pthread_join(w->threads[i], NULL);
	}
}

char *judge_work(struct capture *c, const struct judge_list *list,
        const struct judge_job_settings *s, struct judge_tally *ret)
{
	struct work w = {
	        .s = s,
	        .list = list,
	        .capture = c,
	        .lock = PTHREAD_MUTEX_INITIALIZER,
	        .changed = PTHREAD_COND_INITIALIZER,
	        .on_terminal = isatty(STDERR_FILENO),
	};
	const struct sigaction stop = {.sa_handler = on_signal};
	struct sigaction before_int, before_term;
	signalled = 0;
	sigaction(SIGINT, &stop, &before_int);
	sigaction(SIGTERM, &stop, &before_term);
	w.began = w.shown = clock_mono();
	char *error = start(&w);
	if (!error) {
		wait_for_all(&w);
	}
	if (w.on_terminal && w.shown > w.began) {
		fputs("\r\033[K", stderr);
	}
	for (unsigned i = 0; i < w.n; i++) {
		juror_destroy(w.jurors[i]);
	}
	w.tally.stopped = signalled != 0;
	w.tally.seconds = (clock_mono() - w.began) / SECOND_NS;
	sigaction(SIGINT, &before_int, NULL);
	sigaction(SIGTERM, &before_term, NULL);
	*ret = w.tally;
	return error;
}

void judge_tally_finish(struct judge_tally *t)
{
	reasons_finish(&t->failed);
	*t = (struct judge_tally){0};
}
