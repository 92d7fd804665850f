#include "proxy/watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG_MODULE "watch"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/shared.h"

#define SECOND UINT64_C(1000000000)
#define GET_TIMEOUT_MS 2000
#define FIRST_RETRY_NS (1 * SECOND)
#define BUSY_PAUSE_NS (SECOND / 10)
#define NEVER UINT64_MAX

/* One backend that is asked. */
struct watched {
	size_t number; /* 0: the primary, then the references */
	const struct backend_settings *settings;
	struct stack *stack;
	struct call_line *line;
	uint64_t due;   /* mono; NEVER: not asked */
	uint64_t asked; /* mono; when last; 0: never */
	uint64_t retry; /* the pause after one that was not all there */
};

struct watch {
	struct shared *shared;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool halted;
	uint32_t dice;
	size_t n;
	struct watched backends[SETTINGS_REFERENCES_LIMIT + 1];
};

/* A tenth more or less, so that several proxies do not ask in step. */
static uint64_t jittered(struct watch *w, uint64_t ns)
{
	w->dice = w->dice * 1664525u + 1013904223u;
	return ns - ns / 10 + (uint64_t)((double)ns / 5 * (w->dice / 4294967296.0));
}

/* References may be known under another name of the model; the primary under that which it tells. */
static const char *model_of(const struct backend_settings *b)
{
	return b->n_models ? b->models[0].to : NULL;
}

/* What the engine that was recognised bears. */
static void fit(struct watch *w, struct watched *b)
{
	struct stack_view view;
	if (b->number > 0) {
		stack_view(b->stack, &view);
		shared_fit_places(w->shared, b->number - 1, view.dialect);
	}
}

/* A question could end the answer that is under way there. */
static bool must_wait(const struct watch *w, const struct watched *b)
{
	struct stack_view view;
	stack_view(b->stack, &view);
	const atomic_uint *in_flight = b->number > 0
	                                       ? &w->shared->references[b->number - 1].in_flight
	                                       : &w->shared->primary_in_flight;
	return (view.dialect->abilities & ABILITY_ONE_AT_A_TIME) && atomic_load(in_flight) > 0;
}

static bool ask(struct watch *w, struct watched *b)
{
	struct identity *i = identify_gently(b->line, GET_TIMEOUT_MS);
	bool whole = false;
	if (i->reachable) {
		const char *model = model_of(b->settings);
		whole = stack_learn(b->stack, i, manifest_collect(b->line, i, model));
		fit(w, b);
	} else {
		log_debug("Backend %s does not say who it is: %s", b->settings->name,
		        i->problem ? i->problem : "no answer");
	}
	identity_destroy(i);
	return whole;
}

/* The backend that is due first. */
static struct watched *next(struct watch *w)
{
	struct watched *first = &w->backends[0];
	for (size_t i = 1; i < w->n; i++) {
		if (w->backends[i].due < first->due) {
			first = &w->backends[i];
		}
	}
	return first;
}

/* False: halted. Locked. */
static bool wait_until(struct watch *w, uint64_t due)
{
	if (due == NEVER) {
		pthread_cond_wait(&w->wake, &w->lock);
	} else {
		struct timespec until = {(time_t)(due / SECOND), (long)(due % SECOND)};
		pthread_cond_timedwait(&w->wake, &w->lock, &until);
	}
	return !w->halted;
}

static void schedule(struct watch *w, struct watched *b, bool whole)
{
	if (whole) {
		b->retry = FIRST_RETRY_NS;
		b->due = b->asked + jittered(w, b->settings->poll);
	} else {
		b->due = b->asked + jittered(w, b->retry);
		b->retry = MIN(b->retry * 2, b->settings->poll);
	}
}

static void *run(void *arg)
{
	struct watch *w = arg;
	pthread_mutex_lock(&w->lock);
	while (!w->halted) {
		struct watched *b = next(w);
		if (b->due > clock_mono()) {
			wait_until(w, b->due);
			continue;
		}
		if (must_wait(w, b)) {
			b->due = clock_mono() + BUSY_PAUSE_NS;
			continue;
		}
		b->asked = clock_mono();
		b->due = NEVER;
		pthread_mutex_unlock(&w->lock);
		bool whole = ask(w, b);
		pthread_mutex_lock(&w->lock);
		/* Asked for again meanwhile: then it stays. */
		if (b->due == NEVER) {
			schedule(w, b, whole);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void add(struct watch *w, const struct backend_settings *b, struct stack *stack)
{
	struct watched *to = &w->backends[w->n];
	*to = (struct watched){.number = w->n++,
	        .settings = b,
	        .stack = stack,
	        .due = NEVER,
	        .retry = FIRST_RETRY_NS};
	if (!b->poll) {
		return;
	}
	char *error = NULL;
	to->line = call_line_create(
	        &(struct call_line_settings){
	                .url = b->url, .ca_file = b->ca_file, .api_key = b->api_key},
	        &error);
	if (!to->line) {
		log_warn("Backend %s can't be asked who it is: %s", b->name, error);
		free(error);
		return;
	}
	to->due = 0;
}

void watch_destroy(struct watch *w)
{
	if (!w) {
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		call_line_destroy(w->backends[i].line);
	}
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static bool asks_any(const struct watch *w)
{
	bool any = false;
	for (size_t i = 0; i < w->n; i++) {
		any = any || w->backends[i].line;
	}
	return any;
}

static int start_thread(struct watch *w)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int r = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

struct watch *watch_start(struct shared *s)
{
	struct watch *w = xcalloc(1, sizeof(*w));
	w->shared = s;
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&w->lock, NULL);
	w->dice = (uint32_t)clock_mono() ^ (uint32_t)s->started;
	add(w, &s->settings->primary, s->stack);
	for (size_t i = 0; i < s->n_references; i++) {
		add(w, s->references[i].settings, s->references[i].stack);
	}
	int r = asks_any(w) ? start_thread(w) : -1;
	if (r) {
		if (r > 0) {
			log_warn("Backends are not asked who they are: %s", strerror(r));
		}
		watch_destroy(w);
		return NULL;
	}
	return w;
}

void watch_halt(struct watch *w)
{
	if (!w) {
		return;
	}
	pthread_mutex_lock(&w->lock);
	w->halted = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	for (size_t i = 0; i < w->n; i++) {
		if (w->backends[i].line) {
			call_line_stop(w->backends[i].line);
		}
	}
}

void watch_join(struct watch *w)
{
	if (w) {
		pthread_join(w->thread, NULL);
	}
}

void watch_soon(struct watch *w, size_t backend)
{
	if (!w || backend >= w->n || !w->backends[backend].line) {
		return;
	}
	pthread_mutex_lock(&w->lock);
	struct watched *b = &w->backends[backend];
	uint64_t pause = MIN(WATCH_PAUSE_NS, b->settings->poll);
	b->due = MIN(b->due, b->asked + pause);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}
