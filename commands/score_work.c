#include "commands/score_work.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/score_match.h"
#include "base/clock.h"
#include "base/inflate.h"
#include "base/mem.h"
#include "commands/score_record.h"

#define GONE_LIMIT 3 /* answers in a row that could not even be sent */
#define RAW_LIMIT ((size_t)64 << 20)
#define SECOND_NS UINT64_C(1000000000)
#define TERMINAL_NS (SECOND_NS / 4)
#define LINE_NS (10 * SECOND_NS)

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = 1;
}

/* One answer on its way to a worker. */
struct job {
	struct id exchange, leg;
	uint64_t body_bytes; /* of the exchange's request */
	char *model;
	struct score_subject subject;
};

struct work {
	const struct score_job_settings *s;
	struct scorer *scorers[SCORE_CONCURRENCY_LIMIT];
	pthread_t threads[SCORE_CONCURRENCY_LIMIT];
	unsigned n;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct job *queue[2 * SCORE_CONCURRENCY_LIMIT]; /* a ring */
	size_t head, waiting, room;
	bool closed; /* nothing more will come */
	bool broken; /* what waits is let go */
	unsigned gone_in_a_row;
	unsigned started, running; /* workers */
	uint64_t in_hand;          /* jobs handed over and not yet through */
	uint64_t counted;          /* jobs handed over but for those that turned out unable */
	struct score_tally tally;
	uint64_t began, shown;
	bool on_terminal;
};

void score_tally_finish(struct score_tally *t)
{
	struct reasons *both[] = {&t->unable, &t->failed};
	for (size_t k = 0; k < ARRAY_LEN(both); k++) {
		reasons_finish(both[k]);
	}
	*t = (struct score_tally){0};
}

static void job_destroy(struct job *j)
{
	if (j) {
		free(j->model);
		score_subject_finish(&j->subject);
		free(j);
	}
}

/* A line that moves on a terminal, and now and then a line of its own elsewhere. */
static void show(struct work *w, bool at_end)
{
	uint64_t now = clock_mono(), every = w->on_terminal ? TERMINAL_NS : LINE_NS;
	struct score_tally *t = &w->tally;
	uint64_t done = t->scored + t->unable.total + t->failed.total;
	if (!at_end && now - w->shown < every) {
		return;
	}
	if (at_end) {
		if (w->on_terminal && w->shown > w->began) {
			fputs("\r\033[K", stderr);
		}
		return;
	}
	w->shown = now;
	double seconds = (double)(now - w->began) / 1e9;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	fprintf(stderr, "%s%" PRIu64 " of %" PRIu64 " answers, %.1f a second",
	        w->on_terminal ? "\r\033[K" : "", done, t->wanted, rate);
	if (rate > 0 && t->wanted > done) {
		fprintf(stderr, ", %.0f s left", (double)(t->wanted - done) / rate);
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
		scorer_stop(w->scorers[i]);
	}
	pthread_cond_broadcast(&w->filled);
	pthread_cond_broadcast(&w->emptied);
}

static void count_result(struct work *w, const struct scorer_result *r)
{
	struct score_tally *t = &w->tally;
	w->gone_in_a_row = r->end == SCORER_GONE ? w->gone_in_a_row + 1 : 0;
	switch (r->end) {
	case SCORER_DONE:
		t->scored++;
		break;
	case SCORER_UNABLE:
		reasons_add(&t->unable, r->why);
		w->counted--;
		break;
	case SCORER_STOPPED:
		break;
	default:
		reasons_add(&t->failed, r->why);
		break;
	}
	if (w->gone_in_a_row >= GONE_LIMIT && !w->broken) {
		t->gone = true;
		stop_all(w);
	}
}

static void serve(struct work *w, struct scorer *scorer, const struct job *j)
{
	struct scorer_result r;
	struct score_place place;
	scorer_score(scorer, &j->subject, j->model, &r);
	uint64_t tokens = 0;
	if (r.end == SCORER_DONE && !score_record(w->s, j->exchange, j->leg, j->body_bytes, &r)) {
		r.end = SCORER_FAILED;
		r.why = xstrdup("the engine's answer could not be stored");
	}
	if (r.end == SCORER_DONE && score_columns(r.reading, &place)) {
		tokens = place.columns->n - place.tail - r.at;
	}
	pthread_mutex_lock(&w->lock);
	w->tally.tokens += tokens;
	count_result(w, &r);
	w->in_hand--;
	pthread_cond_signal(&w->emptied);
	pthread_mutex_unlock(&w->lock);
	scorer_result_finish(&r);
}

