#include "proxy/backend_state.h"

#include <stdlib.h>
#include <string.h>

#define LOG_MODULE "backend"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/scoring_advice.h"

struct backend_state *backend_state_create(struct settings *conf, const struct backend_settings *b,
        struct ledger_book *book, struct recorder *recorder)
{
	struct backend_state *p = xcalloc(1, sizeof(*p));
	p->refs = 1;
	p->conf = settings_ref(conf);
	p->settings = b;
	p->label = xasprintf("%s %s", b->name, b->url);
	p->engine = engine_info_create(b, recorder);
	p->book = book;
	p->counts = (struct leg_counts){{&BOUNDS_ANSWER}, {&BOUNDS_GAP}, {&BOUNDS_ANSWER}};
	p->sampler = sampler_create();
	p->score_time.bounds = &BOUNDS_ANSWER;
	pthread_mutex_init(&p->lock, NULL);
	atomic_init(&p->unidentified, b->poll && !b->dialect);
	backend_state_set_limits(p, b);
	backend_state_engine_changed(p);
	return p;
}

struct backend_state *backend_state_ref(struct backend_state *p)
{
	atomic_fetch_add(&p->refs, 1);
	return p;
}

void backend_state_unref(struct backend_state *p)
{
	if (!p || atomic_fetch_sub(&p->refs, 1) != 1) {
		return;
	}
	engine_info_destroy(p->engine);
	sampler_destroy(p->sampler);
	error_tally_finish(&p->unscorable);
	pthread_mutex_destroy(&p->lock);
	settings_unref(p->conf);
	free(p->label);
	free(p);
}

static bool same_facts(const struct backend_settings *a, const struct backend_settings *b)
{
	bool same = a->n_stack == b->n_stack;
	for (size_t i = 0; same && i < a->n_stack; i++) {
		same = strcmp(a->stack[i].name, b->stack[i].name) == 0 &&
		       strcmp(a->stack[i].value, b->stack[i].value) == 0;
	}
	return same;
}

bool backend_state_matches(const struct backend_state *p, const struct backend_settings *b)
{
	const struct backend_settings *a = p->settings;
	return a->role == b->role && strcmp(a->name, b->name) == 0 && strcmp(a->url, b->url) == 0 &&
	       same_text(a->ca_file, b->ca_file) && same_text(a->api_key, b->api_key) &&
	       a->dialect == b->dialect && same_facts(a, b);
}

void backend_state_set_limits(struct backend_state *p, const struct backend_settings *b)
{
	atomic_store(&p->concurrency, b->max_concurrency);
	atomic_store(&p->concurrency_configured, b->has_max_concurrency);
	atomic_store(&p->mode, b->mode);
}

/* For primaries only: their clients would notice the harm. */
static void report_no_logprobs(struct backend_state *p, const struct dialect *d)
{
	bool no_logprobs = !p->book && d->logprobs_harm && p->conf->inject == INJECT_BOTH;
	if (!atomic_exchange(&p->no_logprobs, no_logprobs) && no_logprobs) {
		log_warn("The proxy requests no logprobs of {backend}, because with them {reason}. "
		         "logprobs.inject: always changes that.",
		        log_field("backend", p->settings->name),
		        log_field("reason", d->logprobs_harm), log_field("dialect", d->name));
	}
}

void backend_state_report_failure(
        struct backend_state *p, bool down, const char *error, const struct id *exchange)
{
	char id[ID_TEXT_SIZE];
	const char *id_text = exchange ? id_format(*exchange, id) : NULL;
	if (down) {
		uint64_t not_down = 0;
		atomic_compare_exchange_strong(&p->down_since, &not_down, clock_mono());
		log_warn("{backend} does not answer at {url}: {error}. Check that the engine runs "
		         "and that the URL is right.",
		        log_field("backend", p->settings->name), log_field("url", p->settings->url),
		        log_field("error", error), log_field("exchange", id_text));
	} else {
		log_warn("{backend} at {url} did not complete an answer: {error}.",
		        log_field("backend", p->settings->name), log_field("url", p->settings->url),
		        log_field("error", error), log_field("exchange", id_text));
	}
}

void backend_state_report_answer(struct backend_state *p)
{
	if (atomic_load(&p->down_since) == 0) {
		return;
	}
	uint64_t since = atomic_exchange(&p->down_since, 0);
	if (since) {
		log_info("{backend} answers again after {seconds} s.",
		        log_field("backend", p->settings->name), log_field("url", p->settings->url),
		        log_field("seconds", (clock_mono() - since) / 1000000000u));
	}
}

#define LONG_WAIT_NS (UINT64_C(60) * 1000000000)

