#include "proxy/engine_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG_MODULE "watch"
#include "backends/engine_detection.h"
#include "backends/injection/kinds.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "proxy/config_snapshot.h"

#define GET_TIMEOUT_MS 2000
#define FIRST_RETRY_NS (1 * SECOND_NS)
#define BUSY_PAUSE_NS (SECOND_NS / 10)
#define NEVER UINT64_MAX

/* One backend that is polled. */
struct watched {
	struct backend_state *backend;
	struct call_line *line; /* NULL: the backend is not polled */
	uint64_t poll;          /* ns; 0: the backend is not polled */
	char *model;            /* the model's name at this backend; or NULL */
	/* removed while its poll was in progress: freed when the poll ends */
	bool dropped;
	uint64_t due;    /* mono; NEVER: no poll is scheduled */
	uint64_t polled; /* mono; time of the last poll; 0: never */
	uint64_t retry;  /* the pause after a poll with missing answers */
};

#define BACKENDS_LIMIT (SETTINGS_REFERENCES_LIMIT + 1)

struct engine_watch {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool running; /* the thread was started; main thread only */
	bool stopped;
	struct rng rng;
	struct kinds *kinds;
	struct watched *polling; /* polled now, without the lock */
	size_t n;
	struct watched *backends[BACKENDS_LIMIT]; /* changed by the main thread alone */
};

/* Varies the interval by up to a tenth, so that several proxies do not poll in step. */
static uint64_t jittered(struct engine_watch *w, uint64_t ns)
{
	return ns - ns / 10 + (uint64_t)((double)ns / 5 * rng_unit(&w->rng));
}

/* Whether to delay the poll: an engine that serves one request at a time might abort the answer
 * in progress. */
static bool must_wait(const struct watched *b)
{
	struct engine_view view;
	engine_info_view(b->backend->engine, &view);
	return (view.dialect->abilities & ABILITY_ONE_AT_A_TIME) &&
	       atomic_load(&b->backend->in_flight) > 0;
}

/* Another engine may be behind the URL now. */
static bool manifest_changed(const struct engine_view *before, const struct engine_view *now)
{
	static const struct id none;
	return memcmp(&before->manifest, &none, sizeof(none)) != 0 &&
	       memcmp(&before->manifest, &now->manifest, sizeof(none)) != 0;
}

/* For a server that answers, but will serve no request. The primary gets its clients' keys, so it
 * may refuse a GET without one. */
static void warn_of_server(const struct backend_state *s, const struct engine_identity *i)
{
	const struct backend_settings *b = s->settings;
	int locked = engine_identity_locked(i);
	bool is_keyless_primary = !s->book && !b->api_key;
	if (locked && !is_keyless_primary) {
		log_warn("{backend} at {url} answers GET /v1/models with {status}: {error}.",
		        log_field("backend", b->name), log_field("url", b->url),
		        log_field("status", locked),
		        log_field("error", b->api_key ? "it refuses the API key of api_key_env"
		                                      : "it requires an API key; set api_key_env"));
	} else if (!locked && engine_identity_any_complete(i) && !engine_identity_answers(i)) {
		log_warn("{backend} at {url} does not look like an inference engine. Check that "
		         "the URL is right.",
		        log_field("backend", b->name), log_field("url", b->url));
	}
}

static bool identify_now(const struct engine_watch *w, struct watched *b, const char *model)
{
	struct engine_view before, now;
	engine_info_view(b->backend->engine, &before);
	struct engine_identity *i = engine_detect(
	        b->line, &(struct engine_detection){.timeout_ms = GET_TIMEOUT_MS, .gently = true});
	bool whole = false;
	if (i->reachable) {
		backend_state_report_answer(b->backend);
		warn_of_server(b->backend, i);
		whole = engine_info_update(
		        b->backend->engine, i, manifest_collect(b->line, i, model));
		backend_state_engine_changed(b->backend);
		engine_info_view(b->backend->engine, &now);
		if (manifest_changed(&before, &now)) {
			/* if several engines answer in turn, each is new only once */
			bool is_new = now.manifests != before.manifests;
			kinds_forget(w->kinds, b->backend->label, is_new);
		}
	} else if (!call_line_stopped(b->line)) {
		backend_state_report_failure(
		        b->backend, true, i->problem ? i->problem : "no answer", NULL);
	}
	engine_identity_destroy(i);
	return whole;
}

static void free_watched(struct watched *b)
{
	if (b) {
		call_line_destroy(b->line);
		backend_state_unref(b->backend);
		free(b->model);
		free(b);
	}
}

/* The backend that is due first. */
static struct watched *next(struct engine_watch *w)
{
	struct watched *first = w->backends[0];
	for (size_t i = 1; i < w->n; i++) {
		if (w->backends[i]->due < first->due) {
			first = w->backends[i];
		}
	}
	return first;
}

/* Called with the lock held. Releases it during the poll. */
static void identify_unlocked(struct engine_watch *w, struct watched *b)
{
	char *model = b->model ? xstrdup(b->model) : NULL;
	b->polled = clock_mono();
	b->due = NEVER;
	w->polling = b;
	pthread_mutex_unlock(&w->lock);
	bool whole = identify_now(w, b, model);
	atomic_store(&b->backend->unidentified, false);
	free(model);
	pthread_mutex_lock(&w->lock);
	w->polling = NULL;
	if (b->dropped) {
		free_watched(b);
	} else if (b->due == NEVER && b->poll) {
		/* Otherwise another poll was requested in the meantime, and stays scheduled. */
		if (whole) {
			b->retry = FIRST_RETRY_NS;
			b->due = b->polled + jittered(w, b->poll);
		} else {
			b->due = b->polled + jittered(w, b->retry);
			b->retry = MIN(b->retry * 2, b->poll);
		}
	}
}

