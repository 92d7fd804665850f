#include "replay/repro/volley.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "backends/transport/upstream.h"
#include "base/clock.h"
#include "base/mem.h"

#define REQUEST_MAGIC 0x726f756eu
#define ANSWER_LIMIT ((size_t)64 << 20)

struct request;

/* One volley in progress. */
struct volley_run {
	const struct volley *v;
	struct volley_answer *answer;
	uv_loop_t loop;
	uv_signal_t interrupted, terminated;
	struct transport *transport;
	struct request *requests;
	size_t left; /* requests of the volley that have not ended */
	bool interrupted_by_signal;
};

/* One of its requests. */
struct request {
	uint32_t magic;
	struct volley_run *run;
	const struct volley_request *settings;
	uv_timer_t timer; /* first the time to send the request, then the timeout */
	struct upstream *upstream;
	struct reader *reader; /* reads the answer of the examined request */
	bool over;
};

static void end(struct request *s)
{
	struct volley_run *r = s->run;
	s->over = true;
	uv_close((uv_handle_t *)&s->timer, NULL);
	if (--r->left > 0) {
		return;
	}
	uv_close((uv_handle_t *)&r->interrupted, NULL);
	uv_close((uv_handle_t *)&r->terminated, NULL);
	transport_destroy(r->transport);
}

static bool is_examined(const struct request *s)
{
	return s->settings == &s->run->v->requests[s->run->v->examined];
}

static void fail(struct request *s, const char *why)
{
	if (is_examined(s)) {
		s->run->answer->failure = why;
	}
}

static void on_head(void *arg, const struct http_head *head)
{
	struct request *s = CHECKED(struct request, arg, REQUEST_MAGIC);
	if (!is_examined(s)) {
		return;
	}
	const struct reading_hints hints = {
	        .endpoint = s->run->v->endpoint,
	        .status = head->status,
	        .framing = framing_of_type(http_field(head, "content-type")),
	        .limit = ANSWER_LIMIT,
	};
	s->run->answer->status = head->status;
	reader_destroy(s->reader);
	s->reader = reader_create(&hints);
}

static bool on_body(void *arg, const char *data, size_t len)
{
	struct request *s = CHECKED(struct request, arg, REQUEST_MAGIC);
	if (s->reader) {
		reader_feed(s->reader, data, len);
	}
	return true;
}

static void on_end(void *arg, const struct upstream_end *how)
{
	struct request *s = CHECKED(struct request, arg, REQUEST_MAGIC);
	static const char *const FAILURES[] = {
	        [UPSTREAM_REFUSED] = "no connection",
	        [UPSTREAM_TIMEOUT] = "timeout",
	        [UPSTREAM_BROKEN] = "the connection broke within the answer",
	        [UPSTREAM_BAD_ANSWER] = "no HTTP",
	        [UPSTREAM_CANCELLED] = "its client left",
	        [UPSTREAM_BODY_FAILED] = "not sent",
	};
	if (how->reason != UPSTREAM_DONE) {
		fail(s, FAILURES[how->reason]);
	}
	if (s->reader) {
		s->run->answer->reading = reader_end(s->reader, how->reason == UPSTREAM_DONE);
		s->reader = NULL;
	}
	struct upstream *over = s->upstream;
	s->upstream = NULL;
	end(s);
	upstream_destroy(over);
}

static const struct upstream_events EVENTS = {NULL, on_head, on_body, on_end};

static void on_cancel_time(uv_timer_t *timer)
{
	struct request *s = CHECKED(struct request, timer->data, REQUEST_MAGIC);
	if (s->upstream) {
		upstream_cancel(s->upstream);
	}
}

static void on_due(uv_timer_t *timer)
{
	struct request *s = CHECKED(struct request, timer->data, REQUEST_MAGIC);
	const struct target_post post = {
	        .path = s->settings->path,
	        .agent = "plumbline-repro/" PLUMBLINE_VERSION,
	        .stream = s->settings->stream,
	        .body = s->settings->body,
	};
	s->upstream = upstream_create(s->run->transport, &EVENTS, s);
	if (target_post(s->run->v->target, s->upstream, &post) < 0) {
		upstream_destroy(s->upstream);
		s->upstream = NULL;
		fail(s, "not sent");
		end(s);
	} else if (s->settings->cancel) {
		uv_timer_start(&s->timer, on_cancel_time, s->settings->cancel / 1000000, 0);
	}
}

static void on_signal(uv_signal_t *signal, int number)
{
	struct volley_run *r = signal->data;
	r->interrupted_by_signal = true;
	for (size_t i = 0; i < r->v->n && r->left > 0; i++) {
		struct request *s = &r->requests[i];
		if (s->upstream) {
			upstream_cancel(s->upstream);
		} else if (!s->over) {
			end(s);
		}
	}
}

static void schedule_requests(struct volley_run *r)
{
	expect(uv_signal_init(&r->loop, &r->interrupted) == 0 &&
	        uv_signal_init(&r->loop, &r->terminated) == 0);
	r->interrupted.data = r->terminated.data = r;
	uv_signal_start(&r->interrupted, on_signal, SIGINT);
	uv_signal_start(&r->terminated, on_signal, SIGTERM);
	for (size_t i = 0; i < r->v->n; i++) {
		struct request *s = &r->requests[i];
		*s = (struct request){
		        .magic = REQUEST_MAGIC, .run = r, .settings = &r->v->requests[i]};
		expect(uv_timer_init(&r->loop, &s->timer) == 0);
		s->timer.data = s;
		uv_timer_start(&s->timer, on_due, s->settings->at / 1000000, 0);
	}
}

int volley_send(const struct volley *v, struct volley_answer *ret)
{
	struct volley_answer answer = {0};
	const struct target *t = v->target;
	struct volley_run r = {.v = v, .answer = &answer, .left = v->n};
	const struct upstream_target to = {
	        .url = t->url,
	        .ca_file = t->ca_file,
	        .connect_timeout = 10 * SECOND_NS,
	        .idle_timeout = t->timeout,
	        .max_idle_age = 4 * SECOND_NS,
	};
	expect(uv_loop_init(&r.loop) == 0);
	r.transport = transport_create(&r.loop, &to);
	r.requests = xcalloc(v->n, sizeof(*r.requests));
	schedule_requests(&r);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	expect(uv_loop_close(&r.loop) == 0);
	free(r.requests);
	if (r.interrupted_by_signal) {
		volley_answer_finish(&answer);
		return -ECANCELED;
	}
	*ret = answer;
	return 0;
}

void volley_answer_finish(struct volley_answer *a)
{
	reading_destroy(a->reading);
	*a = (struct volley_answer){0};
}
