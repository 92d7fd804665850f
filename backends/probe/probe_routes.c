/* Tests which routes answer, and which of them give logprobs, streamed or not. */
#include "backends/probe/probing.h"

#include <math.h>
#include <string.h>

/* The two routes, and the names of their capabilities and findings. */
struct route {
	enum endpoint endpoint;
	const char *text;
	const char *members; /* members of every question */
	const char *name, *logprobs, *logprobs_stream, *silent, *silent_stream, *title;
};

static const struct route ROUTES[] = {
        {ENDPOINT_CHAT, PROBE_CHAT, "\"max_tokens\":4,\"temperature\":0", "chat", "logprobs.chat",
                "logprobs.chat_stream", "logprobs.chat.silent", "logprobs.chat_stream.silent",
                "chat"},
        {ENDPOINT_COMPLETION, PROBE_PROMPT, "\"max_tokens\":8,\"temperature\":0", "completion",
                "logprobs.completion", "logprobs.completion_stream", "logprobs.completion.silent",
                "logprobs.completion_stream.silent", "completions"},
};

static bool has_logprobs(const struct reply *t)
{
	const struct columns *c = reply_columns(t);
	for (uint32_t i = 0; c && i < c->n; i++) {
		if (isfinite(c->lp[i])) {
			return true;
		}
	}
	return c && reply_most_alternatives(t);
}

/* Asks with OpenAI's parameters, or with the dialect's if they are in use. */
static bool ask_route(struct probing *p, const struct route *r, bool logprobs, bool stream,
        bool usage, struct reply *t)
{
	return probing_ask(p,
	        &(struct question){.endpoint = r->endpoint,
	                .text = r->text,
	                .members = r->members,
	                .top = logprobs ? PROBE_TOP : 0,
	                .usage = usage,
	                .stream = stream,
	                .greedy = true},
	        t);
}

static void report_logprobs(
        struct probing *p, const struct route *r, bool stream, const struct reply *t)
{
	const char *name = stream ? r->logprobs_stream : r->logprobs;
	if (has_logprobs(t)) {
		const struct columns *c = reply_columns(t);
		probing_capability(p, name, STANDING_HONOURED,
		        p->dialect_parameters[r->endpoint] ? "in its own words" : NULL,
		        reply_evidence_with(t, "%u tokens with logprobs", c->n));
		return;
	}
	probing_capability(
	        p, name, STANDING_IGNORED, "silently none", reply_evidence_with(t, "no logprobs"));
	probing_finding(p, stream ? r->silent_stream : r->silent, SEVERITY_FAULT,
	        probing_text(p, "Logprobs on %s%s are accepted and silently not given", r->title,
	                stream ? ", streamed," : ""),
	        reply_evidence_with(t, "no logprobs"),
	        "Compare this route by its text alone, or use a route that gives logprobs.");
}

/* Asks the route's first question: with logprobs by OpenAI's parameters, then by the dialect's,
 * then without. */
static void try_route(struct probing *p, const struct route *r)
{
	struct reply t, second = {0}, plain = {0};
	bool good = ask_route(p, r, true, false, false, &t);
	bool own = r->endpoint == ENDPOINT_CHAT ? p->dialect->ask_chat : p->dialect->ask_completion;
	struct reply *last = &t;
	if (own && (!good || !has_logprobs(&t))) {
		p->dialect_parameters[r->endpoint] = true;
		if (ask_route(p, r, true, false, false, &second) && has_logprobs(&second)) {
			last = &second;
			good = true;
		} else {
			p->dialect_parameters[r->endpoint] = false;
		}
	}
	if (good) {
		report_logprobs(p, r, false, last);
	} else if (ask_route(p, r, false, false, false, &plain)) {
		probing_refused(p, r->logprobs, &t, reply_evidence(&t));
		last = &plain;
		good = true;
	} else {
		last = &plain;
	}
	p->answers[r->endpoint] = good;
	p->logprobs[r->endpoint] = good && has_logprobs(last);
	if (good) {
		probing_capability(p, r->name, STANDING_HONOURED, NULL, reply_evidence(last));
	} else {
		probing_refused(p, r->name, last, reply_evidence(last));
	}
	if (good && p->dialect_parameters[r->endpoint]) {
		probing_finding(p, "logprobs.words", SEVERITY_NOTE,
		        probing_text(p, "Logprobs on %s must be requested by its own parameters",
		                r->title),
		        probing_text(p, "%s -> %s; %s -> %s", t.request, t.result, second.request,
		                second.result),
		        NULL);
	}
	reply_finish(&t);
	reply_finish(&second);
	reply_finish(&plain);
}

