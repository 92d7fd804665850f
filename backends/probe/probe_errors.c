/* Tests how the engine refuses requests, keeps connections, and handles requests that are known to
 * hang or to run without end in some engines. */
#include "backends/probe/probing.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/plural.h"

#define NO_MODEL "plumbline-no-such-model"
#define RISKY_BYTES ((size_t)1 << 20)
#define FEW_EVENTS 3 /* a role, a reason for the end, usage */
#define CHECKS 3     /* liveness checks, if the engine answers them */
#define PATIENCE_MS 60000
/* The engine may first continue an abandoned request to the end of its context: five minutes
 * were observed. */
#define PATIENCE_WITHOUT_LIMIT_MS 600000

static void ask_broken(struct probing *p)
{
	struct call_answer a;
	probing_call(p, "v1/chat/completions", SPAN("{\"messages\":[{\"role\":"), &a);
	const char *text = probing_quote(p, buf_span(&a.body), 100);
	const char *evidence =
	        a.status ? probing_text(p, "broken JSON to /v1/chat/completions -> %d %s", a.status,
	                           text)
	                 : probing_text(p, "broken JSON to /v1/chat/completions -> %s",
	                           a.problem ? a.problem : "nothing");
	if (a.status / 100 == 4) {
		probing_capability(p, "errors.json", STANDING_HONOURED,
		        probing_text(p, "%d", a.status), evidence);
	} else {
		probing_capability(p, "errors.json", STANDING_WRONG,
		        a.status ? probing_text(p, "%d", a.status) : "no answer", evidence);
		probing_finding(p, "errors.json", SEVERITY_NOTE,
		        a.status ? probing_text(p, "Broken JSON is answered with %d", a.status)
		                 : "Broken JSON is not answered",
		        evidence, a.status >= 500 ? "After a 5xx, many clients try again." : NULL);
	}
	call_answer_finish(&a);
}

static void ask_unknown_model(struct probing *p)
{
	struct reply t;
	enum endpoint e = probing_route(p);
	bool good = probing_ask(p,
	        &(struct question){.endpoint = e,
	                .text = probing_any_text(e),
	                .members = "\"max_tokens\":1",
	                .model = NO_MODEL},
	        &t);
	const char *evidence = reply_evidence(&t);
	if (good) {
		probing_capability(
		        p, "errors.model", STANDING_IGNORED, "any name is served", evidence);
		probing_finding(p, "model.ignored", SEVERITY_WARNING,
		        "A model that does not exist is served anyway", evidence,
		        "The name in a request does not say which model answered.");
	} else {
		probing_capability(p, "errors.model",
		        t.answer.status / 100 == 4 ? STANDING_HONOURED : STANDING_WRONG,
		        t.answer.status ? probing_text(p, "%d", t.answer.status) : NULL, evidence);
	}
	reply_finish(&t);
}

void probe_errors(struct probing *p)
{
	ask_broken(p);
	ask_unknown_model(p);
}

void probe_connection(struct probing *p)
{
	if (p->minor < 0) {
		return;
	}
	probing_capability(p, "http", STANDING_HONOURED, probing_text(p, "HTTP/1.%d", p->minor),
	        probing_text(p, "%u %s", p->report->requests,
	                plural(p->report->requests, "answer", "answers")));
	probing_capability(p, "keep_alive", p->kept ? STANDING_HONOURED : STANDING_ABSENT,
	        p->kept ? NULL : "one request a connection",
	        probing_text(p, "%u requests one after another, %s", p->report->requests,
	                p->kept ? "several on one connection" : "each on a new connection"));
}

/* Requests with a risk */

static uint64_t risky_timeout(const struct probing *p)
{
	uint64_t all = p->settings->timeout_ms;
	return all ? MIN(all, (uint64_t)PROBE_RISKY_TIMEOUT_MS) : PROBE_RISKY_TIMEOUT_MS;
}

struct flow {
	unsigned events;
};

static bool count_events(void *arg, uint64_t us, const char *data, size_t len)
{
	struct flow *f = arg;
	for (size_t i = 0; i + 5 <= len; i++) {
		f->events += memcmp(data + i, "data:", 5) == 0;
	}
	return true;
}

/*
 * Checks after a risky request whether the engine still generates a token. A check answered with an
 * error is repeated a few times. One that is not answered at all is repeated until the limit.
 */