static double mean_seconds(const struct buckets *b)
{
	struct buckets_figures f;
	buckets_figures(b, &f);
	uint64_t n = f.counts[b->bounds->n];
	return n ? (double)f.sum / (double)n / 1e6 : 0;
}

void backend_state_report_wait(struct backend_state *p, const struct backend_settings *b,
        enum inject_where inject, uint64_t waited_ns)
{
	if (waited_ns < LONG_WAIT_NS) {
		return;
	}
	struct engine_view view;
	engine_info_view(p->engine, &view);
	bool harmed = inject != INJECT_OFF && view.dialect->logprobs_harm;
	log_warn(harmed ? "Copies to {backend} wait for minutes, because with logprobs {reason}. A "
	                  "smaller sample, or logprobs.inject: off, shortens the wait."
	                : "Copies to {backend} wait for minutes, because it is slower than the "
	                  "traffic. A smaller sample shortens the wait.",
	        log_field("backend", b->name),
	        log_field("reason", harmed ? view.dialect->logprobs_harm : NULL),
	        log_field("waited_seconds", (double)waited_ns / 1e9),
	        log_field("copy_seconds", mean_seconds(&p->counts.whole)),
	        log_field("max_concurrency", backend_state_slots(p)));
}

bool backend_state_enqueue(struct backend_state *p, size_t queue_limit, size_t weight)
{
	size_t now = atomic_load_explicit(&p->waiting_bytes, memory_order_relaxed);
	do {
		bool free_place = atomic_load_explicit(&p->running, memory_order_relaxed) <
		                  backend_state_slots(p);
		if (now + weight > queue_limit && !(free_place && now == 0)) {
			return false;
		}
	} while (!atomic_compare_exchange_weak_explicit(
	        &p->waiting_bytes, &now, now + weight, memory_order_relaxed, memory_order_relaxed));
	return true;
}

void backend_state_dequeue(struct backend_state *p, size_t weight)
{
	atomic_fetch_sub_explicit(&p->waiting_bytes, weight, memory_order_relaxed);
}

bool backend_state_acquire_slot(struct backend_state *p)
{
	unsigned now = atomic_load(&p->running);
	do {
		if (now >= backend_state_slots(p)) {
			return false;
		}
	} while (!atomic_compare_exchange_weak(&p->running, &now, now + 1));
	return true;
}

bool backend_state_count_unscorable(struct backend_state *p, const char *why)
{
	pthread_mutex_lock(&p->lock);
	size_t before = p->unscorable.n;
	error_tally_add(&p->unscorable, why);
	bool is_new = p->unscorable.n > before;
	pthread_mutex_unlock(&p->lock);
	ledger_excluded(p->book, EXCLUDED_UNSCORABLE);
	return is_new;
}

#define SELF_MAX_SLOWDOWN 0.1
#define UNNOTICED_S 0.02 /* s: a smaller difference does not count as slow */

void backend_state_compare_latency(struct backend_state *p, bool while_scoring, double seconds)
{
	struct slowdown_ratio ratio;
	pthread_mutex_lock(&p->lock);
	bool judged = slowdown_add(&p->self_slowdown, while_scoring, seconds + UNNOTICED_S, &ratio);
	pthread_mutex_unlock(&p->lock);
	if (judged && ratio.low > 1 + SELF_MAX_SLOWDOWN &&
	        !atomic_exchange(&p->self_stopped, true)) {
		log_warn("{backend} no longer scores its own answers: while it does, the first "
		         "byte of an answer takes {ratio} times as long (99 % interval: {low} to "
		         "{high}).",
		        log_field("backend", p->conf->primary.name),
		        log_field("ratio", ratio.middle), log_field("low", ratio.low),
		        log_field("high", ratio.high));
	}
}

/* Called when the engine is recognised, and again when the engine or the mode changes. */
static void report_scoring(struct backend_state *p, const struct dialect *d)
{
	char *advice = scoring_advice(p->settings->name, atomic_load(&p->mode), d);
	const struct dialect *about = advice ? d : NULL;
	if (atomic_exchange(&p->scoring_reported, about) != about && advice) {
		log_warn(advice, log_field("backend", p->settings->name));
	}
	free(advice);
}

void backend_state_engine_changed(struct backend_state *p)
{
	struct engine_view view;
	engine_info_view(p->engine, &view);
	report_no_logprobs(p, view.dialect);
	report_scoring(p, view.dialect);
	bool alone = view.dialect->abilities & ABILITY_ONE_AT_A_TIME;
	bool was = atomic_exchange(&p->alone, alone);
	if (p->book && alone && !was && !atomic_load(&p->concurrency_configured)) {
		log_info("{backend} gets one copy at a time, because a second request may abort an "
		         "answer of {dialect}. max_concurrency changes that.",
		        log_field("backend", p->settings->name),
		        log_field("dialect", view.dialect->name));
	}
}