static void *work_thread(void *arg)
{
	struct work *w = arg;
	pthread_mutex_lock(&w->lock);
	struct scorer *scorer = w->scorers[w->started++];
	while (true) {
		while (w->waiting == 0 && !w->closed && !w->broken) {
			pthread_cond_wait(&w->filled, &w->lock);
		}
		if (w->broken || w->waiting == 0) {
			break;
		}
		struct job *j = w->queue[w->head];
		w->head = (w->head + 1) % w->room;
		w->waiting--;
		pthread_cond_signal(&w->emptied);
		pthread_mutex_unlock(&w->lock);
		serve(w, scorer, j);
		job_destroy(j);
		pthread_mutex_lock(&w->lock);
	}
	w->running--;
	pthread_cond_signal(&w->emptied);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Under the lock. */
static void look_for_signal(struct work *w)
{
	if (signalled && !w->broken) {
		w->tally.stopped = true;
		stop_all(w);
	}
}

/* Waits a little for a change; looks for a signal and shows the progress. Under the lock. */
static void attend(struct work *w)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100000000;
	until.tv_sec += until.tv_nsec / (long)SECOND_NS;
	until.tv_nsec %= (long)SECOND_NS;
	(void)pthread_cond_timedwait(&w->emptied, &w->lock, &until);
	look_for_signal(w);
	show(w, false);
}

/* False: the work was broken off; the job is gone either way. */
static bool hand_over(struct work *w, struct job *j)
{
	pthread_mutex_lock(&w->lock);
	look_for_signal(w);
	while (w->waiting == w->room && !w->broken) {
		attend(w);
	}
	bool good = !w->broken;
	if (good) {
		w->queue[(w->head + w->waiting++) % w->room] = j;
		w->in_hand++;
		w->counted++;
		pthread_cond_signal(&w->filled);
		show(w, false);
	}
	pthread_mutex_unlock(&w->lock);
	if (!good) {
		job_destroy(j);
	}
	return good;
}

/* The limit is of answers that can be scored: which they are may have to be waited for. */
static bool wants_more(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->counted >= w->s->limit && w->in_hand > 0 && !w->broken) {
		attend(w);
	}
	bool more = w->counted < w->s->limit && !w->broken;
	pthread_mutex_unlock(&w->lock);
	return more;
}

static bool is_wanted(const struct leg_row *leg, const char *of)
{
	bool its = of ? leg->backend && strcmp(leg->backend, of) == 0 : leg->role == ROLE_PRIMARY;
	return its && !(leg->marks & LEG_SCORED) && leg->status >= 200 && leg->status < 300;
}

static bool is_scored(
        const struct capture_exchange *e, const struct leg_row *leg, const char *backend)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if ((row->marks & LEG_SCORED) && !(row->marks & (LEG_JUDGING | LEG_TRUNCATED)) &&
		        row->outcome == OUTCOME_COMPLETE && row->backend &&
		        strcmp(row->backend, backend) == 0 &&
		        id_compare(row->score_of, leg->id) == 0) {
			return true;
		}
	}
	return false;
}

/* Of the first pass, which is of rows alone. */
static void count_all(struct capture *c, struct work *w)
{
	const struct score_job_settings *s = w->s;
	struct capture_exchange e;
	while (!signalled && capture_next(c, &e) == 1) {
		for (size_t i = 0; i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (e.absent || !endpoint_is_openai(e.row.endpoint) ||
			        !is_wanted(leg, s->of)) {
				continue;
			}
			if (is_scored(&e, leg, s->backend->name)) {
				w->tally.already++;
			} else {
				w->tally.wanted++;
			}
		}
		capture_exchange_finish(&e);
	}
	w->tally.wanted = MIN(w->tally.wanted, s->limit);
	capture_rewind(c);
}

/* The answer's body without its content coding; empty when it can't be had. */
static void read_raw(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	struct buf raw = {0};
	struct span coding = span_of(e->legs[leg].row.content_encoding);
	int r = capture_response_body(c, e, leg, &raw);
	if (r == 0 && coding.len > 0 && !span_is_nocase(coding, "identity")) {
		r = inflate_body(coding, buf_span(&raw), RAW_LIMIT, to);
	} else if (r == 0) {
		buf_append_span(to, buf_span(&raw));
	}
	if (r < 0) {
		buf_clear(to);
	}
	buf_finish(&raw);
}