static bool check_alive(struct probing *p, uint64_t patience_ms, const char **ret_evidence)
{
	enum endpoint e = probing_route(p);
	uint64_t start = clock_mono();
	for (int answered = 0;;) {
		struct reply t;
		bool good = probing_ask(p,
		        &(struct question){.endpoint = e,
		                .text = probing_any_text(e),
		                .members = "\"max_tokens\":1,\"temperature\":0",
		                .timeout_ms = risky_timeout(p),
		                .fresh = true},
		        &t);
		uint64_t waited_ms = (clock_mono() - start) / 1000000;
		answered += t.answer.end != CALL_TIMEOUT;
		*ret_evidence = probing_text(p, "a check with one token -> %s, %.1f s after it",
		        t.result, (double)waited_ms / 1000);
		reply_finish(&t);
		if (good || answered == CHECKS || waited_ms > patience_ms || p->ended) {
			return good;
		}
		sleep(1);
	}
}

static void append(struct probing *p, const char **text, const char *more)
{
	*text = *text ? probing_text(p, "%s; %s", *text, more) : more;
}

/* A risky request, and the engine's state after it. */
struct risk {
	const char *capability; /* its name */
	const char *what;       /* "max_tokens: 0" */
	size_t n_findings;      /* number of findings before the request */
	uint64_t patience_ms;   /* how long to wait until the engine answers again */
};

static struct risk risk_begin(const struct probing *p, const char *capability, const char *what)
{
	return (struct risk){capability, what, p->report->n_findings, PATIENCE_MS};
}

/* Adds the time of recovery to the evidence of the risky request. */
static void risk_end(struct probing *p, const struct risk *r)
{
	const char *evidence = NULL;
	bool alive = check_alive(p, r->patience_ms, &evidence);
	if (p->ended) {
		return;
	}
	struct capability *c = probe_capability(p->report, r->capability);
	append(p, &c->evidence, evidence);
	if (p->report->n_findings > r->n_findings) {
		append(p, &p->report->findings[r->n_findings].evidence, evidence);
	}
	if (alive) {
		return;
	}
	probing_finding(p, "risky.dead", SEVERITY_FAULT,
	        probing_text(p, "After %s it did not come back", r->what), evidence,
	        "Start it again, and do not send it such requests.");
	p->report->problem = probing_text(p, "the engine did not come back after %s", r->what);
	p->ended = true;
}

static void report_hang(struct probing *p, const struct risk *r, const char *finding,
        unsigned events, const struct reply *t)
{
	const char *evidence = events ? probing_text(p,
	                                        "%s -> %u events and no end; without stream, the "
	                                        "answer would have come later",
	                                        t->request, events)
	                              : reply_evidence(t);
	probing_capability(p, r->capability, STANDING_WRONG,
	        probing_text(p, "never answers%s", events ? ": no limit" : ""), evidence);
	probing_finding(p, finding, SEVERITY_FAULT,
	        probing_text(p, "%c%s is not answered within %.0f s%s",
	                toupper((unsigned char)*r->what), r->what + 1,
	                (double)risky_timeout(p) / 1000,
	                events ? ": its tokens have no limit" : ""),
	        evidence, "Do not send it such requests; a client that does needs a timeout.");
}

/* Only a status 4xx is a refusal; any other failure is wrong. */
static void report_status(
        struct probing *p, const char *name, enum standing standing, const struct reply *t)
{
	int status = t->answer.status;
	bool refused = standing == STANDING_REFUSED;
	if (refused && reply_is_missing(t)) {
		probing_refused(p, name, t, reply_evidence(t));
		return;
	}
	probing_capability(p, name, refused && status / 100 != 4 ? STANDING_WRONG : standing,
	        refused && status == 200 ? "200, and an error in it"
	        : status                 ? probing_text(p, "%d", status)
	                                 : "connection closed",
	        reply_evidence(t));
}

static bool is_silence(const struct reply *t)
{
	return t->answer.end == CALL_TIMEOUT && t->answer.body.len == 0;
}

/* Uses a stream, to see tokens that come without end, and to stop them by closing the connection.
 * If the stream has not ended within the timeout, an answer that is no stream would not have
 * arrived either. */
