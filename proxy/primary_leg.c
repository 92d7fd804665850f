#include "proxy/primary_leg.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "proxy/client.h"
#include "proxy/exchange_record.h"
#include "proxy/exchange.h"
#include "proxy/head.h"
#include "proxy/worker.h"

static enum outcome outcome_of(const struct exchange *e, enum upstream_reason reason)
{
	switch (e->interrupted) {
	case INTERRUPTED_BAD_BODY:
	case INTERRUPTED_REFUSED:
		return OUTCOME_BAD_REQUEST;
	case INTERRUPTED_STOPPED:
		return leg_outcome(reason, OUTCOME_STOPPED);
	case INTERRUPTED_CLIENT_LEFT:
		return leg_outcome(reason, OUTCOME_CLIENT_GONE);
	case INTERRUPTED_NOT: /* cancelled by exchange_abort_answer() */
		break;
	}
	return leg_outcome(reason, OUTCOME_BROKEN);
}

static void send_failure(struct exchange *e, const struct upstream_end *end)
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
	char *message = xasprintf("The engine gave no answer: %s.", end->text);
	response_error(&e->response, status, code, message,
	        e->upload.input == UPLOAD_COMPLETE && e->head->keep_alive);
	free(message);
}

void primary_leg_answer_stopped(struct exchange *e)
{
	if (e->response.state == RESPONSE_WAITING) {
		response_error(&e->response, 503, "stopped", "The proxy was stopped.", false);
	} else {
		response_abort(&e->response);
	}
}

/* The answer did not complete. Sends an error if nothing was sent yet; else ends the answer
 * early. */
static void handle_failure(struct exchange *e, const struct upstream_end *end)
{
	if (end->reason != UPSTREAM_CANCELLED && end->reason != UPSTREAM_BODY_FAILED) {
		backend_state_report_failure(e->config->snapshot->primary,
		        end->reason == UPSTREAM_REFUSED, end->text, &e->id);
		shared_count(e->shared, COUNTER_UPSTREAM_FAILED, 1);
		if (end->reason == UPSTREAM_REFUSED) {
			kinds_doubt(e->shared->kinds, e->config->snapshot->primary->label);
		}
		injection_broken(e);
	}
	if (e->interrupted == INTERRUPTED_STOPPED) {
		primary_leg_answer_stopped(e);
	} else if (e->response.state == RESPONSE_WAITING) {
		send_failure(e, end);
	} else {
		response_abort(&e->response);
	}
}

/* Sends the request again, as the client sent it. */
static void begin_retry(struct exchange *e)
{
	exchange_set_state(e, EXCHANGE_RETRYING);
	injection_begin_retry(e);
	primary_leg_cancel(e);
}

static void on_end(void *arg, const struct upstream_end *end)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	struct upstream *over = e->primary.upstream; /* keeps end->text alive */
	e->primary.upstream = NULL;
	e->primary.ended_ns = clock_mono();
	bool sending = e->state == EXCHANGE_SENDING && !e->interrupted;
	if (end->reason == UPSTREAM_DONE && e->state == EXCHANGE_SENDING &&
	        injection_end_is_strange(e)) {
		begin_retry(e);
	} else if (sending && end->reason == UPSTREAM_BROKEN && !end->has_head &&
	           injection_loss_is_ours(e)) {
		begin_retry(e);
	} else if (injection_has_first_answer(e) && !e->interrupted) {
		injection_restore_first(e);
		injection_end(e);
		response_end(&e->response, e->upload.input == UPLOAD_COMPLETE);
		exchange_complete(e, OUTCOME_COMPLETE, NULL);
		upstream_destroy(over);
		return;
	}
	if (e->state == EXCHANGE_RETRYING && !e->interrupted) {
		leg_discard(&e->primary.leg);
		primary_leg_start(e);
		upstream_destroy(over);
		return;
	}
	e->primary.leg.row.marks |= end->retried ? LEG_RETRIED : 0;
	if (end->reason == UPSTREAM_DONE) {
		injection_end(e);
		response_end(&e->response, e->upload.input == UPLOAD_COMPLETE);
	} else {
		handle_failure(e, end);
	}
	exchange_complete(
	        e, outcome_of(e, end->reason), end->reason == UPSTREAM_DONE ? NULL : end->text);
	upstream_destroy(over);
}

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
	backend_state_report_answer(e->config->snapshot->primary);
	if (injection_head_fails(e, head)) {
		begin_retry(e);
		return;
	}
	if (injection_has_first_answer(e) && !head_is_success(head)) {
		/* The second try does not succeed. Cancel it, to send the answer to the first. */
		exchange_set_state(e, EXCHANGE_RETRYING);
		primary_leg_cancel(e);
		return;
	}
	e->primary.head_us = (clock_mono() - e->mono_ns) / 1000;
	e->primary.leg.recording = exchange_record_decided(e);
	bool may_fail = injection_may_fail(e, head);
	e->primary.leg.held = may_fail;
	leg_head(&e->primary.leg, head,
	        &(struct reading_hints){
	                .endpoint = e->endpoint,
	                .wants_logprobs = e->facts.has_logprobs ||
	                                  (e->injection.attempt == ATTEMPT_INJECTED &&
	                                          e->injection.added.logprobs),
	                .has_tools = e->facts.has_tools,
	                .offered = e->facts.offered,
	        });
	if (head->status == 101) {
		tunnel_open(e, head);
		return;
	}
	if (e->upload.input == UPLOAD_COMPLETE && !may_fail) {
		upload_stop_keeping(&e->upload);
	}
	injection_head(e, head);
}

