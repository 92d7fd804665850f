#include "proxy/score_pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG_MODULE "scoring"
#include "backends/scoring/scorer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/score_job.h"
#include "proxy/shared.h"
#include "proxy/worker.h"

#define IDLE_NS (UINT64_C(10) * 1000000000) /* idle time after which a thread ends */
#define SLOT_CHECK_NS UINT64_C(200000000)   /* between two checks for a free slot */

static const char CANNOT[] = "the engine can't score a given text";
static const char NOT_KNOWN[] = "the engine is not known";
static const char NOT_KNOWN_YET[] = "the engine is not known yet";

/* The queue of one reference. It exists while it has threads. */
struct queue {
	struct list link; /* in scoring->queues */
	struct backend_state *backend;
	struct list jobs;    /* struct score_job */
	struct list threads; /* struct score_thread */
	unsigned n_threads, n_idle;
	pthread_cond_t wake;
};

struct score_thread {
	struct list link; /* in its queue's threads, then in scoring->ended */
	struct score_pool *scoring;
	struct queue *queue;
	pthread_t thread;
	/* under the lock, because other threads stop it; made for the next two members: */
	struct scorer *scorer;
	struct config_snapshot *snapshot;
	const struct backend_settings *settings;
	const struct dialect *dialect;
};

struct score_pool {
	struct shared *shared;
	atomic_uint pending;  /* jobs that are queued or in progress */
	pthread_mutex_t lock; /* protects all that follows, and queues and threads */
	pthread_cond_t left;  /* a thread has ended */
	struct list queues, ended;
	bool stopped;
};

/* Uses the monotonic clock for timeouts. */
static void init_cond(pthread_cond_t *c)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attributes);
	pthread_condattr_destroy(&attributes);
}

struct score_pool *score_pool_create(struct shared *shared)
{
	struct score_pool *s = xcalloc(1, sizeof(*s));
	s->shared = shared;
	list_init(&s->queues);
	list_init(&s->ended);
	pthread_mutex_init(&s->lock, NULL);
	init_cond(&s->left);
	return s;
}

/* The thread's scorer for this job. NULL: none can be made, or the pool was stopped. */
static struct scorer *scorer_for(
        struct score_thread *t, const struct score_job *job, const struct dialect *d)
{
	struct score_pool *s = t->scoring;
	const struct backend_settings *b = job->settings;
	if (t->scorer && t->settings == b && t->dialect == d) {
		return t->scorer;
	}
	uint64_t timeout =
	        b->idle_timeout ? MIN(b->idle_timeout, b->total_timeout) : b->total_timeout;
	const struct scorer_settings settings = {
	        .dialect = d,
	        .line = {.url = b->url,
	                .ca_file = b->ca_file,
	                .api_key = b->api_key,
	                .connect_timeout_ms = MAX(b->connect_timeout / 1000000, 1)},
	        .template = b->rules.completions_template,
	        .prompt = b->score.prompt,
	        .max_prompt_tokens = b->score.max_prompt_tokens,
	        .top = job->snapshot->settings->top_logprobs,
	        .timeout_ms = MAX(timeout / 1000000, 1),
	        .answer_limit = b->answer_limit,
	        .budget = &s->shared->budget,
	};
	char *error = NULL;
	struct scorer *made = scorer_create(&settings, &error);
	if (!made) {
		log_warn("{backend} can't score answers: {error}.", log_field("backend", b->name),
		        log_field("error", error));
		free(error);
		return NULL;
	}
	struct config_snapshot *before = t->snapshot;
	t->snapshot = config_snapshot_ref(job->snapshot);
	t->settings = b;
	t->dialect = d;
	pthread_mutex_lock(&s->lock);
	struct scorer *old = t->scorer;
	t->scorer = made;
	if (s->stopped) {
		scorer_stop(made);
	}
	pthread_mutex_unlock(&s->lock);
	scorer_destroy(old);
	config_snapshot_unref(before);
	return made;
}

/* scoring_advice.h warns of an engine that is known. At the start, the engine may not have been
 * asked yet. */
