#include "backends/transport/call.h"

#include "base/check.h" /* before libuv, which defines MIN and MAX, too */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <uv.h>

#include "backends/transport/base_url.h"
#include "backends/transport/upstream.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/mem.h"

#define CALL_MAGIC 0x63616c6c
#define DEFAULT_TIMEOUT_MS 2000
#define DEFAULT_LIMIT ((size_t)16 << 20)
#define IDLE_AGE UINT64_C(3000000000) /* ns; uvicorn closes idle connections after 5 s */
#define STOP_CHECK_MS 100             /* how often a call checks whether to stop */
#define BUSY_REPEATS 3
#define BUSY_PAUSE_MS 500u /* doubled each time */
#define MESSAGE_LIMIT 200  /* bytes of an engine's error text */
#define MS UINT64_C(1000000)

struct call_line {
	uint32_t magic;
	uv_loop_t loop;
	uv_timer_t timer;
	struct transport *kept; /* carries all calls but the fresh ones */
	struct upstream_target target;
	struct base_url url;
	char *ca_file;
	char *authorization; /* the field's value, or NULL */
	atomic_int stopped;  /* a signal handler may set it */
};

/* Why plumbline itself ended a call. */
enum ended { ENDED_NOT, ENDED_STOPPED, ENDED_TOO_LARGE, ENDED_TIMEOUT };

struct call_state {
	struct call_line *line;
	const struct call *call;
	struct call_answer *answer;
	struct upstream *upstream;
	uint64_t start, timeout_ms; /* start: clock_mono() ns */
	size_t limit;               /* bytes of the answer's body */
	enum ended ended;
	bool done;
};

static uint64_t microseconds_since(uint64_t start)
{
	return (clock_mono() - start) / 1000;
}

static void end_early(struct call_state *u, enum ended why)
{
	if (u->ended == ENDED_NOT) {
		u->ended = why;
		upstream_cancel(u->upstream);
	}
}

static void on_timer(uv_timer_t *timer)
{
	struct call_state *u = timer->data;
	uint64_t waited_ms = (clock_mono() - u->start) / MS;
	if (u->line->stopped) {
		end_early(u, ENDED_STOPPED);
	} else if (waited_ms >= u->timeout_ms) {
		end_early(u, ENDED_TIMEOUT);
	}
	uint64_t left_ms = u->timeout_ms - MIN(waited_ms, u->timeout_ms);
	uv_timer_start(timer, on_timer, MAX(MIN(left_ms, STOP_CHECK_MS), 1), 0);
}

static void on_head(void *arg, const struct http_head *head)
{
	struct call_state *u = arg;
	u->answer->status = head->status;
	u->answer->minor = head->minor;
	for (size_t i = 0; i < head->n_fields; i++) {
		buf_append_span(&u->answer->head, head->fields[i].name);
		buf_append_str(&u->answer->head, ": ");
		buf_append_span(&u->answer->head, head->fields[i].value);
		buf_append_char(&u->answer->head, '\n');
	}
}

static bool on_body(void *arg, const char *data, size_t len)
{
	struct call_state *u = arg;
	struct call_answer *a = u->answer;
	uint64_t now = MAX(microseconds_since(u->start), (uint64_t)1);
	if (u->ended != ENDED_NOT) {
		return true;
	}
	a->first_us = a->first_us ? a->first_us : now;
	size_t kept = MIN(len, u->limit - a->body.len);
	buf_append(&a->body, data, kept);
	if (u->call->on_data && kept && !u->call->on_data(u->call->arg, now, data, kept)) {
		end_early(u, ENDED_STOPPED);
	} else if (kept < len) {
		end_early(u, ENDED_TOO_LARGE);
	}
	return true;
}

