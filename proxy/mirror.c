#include "proxy/mirror.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/mem.h"
#include "proxy/copy.h"
#include "proxy/exchange.h"
#include "proxy/connection_pool.h"
#include "proxy/answer_scoring.h"
#include "proxy/score_pool.h"
#include "proxy/worker.h"

#define MIRROR_MAGIC 0x3122042du

static void on_schedule(uv_timer_t *timer);

struct mirror *mirror_create(struct worker *w, struct config_snapshot *snapshot, size_t number)
{
	struct mirror *m = xcalloc(1, sizeof(*m));
	m->magic = MIRROR_MAGIC;
	m->refs = 1;
	m->worker = w;
	m->backend = backend_state_ref(snapshot->references[number]);
	m->pool = connection_pool_create(
	        &w->loop, w->shared, snapshot, &snapshot->settings->references[number]);
	list_init(&m->waiting);
	list_init(&m->running);
	list_append(&w->mirrors, &m->link);
	expect(uv_timer_init(&w->loop, &m->start_timer) == 0);
	m->start_timer.data = m;
	return m;
}

static void on_closed(uv_handle_t *handle)
{
	struct mirror *m = CHECKED(struct mirror, handle->data, MIRROR_MAGIC);
	m->magic = 0;
	free(m);
}

struct mirror *mirror_ref(struct mirror *m)
{
	m->refs++;
	return m;
}

void mirror_unref(struct mirror *m)
{
	if (--m->refs) {
		return;
	}
	expect(mirror_is_idle(m));
	list_remove(&m->link);
	connection_pool_unref(m->pool);
	backend_state_unref(m->backend);
	uv_close((uv_handle_t *)&m->start_timer, on_closed);
}

bool mirror_is_idle(const struct mirror *m)
{
	return list_empty(&m->waiting) && list_empty(&m->running);
}

/* Deciding. */

static bool is_route(const struct exchange *e)
{
	const struct settings *conf = e->settings;
	struct span path = e->head->target;
	const char *query = memchr(path.data, '?', path.len);

	if (endpoint_is_openai(e->endpoint)) {
		return true;
	}
	path.len = query ? (size_t)(query - path.data) : path.len;
	for (size_t i = 0; i < conf->mirror_routes.n; i++) {
		if (span_ends(path, conf->mirror_routes.items[i])) {
			return true;
		}
	}
	return false;
}

static bool is_multipart(const struct http_head *head)
{
	return span_starts_nocase(http_field(head, "content-type"), "multipart/");
}

/* True: a rule excludes the exchange from all references. */
static bool is_excluded(const struct exchange *e, enum ledger_exclusion *ret_reason)
{
	if (e->record.opted_out) {
		*ret_reason = EXCLUDED_OPTED_OUT;
	} else if (!span_is(e->head->method, "POST")) {
		*ret_reason = EXCLUDED_METHOD;
	} else if (!is_route(e)) {
		*ret_reason = EXCLUDED_ENDPOINT;
	} else if (is_multipart(e->head)) {
		*ret_reason = EXCLUDED_MULTIPART;
	} else if (e->upload.input != UPLOAD_COMPLETE) {
		*ret_reason = EXCLUDED_INCOMPLETE;
	} else if (e->facts.stateful) {
		*ret_reason = EXCLUDED_STATEFUL;
	} else {
		return false;
	}
	return true;
}

bool mirror_may_copy(const struct exchange *e)
{
	return e->settings->n_references && !e->record.opted_out &&
	       span_is(e->head->method, "POST") && is_route(e) && !is_multipart(e->head);
}

static uint64_t sample_key(const struct exchange *e, const struct sample *s)
{
	struct span body = {0};
	if (exchange_is_parsed(e) && e->upload.kept && e->upload.body.n == 1) {
		body = exchange_decoded_body(e);
	}
	return sampler_key(
	        s, e->id, e->head, body, e->body == EXCHANGE_BODY_HASHED ? &e->hashes : NULL);
}

static void decide_copy(struct exchange *e, size_t number)
{
	struct mirror *m = e->config->mirrors[number];
	const struct backend_settings *b = &e->settings->references[number];
	struct backend_state *r = m->backend;
	/* The budget counts the body and the exchange already. */
	size_t overhead = sizeof(struct copy) + e->head->raw.len;
	if (!budget_take(&e->shared->budget, overhead)) {
		ledger_dropped(r->book, DROP_MEMORY);
		return;
	}
	uint64_t bytes = e->decoded ? e->decoded->len : e->upload.received;
	if (!backend_state_enqueue(r, b->queue_limit, overhead + bytes)) {
		budget_give(&e->shared->budget, overhead);
		ledger_dropped(r->book, DROP_QUEUE);
		return;
	}
	atomic_fetch_add(&r->waiting, 1);
	struct copy *c = copy_create(m, e, b, overhead);
	list_append(&m->waiting, &c->link);
	e->copies = COPIES_WANTED;
	mirror_schedule(m);
}

/* Whether the reference scores the request. Of the requests that it gets, it generates answers
 * to those with the lowest values of the same hash. */
