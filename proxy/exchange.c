#include "proxy/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MODULE "exchange"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/client.h"
#include "proxy/entry.h"
#include "proxy/head.h"
#include "proxy/mirror.h"
#include "proxy/privacy.h"
#include "proxy/worker.h"

#define EXCHANGE_MAGIC 0xe8c4a93eu

static void set_state(struct exchange *e, enum exchange_state state)
{
	expect(e->state != EXCHANGE_ENDED);
	e->state = state;
}

/* What a body may have at most for it to be worth keeping. */
static uint64_t keep_limit(const struct exchange *e)
{
	const struct settings *conf = e->shared->settings;
	uint64_t limit = e->endpoint == ENDPOINT_OTHER ? conf->relay_window : conf->inject_limit;
	if (mirror_may_copy(e)) {
		for (size_t i = 0; i < conf->n_references; i++) {
			limit = MAX(limit, conf->references[i].queue_limit);
		}
	}
	return limit;
}

struct exchange *exchange_create(struct client *client, const struct http_head *head)
{
	struct worker *w = client->worker;
	struct exchange *e = xcalloc(1, sizeof(*e));
	e->magic = EXCHANGE_MAGIC;
	e->refs = 1;
	e->worker = w;
	e->shared = w->shared;
	e->client = client;
	e->id = id_make();
	e->head = head_copy(head);
	e->endpoint = endpoint_of(head->method, head->target);
	e->wall_ns = clock_wall();
	e->mono_ns = clock_mono();
	e->in_flight =
	        atomic_fetch_add_explicit(&w->shared->in_flight, 1, memory_order_relaxed) + 1;
	memcpy(e->peer, client->peer, sizeof(e->peer));
	list_append(&w->exchanges, &e->link);
	upload_init(&e->upload, &w->shared->budget, keep_limit(e));
	e->upload.record = entry_wanted(e);
	e->hold = injection_holds(e);
	response_init(&e->response, client, head);
	shared_count(w->shared, FIGURE_EXCHANGES, 1);
	return e;
}

struct exchange *exchange_ref(struct exchange *e)
{
	e->refs++;
	return e;
}

void exchange_unref(struct exchange *e)
{
	if (--e->refs) {
		return;
	}
	expect(e->state == EXCHANGE_ENDED && !e->upstream);
	upload_finish(&e->upload);
	free(e->head);
	e->magic = 0;
	free(e);
}

/* --- the end
 * ------------------------------------------------------------------------------------------ */

static void count_times(struct exchange *e)
{
	uint64_t total = (clock_mono() - e->mono_ns) / 1000;
	shared_count(e->shared, FIGURE_TOTAL_COUNT, 1);
	shared_count(e->shared, FIGURE_TOTAL_US, total);
	if (e->answered_us) {
		shared_count(e->shared, FIGURE_HEAD_COUNT, 1);
		shared_count(e->shared, FIGURE_HEAD_US, e->answered_us);
	}
}

/* The primary leg has ended in some way, or never began: books, record, and the last of it but for
 * copies. */
static void complete(struct exchange *e, enum outcome outcome, const char *text)
{
	set_state(e, EXCHANGE_ENDED);
	if (!e->copies_decided) {
		mirror_decide(e);
	}
	if (e->leg.begun) {
		e->leg.recording = entry_decided(e);
		leg_end(&e->leg, outcome, text, NULL);
	}
	entry_exchange(e, outcome);
	count_times(e);
	injection_finish(e);
	e->client = NULL;
	e->response.client = NULL;
	list_remove(&e->link);
	atomic_fetch_sub_explicit(&e->shared->in_flight, 1, memory_order_relaxed);
	exchange_unref(e);
}

static enum outcome outcome_of(const struct exchange *e, enum upstream_reason reason)
{
	if (e->problem) {
		return OUTCOME_BAD_REQUEST;
	}
	switch (reason) {
	case UPSTREAM_DONE:
		return OUTCOME_COMPLETE;
	case UPSTREAM_REFUSED:
		return OUTCOME_REFUSED;
	case UPSTREAM_TIMEOUT:
		return OUTCOME_TIMEOUT;
	case UPSTREAM_BAD_ANSWER:
		return OUTCOME_BAD_ANSWER;
	case UPSTREAM_BROKEN:
		return OUTCOME_BROKEN;
	case UPSTREAM_CANCELLED:
	case UPSTREAM_BODY_FAILED:
		break;
	}
	return e->stopped ? OUTCOME_STOPPED : OUTCOME_CLIENT_GONE;
}

