/* Which routes answer, and which of them give logprobs, streamed or not. */
#include "backends/probe/probing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known of each of the two routes by name. */
struct route {
	enum endpoint endpoint;
	const char *text;
	const char *members; /* of every question */
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

static uint32_t usable(const struct columns *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; c && i < c->n; i++) {
		n += isfinite(c->lp[i]);
	}
	return n;
}

static bool has_logprobs(const struct reply *t)
{
	const struct columns *c = reply_columns(t);
	return c && (usable(c) || reply_most_alternatives(t));
}

/* Asks in the words that are in force. */
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

static void say_logprobs(
        struct probing *p, const struct route *r, bool stream, const struct reply *t)
{
	const char *name = stream ? r->logprobs_stream : r->logprobs;
	if (has_logprobs(t)) {
		const struct columns *c = reply_columns(t);
		probing_capability(p, name, STANDING_HONOURED,
		        p->dialect_words[r->endpoint] ? "in its own words" : NULL,
		        reply_evidence_with(t, "%u tokens with logprobs", c->n));
		return;
	}
	probing_capability(
	        p, name, STANDING_IGNORED, "silently none", reply_evidence_with(t, "no logprobs"));
	probing_finding(p, stream ? r->silent_stream : r->silent, SEVERITY_FAULT,
	        probing_say(p, "Logprobs on %s%s are accepted and silently not given", r->title,
	                stream ? ", streamed," : ""),
	        reply_evidence_with(t, "no logprobs"),
	        "Compare this route by its text alone, or use a route that gives logprobs.");
}