static bool is_scored(const struct backend_settings *b, uint64_t key)
{
	return b->mode == MIRROR_SCORE ||
	       (b->mode == MIRROR_BOTH &&
	               !sampler_within(b->sample.share * b->score.generate, key));
}

static void decide_reference(struct exchange *e, size_t number)
{
	const struct backend_settings *b = &e->settings->references[number];
	struct backend_state *r = e->config->mirrors[number]->backend;
	uint64_t key = sample_key(e, &b->sample);
	enum sampled sampled = sampler_decide(r->sampler, &b->sample, key, clock_mono());
	if (sampled != SAMPLED) {
		ledger_excluded(r->book,
		        sampled == SAMPLED_OUT_RATE ? EXCLUDED_RATE : EXCLUDED_NOT_SAMPLED);
	} else if (atomic_load(&r->self_stopped)) {
		ledger_excluded(r->book, EXCLUDED_PRIMARY_SLOW);
	} else if (!e->upload.kept) {
		ledger_dropped(r->book, e->upload.oversize ? DROP_BODY_LIMIT : DROP_MEMORY);
	} else if (is_scored(b, key)) {
		e->copies = answer_scoring_select(e, number) ? COPIES_WANTED : e->copies;
	} else {
		decide_copy(e, number);
	}
}

void mirror_decide(struct exchange *e)
{
	enum ledger_exclusion reason;
	bool excluded = is_excluded(e, &reason);

	expect(e->copies == COPIES_UNDECIDED);
	e->copies = COPIES_NONE;
	for (size_t i = 0; i < e->settings->n_references; i++) {
		if (e->interrupted == INTERRUPTED_REFUSED) {
			ledger_excluded(e->config->mirrors[i]->backend->book, EXCLUDED_REFUSED);
		} else if (excluded) {
			ledger_excluded(e->config->mirrors[i]->backend->book, reason);
		} else {
			decide_reference(e, i);
		}
	}
	answer_scoring_decided(e);
}

/* The queue. */

void mirror_schedule(struct mirror *m)
{
	/* Do not start copies right here. A timer of 0 fires after the callbacks that send the
	 * primary's request. */
	if (!uv_is_active((uv_handle_t *)&m->start_timer) &&
	        !uv_is_closing((uv_handle_t *)&m->start_timer)) {
		uv_timer_start(&m->start_timer, on_schedule, 0, 0);
	}
}

static void dequeue(struct mirror *m, struct copy *c)
{
	list_remove(&c->link);
	backend_state_dequeue(m->backend, c->overhead + c->body.bytes);
	atomic_fetch_sub_explicit(&m->backend->waiting, 1, memory_order_relaxed);
}

static void cancel_copies_of(struct mirror *m, const struct exchange *e)
{
	LIST_EACH(struct copy, c, link, &m->waiting)
	{
		if (c->exchange == e) {
			dequeue(m, c);
			copy_record_unsent(c, OUTCOME_CLIENT_GONE, "the client left");
		}
	}
	LIST_EACH(struct copy, c, link, &m->running)
	{
		if (c->exchange == e) {
			copy_cancel(c, OUTCOME_CLIENT_GONE, "the client left");
		}
	}
}

void mirror_client_gone(struct exchange *e)
{
	for (size_t i = 0; e->copies == COPIES_WANTED && i < e->settings->n_references; i++) {
		if (e->settings->references[i].on_client_gone != GONE_FINISH) {
			cancel_copies_of(e->config->mirrors[i], e);
		}
	}
}

static void on_schedule(uv_timer_t *timer)
{
	struct mirror *m = CHECKED(struct mirror, timer->data, MIRROR_MAGIC);
	while (!list_empty(&m->waiting) && backend_state_acquire_slot(m->backend)) {
		struct copy *c = LIST_ITEM(struct copy, link, m->waiting.next);
		dequeue(m, c);
		list_append(&m->running, &c->link);
		copy_start(c);
	}
}

void mirror_slot_freed(struct mirror *m)
{
	struct shared *s = m->worker->shared;
	atomic_fetch_sub(&m->backend->running, 1);
	if (atomic_load(&m->backend->scores_waiting)) {
		score_pool_wake(s->scoring, m->backend);
	}
	if (!list_empty(&m->waiting)) {
		mirror_schedule(m);
	} else if (atomic_load(&m->backend->waiting)) {
		worker_wake_all(s);
	}
}

void mirror_check_timeouts(struct mirror *m, uint64_t now)
{
	LIST_EACH(struct copy, c, link, &m->running)
	{
		if (c->deadline && now > c->deadline) {
			copy_cancel(c, OUTCOME_TIMEOUT, "the copy took longer than total_timeout");
		}
	}
	if (!list_empty(&m->waiting)) {
		mirror_schedule(m); /* the reference may have been identified by now */
	}
}

void mirror_stop(struct mirror *m)
{
	LIST_EACH(struct copy, c, link, &m->waiting)
	{
		dequeue(m, c);
		copy_drop(c, DROP_STOPPED);
	}
	LIST_EACH(struct copy, c, link, &m->running)
	{
		copy_cancel(c, OUTCOME_STOPPED, "the proxy was stopped");
	}
}