static void exclude(struct backend_state *p, const struct engine_view *view, struct score_job *job)
{
	bool known = view->dialect != &dialect_generic;
	bool asked = view->manifests > 0 || !p->settings->poll;
	const char *why = known ? CANNOT : asked ? NOT_KNOWN : NOT_KNOWN_YET;
	if (score_job_exclude(job, why) && why == NOT_KNOWN) {
		log_warn("{backend} scores no answers, because plumbline does not know its engine. "
		         "If this engine can score a given text, set dialect; docs/score.md lists "
		         "such engines.",
		        log_field("backend", p->settings->name));
	}
}

static void run_job(struct score_thread *t, struct score_job *job)
{
	struct backend_state *p = t->queue->backend;
	struct engine_view view;
	engine_info_view(p->engine, &view);
	if (view.dialect->scoring == SCORING_NONE) {
		exclude(p, &view, job);
		return;
	}
	struct scorer *scorer = scorer_for(t, job, view.dialect);
	if (!scorer) {
		score_job_drop(job, DROP_ERROR);
		return;
	}
	unsigned in_flight = atomic_fetch_add(&p->in_flight, 1) + 1;
	score_job_run(job, scorer, t->scoring->shared->recorder, in_flight);
	atomic_fetch_sub(&p->in_flight, 1);
}

/* Locked. */
static struct score_job *pop_job(struct queue *q)
{
	struct score_job *job = LIST_ITEM(struct score_job, link, q->jobs.next);
	list_remove(&job->link);
	backend_state_dequeue(q->backend, job->weight);
	atomic_fetch_sub(&q->backend->scores_waiting, 1);
	return job;
}

/* Locked. False: no work came within the idle time. */
static bool wait_for_work(struct score_pool *s, struct queue *q)
{
	bool idle = list_empty(&q->jobs);
	uint64_t until = clock_mono() + (idle ? IDLE_NS : SLOT_CHECK_NS);
	const struct timespec at = {
	        .tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};
	q->n_idle += idle;
	int r = pthread_cond_timedwait(&q->wake, &s->lock, &at);
	q->n_idle -= idle;
	return r != ETIMEDOUT || !list_empty(&q->jobs);
}

/* Locked. The last thread frees the queue. */
static void retire_thread(
        struct score_thread *t, struct list *ret_ended, struct backend_state **ret_backend)
{
	struct score_pool *s = t->scoring;
	struct queue *q = t->queue;
	list_init(ret_ended);
	LIST_EACH(struct score_thread, other, link, &s->ended)
	{
		list_remove(&other->link);
		list_append(ret_ended, &other->link);
	}
	list_remove(&t->link);
	list_append(&s->ended, &t->link);
	if (--q->n_threads == 0) {
		list_remove(&q->link);
		pthread_cond_destroy(&q->wake);
		*ret_backend = q->backend;
		free(q);
	}
	pthread_cond_signal(&s->left);
}

static void join_all(struct list *ended)
{
	LIST_EACH(struct score_thread, t, link, ended)
	{
		list_remove(&t->link);
		pthread_join(t->thread, NULL);
		free(t);
	}
}

static void *run(void *arg)
{
	struct score_thread *t = arg;
	struct score_pool *s = t->scoring;
	struct queue *q = t->queue;
	struct list ended;
	struct backend_state *backend = NULL;
	pthread_mutex_lock(&s->lock);
	while (!s->stopped) {
		if (list_empty(&q->jobs) || !backend_state_acquire_slot(q->backend)) {
			if (!wait_for_work(s, q)) {
				break;
			}
			continue;
		}
		struct score_job *job = pop_job(q);
		pthread_mutex_unlock(&s->lock);
		run_job(t, job);
		atomic_fetch_sub(&q->backend->running, 1);
		if (atomic_load(&q->backend->waiting)) {
			worker_wake_all(s->shared); /* copies may wait for the free slot, too */
		}
		atomic_fetch_sub(&s->pending, 1);
		pthread_mutex_lock(&s->lock);
	}
	struct scorer *scorer = t->scorer;
	t->scorer = NULL;
	retire_thread(t, &ended, &backend);
	pthread_mutex_unlock(&s->lock);
	scorer_destroy(scorer);
	config_snapshot_unref(t->snapshot);
	backend_state_unref(backend);
	join_all(&ended);
	return NULL;
}

