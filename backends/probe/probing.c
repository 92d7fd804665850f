#include "backends/probe/probing.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/sanitize_text.h"

#define ANSWER_LIMIT ((size_t)4 << 20)
#define SENT_SHOWN 240
#define UNANSWERED_LIMIT 3

static const char *path_of(enum endpoint e)
{
	return e == ENDPOINT_CHAT ? "/v1/chat/completions" : "/v1/completions";
}

const char *probing_any_text(enum endpoint e)
{
	return e == ENDPOINT_CHAT ? PROBE_CHAT : PROBE_PROMPT;
}

enum endpoint probing_route(const struct probing *p)
{
	return p->answers[ENDPOINT_COMPLETION] ? ENDPOINT_COMPLETION : ENDPOINT_CHAT;
}

static void put_prompt(struct json_writer *w, const struct question *q)
{
	bool chat = q->endpoint == ENDPOINT_CHAT;
	const char *key = chat ? "messages" : "prompt";
	if (q->raw) {
		json_writer_raw(w, key, span_of(q->raw));
	} else if (chat) {
		json_writer_open(w, key, '[');
		json_writer_open(w, NULL, '{');
		json_writer_text(w, "role", "user");
		json_writer_text(w, "content", q->text);
		json_writer_close(w, "}]");
	} else {
		json_writer_text(w, key, q->text);
	}
}

const char *probing_text(struct probing *p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = arena_vprintf(&p->report->texts, format, args);
	va_end(args);
	return text;
}

const char *probing_copy(struct probing *p, struct span text)
{
	return arena_text(&p->report->texts, text);
}

const char *probing_keep(struct probing *p, struct buf *text)
{
	const char *kept = probing_copy(p, buf_span(text));
	buf_finish(text);
	return kept;
}

const char *probing_quote(struct probing *p, struct span text, size_t limit)
{
	char *safe = sanitize_text(text, limit);
	const char *kept = probing_copy(p, span_of(safe));
	free(safe);
	return kept;
}

const char *probing_members(struct probing *p, const struct member_edit *members, int top)
{
	struct buf out = {0};
	struct json_writer w = {.to = &out};
	for (; members && members->name; members++) {
		if (members->json && strcmp(members->json, "$TOP") == 0) {
			json_writer_integer(&w, members->name, top);
		} else {
			json_writer_raw(&w, members->name, span_of(members->json));
		}
	}
	return probing_keep(p, &out);
}

/* Returns the members that request logprobs. */
static const char *logprobs_members(struct probing *p, enum endpoint e, int top)
{
	const struct dialect *d = p->dialect;
	if (p->dialect_parameters[e]) {
		return probing_members(
		        p, e == ENDPOINT_CHAT ? d->ask_chat : d->ask_completion, top);
	}
	return e == ENDPOINT_CHAT ? probing_text(p, "\"logprobs\":true,\"top_logprobs\":%d", top)
	                          : probing_text(p, "\"logprobs\":%d", top);
}

static void put_body(struct buf *to, struct probing *p, const struct question *q, bool shown)
{
	const char *model = q->model ? q->model : p->settings->model;
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	if (model && (!shown || q->model)) {
		json_writer_text(&w, "model", model);
	}
	if (q->raw || q->text) {
		put_prompt(&w, q);
	}
	json_writer_raw(&w, NULL, span_of(q->members));
	if (q->top) {
		json_writer_raw(&w, NULL, span_of(logprobs_members(p, q->endpoint, q->top)));
	}
	if (q->usage) {
		json_writer_raw(&w, "stream_options", SPAN("{\"include_usage\":true}"));
	}
	if (q->stream) {
		json_writer_bool(&w, "stream", true);
	}
	json_writer_close(&w, "}");
}

/* Requests */

static void check_limits(struct probing *p, const struct call_answer *a)
{
	struct probe_report *r = p->report;
	if (a->end == CALL_STOPPED && call_line_stopped(p->settings->line)) {
		p->ended = true;
		r->stopped = true;
		return;
	}
	if (a->end == CALL_TIMEOUT || a->end == CALL_REFUSED) {
		p->n_unanswered++;
	}
	if (p->n_unanswered >= UNANSWERED_LIMIT && !p->ended) {
		p->ended = true;
		r->no_answers = true;
		r->problem = probing_text(p,
		        "%u requests got no answer; the others were not sent%s", UNANSWERED_LIMIT,
		        a->end == CALL_TIMEOUT ? ". A longer --timeout may help" : "");
	}
}

