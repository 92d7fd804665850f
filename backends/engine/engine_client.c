#include "backends/engine/engine_client.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

#define READ_AHEAD_LIMIT ((size_t)64 << 10)
#define REPLICAS_MAX 1024

struct write {
	uv_write_t req;
	struct engine_client *client;
	struct buf data;
};

static _Thread_local char read_buffer[65536];
static const struct engine_problem TOO_LARGE = {413, "The body is too large.", NULL};

static void flush(struct engine_client *c);

const char *engine_client_date(struct worker *w)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	if ((uint64_t)now.tv_sec != w->date_second) {
		struct tm tm;
		gmtime_r(&now.tv_sec, &tm);
		strftime(w->date, sizeof(w->date), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &tm);
		w->date_second = (uint64_t)now.tv_sec;
	}
	return w->date;
}

static void on_closed(uv_handle_t *handle)
{
	struct engine_client *c = CHECKED(struct engine_client, handle->data, ENGINE_CLIENT_MAGIC);
	if (--c->open_handles > 0) {
		return;
	}
	http_parser_destroy(c->parser);
	buf_finish(&c->in);
	buf_finish(&c->head);
	buf_finish(&c->body);
	buf_finish(&c->out);
	buf_finish(&c->late);
	c->magic = 0;
	free(c);
}

static void close_client(struct engine_client *c, bool reset)
{
	if (c->closing) {
		return;
	}
	c->closing = true;
	if (c->responder) {
		c->responder->kind->cancel(c->responder);
		c->responder = NULL;
	}
	list_remove(&c->link);
	uv_close((uv_handle_t *)&c->timer, on_closed);
	uv_close((uv_handle_t *)&c->drip, on_closed);
	if (!reset || uv_tcp_close_reset(&c->tcp, on_closed) < 0) {
		uv_close((uv_handle_t *)&c->tcp, on_closed);
	}
}

void engine_client_close(struct engine_client *c)
{
	close_client(c, false);
}

static void on_reset_due(uv_timer_t *timer)
{
	close_client(CHECKED(struct engine_client, timer->data, ENGINE_CLIENT_MAGIC), true);
}

/* Closing a socket with unread bytes sends a reset, which may destroy the answer. So first only the
 * sending side is shut down. The socket is closed after the peer closes it, or after a timeout. */
static void on_linger_over(uv_timer_t *timer)
{
	engine_client_close(CHECKED(struct engine_client, timer->data, ENGINE_CLIENT_MAGIC));
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
}

static void close_gently(struct engine_client *c)
{
	c->gone = true;
	if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) < 0) {
		engine_client_close(c);
		return;
	}
	uv_timer_start(&c->drip, on_linger_over, 500, 0);
}

/* The kernel has accepted the whole answer. */
static void output_sent(struct engine_client *c)
{
	if (c->responder) {
		c->responder->kind->drained(c->responder);
	} else if (c->after == ENGINE_CLIENT_CLOSE && !c->gone) {
		close_gently(c);
	} else if (c->after == ENGINE_CLIENT_RESET) {
		/* Gives the peer time to read the bytes sent before the reset. */
		c->gone = true;
		uv_timer_start(&c->drip, on_reset_due, 20, 0);
	}
}

static void on_written(uv_write_t *req, int status)
{
	struct write *w = CONTAINER_OF(req, struct write, req);
	struct engine_client *c = w->client;
	c->in_flight -= w->data.len;
	buf_finish(&w->data);
	free(w);
	if (c->closing) {
		return;
	}
	if (status < 0) {
		engine_client_close(c);
	} else if (c->in_flight == 0) {
		flush(c);
	}
}

static void on_drip(uv_timer_t *timer)
{
	struct engine_client *c = CHECKED(struct engine_client, timer->data, ENGINE_CLIENT_MAGIC);
	uv_buf_t one = uv_buf_init(c->out.data, 1);
	if (c->out.len > 0 && uv_try_write((uv_stream_t *)&c->tcp, &one, 1) == 1) {
		buf_consume(&c->out, 1);
	}
	if (c->out.len == 0) {
		uv_timer_stop(&c->drip);
		output_sent(c);
	}
}

static void write_rest(struct engine_client *c)
{
	struct write *w = xcalloc(1, sizeof(*w));
	w->client = c;
	w->data = c->out;
	c->out = (struct buf){0};
	c->in_flight += w->data.len;
	uv_buf_t rest = uv_buf_init(w->data.data, (unsigned)w->data.len);
	if (uv_write(&w->req, (uv_stream_t *)&c->tcp, &rest, 1, on_written) < 0) {
		c->in_flight -= w->data.len;
		buf_finish(&w->data);
		free(w);
		engine_client_close(c);
	}
}

