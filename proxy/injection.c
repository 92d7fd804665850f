#include "proxy/injection_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#define LOG_MODULE "injection"
#include "base/log.h"
#include "capture/privacy/secret_scan.h"
#include "proxy/exchange.h"
#include "proxy/injection_stop.h"
#include "proxy/head.h"
#include "proxy/shared.h"
#include "proxy/worker_config.h"
#include "proxy/engine_watch.h"

#define SAMPLE_LIMIT ((size_t)1 << 20)

/* Whether the body may be JSON that can be edited. Many clients send JSON without a type, or with
 * that of a form. */
static bool may_edit(const struct http_head *head)
{
	return !head_type_is(head, "multipart/form-data") && !head_is_coded(head) &&
	       !head_binds_body(head);
}

bool injection_needs_body(struct exchange *e)
{
	const struct settings *conf = e->settings;
	e->injection.wanted = (conf->inject == INJECT_BOTH || conf->inject == INJECT_ALWAYS) &&
	                      endpoint_is_openai(e->endpoint) && exchange_within_share(e);
	return e->injection.wanted && may_edit(e->head) && e->head->framing != HTTP_NO_BODY &&
	       (!e->head->has_length || e->head->length <= conf->inject_limit);
}

struct kind_key injection_key(const struct exchange *e)
{
	return (struct kind_key){
	        .backend = e->config->snapshot->primary->label,
	        .model = e->facts.model,
	        .endpoint = e->endpoint,
	        .stream = e->facts.stream,
	        .tools = e->facts.has_tools,
	        .codings = head_accepts_codings(e->head),
	};
}

static enum kinds_plain draw_plain(const struct exchange *e, const struct kind_key *key)
{
	struct kinds_draw drawn = {
	        .number = (double)(exchange_draw(e, "plain") >> 11) * 0x1p-53,
	        .share = e->settings->plain_share,
	        .watched = e->settings->max_slowdown >= 0,
	};
	return kinds_stay_plain(e->shared->kinds, key, drawn, clock_mono());
}

void injection_prepare(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (!s->wanted || !e->facts.is_json || e->facts.stateful || !e->upload.kept) {
		return;
	}
	struct kind_key key = injection_key(e);
	bool refused;
	s->kind = kinds_get(e->shared->kinds, &key, clock_mono(), &refused);
	s->learning = s->kind.logprobs == KIND_UNKNOWN ||
	              (e->facts.stream && s->kind.usage == KIND_UNKNOWN);
	if (refused) {
		return;
	}
	struct span body = upload_span(&e->upload);
	struct edits edits = {0};
	struct engine_view engine;
	engine_info_view(e->config->snapshot->primary->engine, &engine);
	bool logprobs = kind_can_cut(s->kind.logprobs) &&
	                (!engine.dialect->logprobs_harm || e->settings->inject == INJECT_ALWAYS);
	const struct injection want = {
	        .logprobs = logprobs,
	        .usage = kind_can_cut(s->kind.usage),
	        .top = exchange_top_logprobs(e),
	        .token_ids = e->settings->inject_token_ids && kind_can_cut(s->kind.token_ids),
	};
	const struct injectable request = {engine.dialect, e->endpoint, &e->facts, body};
	if (!inject_request(&request, &want, &edits, &s->added)) {
		return;
	}
	enum kinds_plain plain = draw_plain(e, &key);
	s->timed = s->added.logprobs && plain != KINDS_PLAIN;
	if (plain) {
		s->learning = true;
		edits_finish(&edits);
		s->added = (struct injection){0};
		return;
	}
	edits_apply(edits.items, edits.n, body, &s->sent);
	if (!budget_take(&e->shared->budget, s->sent.len)) {
		buf_finish(&s->sent);
		edits_finish(&edits);
		s->added = (struct injection){0};
		return;
	}
	s->attempt = ATTEMPT_INJECTED;
	s->number = s->added.logprobs ? kinds_number(e->shared->kinds, &key) : 0;
	s->edits = edits;
	shared_count(e->shared, COUNTER_INJECTED, 1);
}

