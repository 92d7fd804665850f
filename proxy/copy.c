#include "proxy/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MODULE "copy"
#include "backends/copy_body.h"
#include "capture/privacy/credential.h"
#include "capture/privacy/privacy.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/privacy/secret_scan.h"
#include "proxy/exchange.h"
#include "proxy/head.h"
#include "proxy/injection.h"
#include "proxy/mirror.h"
#include "proxy/connection_pool.h"
#include "proxy/answer_scoring.h"
#include "proxy/shared.h"
#include "proxy/worker_config.h"

#define COPY_MAGIC 0xc0b1ed17u

struct copy *copy_create(
        struct mirror *m, struct exchange *e, const struct backend_settings *to, size_t overhead)
{
	struct copy *c = xcalloc(1, sizeof(*c));
	c->magic = COPY_MAGIC;
	c->mirror = m;
	c->exchange = exchange_ref(e);
	c->settings = to;
	c->body = exchange_body_for_copy(e);
	c->overhead = overhead;
	c->queued = clock_mono();
	return c;
}

static struct shared *shared_of(const struct copy *c)
{
	return c->exchange->shared;
}

static void drop_sent(struct copy *c)
{
	budget_give(&shared_of(c)->budget, c->sent.len);
	buf_finish(&c->sent);
	c->edited = false;
}

static void destroy(struct copy *c)
{
	expect(!c->upstream && !c->leg.begun);
	list_remove(&c->link);
	drop_sent(c);
	budget_give(&shared_of(c)->budget, c->overhead);
	chunks_finish(&c->body);
	exchange_unref(c->exchange);
	c->magic = 0;
	free(c);
}

void copy_drop(struct copy *c, enum ledger_drop cause)
{
	ledger_dropped(c->mirror->backend->book, cause);
	destroy(c);
}

/* Ends a copy that occupied a slot. */
static void finish(struct copy *c)
{
	struct mirror *m = c->mirror;
	destroy(c);
	mirror_slot_freed(m);
}

/* The request. */

static struct kind_key key_of(const struct copy *c)
{
	const struct exchange *e = c->exchange;
	const char *model = copy_body_model(&c->settings->rules, e->facts.model);
	return (struct kind_key){
	        .backend = c->mirror->backend->label,
	        .model = model ? model : e->facts.model,
	        .endpoint = e->endpoint,
	        .stream = e->facts.stream,
	        .tools = e->facts.has_tools,
	};
}

/* Whether this try gets added fields. Nobody sees the answer, so the engine's kind does not
 * matter. */
static bool wants_fields(const struct copy *c)
{
	struct kind_key key = key_of(c);
	bool refused = false;
	if (c->refused || c->exchange->settings->inject == INJECT_OFF ||
	        !exchange_within_share(c->exchange)) {
		return false;
	}
	kinds_get(shared_of(c)->kinds, &key, clock_mono(), &refused);
	return !refused;
}

/* Warns once per distinct message. The copies are sent all the same, and their legs show what
 * was changed. */
static void report_unable(struct copy *c, const struct engine_view *primary, const char *unable)
{
	struct backend_state *to = c->mirror->backend;
	if (!unable || atomic_exchange(&to->unable, unable) == unable) {
		return;
	}
	log_error("Copies to {backend} can't be aligned with the primary: {error}.",
	        log_field("backend", c->settings->name), log_field("error", unable),
	        log_field("align", align_name(c->settings->rules.align)),
	        log_field("dialect", c->engine.dialect->name),
	        log_field("primary_dialect", primary->dialect->name));
}

/*
 * Makes the body that this reference gets. 1: done; 0: the budget is exhausted; -EINVAL: this
 * reference cannot get the request, and *ret_why says why.
 */
static int make_body(struct copy *c, struct copy_body *ret, const char **ret_why)
{
	const struct exchange *e = c->exchange;
	struct engine_view primary;
	*ret = (struct copy_body){.endpoint = e->endpoint, .facts = e->facts};
	c->endpoint = e->endpoint;
	c->added = (struct injection){0};
	if (!e->facts.is_json || c->body.n != 1) {
		return 1;
	}
	engine_info_view(c->exchange->config->snapshot->primary->engine, &primary);
	bool fields = wants_fields(c);
	struct copy_body_plan plan = {
	        .rules = &c->settings->rules,
	        .from = primary.dialect,
	        .from_stated = &primary.defaults,
	        .to = c->engine.dialect,
	        .endpoint = e->endpoint,
	        .facts = &e->facts,
	        .body = chunk_span(c->body.items[0]),
	        .top = exchange_top_logprobs(c->exchange),
	        .want_logprobs = fields,
	        .want_usage = fields,
	};
	*ret_why = copy_body_make(&plan, ret);
	if (*ret_why) {
		return -EINVAL;
	}
	report_unable(c, &primary, ret->unable);
	if (!budget_take(&shared_of(c)->budget, ret->sent.len)) {
		copy_body_finish(ret);
		return 0;
	}
	c->sent = ret->sent;
	ret->sent = (struct buf){0};
	c->edited = ret->edited;
	c->added = ret->added;
	c->endpoint = ret->endpoint;
	c->wants_logprobs = ret->facts.has_logprobs || ret->added.logprobs;
	return 1;
}