static void flush(struct engine_client *c)
{
	if (c->closing || c->in_flight > 0) {
		return;
	}
	if (c->drip_ns > 0 && c->out.len > 0) {
		uint64_t ms = MAX(c->drip_ns / 1000000, 1);
		if (!uv_is_active((uv_handle_t *)&c->drip)) {
			uv_timer_start(&c->drip, on_drip, ms, ms);
		}
		return;
	}
	if (c->out.len > 0) {
		uv_buf_t all = uv_buf_init(c->out.data, (unsigned)c->out.len);
		int n = uv_try_write((uv_stream_t *)&c->tcp, &all, 1);
		if (n < 0 && n != UV_EAGAIN) {
			engine_client_close(c);
			return;
		}
		if (n == (int)c->out.len) {
			buf_clear(&c->out);
		} else {
			buf_consume(&c->out, n > 0 ? (size_t)n : 0);
			write_rest(c);
			return;
		}
	}
	output_sent(c);
}

void engine_client_write(struct engine_client *c, const void *data, size_t n)
{
	if (!c->closing && !c->gone) {
		buf_append(&c->out, data, n);
	}
}

size_t engine_client_backlog(const struct engine_client *c)
{
	return c->out.len + c->in_flight;
}

static void on_timer(uv_timer_t *timer)
{
	struct engine_client *c = CHECKED(struct engine_client, timer->data, ENGINE_CLIENT_MAGIC);
	void (*due)(struct engine_client *) = c->on_timer;
	c->on_timer = NULL;
	if (due) {
		due(c);
		flush(c);
	}
}

void engine_client_wait(struct engine_client *c, uint64_t ns, void (*due)(struct engine_client *))
{
	if (!c->closing) {
		c->on_timer = due;
		uv_update_time(&c->worker->loop);
		uv_timer_start(&c->timer, on_timer, (ns + 999999) / 1000000, 0);
	}
}

/* Chooses the simulated server that gets the request. Only the first one has faults. */
static void choose_replica(struct engine_client *c)
{
	struct http_request *r = &c->request;
	double n = fault_value(&r->faults, FAULT_REPLICAS, 0);
	if (n < 1) {
		return;
	}
	r->replica = 1 + rng_below(&c->worker->random, (uint32_t)MIN(n, REPLICAS_MAX));
	if (r->replica > 1) {
		fault_keep_only(&r->faults, FAULT_REPLICAS);
	}
}

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct engine_client *c = CHECKED(struct engine_client, arg, ENGINE_CLIENT_MAGIC);
	buf_clear(&c->head);
	buf_clear(&c->body);
	buf_append_span(&c->head, head->method);
	buf_append_span(&c->head, head->target);
	c->request = (struct http_request){
	        .method.len = head->method.len,
	        .minor = head->minor,
	        .keep_alive = head->keep_alive,
	        .faults = c->worker->options->faults,
	};
	struct span fault = http_field(head, FAULT_HEADER);
	char *problem;
	if (fault.data && !fault_parse(fault, &c->request.faults, &problem)) {
		engine_problem_set(&c->request.problem, FAULT_HEADER, "%s", problem);
		free(problem);
	}
	choose_replica(c);
	if (head->has_length && head->length > ENGINE_CLIENT_BODY_LIMIT) {
		c->request.problem = TOO_LARGE;
	} else if (head->expects_continue) {
		engine_client_write(c, "HTTP/1.1 100 Continue\r\n\r\n", 25);
		flush(c);
	}
}

static void on_body(void *arg, const char *data, size_t len)
{
	struct engine_client *c = CHECKED(struct engine_client, arg, ENGINE_CLIENT_MAGIC);
	if (c->body.len + len > ENGINE_CLIENT_BODY_LIMIT) {
		c->request.problem = TOO_LARGE;
	}
	if (!c->request.problem.status) {
		buf_append(&c->body, data, len);
	}
}

static void on_complete(void *arg)
{
	struct engine_client *c = CHECKED(struct engine_client, arg, ENGINE_CLIENT_MAGIC);
	c->complete = true;
}

static const struct http_parser_events EVENTS = {on_head, on_body, on_complete};

