/* How it says no, how it keeps a connection, and what it does with requests that are known to hang
 * or to run away in some engine. */
#include "backends/probing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define NO_MODEL "plumbline-no-such-model"
#define RISKY_BYTES ((size_t)64 << 10)
#define RISKY_TOKENS 64 /* events that show that max_tokens 0 is no limit */
#define LOOKS 3         /* at whether it is still there */

static void ask_broken(struct probing *p)
{
	struct call_answer a;
	probing_call(p, "v1/chat/completions", SPAN("{\"messages\":[{\"role\":"), false, &a);
	char *text = probing_quote(buf_span(&a.body), 100);
	char *said =
	        a.status ? xasprintf("broken JSON to /v1/chat/completions -> %d %s", a.status, text)
	                 : xasprintf("broken JSON to /v1/chat/completions -> %s",
	                           a.problem ? a.problem : "nothing");
	free(text);
	if (a.status / 100 == 4) {
		probing_capability(
		        p, "errors.json", STANDING_HONOURED, xasprintf("%d", a.status), said);
	} else {
		probing_capability(p, "errors.json", STANDING_WRONG,
		        a.status ? xasprintf("%d", a.status) : xstrdup("no answer"), said);
		probing_finding(p, "errors.json", GRAVITY_NOTE,
		        a.status ? xasprintf("Broken JSON is answered with %d", a.status)
		                 : xstrdup("Broken JSON is not answered"),
		        xstrdup(said), a.status >= 500 ? "Clients send a 5xx again." : NULL);
	}
	call_answer_finish(&a);
}

static void ask_unknown_model(struct probing *p)
{
	struct told t;
	enum endpoint e = probing_route(p);
	bool good = probing_ask(p,
	        &(struct question){.endpoint = e,
	                .text = e == ENDPOINT_CHAT ? PROBE_CHAT : PROBE_PROMPT,
	                .members = "\"max_tokens\":1",
	                .model = NO_MODEL},
	        &t);
	char *said = xasprintf("%s -> %s", t.sent, t.came);
	if (good) {
		probing_capability(
		        p, "errors.model", STANDING_IGNORED, xstrdup("any name is served"), said);
		probing_finding(p, "model.ignored", GRAVITY_WARNING,
		        xstrdup("A model that is not there is served all the same"), xstrdup(said),
		        "The name in a request does not say which model answered.");
	} else {
		probing_capability(p, "errors.model",
		        t.answer.status / 100 == 4 ? STANDING_HONOURED : STANDING_WRONG,
		        t.answer.status ? xasprintf("%d", t.answer.status) : NULL, said);
	}
	told_finish(&t);
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
	probing_capability(p, "http", STANDING_HONOURED, xasprintf("HTTP/1.%d", p->minor),
	        xasprintf("%u answers", p->report->requests));
	probing_capability(p, "keep_alive", p->kept ? STANDING_HONOURED : STANDING_ABSENT,
	        p->kept ? NULL : xstrdup("one request a connection"),
	        xasprintf("%u requests one after another, %s", p->report->requests,
	                p->kept ? "several on one connection" : "each on a new connection"));
}

/* Requests with a risk */

struct flow {
	unsigned events;
};

static bool count_events(void *arg, uint64_t us, const char *data, size_t len)
{
	struct flow *f = arg;
	for (size_t i = 0; i + 5 <= len; i++) {
		f->events += memcmp(data + i, "data:", 5) == 0;
	}
	return f->events < RISKY_TOKENS;
}

/* After what might have hung it: does it still give one token? */
static bool is_alive(struct probing *p, char **ret_said)
{
	enum endpoint e = probing_route(p);
	for (int i = 0;; i++) {
		struct told t;
		bool good = probing_ask(p,
		        &(struct question){.endpoint = e,
		                .text = e == ENDPOINT_CHAT ? PROBE_CHAT : PROBE_PROMPT,
		                .members = "\"max_tokens\":1,\"temperature\":0",
		                .timeout_ms = PROBE_RISKY_TIMEOUT_MS,
		                .fresh = true},
		        &t);
		free(*ret_said);
		*ret_said = xasprintf("one token, asked for after it -> %s", t.came);
		told_finish(&t);
		if (good || i + 1 == LOOKS || p->over) {
			return good;
		}
		sleep(1);
	}
}

static void look_after(struct probing *p, const char *what)
{
	char *said = NULL;
	if (!is_alive(p, &said) && !p->over) {
		probing_finding(p, "risky.dead", GRAVITY_FAULT,
		        xasprintf("After %s it answers no more", what), said,
		        "Start it again, and keep such requests from it.");
		p->report->problem = xasprintf("the engine did not recover from %s", what);
		p->over = true;
		return;
	}
	free(said);
}

