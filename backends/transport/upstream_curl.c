#include "backends/transport/upstream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/transport/transport_curl.h"
#include "base/clock.h"
#include "base/mem.h"

static struct curl_upstream *checked(void *arg)
{
	return CHECKED(struct curl_upstream, arg, UPSTREAM_MAGIC);
}

/* Started, and not ended. */
static bool is_open(const struct curl_upstream *u)
{
	return u->state == TRANSFER_RUNNING || u->state == TRANSFER_FINISHED;
}

/* The parser's events */

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct curl_upstream *u = checked(arg);
	if (u->cancelled) {
		return;
	}
	if (head->status < 200) {
		if (head->status != 100 && u->events->on_interim) {
			u->events->on_interim(u->arg, head);
		}
		return;
	}
	if (!transport_may_keep(head, u->is_head)) {
		/* After an HTTP/1.0 answer libcurl would use HTTP/1.0 from then on, even for
		 * chunked requests. */
		curl_easy_setopt(u->easy, CURLOPT_FORBID_REUSE, 1L);
	}
	*ret_no_body = u->is_head;
	u->has_head = true;
	u->events->on_head(u->arg, head);
}

static void deliver(struct curl_upstream *u, const char *data, size_t len)
{
	if (!u->events->on_body(u->arg, data, len)) {
		u->paused = true;
		u->resume_requested = false;
	}
}

static void on_body(void *arg, const char *data, size_t len)
{
	struct curl_upstream *u = checked(arg);
	if (u->cancelled) {
		return;
	}
	if (u->paused) {
		/* The rest of the piece (at most 16 KiB) that came before the pause. */
		buf_append(&u->held, data, len);
	} else {
		deliver(u, data, len);
	}
}

static void on_complete(void *arg)
{
	checked(arg)->complete = true;
}

static const struct http_parser_events parser_events = {
        .on_head = on_head,
        .on_body = on_body,
        .on_complete = on_complete,
};

/* Feeds raw bytes of the answer. False: the transfer must fail, since the answer is refused or has
 * more bytes than its framing allows. A failed transfer also closes the connection. */
static bool feed(struct curl_upstream *u, const char *data, size_t len)
{
	u->last_activity = clock_mono();
	if (u->cancelled || u->complete) {
		return false;
	}
	ssize_t used = http_parser_feed(u->parser, data, len);
	if (used < 0) {
		u->refused = true;
		return false;
	}
	if (u->complete) {
		/* libcurl usually ends the transfer before the turn. If not, it waits for bytes
		 * that never come, or sends a body that nobody reads. */
		transport_wait_for_turn(u);
	}
	return !u->cancelled && (size_t)used == len;
}

/* libcurl's callbacks. They must not call libcurl, except for a few functions that only return
 * values. */

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
	struct curl_upstream *u = checked(arg);
	return feed(u, data, size * n) ? size * n : 0;
}