static enum call_end end_of(
        const struct call_state *u, const struct upstream_end *end, char **ret_problem)
{
	bool no_connection = !end->sent || end->reason == UPSTREAM_REFUSED;
	if (end->reason == UPSTREAM_DONE) {
		return CALL_DONE;
	}
	if (u->ended == ENDED_STOPPED) {
		*ret_problem = xstrdup("plumbline ended the request");
		return CALL_STOPPED;
	}
	if (u->ended == ENDED_TOO_LARGE) {
		*ret_problem = xasprintf(
		        "the answer is longer than %zu bytes; the rest was not read", u->limit);
		return CALL_TOO_LARGE;
	}
	if (no_connection) {
		*ret_problem =
		        xstrdup(u->ended == ENDED_TIMEOUT ? "no connection in time" : end->text);
		return CALL_REFUSED;
	}
	if (u->ended == ENDED_TIMEOUT) {
		*ret_problem =
		        xasprintf("no complete answer within %.1f s", (double)u->timeout_ms / 1000);
		return CALL_TIMEOUT;
	}
	*ret_problem = xasprintf("the answer broke off: %s", end->text);
	return CALL_BROKEN;
}

static void on_end(void *arg, const struct upstream_end *end)
{
	struct call_state *u = arg;
	struct call_answer *a = u->answer;
	a->total_us = microseconds_since(u->start);
	a->end = end_of(u, end, &a->problem);
	a->kept = a->minor >= 0 && end->connect_us == 0;
	u->done = true;
}

static const struct upstream_events EVENTS = {
        .on_head = on_head, .on_body = on_body, .on_end = on_end};

static void start(struct call_state *u)
{
	const struct call *call = u->call;
	const struct call_line *c = u->line;
	const char *slash = call->path[0] == '/' ? "" : "/";
	char *target = xasprintf("%s%s%s", c->url.path, slash, call->path);
	struct http_field fields[5] = {
	        {SPAN("User-Agent"), SPAN("plumbline/" PLUMBLINE_VERSION)},
	        {SPAN("Accept"), SPAN("*/*")},
	        {SPAN("Accept-Encoding"), SPAN("identity")},
	};
	size_t n = 3;
	if (call->body.len) {
		fields[n++] = (struct http_field){SPAN("Content-Type"), SPAN("application/json")};
	}
	if (c->authorization) {
		fields[n++] = (struct http_field){SPAN("Authorization"), span_of(c->authorization)};
	}
	const struct upstream_request request = {
	        .method = call->body.len ? SPAN("POST") : SPAN("GET"),
	        .target = span_of(target),
	        .fields = fields,
	        .n_fields = n,
	        .has_body = call->body.len > 0,
	        .body = call->body,
	        .replayable = true,
	};
	expect(upstream_start(u->upstream, &request) == 0);
	free(target);
}

void call_do(struct call_line *c, const struct call *call, struct call_answer *ret)
{
	CHECKED(struct call_line, c, CALL_MAGIC);
	*ret = (struct call_answer){.minor = -1};
	struct call_state u = {
	        .line = c,
	        .call = call,
	        .answer = ret,
	        .start = clock_mono(),
	        .timeout_ms = call->timeout_ms ? call->timeout_ms : DEFAULT_TIMEOUT_MS,
	        .limit = call->limit ? call->limit : DEFAULT_LIMIT,
	};
	struct upstream_target target = c->target;
	target.max_idle_age = UPSTREAM_NONE_KEPT;
	struct transport *fresh = call->fresh ? transport_create(&c->loop, &target) : NULL;
	u.upstream = upstream_create(fresh ? fresh : c->kept, &EVENTS, &u);
	c->timer.data = &u;
	uv_update_time(&c->loop);
	start(&u);
	on_timer(&c->timer);
	while (!u.done) {
		uv_run(&c->loop, UV_RUN_ONCE);
	}
	uv_timer_stop(&c->timer);
	upstream_destroy(u.upstream);
	transport_destroy(fresh);
}