/*
 * Whether the request must be changed for this reference. If it must, a body that is too large or
 * too odd to be parsed cannot be sent.
 */
static bool must_edit(const struct copy *c)
{
	const struct copy_rules *r = &c->settings->rules;
	return (r->n_models || r->n_members || r->align || r->thinking ||
	               r->completions_template) &&
	       c->exchange->upload.received && !exchange_is_parsed(c->exchange) &&
	       endpoint_is_openai(c->exchange->endpoint);
}

static ssize_t pull(void *arg, char *buf, size_t cap)
{
	struct copy *c = CHECKED(struct copy, arg, COPY_MAGIC);
	if (c->edited) {
		return upstream_pull(buf_span(&c->sent), &c->offset, buf, cap);
	}
	while (c->item < c->body.n && c->offset == c->body.items[c->item]->len) {
		c->item++;
		c->offset = 0;
	}
	if (c->item == c->body.n) {
		return 0;
	}
	const struct chunk *chunk = c->body.items[c->item];
	return upstream_pull((struct span){chunk->data, chunk->len}, &c->offset, buf, cap);
}

static void rewind_body(void *arg)
{
	struct copy *c = CHECKED(struct copy, arg, COPY_MAGIC);
	c->item = 0;
	c->offset = 0;
}

/*
 * The client's end-to-end fields, without its credentials, and without Content-Encoding if the body
 * was decoded. A request id marks the request as a copy.
 */
static void gather_fields(const struct copy *c, struct fields *fields)
{
	const struct http_head *head = c->exchange->head;
	for (size_t i = 0; i < head->n_fields; i++) {
		struct span name = head->fields[i].name, value = head->fields[i].value;
		if (http_is_hop_by_hop(head, name) || head_is_for_proxy(name) ||
		        span_is_nocase(name, "host") || span_is_nocase(name, "content-length") ||
		        span_is_nocase(name, "expect") || span_is_nocase(name, "accept-encoding") ||
		        (c->exchange->decoded && span_is_nocase(name, "content-encoding")) ||
		        privacy_is_credential(name) || credential_in(value)) {
			continue;
		}
		if (span_is_nocase(name, "x-request-id")) {
			fields_add_owned(fields, name,
			        xasprintf(
			                "%.*s-%s", (int)value.len, value.data, c->settings->name));
			continue;
		}
		fields_add(fields, name, value);
	}
	fields_add(fields, SPAN("Accept-Encoding"), SPAN("identity"));
	if (c->settings->api_key) {
		fields_add_owned(fields, SPAN("Authorization"),
		        xasprintf("Bearer %s", c->settings->api_key));
	}
}

static const struct upstream_events events;

/* The request target under the reference's base path. A chat that was turned into a prompt goes
 * to the completions endpoint. */
static char *target_of(const struct copy *c)
{
	static const char chat[] = "/chat/completions";
	char *public = privacy_public_target(c->exchange->head->target);
	char *at = strstr(public, chat);
	char *target;
	if (at && c->endpoint != c->exchange->endpoint) {
		target = xasprintf("%s%.*s/completions%s", c->settings->base_path,
		        (int)(at - public), public, at + sizeof(chat) - 1);
	} else {
		target = xasprintf("%s%s", c->settings->base_path, public);
	}
	free(public);
	return target;
}

static int send_request(struct copy *c)
{
	const struct exchange *e = c->exchange;
	struct fields fields = {0};
	char *target = target_of(c);
	gather_fields(c, &fields);
	rewind_body(c);
	struct upstream_request request = {
	        .method = e->head->method,
	        .target = span_of(target),
	        .fields = fields.items,
	        .n_fields = fields.n,
	        .has_body = e->head->framing != HTTP_NO_BODY,
	        .body_length = (int64_t)(c->edited ? c->sent.len : c->body.bytes),
	        .pull = pull,
	        .replayable = true,
	        .rewind = rewind_body,
	};
	c->upstream = upstream_create(c->mirror->pool->transport, &events, c);
	int r = upstream_start(c->upstream, &request);
	fields_finish(&fields);
	free(target);
	if (r < 0) {
		upstream_destroy(c->upstream);
		c->upstream = NULL;
	}
	return r;
}

static void begin_leg(struct copy *c)
{
	struct leg_frame frame =
	        shared_frame(shared_of(c), c->exchange->settings, c->settings, c->mirror->backend);
	leg_begin(&c->leg, &frame, c->exchange->id, c->engine.dialect, c->engine.manifest, true);
	memcpy(c->leg.row.prompt, c->exchange->hashes.prompt, sizeof(c->leg.row.prompt));
	c->leg.row.align = (uint32_t)c->settings->rules.align;
	c->leg.row.queued_us = (c->leg.mono - c->queued) / 1000;
	c->leg.keep = answer_scoring_keep_own(c);
}

void copy_record_unsent(struct copy *c, enum outcome outcome, const char *text)
{
	engine_info_view(c->mirror->backend->engine, &c->engine);
	begin_leg(c);
	leg_end(&c->leg, outcome, text, c->mirror->backend->book);
	destroy(c);
}