/* What is to be scored; or why it can't be. */
static const char *read_subject(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct score_subject *ret)
{
	struct buf sent = {0}, raw = {0};
	struct reading *r = NULL;
	const char *why = NULL;
	if (capture_sent_body(c, e, leg, &sent) < 0) {
		why = "the request's body is not in the capture";
	} else if (capture_reading(c, e, leg, &r) < 0) {
		why = "the answer's body is not in the capture";
	} else {
		read_raw(c, e, leg, &raw);
		why = score_subject_read(e->row.endpoint, buf_span(&sent), r, buf_span(&raw), ret);
	}
	reading_destroy(r);
	buf_finish(&sent);
	buf_finish(&raw);
	return why;
}

/* The name that the backend knows: an engine with one model is asked for that. */
static const char *model_for(const struct score_job_settings *s, const char *asked)
{
	if (s->model) {
		return s->model;
	}
	const char *name = score_backend_model(s->backend, asked);
	const struct identity *engine = s->engine;
	return engine && engine->n_models == 1 ? engine->models[0] : name;
}

/* False: the work was broken off. */
static bool feed_leg(
        struct work *w, struct capture *c, const struct capture_exchange *e, size_t leg)
{
	struct score_subject subject;
	const char *why = read_subject(c, e, leg, &subject);
	if (why) {
		pthread_mutex_lock(&w->lock);
		reasons_add(&w->tally.unable, why);
		pthread_mutex_unlock(&w->lock);
		return true;
	}
	struct job *j = xcalloc(1, sizeof(*j));
	const char *model = model_for(w->s, e->row.model);
	*j = (struct job){
	        .exchange = e->row.id,
	        .leg = e->legs[leg].row.id,
	        .body_bytes = e->row.body_bytes,
	        .model = model ? xstrdup(model) : NULL,
	        .subject = subject,
	};
	return hand_over(w, j);
}

static void feed(struct work *w, struct capture *c)
{
	const struct score_job_settings *s = w->s;
	struct capture_exchange e;
	bool going = true;
	while (going && capture_next(c, &e) == 1) {
		for (size_t i = 0; going && i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (!e.absent && endpoint_is_openai(e.row.endpoint) &&
			        is_wanted(leg, s->of) && !is_scored(&e, leg, s->backend->name)) {
				going = wants_more(w) && feed_leg(w, c, &e, i);
			}
		}
		capture_exchange_finish(&e);
		going = going && !signalled;
	}
}

static char *start(struct work *w)
{
	char *error = NULL;
	for (unsigned i = 0; i < w->s->concurrency; i++) {
		w->scorers[i] = scorer_create(&w->s->scorer, &error);
		if (!w->scorers[i]) {
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

/* Nothing more comes: the workers end with what they have. */
static void finish(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	w->closed = true;
	pthread_cond_broadcast(&w->filled);
	while (w->running > 0) {
		attend(w);
	}
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->n; i++) {
		pthread_join(w->threads[i], NULL);
	}
	for (; w->waiting > 0; w->waiting--) {
		job_destroy(w->queue[w->head]);
		w->head = (w->head + 1) % w->room;
	}
}

char *score_work(struct capture *c, const struct score_job_settings *s, struct score_tally *ret)
{
	struct work w = {
	        .s = s,
	        .lock = PTHREAD_MUTEX_INITIALIZER,
	        .filled = PTHREAD_COND_INITIALIZER,
	        .emptied = PTHREAD_COND_INITIALIZER,
	        .room = 2 * s->concurrency,
	        .on_terminal = isatty(STDERR_FILENO),
	};
	const struct sigaction stop = {.sa_handler = on_signal};
	struct sigaction before_int, before_term;
	signalled = 0;
	sigaction(SIGINT, &stop, &before_int);
	sigaction(SIGTERM, &stop, &before_term);
	w.began = w.shown = clock_mono();
	count_all(c, &w);
	char *error = w.tally.wanted > 0 ? start(&w) : NULL;
	if (!error && w.tally.wanted > 0) {
		feed(&w, c);
		finish(&w);
	}
	show(&w, true);
	for (unsigned i = 0; i < w.n; i++) {
		scorer_destroy(w.scorers[i]);
	}
	w.tally.stopped |= signalled != 0;
	w.tally.seconds = (clock_mono() - w.began) / SECOND_NS;
	sigaction(SIGINT, &before_int, NULL);
	sigaction(SIGTERM, &before_term, NULL);
	*ret = w.tally;
	return error;
}