static void tell_failure(struct exchange *e, const struct upstream_end *end)
{
	int status = 502;
	const char *code = "upstream_broken";
	if (end->reason == UPSTREAM_TIMEOUT) {
		status = 504;
		code = "upstream_timeout";
	} else if (end->reason == UPSTREAM_REFUSED) {
		code = "upstream_refused";
	} else if (end->reason == UPSTREAM_BAD_ANSWER) {
		code = "upstream_bad_answer";
	}
	char *message = xasprintf("The engine gave no answer: %s", end->text ? end->text : code);
	response_error(&e->response, status, code, message, e->upload.whole && e->head->keep_alive);
	free(message);
}

static void tell_stop(struct exchange *e)
{
	if (e->response.state == RESPONSE_WAITING) {
		response_error(&e->response, 503, "stopped", "The proxy was stopped.", false);
	} else {
		response_abort(&e->response);
	}
}

/* The answer did not become whole: a clear error if nothing was sent yet, else an early end. */
static void fail(struct exchange *e, const struct upstream_end *end)
{
	if (end->reason != UPSTREAM_CANCELLED && end->reason != UPSTREAM_BODY_FAILED) {
		char id[ID_TEXT_SIZE];
		log_warn("The primary failed: %s exchange=%s", end->text ? end->text : "?",
		        id_format(e->id, id));
		shared_count(e->shared, FIGURE_UPSTREAM_FAILED, 1);
		injection_broken(e);
	}
	if (e->stopped) {
		tell_stop(e);
	} else if (e->response.state == RESPONSE_WAITING) {
		tell_failure(e, end);
	} else {
		response_abort(&e->response);
	}
}

static void start_primary(struct exchange *e);

static void on_end(void *arg, const struct upstream_end *end)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	struct upstream *over = e->upstream;    /* keeps end->text alive */
	e->upstream = NULL;
	if (e->state == EXCHANGE_RETRYING && !e->client_left && !e->stopped) {
		leg_discard(&e->leg);
		start_primary(e);
		upstream_destroy(over);
		return;
	}
	e->leg.row.marks |= end->retried ? LEG_RETRIED : 0;
	if (end->reason == UPSTREAM_DONE) {
		injection_end(e);
		response_end(&e->response, e->upload.whole);
	} else {
		fail(e, end);
	}
	complete(e, outcome_of(e, end->reason), end->reason == UPSTREAM_DONE ? NULL : end->text);
	upstream_destroy(over);
}

/* --- the answer
 * --------------------------------------------------------------------------------------- */

static void on_interim(void *arg, const struct http_head *head)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	response_interim(&e->response, head);
}

static void on_head(void *arg, const struct http_head *head)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->state != EXCHANGE_SENDING) {
		return;
	}
	if (injection_is_refused(e, head)) {
		set_state(e, EXCHANGE_RETRYING);
		injection_give_up(e);
		upstream_cancel(e->upstream);
		return;
	}
	e->answered_us = (clock_mono() - e->mono_ns) / 1000;
	e->leg.recording = entry_decided(e);
	leg_head(&e->leg, head, e->endpoint, e->facts.has_logprobs || e->injection.added.logprobs);
	if (e->upload.whole) {
		upload_let_go(&e->upload);
	}
	injection_head(e, head);
}

static bool on_body(void *arg, const char *data, size_t len)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->state != EXCHANGE_SENDING) {
		return true;
	}
	/* The client first: what is recorded can wait, a token can't. */
	bool more = injection_body(e, data, len);
	leg_body(&e->leg, data, len);
	e->paused = !more && e->client;
	return !e->paused;
}

static void resume(struct exchange *e)
{
	if (e->paused && e->upstream) {
		e->paused = false;
		upstream_resume(e->upstream);
	}
}