static size_t on_write(char *data, size_t size, size_t n, void *arg)
{
	struct curl_upstream *u = checked(arg);
	if (u->paused && !u->cancelled) {
		u->curl_recv_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	return feed(u, data, size * n) ? size * n : 0;
}

static size_t on_read(char *data, size_t size, size_t n, void *arg)
{
	struct curl_upstream *u = checked(arg);
	size_t cap = size * n;
	if (u->cancelled || u->body_error) {
		return CURL_READFUNC_ABORT;
	}
	if (u->request.body_length >= 0) {
		cap = MIN(cap, (uint64_t)u->request.body_length - u->pulled);
	}
	ssize_t got = cap ? u->request.pull(u->arg, data, cap) : 0;
	if (got == -EAGAIN) {
		u->curl_send_paused = true;
		return CURL_READFUNC_PAUSE;
	}
	expect(got <= (ssize_t)cap);
	if (got > 0) {
		u->pulled += (uint64_t)got;
		u->last_activity = clock_mono();
		return (size_t)got;
	}
	if (got == 0 && u->request.body_length >= 0 &&
	        u->pulled < (uint64_t)u->request.body_length) {
		got = -ENODATA;
	}
	if (got < 0) {
		u->body_error = (int)got;
		return CURL_READFUNC_ABORT;
	}
	u->body_read = true;
	return 0;
}

/* libcurl calls this if a reused connection closed before any byte of the answer, to send the
 * request again. */
static int on_seek(void *arg, curl_off_t offset, int origin)
{
	struct curl_upstream *u = checked(arg);
	if (offset != 0 || origin != SEEK_SET) {
		return CURL_SEEKFUNC_FAIL;
	}
	if (u->pulled || u->body_read) {
		if (!u->request.replayable || u->cancelled) {
			u->replay_refused = true;
			return CURL_SEEKFUNC_FAIL;
		}
		u->request.rewind(u->arg);
		u->pulled = 0;
		u->body_read = false;
	}
	return CURL_SEEKFUNC_OK;
}

static int on_prereq(void *arg, char *primary_ip, char *local_ip, int primary_port, int local_port)
{
	struct curl_upstream *u = checked(arg);
	bool kept;
	bool clean = curl_pool_is_clean(&u->transport->pool, local_ip, local_port, &kept);
	u->last_activity = clock_mono();
	if (u->cancelled) {
		return CURL_PREREQFUNC_ABORT;
	}
	if (kept && !clean) {
		u->stale = true;
		return CURL_PREREQFUNC_ABORT;
	}
	if (u->sends && !u->request.replayable && !u->safe_method) {
		u->replay_refused = true;
		return CURL_PREREQFUNC_ABORT;
	}
	u->sends++;
	return CURL_PREREQFUNC_OK;
}

/* The end */

/* Why the transfer ended. What plumbline knows itself comes before libcurl's code. */
static enum upstream_reason judge(struct curl_upstream *u, const char **ret_text)
{
	if (u->cancelled) {
		*ret_text = "the exchange was cancelled";
		return UPSTREAM_CANCELLED;
	}
	/* A body without a length ends with the connection, unless plumbline closed it. */
	bool closed = u->code == CURLE_OK && !u->timed_out && !u->refused && u->has_head;
	if (!u->complete && closed && http_parser_eof(u->parser) == 0) {
		u->complete = true;
	}
	if (u->complete) {
		*ret_text = "the answer is complete";
		return UPSTREAM_DONE;
	}
	if (u->refused) {
		const char *problem = http_parser_problem(u->parser)->text;
		buf_append(&u->text, problem, strlen(problem) - 1);
		*ret_text = buf_cstr(&u->text);
		return UPSTREAM_BAD_ANSWER;
	}
	if (u->body_error) {
		*ret_text = "the request's body ended early";
		return UPSTREAM_BODY_FAILED;
	}
	if (u->timed_out) {
		*ret_text = "no byte came for longer than idle_timeout";
		return UPSTREAM_TIMEOUT;
	}
	if (u->replay_refused) {
		*ret_text = "the connection was closed before the answer, and the request "
		            "cannot be sent again";
		return UPSTREAM_BROKEN;
	}
	if (u->code == CURLE_OK) {
		*ret_text = "the connection was closed before the end of the answer";
		return UPSTREAM_BROKEN;
	}
	*ret_text = upstream_cause_of(u);
	return upstream_reason_of(u->code);
}

static uint64_t connect_time(const struct curl_upstream *u)
{
	long made = 0;
	curl_off_t us = 0;
	if (u->easy && curl_easy_getinfo(u->easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK &&
	        made > 0) {
		curl_easy_getinfo(u->easy, CURLINFO_APPCONNECT_TIME_T, &us);
		if (us == 0) {
			curl_easy_getinfo(u->easy, CURLINFO_CONNECT_TIME_T, &us);
		}
	}
	return us > 0 ? (uint64_t)us : 0;
}

static void end(struct curl_upstream *u)
{
	struct upstream_end result = {.text = NULL};
	result.reason = judge(u, &result.text);
	result.has_head = u->has_head;
	result.sent = u->sends > 0;
	result.retried = u->sends > 1;
	result.connect_us = connect_time(u);
	u->state = TRANSFER_ENDED;
	list_remove(&u->active_link);
	transport_forget_turn(u);
	u->events->on_end(u->arg, &result);
}

/* Removes the transfer from libcurl, which closes the connection of an unfinished one. */
static void detach(struct curl_upstream *u, CURLcode code)
{
	curl_multi_remove_handle(u->transport->multi, u->easy);
	u->state = TRANSFER_FINISHED;
	u->code = code;
}

static void on_done(struct curl_upstream *u, CURLcode code)
{
	detach(u, code);
	/* No clean kept connection was found; nothing has been sent yet. */
	if (u->stale && !u->fresh_tried && !u->cancelled) {
		u->stale = false;
		u->fresh_tried = true;
		u->error[0] = '\0';
		curl_easy_setopt(u->easy, CURLOPT_FRESH_CONNECT, 1L);
		if (curl_multi_add_handle(u->transport->multi, u->easy) == CURLM_OK) {
			u->state = TRANSFER_RUNNING;
			return;
		}
	}
	if (u->held.len == 0 || u->cancelled) {
		end(u);
	}
}

/* Called only from a turn, outside of libcurl's callbacks. */

static void unpause(struct curl_upstream *u)
{
	int pause = (u->curl_recv_paused ? CURLPAUSE_RECV : 0) |
	            (u->curl_send_paused ? CURLPAUSE_SEND : 0);
	if (u->state == TRANSFER_RUNNING) {
		/* May call on_body, and so pause again, before it returns. */
		curl_easy_pause(u->easy, pause);
	}
}

static void resume(struct curl_upstream *u)
{
	u->resume_requested = false;
	u->paused = false;
	u->last_activity = clock_mono();
	if (u->held.len) {
		struct buf held = u->held;
		u->held = (struct buf){0};
		deliver(u, held.data, held.len);
		buf_finish(&held);
	}
	if (u->cancelled) {
		transport_wait_for_turn(u);
	} else if (u->state == TRANSFER_FINISHED && !u->held.len) {
		end(u);
	} else if (!u->paused && u->curl_recv_paused) {
		u->curl_recv_paused = false;
		unpause(u);
	}
}

static void on_turn(struct curl_upstream *u)
{
	if (u->start_waits) {
		u->start_waits = false;
		expect(curl_multi_add_handle(u->transport->multi, u->easy) == CURLM_OK);
	}
	if (u->state == TRANSFER_RUNNING && (u->cancelled || u->timed_out || u->complete)) {
		detach(u, CURLE_OK);
	}
	if (u->state == TRANSFER_FINISHED && (u->cancelled || u->held.len == 0)) {
		end(u);
		return;
	}
	if (u->ready_requested) {
		u->ready_requested = false;
		if (u->curl_send_paused) {
			u->curl_send_paused = false;
			unpause(u);
		}
	}
	if (u->resume_requested && u->paused) {
		resume(u);
	}
}

static void on_sweep(struct curl_upstream *u, uint64_t now)
{
	/* While the caller has paused the body, the silence is not the engine's fault. */
	if (u->paused || u->state == TRANSFER_FINISHED) {
		u->last_activity = now;
	} else if (now - MIN(now, u->last_activity) > u->transport->idle_timeout) {
		u->timed_out = true;
		transport_wait_for_turn(u);
	}
}

static const struct curl_transport_events EVENTS = {on_turn, on_done, on_sweep};

static struct transport *create_transport(
        struct uv_loop_s *loop, const struct upstream_target *target)
{
	return transport_curl_create(loop, target, &EVENTS);
}

static struct upstream *create(
        struct transport *transport, const struct upstream_events *events, void *arg)
{
	struct curl_transport *t = CHECKED(struct curl_transport, transport, TRANSPORT_MAGIC);
	struct curl_upstream *u = xmalloc(sizeof(*u));
	*u = (struct curl_upstream){
	        .magic = UPSTREAM_MAGIC,
	        .transport = t,
	        .events = events,
	        .arg = arg,
	};
	u->parser = http_parser_create(HTTP_RESPONSE, &parser_events, u);
	return &u->base;
}

static void set_callbacks(struct curl_upstream *u)
{
	curl_easy_setopt(u->easy, CURLOPT_PREREQFUNCTION, on_prereq);
	curl_easy_setopt(u->easy, CURLOPT_PREREQDATA, u);
	curl_easy_setopt(u->easy, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(u->easy, CURLOPT_READDATA, u);
	curl_easy_setopt(u->easy, CURLOPT_SEEKFUNCTION, on_seek);
	curl_easy_setopt(u->easy, CURLOPT_SEEKDATA, u);
	curl_easy_setopt(u->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(u->easy, CURLOPT_HEADERDATA, u);
	curl_easy_setopt(u->easy, CURLOPT_WRITEFUNCTION, on_write);
	curl_easy_setopt(u->easy, CURLOPT_WRITEDATA, u);
}

static void start(struct upstream *upstream, const struct upstream_request *request)
{
	struct curl_upstream *u = checked(upstream);
	expect(u->state == TRANSFER_NEW);
	u->is_head = span_is(request->method, "HEAD");
	u->safe_method = transport_is_safe(request);
	upstream_set_options(u, request);
	set_callbacks(u);
	u->request = *request;
	u->request.fields = NULL;
	u->request.method = u->request.target = (struct span){0};
	u->state = TRANSFER_RUNNING;
	u->last_activity = clock_mono();
	transport_activate(u);
	CURLMcode code = curl_multi_add_handle(u->transport->multi, u->easy);
	if (code == CURLM_RECURSIVE_API_CALL) {
		/* Called from within a callback of another upstream. */
		u->start_waits = true;
		transport_wait_for_turn(u);
	} else {
		expect(code == CURLM_OK);
	}
}

static void body_ready(struct upstream *upstream)
{
	struct curl_upstream *u = checked(upstream);
	if (u->state == TRANSFER_RUNNING) {
		u->ready_requested = true;
		transport_wait_for_turn(u);
	}
}

static void ask_resume(struct upstream *upstream)
{
	struct curl_upstream *u = checked(upstream);
	if (is_open(u) && u->paused) {
		u->resume_requested = true;
		transport_wait_for_turn(u);
	}
}

static void cancel(struct upstream *upstream)
{
	struct curl_upstream *u = checked(upstream);
	if (is_open(u)) {
		u->cancelled = true;
		transport_wait_for_turn(u);
	}
}

static void destroy(struct upstream *upstream)
{
	struct curl_upstream *u = checked(upstream);
	expect(!is_open(u));
	curl_easy_cleanup(u->easy);
	http_parser_destroy(u->parser);
	curl_slist_free_all(u->fields);
	buf_finish(&u->held);
	buf_finish(&u->text);
	u->magic = 0;
	free(u);
}

const struct transport_kind TRANSPORT_CURL = {
        .create = create_transport,
        .destroy = transport_curl_destroy,
        .upstream_create = create,
        .start = start,
        .body_ready = body_ready,
        .resume = ask_resume,
        .cancel = cancel,
        .upstream_destroy = destroy,
};