/* Locked. */
static struct queue *queue_of(const struct score_pool *s, const struct backend_state *p)
{
	LIST_EACH(struct queue, q, link, &s->queues)
	{
		if (q->backend == p) {
			return q;
		}
	}
	return NULL;
}

/* Locked. */
static bool start_thread(struct score_pool *s, struct queue *q)
{
	struct score_thread *t = xcalloc(1, sizeof(*t));
	t->scoring = s;
	t->queue = q;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int r = pthread_create(&t->thread, NULL, run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r) {
		log_warn("A scoring thread could not be started: {error}.",
		        log_field("error", strerror(r)));
		free(t);
		return false;
	}
	list_append(&q->threads, &t->link);
	q->n_threads++;
	return true;
}

/* Locked. False: no thread would ever take the job. */
static bool enqueue(struct score_pool *s, struct score_job *job)
{
	struct queue *q = queue_of(s, job->backend);
	if (!q) {
		q = xcalloc(1, sizeof(*q));
		q->backend = backend_state_ref(job->backend);
		list_init(&q->jobs);
		list_init(&q->threads);
		init_cond(&q->wake);
		list_append(&s->queues, &q->link);
	}
	if (q->n_idle == 0 && q->n_threads < MAX(backend_state_slots(q->backend), 1u)) {
		start_thread(s, q);
	}
	if (q->n_threads == 0) {
		list_remove(&q->link);
		pthread_cond_destroy(&q->wake);
		backend_state_unref(q->backend);
		free(q);
		return false;
	}
	list_append(&q->jobs, &job->link);
	atomic_fetch_add(&q->backend->scores_waiting, 1);
	pthread_cond_signal(&q->wake);
	return true;
}

void score_pool_submit(struct score_pool *s, struct score_job *job)
{
	pthread_mutex_lock(&s->lock);
	bool stopped = s->stopped;
	bool taken = !stopped && enqueue(s, job);
	if (taken) {
		atomic_fetch_add(&s->pending, 1);
	}
	pthread_mutex_unlock(&s->lock);
	if (!taken) {
		backend_state_dequeue(job->backend, job->weight);
		score_job_drop(job, stopped ? DROP_STOPPED : DROP_MEMORY);
	}
}

void score_pool_wake(struct score_pool *s, const struct backend_state *p)
{
	pthread_mutex_lock(&s->lock);
	struct queue *q = queue_of(s, p);
	if (q) {
		pthread_cond_signal(&q->wake);
	}
	pthread_mutex_unlock(&s->lock);
}

bool score_pool_is_idle(const struct score_pool *s)
{
	return atomic_load(&s->pending) == 0;
}

void score_pool_stop(struct score_pool *s)
{
	struct list jobs;
	list_init(&jobs);
	pthread_mutex_lock(&s->lock);
	s->stopped = true;
	LIST_EACH(struct queue, q, link, &s->queues)
	{
		while (!list_empty(&q->jobs)) {
			list_append(&jobs, &pop_job(q)->link);
		}
		LIST_EACH(struct score_thread, t, link, &q->threads)
		{
			if (t->scorer) {
				scorer_stop(t->scorer);
			}
		}
		pthread_cond_broadcast(&q->wake);
	}
	pthread_mutex_unlock(&s->lock);
	LIST_EACH(struct score_job, job, link, &jobs)
	{
		list_remove(&job->link);
		score_job_drop(job, DROP_STOPPED);
		atomic_fetch_sub(&s->pending, 1);
	}
}

void score_pool_destroy(struct score_pool *s)
{
	if (!s) {
		return;
	}
	score_pool_stop(s);
	pthread_mutex_lock(&s->lock);
	while (!list_empty(&s->queues)) {
		pthread_cond_wait(&s->left, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	join_all(&s->ended);
	pthread_cond_destroy(&s->left);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