void exchange_drained(struct exchange *e)
{
	if (e->paused && client_queued(e->client) <= e->shared->settings->relay_window / 2) {
		resume(e);
	}
}

static const struct upstream_events events = {on_interim, on_head, on_body, on_end};

/* --- the request
 * -------------------------------------------------------------------------------------- */

static ssize_t pull(void *arg, char *buf, size_t cap)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->injection.active) {
		return injection_pull(&e->injection, buf, cap);
	}
	ssize_t n = upload_pull(&e->upload, buf, cap);
	if (n > 0 && e->client && !e->upload.whole) {
		client_more(e->client);
	}
	return n;
}

static void rewind_body(void *arg)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->injection.active) {
		e->injection.offset = 0;
	} else {
		upload_rewind(&e->upload);
	}
}

/* End-to-end fields but those that the transport makes and the ones that are answered by us. */
static void gather_fields(const struct exchange *e, struct fields *fields)
{
	const struct http_head *head = e->head;
	for (size_t i = 0; i < head->n_fields; i++) {
		struct span name = head->fields[i].name;
		if (http_is_hop_by_hop(head, name) || span_is_nocase(name, "host") ||
		        span_is_nocase(name, "content-length") || span_is_nocase(name, "expect") ||
		        (e->injection.active && span_is_nocase(name, "accept-encoding"))) {
			continue;
		}
		fields_add(fields, name, head->fields[i].value);
	}
	if (e->injection.active) {
		fields_add(fields, SPAN("Accept-Encoding"), SPAN("identity"));
	}
}

static int64_t body_length(const struct exchange *e)
{
	if (e->injection.active) {
		return (int64_t)e->injection.sent.len;
	}
	return e->head->has_length ? (int64_t)e->head->length : -1;
}

static void begin_leg(struct exchange *e)
{
	leg_begin(&e->leg, e->shared, e->id, &e->shared->settings->primary, ROLE_PRIMARY,
	        &e->shared->primary_in_flight, false);
	e->leg.row.queued_us = 0;
	if (e->injection.active) {
		leg_edited(&e->leg, &e->injection.edits, &e->injection.added);
	} else if (e->injection.refused) {
		e->leg.row.marks |= LEG_INJECTION_REFUSED;
	}
}

static void start_primary(struct exchange *e)
{
	set_state(e, EXCHANGE_SENDING);
	begin_leg(e);
	if (!e->injection.active && e->upload.kept) {
		upload_rewind(&e->upload);
	}
	struct fields fields = {0};
	struct buf target = {0};
	gather_fields(e, &fields);
	if (!span_is(e->head->target, "*")) {
		buf_append_str(&target, e->shared->settings->primary.base_path);
	}
	buf_append_span(&target, e->head->target);
	struct upstream_request request = {
	        .method = e->head->method,
	        .target = buf_span(&target),
	        .fields = fields.items,
	        .n_fields = fields.n,
	        .has_body = e->head->framing != HTTP_NO_BODY,
	        .body_length = body_length(e),
	        .pull = pull,
	        .replayable = e->upload.whole && (e->injection.active || e->upload.kept),
	        .rewind = rewind_body,
	};
	e->upstream = upstream_create(e->worker->primary, &events, e);
	int r = upstream_start(e->upstream, &request);
	fields_finish(&fields);
	buf_finish(&target);
	if (r < 0) {
		upstream_destroy(e->upstream);
		e->upstream = NULL;
		response_error(&e->response, 400, "bad_request",
		        "The request has a field that can't be passed on.", false);
		complete(e, OUTCOME_BAD_REQUEST, "a field that can't be passed on");
	}
}

void exchange_body(struct exchange *e, const char *data, size_t len)
{
	upload_add(&e->upload, data, len);
	e->fresh = e->state == EXCHANGE_SENDING;
	bool small = e->upload.kept && e->upload.received <= e->shared->settings->inject_limit;
	if (!small || e->endpoint == ENDPOINT_OTHER) {
		entry_upload(e);
	}
	e->hold = e->hold && small;
}