/* One try: the first, or the second without added fields. */
static void send_try(struct copy *c)
{
	struct copy_body body;
	const char *why = NULL;
	if (must_edit(c)) {
		ledger_dropped(c->mirror->backend->book, DROP_BODY_LIMIT);
		finish(c);
		return;
	}
	engine_info_view(c->mirror->backend->engine, &c->engine);
	int r = make_body(c, &body, &why);
	if (r < 0) { /* record the copy as never sent */
		begin_leg(c);
		leg_end(&c->leg, OUTCOME_BAD_REQUEST, why, c->mirror->backend->book);
		finish(c);
		return;
	}
	if (r == 0) {
		ledger_dropped(c->mirror->backend->book, DROP_MEMORY);
		finish(c);
		return;
	}
	begin_leg(c);
	c->leg.row.marks |= c->refused ? LEG_INJECTION_REFUSED : 0;
	c->leg.row.marks |= body.marks;
	struct kind_key key = key_of(c);
	c->leg.row.kind = c->added.logprobs ? kinds_number(shared_of(c)->kinds, &key) : 0;
	leg_set_edits(&c->leg, &body.edits, &c->added);
	c->leg.row.marks |= exchange_audit_mark(c->exchange, &c->added);
	copy_body_finish(&body);
	r = send_request(c);
	if (r < 0) {
		leg_end(&c->leg, OUTCOME_BAD_REQUEST, "a field that can't be passed on",
		        c->mirror->backend->book);
		finish(c);
	}
}

void copy_start(struct copy *c)
{
	uint64_t now = clock_mono();
	backend_state_report_wait(
	        c->mirror->backend, c->settings, c->exchange->settings->inject, now - c->queued);
	c->deadline = now + c->settings->total_timeout;
	send_try(c);
}

void copy_cancel(struct copy *c, enum outcome outcome, const char *text)
{
	if (!c->stopped_as && c->upstream) {
		c->stopped_as = outcome;
		c->text = text;
		upstream_cancel(c->upstream);
	}
}

/* The answer. */

static void on_head(void *arg, const struct http_head *head)
{
	struct copy *c = CHECKED(struct copy, arg, COPY_MAGIC);
	if (c->stopped_as || c->dropping_fields) {
		return;
	}
	backend_state_report_answer(c->mirror->backend);
	if ((c->added.logprobs || c->added.usage) && inject_status_refuses(head->status)) {
		c->dropping_fields = true;
		upstream_cancel(c->upstream);
		return;
	}
	if (c->refused && head_is_success(head)) {
		struct kind_key key = key_of(c);
		kinds_refused(shared_of(c)->kinds, &key, clock_mono());
		log_info("{backend} refuses to give logprobs for {model}; the proxy requests "
		         "none for an hour.",
		        log_field("backend", c->settings->name),
		        log_field("model", secret_scan_hide(key.model)));
	}
	leg_head(&c->leg, head,
	        &(struct reading_hints){
	                .endpoint = c->endpoint,
	                .wants_logprobs = c->wants_logprobs,
	                .has_tools = c->exchange->facts.has_tools,
	                .offered = c->exchange->facts.offered,
	        });
}

static bool on_body(void *arg, const char *data, size_t len)
{
	struct copy *c = CHECKED(struct copy, arg, COPY_MAGIC);
	if (c->stopped_as || c->dropping_fields) {
		return true;
	}
	leg_body(&c->leg, data, len);
	if (c->leg.row.body_bytes > c->settings->answer_limit) {
		copy_cancel(c, OUTCOME_LIMIT, "the answer is larger than answer_limit");
	}
	return true;
}

static void on_end(void *arg, const struct upstream_end *end)
{
	struct copy *c = CHECKED(struct copy, arg, COPY_MAGIC);
	struct upstream *over = c->upstream; /* keeps end->text alive */
	c->upstream = NULL;
	if (c->dropping_fields && !c->stopped_as) {
		c->dropping_fields = false;
		c->refused = true;
		leg_discard(&c->leg);
		drop_sent(c);
		shared_count(shared_of(c), COUNTER_INJECTION_REFUSED, 1);
		send_try(c);
		upstream_destroy(over);
		return;
	}
	const char *text = c->text ? c->text : end->reason == UPSTREAM_DONE ? NULL : end->text;
	enum outcome outcome =
	        c->stopped_as ? c->stopped_as : leg_outcome(end->reason, OUTCOME_BROKEN);
	if (outcome != OUTCOME_COMPLETE && outcome != OUTCOME_STOPPED) {
		backend_state_report_failure(c->mirror->backend, end->reason == UPSTREAM_REFUSED,
		        text ? text : outcome_name(outcome), &c->exchange->id);
	}
	c->leg.row.marks |= end->retried ? LEG_RETRIED : 0;
	answer_scoring_submit_own(c, outcome);
	leg_end(&c->leg, outcome, text, c->mirror->backend->book);
	finish(c);
	upstream_destroy(over);
}

static const struct upstream_events events = {NULL, on_head, on_body, on_end};
