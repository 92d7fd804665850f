#include "cli/opinions/score_work.h"

#include <stdlib.h>
#include <string.h>

#include "backends/scoring/score_task.h"
#include "base/clock.h"
#include "base/inflate.h"
#include "base/mem.h"
#include "capture/resend.h"
#include "cli/opinions/worker_threads.h"

#define GONE_LIMIT 3 /* consecutive answers that could not even be sent */
#define RAW_LIMIT ((size_t)64 << 20)

/* One answer on its way to a worker. */
struct job {
	struct id exchange, leg;
	uint64_t body_bytes; /* of the exchange's request */
	char *model;
	struct score_subject subject;
};

struct work {
	const struct score_job_settings *s;
	struct scorer *scorers[SCORE_CONCURRENCY_LIMIT]; /* one a worker */
	unsigned n;
	struct worker_threads *threads;
	struct id manifest;     /* as recorded; zero: none */
	unsigned gone_in_a_row; /* this member and all below it are under the lock of the threads */
	uint64_t in_hand;       /* jobs that are queued or in progress */
	/* queued jobs, without those that turned out to be impossible to score */
	uint64_t counted;
	struct score_tally tally;
};

void score_tally_finish(struct score_tally *t)
{
	error_tally_finish(&t->unable);
	error_tally_finish(&t->failed);
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

static void count_done(const void *arg, struct worker_threads_count *ret)
{
	const struct work *w = arg;
	const struct score_tally *t = &w->tally;
	uint64_t done = t->scored + t->unable.total + t->failed.total;
	*ret = (struct worker_threads_count){"scores", done, t->wanted, t->failed.total};
}

static void stop_all(void *arg)
{
	struct work *w = arg;
	for (unsigned i = 0; i < w->n; i++) {
		scorer_stop(w->scorers[i]);
	}
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
		error_tally_add(&t->unable, r->why);
		w->counted--;
		break;
	case SCORER_STOPPED:
		break;
	default:
		error_tally_add(&t->failed, r->why);
		break;
	}
	if (w->gone_in_a_row >= GONE_LIMIT && !worker_threads_is_cancelled(w->threads)) {
		t->gone = true;
		worker_threads_cancel(w->threads);
	}
}

static void serve(void *arg, unsigned worker, void *piece)
{
	struct work *w = arg;
	struct scorer *scorer = w->scorers[worker];
	struct job *j = piece;
	const struct score_task task = {
	        .exchange = j->exchange,
	        .leg = j->leg,
	        .body_bytes = j->body_bytes,
	        .model = j->model,
	        .subject = &j->subject,
	        .backend = w->s->backend->name,
	        .url = w->s->backend->url,
	        .role = w->s->backend->role,
	        .manifest = w->manifest,
	        .in_flight = w->s->concurrency,
	        .recorder = w->s->to->recorder,
	        .book = w->s->to->book,
	        .waits = true,
	};
	struct scorer_result r;
	uint64_t tokens;
	score_task_run(scorer, &task, &r, &tokens);
	worker_threads_lock(w->threads);
	w->tally.tokens += tokens;
	count_result(w, &r);
	w->in_hand--;
	worker_threads_unlock(w->threads);
	scorer_result_finish(&r);
	job_destroy(j);
}

static void drop(void *arg, void *piece)
{
	job_destroy(piece);
}

/* Whether to queue another answer. The limit counts answers that can be scored. To know which
 * can, it may have to wait for jobs in progress. */
static bool wants_more(struct work *w)
{
	worker_threads_lock(w->threads);
	while (w->counted >= w->s->limit && w->in_hand > 0 &&
	        !worker_threads_is_cancelled(w->threads)) {
		worker_threads_wait(w->threads);
	}
	bool more = w->counted < w->s->limit && !worker_threads_is_cancelled(w->threads);
	worker_threads_unlock(w->threads);
	return more;
}

static bool is_wanted(const struct leg_row *leg, const char *of)
{
	bool its = of ? leg->backend && strcmp(leg->backend, of) == 0 : leg->role == ROLE_PRIMARY;
	return its && !(leg->marks & LEG_SCORED) && leg->status >= 200 && leg->status < 300;
}

/* Whether the backend has scored the answer after the prompt that is to be used now. */
static bool is_scored(const struct capture_exchange *e, const struct leg_row *leg,
        const struct score_job_settings *s)
{
	uint32_t prompt = s->scorer.prompt == SCORE_PROMPT_PRIMARY ? LEG_GIVEN_PROMPT : 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (leg_has_scores(row->marks) && !(row->marks & LEG_TRUNCATED) &&
		        (row->marks & LEG_GIVEN_PROMPT) == prompt &&
		        row->outcome == OUTCOME_COMPLETE && row->backend &&
		        strcmp(row->backend, s->backend->name) == 0 &&
		        id_compare(row->score_of, leg->id) == 0) {
			return true;
		}
	}
	return false;
}