/* The cheap facts that everything else rests on. */
static void understand(struct exchange *e)
{
	if (e->understood || e->endpoint == ENDPOINT_OTHER || !e->upload.kept ||
	        e->upload.received > e->shared->settings->inject_limit || e->upload.recorded) {
		return;
	}
	struct span body = upload_span(&e->upload);
	request_read(e->endpoint, body, &e->facts);
	e->understood = true;
}

/* The primary has its request: now for the rest. */
static void settle_request(struct exchange *e)
{
	understand(e);
	if (e->understood && e->facts.is_json) {
		e->hashed = request_hash(
		        e->endpoint, upload_span(&e->upload), e->shared->hash_key, &e->hashes);
	}
	mirror_decide(e);
	entry_request(e);
}

void exchange_body_end(struct exchange *e)
{
	e->upload.whole = true;
	exchange_ref(e);
	if (e->state == EXCHANGE_HOLDING) {
		if (e->hold) {
			understand(e);
			injection_prepare(e);
		}
		start_primary(e);
	} else if (e->upstream) {
		e->fresh = false;
		upstream_body_ready(e->upstream);
	}
	if (e->state != EXCHANGE_ENDED) {
		settle_request(e);
	}
	exchange_unref(e);
}
void exchange_flush(struct exchange *e)
{
	if (e->state == EXCHANGE_HOLDING && !e->hold) {
		start_primary(e);
	} else if (e->state == EXCHANGE_SENDING && e->fresh && e->upstream &&
	           e->head->framing != HTTP_NO_BODY) {
		e->fresh = false;
		upstream_body_ready(e->upstream);
	}
}

bool exchange_takes_body(const struct exchange *e)
{
	return (e->state == EXCHANGE_HOLDING && e->hold) ||
	       upload_waiting(&e->upload) <= e->shared->settings->relay_window;
}

bool exchange_within_share(const struct exchange *e)
{
	static const struct sample by_exchange = {.share = 1.0, .salt = (char *)""};
	double share = e->shared->settings->inject_share;
	return share >= 1.0 || sampler_within(share, sampler_key(&by_exchange, e->id, e->head,
	                                                     (struct span){0}, NULL));
}

/* --- what ends it early
 * ------------------------------------------------------------------------------- */

static void give_up(struct exchange *e, enum outcome outcome, const char *text)
{
	if (e->state == EXCHANGE_RETRYING) {
		return; /* being cancelled already */
	}
	if (e->upstream) {
		upstream_cancel(e->upstream);
	} else {
		complete(e, outcome, text);
	}
}

void exchange_body_failed(struct exchange *e, const struct http_problem *problem)
{
	e->problem = problem;
	e->upload.failed = true;
	if (e->response.state == RESPONSE_WAITING) {
		response_error(&e->response, problem->status, "bad_request", problem->text, false);
	} else {
		response_abort(&e->response);
	}
	e->client = NULL;
	e->response.client = NULL;
	give_up(e, OUTCOME_BAD_REQUEST, problem->text);
}

void exchange_refuse(struct exchange *e, int status, const char *code, const char *message)
{
	log_info("Request refused: %s status=%d", message, status);
	shared_count(e->shared, FIGURE_REFUSED, 1);
	e->refused = true;
	response_error(&e->response, status, code, message, false);
	complete(e, OUTCOME_BAD_REQUEST, message);
}

void exchange_client_gone(struct exchange *e)
{
	e->client = NULL;
	e->response.client = NULL;
	if (e->state == EXCHANGE_ENDED) {
		return;
	}
	e->client_left = true;
	shared_count(e->shared, FIGURE_CLIENT_GONE, 1);
	mirror_client_gone(e);
	if (!e->upload.whole) {
		e->upload.failed = true;
		give_up(e, OUTCOME_CLIENT_GONE, "the client left within its request");
	} else if (e->shared->settings->primary.on_client_gone == GONE_CANCEL) {
		give_up(e, OUTCOME_CLIENT_GONE, "the client left");
	} else {
		resume(e);
	}
}

void exchange_stop(struct exchange *e)
{
	e->stopped = true;
	if (!e->upstream) {
		tell_stop(e);
	}
	give_up(e, OUTCOME_STOPPED, "the proxy was stopped");
}