static void risk_no_limit(struct probing *p, struct question *q, struct risk *r,
        const char *hangs_name, const char *runs_name)
{
	struct flow flow = {0};
	q->stream = true;
	q->timeout_ms = risky_timeout(p);
	q->limit = RISKY_BYTES;
	q->fresh = true;
	q->on_data = count_events;
	q->arg = &flow;
	struct reply t;
	bool good = probing_ask(p, q, &t);
	const char *evidence = reply_evidence_with(&t, "%u events", flow.events);
	if (t.answer.end == CALL_TIMEOUT || t.answer.end == CALL_TOO_LARGE) {
		r->patience_ms = PATIENCE_WITHOUT_LIMIT_MS;
		report_hang(p, r, hangs_name, flow.events, &t);
	} else if (good && flow.events > FEW_EVENTS) {
		probing_capability(p, r->capability, STANDING_WRONG,
		        probing_text(p, "no limit: %u events", flow.events), evidence);
		probing_finding(p, runs_name, SEVERITY_WARNING,
		        probing_text(p, "%c%s is answered without a limit",
		                toupper((unsigned char)*r->what), r->what + 1),
		        evidence, "Never send it: it may fill the context.");
	} else {
		report_status(p, r->capability, good ? STANDING_HONOURED : STANDING_REFUSED, &t);
	}
	reply_finish(&t);
	risk_end(p, r);
}

static void risk_no_tokens(struct probing *p)
{
	enum endpoint e = probing_route(p);
	struct risk r = risk_begin(p, "risky.max_tokens_0", "a request for max_tokens: 0");
	risk_no_limit(p,
	        &(struct question){.endpoint = e,
	                .text = probing_any_text(e),
	                .members = "\"max_tokens\":0,\"temperature\":0"},
	        &r, "risky.max_tokens_0.hangs", "risky.max_tokens_0.runs");
}

/* Temperature 0 makes the result repeatable. */
static void risk_no_messages(struct probing *p)
{
	struct risk r = risk_begin(p, "risky.no_messages", "a chat without messages");
	risk_no_limit(p,
	        &(struct question){.endpoint = ENDPOINT_CHAT, .members = "\"temperature\":0"}, &r,
	        "risky.no_messages.hangs", "risky.no_messages.runs");
}

/* This ends the generating thread of one real engine, so it is tested last. */
static void risk_empty_prompt(struct probing *p)
{
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                .text = "",
	                .members = "\"max_tokens\":1,\"temperature\":0",
	                .timeout_ms = risky_timeout(p),
	                .limit = RISKY_BYTES,
	                .fresh = true},
	        &t);
	const char *name = "risky.empty_prompt";
	struct risk r = risk_begin(p, name, "an empty prompt");
	int64_t n = good ? t.reading->usage.prompt_tokens : -1;
	if (is_silence(&t)) {
		report_hang(p, &r, "risky.empty_prompt.hangs", 0, &t);
	} else if (n >= 0) {
		probing_capability(p, name, STANDING_HONOURED,
		        probing_text(p, "counts %lld token%s", (long long)n, plural(n, "", "s")),
		        reply_evidence_with(&t, "prompt_tokens %lld", (long long)n));
	} else {
		report_status(p, name, good ? STANDING_HONOURED : STANDING_REFUSED, &t);
	}
	reply_finish(&t);
	risk_end(p, &r);
}

void probe_risks(struct probing *p)
{
	if (!p->settings->risky) {
		return;
	}
	risk_no_tokens(p);
	if (p->answers[ENDPOINT_CHAT]) {
		risk_no_messages(p);
	}
	if (p->answers[ENDPOINT_COMPLETION]) {
		risk_empty_prompt(p);
	}
}

void probe_check_alive(struct probing *p, const char *step)
{
	const char *evidence = NULL;
	const char *last = p->last_failed;
	p->last_failed = NULL;
	if (!last || p->ended) {
		return;
	}
	if (!check_alive(p, PATIENCE_MS, &evidence) && !p->ended) {
		probing_finding(p, "dead", SEVERITY_FAULT,
		        probing_text(p, "It has not answered since %s were tried", step),
		        probing_text(p, "%s; %s", last, evidence),
		        "Start it again; one of these ended it.");
		p->report->problem = "the engine stopped answering";
		p->ended = true;
	}
	/* A failed check is no failure of the next step. */
	p->last_failed = NULL;
}