void probe_routes(struct probing *p)
{
	for (size_t i = 0; i < ARRAY_LEN(ROUTES); i++) {
		try_route(p, &ROUTES[i]);
	}
	if (!p->answers[ENDPOINT_CHAT] && !p->answers[ENDPOINT_COMPLETION] && !p->ended) {
		probing_finding(p, "no_answers", SEVERITY_FAULT,
		        "Neither chat nor completions gives an answer",
		        probe_capability(p->report, "chat")->evidence,
		        "Name the model with --model, and the key with --api-key-env.");
		p->report->no_route = true;
		p->report->problem = "no route answers, so nothing else was tried";
		p->ended = true;
	}
}

/* Streams */

/* llama.cpp's timings have the counts too, even without a usage. */
static bool has_usage(const struct reply *t)
{
	const struct buf *body = &t->answer.body;
	return t->reading->usage.prompt_tokens >= 0 &&
	       memmem(body->data, body->len, "\"usage\"", strlen("\"usage\""));
}

static void report_usage(struct probing *p, const struct reply *plain, bool plain_good,
        const struct reply *with_usage)
{
	bool unasked = plain_good && has_usage(plain);
	if (has_usage(with_usage)) {
		probing_capability(p, "stream.usage", STANDING_HONOURED,
		        unasked ? "always, by default" : "when asked",
		        reply_evidence_with(with_usage, "with usage"));
		return;
	}
	probing_capability(p, "stream.usage", STANDING_IGNORED, "never",
	        reply_evidence_with(with_usage, "no usage in the stream"));
	probing_finding(p, "stream.usage.never", SEVERITY_WARNING, "Streams have no usage",
	        reply_evidence_with(with_usage, "no usage"),
	        "Token counts of streamed answers have to be counted from their logprobs or "
	        "events.");
}

static void report_done(struct probing *p, const struct reply *t)
{
	bool done = !(t->reading->marks & READING_NO_DONE);
	probing_capability(p, "stream.done", done ? STANDING_HONOURED : STANDING_ABSENT,
	        done ? "[DONE]" : "ends without [DONE]",
	        reply_evidence_with(t, "%s", done ? "ended by [DONE]" : "no [DONE]"));
	if (!done) {
		probing_finding(p, "stream.done.missing", SEVERITY_NOTE,
		        "Streams end without [DONE]", reply_evidence_with(t, "no [DONE]"),
		        "A stream is complete here when its choices have a finish reason.");
	}
}

/* with_usage: the answer for which usage was requested. Sends the request again without usage. */
static void report_stream(
        struct probing *p, const struct route *r, const struct reply *with_usage, bool usage)
{
	struct reply plain;
	bool good = ask_route(p, r, false, true, false, &plain);
	if (usage) {
		report_usage(p, &plain, good, with_usage);
	} else {
		probing_refused(p, "stream.usage", with_usage, reply_evidence(with_usage));
	}
	if (good) {
		report_done(p, &plain);
	} else {
		probing_refused(p, "stream.done", &plain, reply_evidence(&plain));
	}
	reply_finish(&plain);
}

static void stream_logprobs(struct probing *p, const struct route *r)
{
	struct reply with_usage, without = {0}, bare = {0};
	bool usage = ask_route(p, r, true, true, true, &with_usage);
	bool missing = reply_is_missing(&with_usage);
	bool good = usage || (!missing && ask_route(p, r, true, true, false, &without));
	const struct reply *t = usage || missing ? &with_usage : &without;
	if (good && (p->logprobs[r->endpoint] || has_logprobs(t))) {
		report_logprobs(p, r, true, t);
	} else if (good) {
		/* The answer that is no stream has none either; its finding says so. */
		probing_capability(p, r->logprobs_stream, STANDING_IGNORED, "silently none",
		        reply_evidence_with(t, "no logprobs"));
	} else {
		probing_refused(p, r->logprobs_stream, t, reply_evidence(t));
	}
	if (r->endpoint == probing_route(p)) {
		/* Some streams have usage, but no logprobs. */
		usage = usage || (!good && ask_route(p, r, false, true, true, &bare));
		report_stream(p, r, good ? &with_usage : &bare, usage);
	}
	reply_finish(&with_usage);
	reply_finish(&without);
	reply_finish(&bare);
}