/* Ends the probe at its limits. False: it has ended. */
static bool check_budget(struct probing *p)
{
	struct probe_report *r = p->report;
	if (p->ended) {
		return false;
	}
	if (r->requests >= PROBE_REQUESTS_LIMIT) {
		r->problem = probing_text(
		        p, "the limit of %d requests was reached", PROBE_REQUESTS_LIMIT);
		p->ended = true;
	} else if (clock_mono() - p->start > (uint64_t)PROBE_TIME_LIMIT_MS * 1000000) {
		r->problem = probing_text(
		        p, "probing took longer than %d minutes", PROBE_TIME_LIMIT_MS / 60000);
		p->ended = true;
	}
	return !p->ended;
}

static void send_call(struct probing *p, const struct call *call, struct call_answer *ret)
{
	if (!check_budget(p)) {
		*ret = (struct call_answer){.end = CALL_STOPPED, .minor = -1};
		return;
	}
	p->report->requests++;
	call_do(p->settings->line, call, ret);
	if (ret->minor >= 0) {
		p->minor = ret->minor;
		p->kept |= ret->kept;
	}
	if (!call->fresh) {
		check_limits(p, ret);
	}
}

static void store_names(struct probing *p, const struct reply *t)
{
	struct probe_report *r = p->report;
	if (!r->fingerprint && t->reading->fingerprint && *t->reading->fingerprint) {
		r->fingerprint = probing_text(p, "%s", t->reading->fingerprint);
	}
	if (!r->answer_model && t->reading->model && *t->reading->model) {
		r->answer_model = probing_text(p, "%s", t->reading->model);
	}
}

bool probing_ask(struct probing *p, const struct question *q, struct reply *ret)
{
	struct buf body = {0}, shown = {0};
	put_body(&body, p, q, false);
	put_body(&shown, p, q, true);
	const char *quoted = probing_quote(p, buf_span(&shown), SENT_SHOWN);
	*ret = (struct reply){
	        .texts = &p->report->texts,
	        .request = probing_text(p, "%s %s", path_of(q->endpoint), quoted),
	};
	uint64_t timeout = p->settings->timeout_ms;
	const struct call call = {
	        .path = path_of(q->endpoint) + 1,
	        .body = buf_span(&body),
	        .timeout_ms =
	                q->timeout_ms ? q->timeout_ms : (timeout ? timeout : PROBE_TIMEOUT_MS),
	        .limit = q->limit ? q->limit : ANSWER_LIMIT,
	        .fresh = q->fresh,
	        .on_data = q->on_data,
	        .arg = q->arg,
	};
	send_call(p, &call, &ret->answer);
	reply_read(ret, q->endpoint, buf_cstr(&body));
	buf_finish(&body);
	buf_finish(&shown);
	bool good = reply_is_good(ret);
	if (good) {
		store_names(p, ret);
	} else {
		p->last_failed = reply_evidence(ret);
	}
	if (good && q->greedy) {
		observations_add(&p->observed, span_of(q->text ? q->text : q->raw), ret);
	}
	return good;
}

void probing_call(struct probing *p, const char *path, struct span body, struct call_answer *ret)
{
	const struct call call = {
	        .path = path, .body = body, .timeout_ms = 5000, .limit = ANSWER_LIMIT};
	send_call(p, &call, ret);
}

/* Results */

void probing_step(struct probing *p, const char *what)
{
	const struct probe_settings *s = p->settings;
	if (!p->ended && s->on_step) {
		s->on_step(s->arg, what, p->report->requests);
	}
}

void probing_capability(struct probing *p, const char *name, enum standing standing,
        const char *value, const char *evidence)
{
	struct capability *c = probe_capability(p->report, name);
	expect(c);
	if (!p->ended) {
		c->standing = standing;
		c->value = value;
		c->evidence = evidence;
	}
}

void probing_refused(
        struct probing *p, const char *name, const struct reply *t, const char *evidence)
{
	bool missing = reply_is_missing(t);
	probing_capability(p, name, missing ? STANDING_UNKNOWN : STANDING_REFUSED,
	        missing ? "no answer in time" : NULL, evidence);
}

void probing_finding(struct probing *p, const char *name, enum severity severity, const char *title,
        const char *evidence, const char *advice)
{
	if (!p->ended) {
		probe_report_add(
		        p->report, (struct finding){name, severity, title, evidence, advice});
	}
}