static void begin_answer(struct engine_client *c)
{
	struct http_request *r = &c->request;
	c->complete = false;
	r->method.data = c->head.data;
	r->target = (struct span){c->head.data + r->method.len, c->head.len - r->method.len};
	const char *query = memchr(r->target.data, '?', r->target.len);
	r->path =
	        query ? (struct span){r->target.data, (size_t)(query - r->target.data)} : r->target;
	r->body = buf_span(&c->body);
	c->drip_ns = (uint64_t)fault_value(&r->faults, FAULT_SLOW, 0);
	c->worker->n_requests++;
	c->worker->serve(c);
}

static void refuse(struct engine_client *c)
{
	const struct http_problem *p = http_parser_problem(c->parser);
	buf_clear(&c->in);
	c->request = (struct http_request){.minor = 1, .faults = c->worker->options->faults};
	engine_problem_set(
	        &c->request.problem, NULL, "%s", p ? p->text : "The request is not HTTP.");
	c->request.problem.status = p ? p->status : 400;
	c->worker->serve(c);
}

/* Parses received bytes, up to the end of a request whose answer is not complete. */
static void process(struct engine_client *c, const char *data, size_t n)
{
	size_t at = 0;
	c->processing = true;
	while (!c->closing && !c->responder && !c->gone && c->after == ENGINE_CLIENT_KEEP &&
	        at < n) {
		ssize_t used = http_parser_feed(c->parser, data + at, n - at);
		if (c->closing) { /* writing an interim answer failed */
			break;
		}
		if (used < 0) {
			refuse(c);
			break;
		}
		at += (size_t)used;
		if (c->complete) {
			http_parser_next(c->parser);
			begin_answer(c);
		}
	}
	c->processing = false;
	if (c->closing) {
		return;
	}
	if (c->after != ENGINE_CLIENT_KEEP) {
		buf_clear(&c->in);
	} else if (data == c->in.data) {
		buf_consume(&c->in, at);
	} else if (at < n) {
		buf_append(&c->in, data + at, n - at);
	}
	flush(c);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
	*ret = uv_buf_init(read_buffer, sizeof(read_buffer));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *data)
{
	struct engine_client *c = CHECKED(struct engine_client, stream->data, ENGINE_CLIENT_MAGIC);
	if (n < 0) {
		engine_client_close(c);
		return;
	}
	if (n == 0 || c->gone) {
		return;
	}
	if (c->in.len > 0 || c->responder) {
		buf_append(&c->in, data->base, (size_t)n);
		if (c->responder && c->in.len > READ_AHEAD_LIMIT) {
			uv_read_stop(stream);
			c->reading = false;
		}
		if (!c->responder) {
			process(c, c->in.data, c->in.len);
		}
		return;
	}
	process(c, data->base, (size_t)n);
}

static void read_on(struct engine_client *c)
{
	if (!c->reading && !c->closing) {
		c->reading = uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) == 0;
	}
}

static void send_late(struct engine_client *c)
{
	engine_client_write(c, c->late.data, c->late.len);
	buf_clear(&c->late);
}

static void process_rest(struct engine_client *c)
{
	if (c->in.len > 0 && !c->responder) {
		process(c, c->in.data, c->in.len);
	}
}

void engine_client_answered(struct engine_client *c, enum engine_client_after after)
{
	c->responder = NULL;
	c->after = after;
	if (c->closing) {
		return;
	}
	if (after == ENGINE_CLIENT_KEEP && c->late.len > 0) {
		engine_client_wait(
		        c, (uint64_t)fault_value(&c->request.faults, FAULT_LATE, 0), send_late);
		return;
	}
	read_on(c);
	if (!c->processing && after == ENGINE_CLIENT_KEEP && c->in.len > 0) {
		engine_client_wait(c, 0, process_rest);
	}
}

void engine_client_accept(struct worker *w)
{
	struct engine_client *c = xcalloc(1, sizeof(*c));
	*c = (struct engine_client){.magic = ENGINE_CLIENT_MAGIC, .worker = w, .open_handles = 3};
	uv_tcp_init(&w->loop, &c->tcp);
	uv_timer_init(&w->loop, &c->timer);
	uv_timer_init(&w->loop, &c->drip);
	c->tcp.data = c->timer.data = c->drip.data = c;
	c->parser = http_parser_create(HTTP_REQUEST, &EVENTS, c);
	list_append(&w->clients, &c->link);
	if (uv_accept((uv_stream_t *)&w->listener, (uv_stream_t *)&c->tcp) < 0) {
		engine_client_close(c);
		return;
	}
	uv_tcp_nodelay(&c->tcp, 1);
	read_on(c);
}