static bool on_body(void *arg, const char *data, size_t len)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->state != EXCHANGE_SENDING) {
		return true;
	}
	/* The client comes first; recording can wait. */
	bool more = injection_body(e, data, len);
	if (e->injection.next) {
		begin_retry(e);
		return true;
	}
	leg_body(&e->primary.leg, data, len);
	e->primary.paused = !more && e->client;
	return !e->primary.paused;
}

void primary_leg_resume(struct exchange *e)
{
	if (e->primary.paused && e->primary.upstream) {
		e->primary.paused = false;
		upstream_resume(e->primary.upstream);
	}
}

void primary_leg_body_ready(struct exchange *e)
{
	upload_mark_announced(&e->upload);
	if (e->primary.upstream) {
		upstream_body_ready(e->primary.upstream);
	}
}

bool primary_leg_cancel(struct exchange *e)
{
	bool runs = e->primary.upstream;
	if (runs) {
		upstream_cancel(e->primary.upstream);
	}
	return runs;
}

struct leg *primary_leg_detach(struct exchange *e)
{
	struct leg *first = xmalloc(sizeof(*first));
	leg_stop(&e->primary.leg);
	*first = e->primary.leg;
	e->primary.leg = (struct leg){0};
	return first;
}

void primary_leg_restore(struct exchange *e, struct leg *first)
{
	leg_discard(&e->primary.leg);
	e->primary.leg = *first;
	free(first);
}

void primary_leg_finish(struct exchange *e, enum outcome outcome, const char *text)
{
	struct leg *leg = &e->primary.leg;
	if (!leg->begun) {
		return;
	}
	/* If recording was decided only after the answer's head, the data before that is lost. */
	bool late = !leg->recording && leg->row.status && exchange_record_decided(e);
	leg->row.marks |= late ? LEG_TRUNCATED : 0;
	memcpy(leg->row.prompt, e->hashes.prompt, sizeof(leg->row.prompt));
	leg->recording = exchange_record_decided(e);
	leg_end(leg, outcome, text, NULL);
}

static const struct upstream_events events = {on_interim, on_head, on_body, on_end};

static ssize_t pull(void *arg, char *buf, size_t cap)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->injection.attempt == ATTEMPT_INJECTED) {
		return injection_pull(&e->injection, buf, cap);
	}
	ssize_t n = upload_pull(&e->upload, buf, cap);
	if (n > 0 && e->client && e->upload.input != UPLOAD_COMPLETE) {
		client_resume_reading(e->client);
	}
	return n;
}

static void rewind_body(void *arg)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->injection.attempt == ATTEMPT_INJECTED) {
		e->injection.offset = 0;
	} else {
		upload_rewind(&e->upload);
	}
}

/* Gathers the end-to-end fields, except those that the transport sets and those that the proxy
 * handles itself. */
static void gather_fields(const struct exchange *e, struct fields *fields)
{
	const struct http_head *head = e->head;
	for (size_t i = 0; i < head->n_fields; i++) {
		struct span name = head->fields[i].name;
		if (http_is_hop_by_hop(head, name) || head_is_for_proxy(name) ||
		        span_is_nocase(name, "host") || span_is_nocase(name, "content-length") ||
		        span_is_nocase(name, "expect")) {
			continue;
		}
		fields_add(fields, name, head->fields[i].value);
	}
}

static int64_t body_length(const struct exchange *e)
{
	if (e->injection.attempt == ATTEMPT_INJECTED) {
		return (int64_t)e->injection.sent.len;
	}
	return e->head->has_length ? (int64_t)e->head->length : -1;
}

static void begin_leg(struct exchange *e)
{
	struct engine_view engine;
	engine_info_view(e->config->snapshot->primary->engine, &engine);
	struct leg_frame frame = shared_frame(
	        e->shared, e->settings, &e->settings->primary, e->config->snapshot->primary);
	leg_begin(&e->primary.leg, &frame, e->id, engine.dialect, engine.manifest, false);
	e->primary.leg.row.queued_us = 0;
	e->primary.leg.keep = answer_scoring_keep(e);
	answer_scoring_begin(e);
	e->primary.sent_ns = e->primary.leg.mono;
	if (e->injection.attempt == ATTEMPT_INJECTED) {
		e->primary.leg.row.kind = e->injection.number;
		leg_set_edits(&e->primary.leg, &e->injection.edits, &e->injection.added);
		e->primary.leg.row.marks |= exchange_audit_mark(e, &e->injection.added);
	} else if (injection_was_refused(&e->injection)) {
		e->primary.leg.row.marks |= LEG_INJECTION_REFUSED;
	}
}

void primary_leg_start(struct exchange *e)
{
	exchange_set_state(e, EXCHANGE_SENDING);
	upload_mark_announced(&e->upload);
	begin_leg(e);
	if (e->injection.attempt != ATTEMPT_INJECTED && e->upload.kept) {
		upload_rewind(&e->upload);
	}
	struct fields fields = {0};
	struct buf target = {0};
	gather_fields(e, &fields);
	if (!span_is(e->head->target, "*")) {
		buf_append_str(&target, e->settings->primary.base_path);
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
	        .websocket = e->tunnel,
	        .replayable = e->upload.input == UPLOAD_COMPLETE &&
	                      (e->injection.attempt == ATTEMPT_INJECTED || e->upload.kept),
	        .rewind = rewind_body,
	};
	e->primary.upstream = upstream_create(e->config->primary->transport, &events, e);
	int r = upstream_start(e->primary.upstream, &request);
	fields_finish(&fields);
	buf_finish(&target);
	if (r < 0) {
		upstream_destroy(e->primary.upstream);
		e->primary.upstream = NULL;
		response_error(&e->response, 400, "bad_request",
		        "The request has a field that can't be passed on.", false);
		exchange_complete(e, OUTCOME_BAD_REQUEST, "a field that can't be passed on");
	}
}