ssize_t injection_pull(struct injection_state *s, char *buf, size_t cap)
{
	return upstream_pull(buf_span(&s->sent), &s->offset, buf, cap);
}

static void drop_sent(struct exchange *e)
{
	budget_give(&e->shared->budget, e->injection.sent.len);
	buf_finish(&e->injection.sent);
	e->injection.offset = 0;
}

bool injection_may_ask_again(const struct exchange *e)
{
	return e->injection.attempt == ATTEMPT_INJECTED && e->upload.kept;
}

/* Records an answer of unknown form. If only the head was examined, only the upper half of
 * sig.form is set. */
static void mark_strange(struct exchange *e, struct signature sig)
{
	struct injection_state *s = &e->injection;
	struct kind_key key = injection_key(e);
	s->next = RETRY_UNKNOWN;
	s->signature = sig;
	log_info("An answer of {backend} had an unknown form. The proxy sends the request again "
	         "without added fields, and adds none to requests for {model} ({endpoint}) until "
	         "it has seen this form in a plain answer.",
	        log_field("backend", e->settings->primary.name),
	        log_field("model", secret_scan_hide(e->facts.model)),
	        log_field("endpoint", endpoint_name(e->endpoint)));
	if (kinds_learn_strange(e->shared->kinds, &key, sig.form, clock_mono())) {
		injection_stop_declare(e->shared, &key, INJECTION_STOP_STRANGE, false);
	}
	engine_watch_poll_soon(e->shared->watch, e->config->snapshot->primary);
}

bool injection_head_fails(struct exchange *e, const struct http_head *head)
{
	struct injection_state *s = &e->injection;
	struct kind_key key = injection_key(e);
	s->answerer = signature_head(head);
	s->stop = head_is_coded(head)     ? INJECTION_STOP_CODING
	          : head_binds_body(head) ? INJECTION_STOP_DIGEST
	                                  : N_INJECTION_STOPS;
	if (!injection_may_ask_again(e)) {
		return false;
	}
	if (inject_status_refuses(head->status)) {
		s->next = RETRY_REFUSED;
	} else if (head_is_success(head) && s->stop != N_INJECTION_STOPS) {
		s->next = RETRY_UNCUT;
	} else if (head_is_success(head) &&
	           !kinds_know_head(e->shared->kinds, &key, s->answerer, clock_mono())) {
		mark_strange(e, (struct signature){.form = (uint64_t)s->answerer << 32});
	}
	return s->next;
}

bool injection_loss_is_ours(struct exchange *e)
{
	if (!injection_may_ask_again(e) || !e->client) {
		return false;
	}
	e->injection.next = RETRY_LOST;
	return true;
}

bool injection_may_fail(const struct exchange *e, const struct http_head *head)
{
	return injection_may_ask_again(e) && head_is_success(head);
}

void injection_commit(struct exchange *e)
{
	e->injection.undecided = false;
	leg_release(&e->primary.leg);
	if (e->upload.input == UPLOAD_COMPLETE) {
		upload_stop_keeping(&e->upload);
	}
}

static bool is_mixed(const struct kind *kind, const struct injection *added)
{
	return (added->logprobs && kind->logprobs == KIND_MIXED) ||
	       (added->usage && kind->usage == KIND_MIXED) ||
	       (added->token_ids && kind->token_ids == KIND_MIXED);
}

void injection_decide(struct exchange *e, struct signature sig)
{
	struct injection_state *s = &e->injection;
	struct kind_key key = injection_key(e);
	struct kind own;
	s->undecided = false;
	s->signature = sig;
	if (kinds_find(e->shared->kinds, &key, sig, &s->added, clock_mono(), &own)) {
		s->kind = own;
	} else if (injection_may_ask_again(e) && e->client) {
		if (is_mixed(&own, &s->added)) {
			/* Since this request was sent, others have shown that its form can't be
			 * cut. */
			s->next = RETRY_UNKNOWN;
		} else {
			mark_strange(e, sig);
		}
	}
}

bool injection_has_first_answer(const struct exchange *e)
{
	return e->injection.kept;
}

