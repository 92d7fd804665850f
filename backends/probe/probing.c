#include "backends/probe/probing.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/sanitize_text.h"

#define ANSWER_LIMIT ((size_t)4 << 20)
#define SENT_SHOWN 240
#define CAME_SHOWN 160
#define MUTE_LIMIT 3

struct span probing_at(struct span json, const char *path)
{
	while (json.len && *path) {
		size_t len = strcspn(path, ".");
		struct json j;
		struct json_token t = json_begin_lenient(&j, json);
		struct span found = {0};
		size_t wanted = strtoul(path, NULL, 10), index = 0;
		char *key = xstrndup(path, len);
		if (t.type == JSON_OBJECT) {
			while ((t = json_next(&j)).type == JSON_KEY) {
				bool same = json_is_key(&t, key);
				t = json_next(&j);
				struct span value = json_skip(&j, &t);
				found = same ? value : found;
			}
		} else if (t.type == JSON_ARRAY) {
			while ((t = json_next(&j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
				struct span value = json_skip(&j, &t);
				found = index++ == wanted ? value : found;
			}
		}
		free(key);
		json = found;
		path += len + (path[len] == '.');
	}
	return json;
}

const char *probing_path(enum endpoint e)
{
	return e == ENDPOINT_CHAT ? "/v1/chat/completions" : "/v1/completions";
}

enum endpoint probing_route(const struct probing *p)
{
	return p->answers[ENDPOINT_COMPLETION] ? ENDPOINT_COMPLETION : ENDPOINT_CHAT;
}

/* Bodies */

static void put_prompt(struct buf *to, const struct question *q)
{
	bool chat = q->endpoint == ENDPOINT_CHAT;
	buf_append_str(to, chat ? "\"messages\":" : "\"prompt\":");
	if (q->raw) {
		buf_append_str(to, q->raw);
	} else if (chat) {
		buf_append_str(to, "[{\"role\":\"user\",\"content\":");
		json_put_string(to, span_of(q->text));
		buf_append_str(to, "}]");
	} else {
		json_put_string(to, span_of(q->text));
	}
}

char *probing_members(const struct member_edit *members, int top)
{
	struct buf out = {0};
	for (; members && members->name; members++) {
		if (!members->json) {
			continue;
		}
		buf_printf(&out, "%s\"%s\":", out.len ? "," : "", members->name);
		if (strcmp(members->json, "$TOP") == 0) {
			buf_printf(&out, "%d", top);
		} else {
			buf_append_str(&out, members->json);
		}
	}
	return buf_steal(&out);
}

/* The members that request logprobs; the caller frees them. */
static char *logprobs_members(const struct probing *p, enum endpoint e, int top)
{
	const struct dialect *d = p->dialect;
	if (p->dialect_words[e]) {
		return probing_members(e == ENDPOINT_CHAT ? d->ask_chat : d->ask_completion, top);
	}
	return e == ENDPOINT_CHAT ? xasprintf("\"logprobs\":true,\"top_logprobs\":%d", top)
	                          : xasprintf("\"logprobs\":%d", top);
}

static void put_body(struct buf *to, const struct probing *p, const struct question *q, bool shown)
{
	const char *model = q->model ? q->model : p->settings->model, *comma = "";
	buf_append_char(to, '{');
	if (model && (!shown || q->model)) {
		buf_append_str(to, "\"model\":");
		json_put_string(to, span_of(model));
		comma = ",";
	}
	if (q->raw || q->text) {
		buf_append_str(to, comma);
		put_prompt(to, q);
		comma = ",";
	}
	if (q->members && *q->members) {
		buf_printf(to, "%s%s", comma, q->members);
		comma = ",";
	}
	if (q->top) {
		char *logprobs = logprobs_members(p, q->endpoint, q->top);
		buf_printf(to, "%s%s", comma, logprobs);
		free(logprobs);
		comma = ",";
	}
	if (q->usage) {
		buf_printf(to, "%s\"stream_options\":{\"include_usage\":true}", comma);
		comma = ",";
	}
	if (q->stream) {
		buf_printf(to, "%s\"stream\":true", comma);
	}
	buf_append_char(to, '}');
}

/* Answers */

const struct choice *reply_choice(const struct reply *t)
{
	return t->reading->n_choices ? &t->reading->choices[0] : NULL;
}

const struct columns *reply_columns(const struct reply *t)
{
	const struct choice *c = reply_choice(t);
	return c && c->has_columns && c->columns.n ? &c->columns : NULL;
}

struct span reply_text(const struct reply *t)
{
	const struct choice *c = reply_choice(t);
	return c ? buf_span(&c->text) : (struct span){0};
}

uint32_t reply_most_alternatives(const struct reply *t)
{
	const struct columns *c = reply_columns(t);
	uint32_t most = 0;
	for (uint32_t i = 0; c && i < c->n; i++) {
		most = MAX(most, c->top_end[i] - (i ? c->top_end[i - 1] : 0));
	}
	return most;
}

void reply_finish(struct reply *t)
{
	free(t->sent);
	free(t->came);
	call_answer_finish(&t->answer);
	reading_destroy(t->reading);
	*t = (struct reply){0};
}

static char *came_text(const struct reply *t)
{
	const struct call_answer *a = &t->answer;
	double s = (double)a->total_us / 1e6;
	switch (a->end) {
	case CALL_DONE:
		break;
	case CALL_TIMEOUT:
		return a->body.len ? xasprintf("an answer that did not end within %.0f s "
		                               "(%zu bytes)",
		                             s, a->body.len)
		                   : xasprintf("no answer within %.0f s", s);
	case CALL_BROKEN:
		return a->status ? xasprintf("%d, and the answer broke off", a->status)
		                 : xstrdup("the connection was closed without an answer");
	case CALL_TOO_LARGE:
		return xasprintf("%d, and an answer of over %zu bytes", a->status, a->body.len);
	case CALL_REFUSED:
		return xstrdup("no connection");
	case CALL_STOPPED:
		return xstrdup("stopped");
	}
	if (a->status == 200 && !t->reading->error) {
		return xstrdup("200");
	}
	struct span said = t->reading->error ? span_of(t->reading->error) : buf_span(&a->body);
	char *quoted = sanitize_text(said, CAME_SHOWN);
	char *came = xasprintf("%d%s%s", a->status, *quoted ? ": " : "", quoted);
	free(quoted);
	return came;
}

static struct reading *read_answer(
        enum endpoint endpoint, const char *sent, const struct call_answer *a)
{
	struct reading_hints hints = {
	        .endpoint = endpoint,
	        .status = a->status,
	        .framing = framing_of_type(call_header(a, "content-type")),
	        .wants_logprobs = strstr(sent, "\"logprobs\""),
	};
	struct reader *r = reader_create(&hints);
	reader_feed(r, buf_span(&a->body).data, a->body.len);
	return reader_end(r, a->end == CALL_DONE);
}

/* Asking */

static void note_connection(struct probing *p, const struct call_answer *a, bool fresh)
{
	if (a->minor < 0) {
		return;
	}
	p->minor = a->minor;
	p->kept |= a->kept;
	p->closed |= !a->kept && !fresh;
}

static void check_limits(struct probing *p, const struct call_answer *a)
{
	struct probe_report *r = p->report;
	if (a->end == CALL_STOPPED && call_line_stopped(p->settings->line)) {
		p->over = true;
		r->stopped = true;
		return;
	}
	if (a->end == CALL_TIMEOUT || a->end == CALL_REFUSED) {
		p->mute++;
	}
	if (p->mute >= MUTE_LIMIT && !p->over) {
		p->over = true;
		r->mute = true;
		r->problem = xasprintf(
		        "%u requests found no answer; the rest was not tried", MUTE_LIMIT);
	}
}

/* False: nothing may be asked any more. */
static bool may_ask(struct probing *p)
{
	struct probe_report *r = p->report;
	if (p->over) {
		return false;
	}
	if (r->requests >= PROBE_REQUESTS_LIMIT) {
		r->problem =
		        xasprintf("the limit of %d requests was reached", PROBE_REQUESTS_LIMIT);
		p->over = true;
	} else if (clock_mono() - p->start > (uint64_t)PROBE_TIME_LIMIT_MS * 1000000) {
		r->problem =
		        xasprintf("it took longer than %d minutes", PROBE_TIME_LIMIT_MS / 60000);
		p->over = true;
	}
	return !p->over;
}

static void remember(struct probing *p, const struct reply *t)
{
	struct probe_report *r = p->report;
	if (!r->fingerprint && t->reading->fingerprint && *t->reading->fingerprint) {
		r->fingerprint = xstrdup(t->reading->fingerprint);
	}
	if (!r->answer_model && t->reading->model && *t->reading->model) {
		r->answer_model = xstrdup(t->reading->model);
	}
}

bool probing_ask(struct probing *p, const struct question *q, struct reply *ret)
{
	struct buf body = {0}, shown = {0};
	put_body(&body, p, q, false);
	put_body(&shown, p, q, true);
	char *quoted = sanitize_text(buf_span(&shown), SENT_SHOWN);
	*ret = (struct reply){.sent = xasprintf("%s %s", probing_path(q->endpoint), quoted)};
	free(quoted);
	if (may_ask(p)) {
		p->report->requests++;
		uint64_t timeout = p->settings->timeout_ms;
		struct call call = {
		        .path = probing_path(q->endpoint) + 1,
		        .body = buf_span(&body),
		        .timeout_ms = q->timeout_ms ? q->timeout_ms
		                                    : (timeout ? timeout : PROBE_TIMEOUT_MS),
		        .limit = q->limit ? q->limit : ANSWER_LIMIT,
		        .fresh = q->fresh,
		        .on_data = q->on_data,
		        .arg = q->arg,
		};
		call_do(p->settings->line, &call, &ret->answer);
		note_connection(p, &ret->answer, q->fresh);
		if (!q->fresh) {
			check_limits(p, &ret->answer);
		}
	} else {
		ret->answer = (struct call_answer){.end = CALL_STOPPED, .minor = -1};
	}
	ret->reading = read_answer(q->endpoint, buf_cstr(&body), &ret->answer);
	ret->came = came_text(ret);
	buf_finish(&body);
	buf_finish(&shown);
	bool good = ret->answer.end == CALL_DONE && ret->answer.status == 200 &&
	            ret->reading->n_choices && !ret->reading->error;
	if (good) {
		remember(p, ret);
	} else {
		free(p->last_failed);
		p->last_failed = xasprintf("%s -> %s", ret->sent, ret->came);
	}
	if (good && q->greedy) {
		probing_see(p, q, ret);
	}
	return good;
}

void probing_call(
        struct probing *p, const char *path, struct span body, bool fresh, struct call_answer *ret)
{
	if (!may_ask(p)) {
		*ret = (struct call_answer){.end = CALL_STOPPED, .minor = -1};
		return;
	}
	p->report->requests++;
	call_do(p->settings->line,
	        &(struct call){.path = path,
	                .body = body,
	                .timeout_ms = 5000,
	                .fresh = fresh,
	                .limit = ANSWER_LIMIT},
	        ret);
	note_connection(p, ret, fresh);
	if (!fresh) {
		check_limits(p, ret);
	}
}

/* Writing down */

void probing_step(struct probing *p, const char *what)
{
	const struct probe_settings *s = p->settings;
	if (!p->over && s->on_step) {
		s->on_step(s->arg, what, p->report->requests);
	}
}

void probing_capability(
        struct probing *p, const char *name, enum standing standing, char *value, char *evidence)
{
	struct capability *c = (struct capability *)probe_capability(p->report, name);
	expect(c);
	if (p->over) {
		free(value);
		free(evidence);
		return;
	}
	free(c->value);
	free(c->evidence);
	c->standing = standing;
	c->value = value;
	c->evidence = evidence;
}

bool probing_is_late(const struct reply *t)
{
	enum call_end end = t->answer.end;
	return end == CALL_TIMEOUT || end == CALL_STOPPED || end == CALL_REFUSED;
}

void probing_refused(struct probing *p, const char *name, const struct reply *t, char *evidence)
{
	bool late = probing_is_late(t);
	probing_capability(p, name, late ? STANDING_UNKNOWN : STANDING_REFUSED,
	        late ? xstrdup("no answer in time") : NULL, evidence);
}

void probing_finding(struct probing *p, const char *name, enum severity severity, char *title,
        char *evidence, const char *advice)
{
	struct probe_report *r = p->report;
	if (p->over) {
		free(title);
		free(evidence);
		return;
	}
	r->findings = xrealloc(r->findings, (r->n_findings + 1) * sizeof(*r->findings));
	r->findings[r->n_findings++] = (struct finding){
	        .name = name,
	        .severity = severity,
	        .title = title,
	        .evidence = evidence,
	        .advice = advice ? xstrdup(advice) : NULL,
	};
}