static void hangs(struct probing *p, const char *capability, const char *finding, const char *what,
        const struct told *t)
{
	char *said = xasprintf("%s -> %s", t->sent, t->came);
	probing_capability(p, capability, STANDING_WRONG, xstrdup("never answers"), said);
	probing_finding(p, finding, GRAVITY_FAULT, xasprintf("%s is never answered", what),
	        xstrdup(said), "Keep such requests from it; whoever sends one needs a timeout.");
}

static bool is_silence(const struct told *t)
{
	return t->answer.end == CALL_TIMEOUT && t->answer.body.len == 0;
}

/* Streamed, so that tokens which run away show before the timeout. */
static void risk_no_tokens(struct probing *p)
{
	enum endpoint e = probing_route(p);
	struct flow flow = {0};
	struct question q = {.endpoint = e,
	        .text = e == ENDPOINT_CHAT ? PROBE_CHAT : PROBE_PROMPT,
	        .members = "\"max_tokens\":0,\"temperature\":0",
	        .stream = true,
	        .timeout_ms = PROBE_RISKY_TIMEOUT_MS,
	        .limit = RISKY_BYTES,
	        .fresh = true,
	        .on_data = count_events,
	        .arg = &flow};
	struct told t;
	const char *name = "risky.max_tokens_0";
	bool good = probing_ask(p, &q, &t);
	if (is_silence(&t)) {
		hangs(p, name, "risky.max_tokens_0.hangs", "max_tokens: 0", &t);
	} else if (flow.events > 3 && !call_line_stopped(p->settings->line)) {
		char *said = xasprintf("%s -> %u events, then stopped", t.sent, flow.events);
		probing_capability(p, name, STANDING_WRONG, xstrdup("no limit"), said);
		probing_finding(p, "risky.max_tokens_0.runs", GRAVITY_WARNING,
		        xstrdup("max_tokens: 0 means no limit"), xstrdup(said),
		        "Never send it: it fills the context.");
	} else {
		probing_capability(p, name, good ? STANDING_HONOURED : STANDING_REFUSED,
		        t.answer.status ? xasprintf("%d", t.answer.status) : NULL,
		        xasprintf("%s -> %s", t.sent, t.came));
	}
	told_finish(&t);
	look_after(p, "max_tokens: 0");
}

static void risk_no_messages(struct probing *p)
{
	struct told t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_CHAT,
	                .timeout_ms = PROBE_RISKY_TIMEOUT_MS,
	                .limit = RISKY_BYTES,
	                .fresh = true},
	        &t);
	const char *name = "risky.no_messages";
	if (is_silence(&t)) {
		hangs(p, name, "risky.no_messages.hangs", "A chat without messages", &t);
	} else {
		probing_capability(p, name,
		        good                         ? STANDING_IGNORED
		        : t.answer.status / 100 == 4 ? STANDING_REFUSED
		                                     : STANDING_WRONG,
		        t.answer.status ? xasprintf("%d", t.answer.status) : NULL,
		        xasprintf("%s -> %s", t.sent, t.came));
	}
	told_finish(&t);
	look_after(p, "a chat without messages");
}

/* Ends the generating thread of one real engine, so it comes last. */
static void risk_empty_prompt(struct probing *p)
{
	struct told t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                .text = "",
	                .members = "\"max_tokens\":1,\"temperature\":0",
	                .timeout_ms = PROBE_RISKY_TIMEOUT_MS,
	                .limit = RISKY_BYTES,
	                .fresh = true},
	        &t);
	const char *name = "risky.empty_prompt";
	int64_t n = good ? t.reading->usage.prompt_tokens : -1;
	if (is_silence(&t)) {
		hangs(p, name, "risky.empty_prompt.hangs", "An empty prompt", &t);
	} else if (n >= 0) {
		probing_capability(p, name, STANDING_HONOURED,
		        xasprintf("counts %lld token%s", (long long)n, n == 1 ? "" : "s"),
		        xasprintf("%s -> %s, prompt_tokens %lld", t.sent, t.came, (long long)n));
	} else {
		probing_capability(p, name,
		        good                         ? STANDING_HONOURED
		        : t.answer.status / 100 == 4 ? STANDING_REFUSED
		                                     : STANDING_WRONG,
		        t.answer.status ? xasprintf("%d", t.answer.status) : xstrdup(t.came),
		        xasprintf("%s -> %s", t.sent, t.came));
	}
	told_finish(&t);
	look_after(p, "an empty prompt");
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

void probe_look(struct probing *p, const char *step)
{
	char *said = NULL;
	char *last = p->last_failed;
	p->last_failed = NULL;
	if (!last || p->over) {
		free(last);
		return;
	}
	if (!is_alive(p, &said) && !p->over) {
		probing_finding(p, "dead", GRAVITY_FAULT,
		        xasprintf("It answers no more since %s were tried", step),
		        xasprintf("%s; %s", last, said), "Start it again; one of these ended it.");
		p->report->problem = xstrdup("the engine stopped answering");
		p->over = true;
	}
	/* A look that failed at first is no failure of the next step. */
	free(p->last_failed);
	p->last_failed = NULL;
	free(last);
	free(said);
}