void injection_restore_first(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	char id[ID_TEXT_SIZE];
	log_info("The second request to {backend} failed, so the client gets the answer to the "
	         "first.",
	        log_field("backend", e->settings->primary.name),
	        log_field("exchange", id_format(e->id, id)));
	primary_leg_restore(e, s->kept);
	s->kept = NULL;
	s->answer = ANSWER_IS_HELD;
}

void injection_drop_held(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	budget_give(&e->shared->budget, s->held.len);
	outline_finish(&s->outline);
	buf_finish(&s->held);
	if (s->kept) {
		leg_discard(s->kept);
		free(s->kept);
		s->kept = NULL;
	}
}

void injection_drop_cutter(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	cut_stream_destroy(s->cutter);
	s->cutter = NULL;
	sse_finish(&s->first);
	s->first = (struct sse){0};
	budget_give(&e->shared->budget, s->cutter_bytes);
	s->cutter_bytes = 0;
}

bool injection_was_refused(const struct injection_state *s)
{
	return s->attempt == RETRY_REFUSED ||
	       (s->attempt == RETRY_UNCUT && s->first_stop == INJECTION_STOP_CODING);
}

void injection_begin_retry(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	drop_sent(e);
	if (s->held.len) {
		s->kept = primary_leg_detach(e);
	}
	buf_reuse(&s->out);
	injection_drop_cutter(e);
	s->answer = ANSWER_PASSES;
	s->attempt = s->next;
	s->next = ATTEMPT_PLAIN;
	s->undecided = false;
	s->timed = false;
	s->first_stop = s->stop;
	s->learning = !injection_was_refused(s);
	shared_count(e->shared, s->learning ? COUNTER_ASKED_AGAIN : COUNTER_INJECTION_REFUSED, 1);
}

/* Frees the sample and stops learning. */
static void drop_sample(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	s->learning = false;
	budget_give(&e->shared->budget, s->sample.len);
	buf_finish(&s->sample);
}

void injection_finish(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	drop_sent(e);
	injection_drop_held(e);
	drop_sample(e);
	buf_finish(&s->out);
	injection_drop_cutter(e);
	edits_finish(&s->edits);
	free(s->held_head);
	*s = (struct injection_state){0};
}

void injection_count_stream(struct exchange *e, bool error)
{
	if (e->response.sent > SAMPLE_LIMIT) {
		return; /* the end of a plain stream of this length would be unknown */
	}
	struct kind_key key = injection_key(e);
	bool injected = e->injection.attempt == ATTEMPT_INJECTED;
	if (kinds_count_stream(e->shared->kinds, &key, injected, error, clock_mono())) {
		injection_stop_declare(e->shared, &key, INJECTION_STOP_ERRORS, false);
	}
}

/* Learns from plain answers how the engine answers without the added members. */

/* Keeps only the beginning of a long stream. The beginning of a document shows nothing. */
void injection_sample_add(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	s->sample_is_beginning |= len > SAMPLE_LIMIT - s->sample.len;
	if (s->sample_is_beginning) {
		if (!s->learning_stream) {
			drop_sample(e);
		}
	} else if (budget_take(&e->shared->budget, len)) {
		buf_append(&s->sample, data, len);
	} else {
		drop_sample(e);
	}
}

void injection_sample_learn(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	struct span body = buf_span(&s->sample);
	struct kind_key key = injection_key(e);
	struct signature sig;
	if (!signature_of_answer(s->answerer, body, s->learning_stream, &sig)) {
		return;
	}
	struct kind kind = kind_of_answer(body, s->learning_stream, &e->facts, NULL);
	if (s->sample_is_beginning) {
		/* How usage has to be cut depends on the stream's end, too. */
		kind.usage = KIND_UNKNOWN;
		kind.tail[0] = '\0';
	} else if (s->learning_stream) {
		injection_count_stream(e, kind.error);
	}
	if (kinds_learn(e->shared->kinds, &key, sig.form, kind, clock_mono())) {
		injection_stop_report_mixed(e->shared, &key);
	}
	if (s->attempt == RETRY_UNKNOWN && s->signature.form == sig.form) {
		kinds_accept(e->shared->kinds, &key, s->signature);
	}
}