/* The first pass, which reads only rows. */
static void count_all(struct capture *c, struct work *w)
{
	const struct score_job_settings *s = w->s;
	struct capture_exchange e;
	while (capture_next(c, &e) == 1) {
		for (size_t i = 0; i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (e.absent || !endpoint_is_openai(e.row.endpoint) ||
			        !is_wanted(leg, s->of)) {
				continue;
			}
			if (is_scored(&e, leg, s)) {
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

/* The answer's body without its content coding; empty when it can't be read. */
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

/* Reads what is to be scored. NULL, or why it cannot be scored. */
static const char *read_subject(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct score_subject *ret)
{
	struct buf sent = {0}, raw = {0};
	struct reading *r = NULL;
	const char *why = NULL;
	if (resend_is_redacted(&e->row) || e->legs[leg].row.redactions > 0) {
		why = "private text in it was replaced";
	} else if (capture_sent_body(c, e, leg, &sent) < 0) {
		why = "the body of the request is not in the capture";
	} else if (capture_reading(c, e, leg, &r) < 0) {
		why = "the body of the answer is not in the capture";
	} else {
		read_raw(c, e, leg, &raw);
		why = score_subject_read(e->row.endpoint, buf_span(&sent), r, buf_span(&raw), ret);
	}
	reading_destroy(r);
	buf_finish(&sent);
	buf_finish(&raw);
	return why;
}

/* The model's name at the backend. An engine with only one model is asked for that one. */
static const char *model_for(const struct score_job_settings *s, const char *requested)
{
	if (s->model) {
		return s->model;
	}
	const char *name = score_backend_model(s->backend, requested);
	const struct engine_identity *engine = s->engine;
	return engine && engine->n_models == 1 ? engine->models[0] : name;
}

/* False: the work was cancelled. */
static bool feed_leg(
        struct work *w, struct capture *c, const struct capture_exchange *e, size_t leg)
{
	struct score_subject subject;
	const char *why = read_subject(c, e, leg, &subject);
	if (why) {
		worker_threads_lock(w->threads);
		error_tally_add(&w->tally.unable, why);
		worker_threads_unlock(w->threads);
		return true;
	}
	struct job *j = xcalloc(1, sizeof(*j));
	const char *model = model_for(w->s, e->row.model);
	*j = (struct job){
	        .exchange = e->row.id,
	        .leg = e->legs[leg].row.id,
	        .body_bytes = capture_request_bytes(c, e),
	        .model = model ? xstrdup(model) : NULL,
	        .subject = subject,
	};
	worker_threads_lock(w->threads);
	w->in_hand++;
	w->counted++;
	worker_threads_unlock(w->threads);
	return worker_threads_submit(w->threads, j);
}

static void feed(struct work *w, struct capture *c)
{
	const struct score_job_settings *s = w->s;
	struct capture_exchange e;
	bool going = true;
	while (going && worker_threads_wants_more(w->threads) && capture_next(c, &e) == 1) {
		for (size_t i = 0; going && i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (!e.absent && endpoint_is_openai(e.row.endpoint) &&
			        is_wanted(leg, s->of) && !is_scored(&e, leg, s)) {
				going = wants_more(w) && feed_leg(w, c, &e, i);
			}
		}
		capture_exchange_finish(&e);
	}
}

static void score_all(struct work *w, struct capture *c)
{
	const struct worker_threads_settings settings = {
	        .n = w->n,
	        .arg = w,
	        .work = serve,
	        .drop = drop,
	        .stop = stop_all,
	        .count_done = count_done,
	};
	w->threads = worker_threads_start(&settings);
	feed(w, c);
	w->tally.stopped = worker_threads_finish(w->threads);
}

char *score_work(struct capture *c, const struct score_job_settings *s, struct score_tally *ret)
{
	struct work w = {.s = s};
	uint64_t began = clock_mono();
	count_all(c, &w);
	char *error = NULL;
	for (unsigned i = 0; i < s->concurrency && w.tally.wanted > 0 && !error; i++) {
		w.scorers[i] = scorer_create(&s->scorer, &error);
		w.n += !error;
	}
	if (!error && w.tally.wanted > 0) {
		const struct score_backend *b = s->backend;
		w.manifest =
		        recording_manifest(s->to->recorder, s->manifest, b->name, b->url, b->role);
		score_all(&w, c);
	}
	for (unsigned i = 0; i < w.n; i++) {
		scorer_destroy(w.scorers[i]);
	}
	w.tally.seconds = (clock_mono() - began) / SECOND_NS;
	*ret = w.tally;
	return error;
}