/* The route's first question, with logprobs: in OpenAI's words, in the dialect's, without. */
static void try_route(struct probing *p, const struct route *r)
{
	struct reply t, second = {0}, plain = {0};
	bool good = ask_route(p, r, true, false, false, &t);
	bool own = r->endpoint == ENDPOINT_CHAT ? p->dialect->ask_chat : p->dialect->ask_completion;
	struct reply *last = &t;
	if (own && (!good || !has_logprobs(&t))) {
		p->dialect_words[r->endpoint] = true;
		if (ask_route(p, r, true, false, false, &second) && has_logprobs(&second)) {
			last = &second;
			good = true;
		} else {
			p->dialect_words[r->endpoint] = false;
		}
	}
	if (good) {
		say_logprobs(p, r, false, last);
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
	if (good && p->dialect_words[r->endpoint]) {
		probing_finding(p, "logprobs.words", SEVERITY_NOTE,
		        probing_say(p, "Logprobs on %s must be requested by its own parameters",
		                r->title),
		        probing_say(
		                p, "%s -> %s; %s -> %s", t.sent, t.came, second.sent, second.came),
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
	if (!p->answers[ENDPOINT_CHAT] && !p->answers[ENDPOINT_COMPLETION] && !p->over) {
		probing_finding(p, "no_answers", SEVERITY_FAULT,
		        "Neither chat nor completions gives an answer",
		        probe_capability(p->report, "chat")->evidence,
		        "Name the model with --model, and the key with --api-key-env.");
		p->report->no_route = true;
		p->report->problem = "no route answers, so nothing else was tried";
		p->over = true;
	}
}

/* Streams */

static void say_usage(
        struct probing *p, const struct reply *plain, bool plain_good, const struct reply *asked)
{
	bool unasked = plain_good && plain->reading->usage.prompt_tokens >= 0;
	if (asked->reading->usage.prompt_tokens >= 0) {
		probing_capability(p, "stream.usage", STANDING_HONOURED,
		        unasked ? "always, by default" : "when asked",
		        reply_evidence_with(asked, "with usage"));
		return;
	}
	probing_capability(p, "stream.usage", STANDING_IGNORED, "never",
	        reply_evidence_with(asked, "no usage in the stream"));
	probing_finding(p, "stream.usage.never", SEVERITY_WARNING, "Streams have no usage",
	        reply_evidence_with(asked, "no usage"),
	        "Token counts of streamed answers have to be counted from their logprobs or "
	        "events.");
}

static void say_done(struct probing *p, const struct reply *t)
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

/* asked: for usage; plain streams are asked for beside it. */
static void say_stream(
        struct probing *p, const struct route *r, const struct reply *asked, bool usage)
{
	struct reply plain;
	bool good = ask_route(p, r, false, true, false, &plain);
	if (usage) {
		say_usage(p, &plain, good, asked);
	} else {
		probing_refused(p, "stream.usage", asked, reply_evidence(asked));
	}
	if (good) {
		say_done(p, &plain);
	} else {
		probing_refused(p, "stream.done", &plain, reply_evidence(&plain));
	}
	reply_finish(&plain);
}

static void stream_logprobs(struct probing *p, const struct route *r)
{
	struct reply asked, without = {0}, bare = {0};
	bool usage = ask_route(p, r, true, true, true, &asked);
	bool late = reply_is_late(&asked);
	bool good = usage || (!late && ask_route(p, r, true, true, false, &without));
	const struct reply *t = usage || late ? &asked : &without;
	if (good && (p->logprobs[r->endpoint] || has_logprobs(t))) {
		say_logprobs(p, r, true, t);
	} else if (good) {
		/* Unary ones are not there either, and that has been said. */
		probing_capability(p, r->logprobs_stream, STANDING_IGNORED, "silently none",
		        reply_evidence_with(t, "no logprobs"));
	} else {
		probing_refused(p, r->logprobs_stream, t, reply_evidence(t));
	}
	if (r->endpoint == probing_route(p)) {
		/* Usage may come where logprobs in a stream do not. */
		usage = usage || (!good && ask_route(p, r, false, true, true, &bare));
		say_stream(p, r, good ? &asked : &bare, usage);
	}
	reply_finish(&asked);
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

/* How many came of those asked for; negative: refused, with that status (-1: with none). */
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
	int came = good ? (int)MIN(reply_most_alternatives(&t), (uint32_t)10000)
	                : -MAX(t.answer.status, 1);
	*ret_evidence =
	        good ? reply_evidence_with(&t, "%d alternatives", came) : reply_evidence(&t);
	reply_finish(&t);
	return came;
}

/* What it does with too many. */
static void say_too_many(
        struct probing *p, const struct route *r, int asked, int came, const char *said)
{
	if (r->endpoint != ENDPOINT_CHAT) {
		return;
	}
	if (came < 0) {
		probing_capability(p, "logprobs.too_many",
		        came == -1 ? STANDING_UNKNOWN : STANDING_REFUSED,
		        came == -1 ? probing_say(p, "%d: no answer", asked)
		                   : probing_say(p, "%d: status %d", asked, -came),
		        said);
	} else {
		probing_capability(p, "logprobs.too_many", STANDING_IGNORED,
		        probing_say(p, "%d: %d given", asked, came), said);
	}
}

static void most_alternatives(struct probing *p, const struct route *r, const char *name)
{
	static const int up[] = {20, 21, 100};
	int best = 0, believed = p->dialect->max_top;
	const char *said = NULL, *best_said = NULL;
	for (size_t i = 0; i < ARRAY_LEN(up); i++) {
		int came = alternatives(p, r, up[i], &said);
		if (came < up[i]) {
			say_too_many(p, r, up[i], came, said);
			break;
		}
		best = up[i];
		best_said = said;
		if (up[i] == 100) {
			probing_capability(
			        p, name, STANDING_HONOURED, "100 and perhaps more", best_said);
			if (r->endpoint == ENDPOINT_CHAT) {
				probing_capability(p, "logprobs.too_many", STANDING_HONOURED,
				        "21 and 100 are given", NULL);
			}
			return;
		}
	}
	if (!best) {
		/* 20 was too many: what the dialect believes, and one more. */
		best = believed > 0 && believed < 20 ? believed : 10;
		int came = alternatives(p, r, best, &best_said);
		if (came >= best && best == believed) {
			came = alternatives(p, r, best + 1, &said);
			say_too_many(p, r, best + 1, came, said);
			best = MAX(best, came);
		} else if (came < best) {
			best = PROBE_TOP;
		}
	}
	probing_capability(p, name, STANDING_HONOURED, probing_say(p, "%d", best), best_said);
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