static void *run(void *arg)
{
	struct engine_watch *w = arg;
	pthread_mutex_lock(&w->lock);
	while (!w->stopped) {
		struct watched *b = next(w);
		if (b->due == NEVER) {
			pthread_cond_wait(&w->wake, &w->lock);
		} else if (b->due > clock_mono()) {
			struct timespec until = {
			        (time_t)(b->due / SECOND_NS), (long)(b->due % SECOND_NS)};
			pthread_cond_timedwait(&w->wake, &w->lock, &until);
		} else if (must_wait(b)) {
			b->due = clock_mono() + BUSY_PAUSE_NS;
		} else {
			identify_unlocked(w, b);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Opens the line to a backend that is polled. */
static struct call_line *connect_to(const struct backend_settings *b)
{
	char *error = NULL;
	struct call_line *line = call_line_create(
	        &(struct call_line_settings){
	                .url = b->url, .ca_file = b->ca_file, .api_key = b->api_key},
	        &error);
	if (!line) {
		log_warn("The proxy can't ask {backend} at {url} which engine it is: {error}.",
		        log_field("backend", b->name), log_field("url", b->url),
		        log_field("error", error));
		free(error);
	}
	return line;
}

static struct watched *find(const struct engine_watch *w, const struct backend_state *p)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->backends[i]->backend == p) {
			return w->backends[i];
		}
	}
	return NULL;
}

/* Sets how often a backend is polled, and the model's name in its questions. Locked. */
static void set_poll(
        const struct engine_watch *w, struct watched *b, const struct backend_settings *s)
{
	bool was = b->line && b->poll;
	if (s->poll && !b->line) {
		b->line = connect_to(s);
	}
	b->poll = b->line ? s->poll : 0;
	if (!b->poll) {
		b->due = NEVER;
		atomic_store(&b->backend->unidentified, false);
	} else if (!was) {
		b->due = 0;
	} else if (b != w->polling) {
		b->due = MIN(b->due, b->polled + b->poll);
	}
	/* A reference may use another name for the model. The primary is asked for the name that
	 * it reports, unless it lists several installed models. */
	free(b->model);
	b->model = s->rules.n_models ? xstrdup(s->rules.models[0].to) : NULL;
}

/* Removes the backends that are no longer among the n. Locked. */
static void remove_others(struct engine_watch *w, struct watched *const *now, size_t n)
{
	for (size_t i = 0; i < w->n; i++) {
		struct watched *b = w->backends[i];
		bool stays = false;
		for (size_t k = 0; k < n; k++) {
			stays = stays || now[k] == b;
		}
		if (!stays && b == w->polling) {
			b->dropped = true;
			call_line_stop(b->line);
		} else if (!stays) {
			free_watched(b);
		}
	}
}

/* No backend is polled any more, so copies no longer wait for an identification. */
static void release_copies(const struct engine_watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		atomic_store(&w->backends[i]->backend->unidentified, false);
	}
}

static int start_thread(struct engine_watch *w)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int r = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

struct engine_watch *engine_watch_create(uint32_t seed, struct kinds *kinds)
{
	struct engine_watch *w = xcalloc(1, sizeof(*w));
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&w->lock, NULL);
	w->rng.state = clock_mono() ^ seed;
	w->kinds = kinds;
	return w;
}

void engine_watch_follow(struct engine_watch *w, const struct config_snapshot *snapshot)
{
	struct watched *now[BACKENDS_LIMIT];
	bool any = false;
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i <= snapshot->n_references; i++) {
		struct backend_state *p = config_snapshot_backend(snapshot, i);
		now[i] = find(w, p);
		if (!now[i]) {
			now[i] = xmalloc(sizeof(*now[i]));
			*now[i] = (struct watched){.backend = backend_state_ref(p),
			        .due = NEVER,
			        .retry = FIRST_RETRY_NS};
		}
		set_poll(w, now[i],
		        i ? &snapshot->settings->references[i - 1] : &snapshot->settings->primary);
		any = any || now[i]->poll;
	}
	remove_others(w, now, snapshot->n_references + 1);
	w->n = snapshot->n_references + 1;
	memcpy(w->backends, now, w->n * sizeof(now[0]));
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	if (any && !w->running) {
		int r = start_thread(w);
		w->running = r == 0;
		if (r) {
			log_warn("The proxy can't find out which engines the backends are, because "
			         "a thread could not be started: {error}.",
			        log_field("error", strerror(r)));
			release_copies(w);
		}
	}
}

void engine_watch_destroy(struct engine_watch *w)
{
	if (!w) {
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		free_watched(w->backends[i]);
	}
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void engine_watch_stop(struct engine_watch *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopped = true;
	pthread_cond_signal(&w->wake);
	release_copies(w);
	for (size_t i = 0; i < w->n; i++) {
		if (w->backends[i]->line) {
			call_line_stop(w->backends[i]->line);
		}
	}
	pthread_mutex_unlock(&w->lock);
}

void engine_watch_join(struct engine_watch *w)
{
	if (w->running) {
		pthread_join(w->thread, NULL);
	}
}

void engine_watch_poll_soon(struct engine_watch *w, const struct backend_state *p)
{
	pthread_mutex_lock(&w->lock);
	struct watched *b = find(w, p);
	if (b && b->poll) {
		uint64_t pause = MIN(ENGINE_WATCH_PAUSE_NS, b->poll);
		b->due = MIN(b->due, b->polled + pause);
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
}