void probe_streams(struct probing *p)
{
	for (size_t i = 0; i < ARRAY_LEN(ROUTES); i++) {
		if (p->answers[ROUTES[i].endpoint]) {
			stream_logprobs(p, &ROUTES[i]);
		}
	}
}

/* How many alternatives */

/* Returns the number of alternatives; negative: the status of a refusal (-1: no answer). */
static int alternatives(
        struct probing *p, const struct route *r, int top, const char **ret_evidence)
{
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = r->endpoint,
	                .text = r->text,
	                .members = "\"max_tokens\":1,\"temperature\":0",
	                .top = top},
	        &t);
	int n_given = good ? (int)MIN(reply_most_alternatives(&t), (uint32_t)10000)
	                   : -MAX(t.answer.status, 1);
	*ret_evidence =
	        good ? reply_evidence_with(&t, "%d alternatives", n_given) : reply_evidence(&t);
	reply_finish(&t);
	return n_given;
}

/* Records what the engine does if more alternatives are requested than it has. */
static void report_too_many(struct probing *p, const struct route *r, int n_requested, int n_given,
        const char *evidence)
{
	if (r->endpoint != ENDPOINT_CHAT) {
		return;
	}
	if (n_given < 0) {
		probing_capability(p, "logprobs.too_many",
		        n_given == -1 ? STANDING_UNKNOWN : STANDING_REFUSED,
		        n_given == -1 ? probing_text(p, "%d: no answer", n_requested)
		                      : probing_text(p, "%d: status %d", n_requested, -n_given),
		        evidence);
	} else {
		probing_capability(p, "logprobs.too_many", STANDING_IGNORED,
		        probing_text(p, "%d: %d given", n_requested, n_given), evidence);
	}
}

static void most_alternatives(struct probing *p, const struct route *r, const char *name)
{
	static const int tops[] = {20, 21, 100};
	int best = 0, expected = p->dialect->max_top;
	const char *evidence = NULL, *best_evidence = NULL;
	for (size_t i = 0; i < ARRAY_LEN(tops); i++) {
		int n_given = alternatives(p, r, tops[i], &evidence);
		if (n_given < tops[i]) {
			report_too_many(p, r, tops[i], n_given, evidence);
			break;
		}
		best = tops[i];
		best_evidence = evidence;
		if (tops[i] == 100) {
			probing_capability(
			        p, name, STANDING_HONOURED, "100 and perhaps more", best_evidence);
			if (r->endpoint == ENDPOINT_CHAT) {
				probing_capability(p, "logprobs.too_many", STANDING_HONOURED,
				        "21 and 100 are given", NULL);
			}
			return;
		}
	}
	if (!best) {
		/* 20 was too many: tries the dialect's limit, and one more. */
		best = expected > 0 && expected < 20 ? expected : 10;
		int n_given = alternatives(p, r, best, &best_evidence);
		if (n_given >= best && best == expected) {
			n_given = alternatives(p, r, best + 1, &evidence);
			report_too_many(p, r, best + 1, n_given, evidence);
			best = MAX(best, n_given);
		} else if (n_given < best) {
			best = PROBE_TOP;
		}
	}
	probing_capability(p, name, STANDING_HONOURED, probing_text(p, "%d", best), best_evidence);
}

void probe_alternatives(struct probing *p)
{
	static const char *const names[] = {"logprobs.most", "logprobs.most_completion"};
	for (size_t i = 0; i < ARRAY_LEN(ROUTES); i++) {
		if (p->logprobs[ROUTES[i].endpoint]) {
			most_alternatives(p, &ROUTES[i], names[i]);
		}
	}
}
