#include "proxy/request_reader.h"

#define LOG_MODULE "client"
#include "base/clock.h"
#include "base/log.h"
#include "proxy/client.h"
#include "proxy/exchange.h"
#include "proxy/tunnel.h"
#include "proxy/worker.h"

#define READ_AHEAD_LIMIT ((size_t)65536)
#define READ_AHEAD_KEPT ((size_t)4096) /* read-ahead memory that an idle connection keeps */

static bool may_parse(const struct client *c)
{
	return c->state == CLIENT_READY || c->state == CLIENT_REQUEST;
}

static bool wants_bytes(const struct client *c)
{
	if (c->eof) {
		return false;
	}
	switch (c->state) {
	case CLIENT_READY:
	case CLIENT_LINGER:
		return true;
	case CLIENT_REQUEST:
		return !c->exchange || exchange_takes_body(c->exchange);
	case CLIENT_TUNNEL:
		return c->exchange && exchange_takes_body(c->exchange);
	case CLIENT_WAITING:
		return c->read_ahead.len < READ_AHEAD_LIMIT;
	case CLIENT_CLOSED:
		break;
	}
	return false;
}

void request_reader_refuse(struct client *c, const struct http_problem *problem)
{
	struct shared *shared = c->worker->shared;

	shared_count(shared, COUNTER_REFUSED, 1);
	if (c->exchange) {
		exchange_body_failed(c->exchange, problem);
		return;
	}
	log_warn("Request refused: {error}", log_field("error", problem->text),
	        log_field("status", problem->status));
	ledger_excluded(shared->exchanges, EXCLUDED_REFUSED);
	/* there is no exchange that could send the error */
	struct buf text = {0};
	response_error_text(&text, problem->status, "bad_request", problem->text, false, false);
	client_send(c, &(struct span){text.data, text.len}, 1, false);
	buf_finish(&text);
	client_answered(c, false);
}

/* Feeds the parser until the bytes are used up or it must pause. Returns the number of bytes
 * consumed. */
static size_t feed_parser(struct client *c, const char *data, size_t len)
{
	size_t used = 0;
	c->parsing = true;
	/* leftovers of a request that was answered in the middle of its body */
	buf_clear(&c->worker->gathered);
	while (used < len && may_parse(c)) {
		if (c->request_done) {
			c->request_done = false;
			http_parser_next(c->parser);
		}
		ssize_t n = http_parser_feed(c->parser, data + used, len - used);
		if (c->state == CLIENT_CLOSED || c->state == CLIENT_LINGER) {
			break; /* the request was answered in the middle of its body */
		}
		if (n < 0) {
			request_reader_refuse(c, http_parser_problem(c->parser));
			used = len;
			break;
		}
		used += (size_t)n;
		if (c->exchange) {
			exchange_flush(c->exchange);
		}
	}
	c->parsing = false;
	return used;
}

void request_reader_continue(struct client *c)
{
	struct buf ahead = c->read_ahead;
	c->read_ahead = (struct buf){0};
	size_t used = feed_parser(c, ahead.data, ahead.len);
	if (c->state != CLIENT_CLOSED && c->state != CLIENT_LINGER) {
		buf_consume(&ahead, used);
		if (!ahead.len) {
			buf_trim(&ahead, READ_AHEAD_KEPT);
		}
		c->read_ahead = ahead;
		client_update_budget(c);
	} else {
		buf_finish(&ahead);
	}
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct client *c = CHECKED(struct client, handle->data, CLIENT_MAGIC);
	/* If none of the input can be parsed now, it is appended to the read-ahead. */
	size_t room = MAX(READ_AHEAD_LIMIT - MIN(c->read_ahead.len, (size_t)READ_AHEAD_LIMIT),
	        READ_AHEAD_KEPT);
	*buf = uv_buf_init(c->worker->read_buffer, (unsigned)MIN(room, (size_t)WORKER_READ_SIZE));
}

static void on_eof(struct client *c)
{
	if (c->state == CLIENT_TUNNEL && c->exchange) {
		c->eof = true;
		tunnel_eof(c);
		return;
	}
	if (!worker_settings(c->worker)->half_close_keep || c->state == CLIENT_REQUEST) {
		client_disconnect(c, "closed by the client");
		return;
	}
	c->eof = true;
	if (c->state == CLIENT_READY && !c->read_ahead.len) {
		client_answered(c, false);
	} else if (c->state == CLIENT_LINGER && !client_queued(c) && !c->reset) {
		client_disconnect(c, "closed by the client");
	}
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct client *c = CHECKED(struct client, stream->data, CLIENT_MAGIC);
	if (n == UV_EOF) {
		on_eof(c);
	} else if (n < 0) {
		client_disconnect(c, uv_strerror((int)n));
	} else if (n > 0 && c->state != CLIENT_LINGER) {
		size_t used = 0;
		bool between = client_between_requests(c);
		c->last_read = clock_mono();
		if (c->state == CLIENT_TUNNEL && c->exchange) {
			tunnel_data(c, buf->base, (size_t)n);
			used = (size_t)n;
		}
		if (may_parse(c) && !c->read_ahead.len) {
			used = feed_parser(c, buf->base, (size_t)n);
		}
		/* The request's head has begun. Blank lines before it do not count. */
		if (between && c->state == CLIENT_READY && !client_between_requests(c)) {
			c->state_since = c->last_read;
		}
		if (c->state != CLIENT_CLOSED && c->state != CLIENT_LINGER) {
			buf_append(&c->read_ahead, buf->base + used, (size_t)n - used);
			client_update_budget(c);
		}
	}
	if (c->state != CLIENT_CLOSED) {
		request_reader_update(c);
	}
}

void request_reader_update(struct client *c)
{
	bool wanted = wants_bytes(c);
	if (wanted == c->reading) {
		return;
	}
	c->reading = wanted;
	if (!wanted) {
		uv_read_stop((uv_stream_t *)&c->tcp);
		worker_poll_often(c->worker);
		return;
	}
	c->last_read = clock_mono();
	int r = uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
	if (r < 0) {
		client_disconnect(c, uv_strerror(r));
	}
}

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct client *c = CHECKED(struct client, arg, CLIENT_MAGIC);
	if (!may_parse(c)) {
		return;
	}
	client_set_state(c, CLIENT_REQUEST);
	c->had_request = true;
	c->exchange = exchange_create(c, head);
	bool upgrade = head->upgrade && tunnel_request(c->exchange);
	if (!upgrade && head->expects_continue && head->minor >= 1 &&
	        head->framing != HTTP_NO_BODY) {
		client_send(c, &SPAN("HTTP/1.1 100 Continue\r\n\r\n"), 1, false);
	}
}

static void on_body(void *arg, const char *data, size_t len)
{
	struct client *c = CHECKED(struct client, arg, CLIENT_MAGIC);
	if (c->state == CLIENT_REQUEST && c->exchange) {
		exchange_body(c->exchange, data, len);
	}
}

static void on_complete(void *arg)
{
	struct client *c = CHECKED(struct client, arg, CLIENT_MAGIC);
	c->request_done = true;
	if (c->state == CLIENT_REQUEST) {
		client_set_state(c, CLIENT_WAITING);
		if (c->exchange && !c->exchange->tunnel) {
			exchange_body_end(c->exchange);
		}
	}
}

static const struct http_parser_events events = {on_head, on_body, on_complete};

struct http_parser *request_reader_create(struct client *c)
{
	return http_parser_create(HTTP_REQUEST, &events, c);
}