/* Sleeps in short steps, so that it soon notices a stop. */
static void pause_ms(const struct call_line *c, unsigned ms)
{
	const struct timespec step = {.tv_nsec = 50000000};
	for (unsigned slept = 0; slept < ms && !call_line_stopped(c); slept += 50) {
		nanosleep(&step, NULL);
	}
}

void call_do_patiently(struct call_line *c, const struct call *call, struct call_answer *ret)
{
	call_do(c, call, ret);
	for (unsigned pause = BUSY_PAUSE_MS; pause < BUSY_PAUSE_MS << BUSY_REPEATS; pause *= 2) {
		if (ret->end != CALL_DONE || (ret->status != 429 && ret->status != 503)) {
			return;
		}
		call_answer_finish(ret);
		pause_ms(c, pause);
		call_do(c, call, ret);
	}
}

char *call_failure(const struct call_answer *a, const char *message)
{
	size_t n = 0;
	if (a->end == CALL_STOPPED) {
		return xstrdup("stopped");
	}
	if (a->end != CALL_DONE) {
		return xstrdup(
		        a->end == CALL_TIMEOUT ? "the engine did not answer in time" : a->problem);
	}
	while (message && n < MESSAGE_LIMIT && (unsigned char)message[n] >= ' ') {
		n++;
	}
	return xasprintf("the engine answered %d%s%.*s", a->status, n ? ": " : "", (int)n,
	        message ? message : "");
}

void call_answer_finish(struct call_answer *a)
{
	free(a->problem);
	buf_finish(&a->head);
	buf_finish(&a->body);
	*a = (struct call_answer){.minor = -1};
}

struct span call_header(const struct call_answer *a, const char *name)
{
	return http_lines_field(buf_span(&a->head), name);
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			return true;
		}
	}
	return false;
}

struct call_line *call_line_create(const struct call_line_settings *s, char **ret_error)
{
	struct base_url url;
	char *problem = base_url_read(s->url, &url);
	if (problem) {
		*ret_error = xasprintf("the engine's URL %s", problem);
		free(problem);
		return NULL;
	}
	if (s->api_key && has_control(s->api_key)) {
		*ret_error = xstrdup(
		        "the engine's API key holds a control character, a line end perhaps");
		base_url_finish(&url);
		return NULL;
	}
	struct call_line *c = xcalloc(1, sizeof(*c));
	c->magic = CALL_MAGIC;
	c->url = url;
	c->ca_file = s->ca_file ? xstrdup(s->ca_file) : NULL;
	c->authorization = s->api_key ? xasprintf("Bearer %s", s->api_key) : NULL;
	uint64_t timeout_ms = s->connect_timeout_ms ? s->connect_timeout_ms : DEFAULT_TIMEOUT_MS;
	c->target = (struct upstream_target){
	        .url = c->url.url,
	        .ca_file = c->ca_file,
	        .connect_timeout = timeout_ms * MS,
	        .max_idle_age = IDLE_AGE,
	};
	expect(uv_loop_init(&c->loop) == 0);
	uv_timer_init(&c->loop, &c->timer);
	c->kept = transport_create(&c->loop, &c->target);
	return c;
}

void call_line_destroy(struct call_line *c)
{
	if (!c) {
		return;
	}
	CHECKED(struct call_line, c, CALL_MAGIC);
	transport_destroy(c->kept);
	uv_close((uv_handle_t *)&c->timer, NULL);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	expect(uv_loop_close(&c->loop) == 0);
	if (c->authorization) {
		explicit_bzero(c->authorization, strlen(c->authorization));
	}
	free(c->authorization);
	free(c->ca_file);
	base_url_finish(&c->url);
	c->magic = 0;
	free(c);
}

const char *call_line_url(const struct call_line *c)
{
	return c->url.url;
}

void call_line_stop(struct call_line *c)
{
	c->stopped = 1;
}

bool call_line_stopped(const struct call_line *c)
{
	return c->stopped;
}
