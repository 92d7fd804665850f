#include "proxy/client.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOG_MODULE "client"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/exchange.h"
#include "proxy/request_reader.h"
#include "proxy/worker.h"

#define KEEPALIVE_SECONDS                                                                          \
	60 /* idle connections may stay open, unless the client no longer exists */

void client_set_state(struct client *c, enum client_state state)
{
	expect(c->state != CLIENT_CLOSED);
	c->state = state;
	c->state_since = clock_mono();
}

static void on_closed(uv_handle_t *handle)
{
	struct client *c = CHECKED(struct client, handle->data, CLIENT_MAGIC);
	budget_give(&c->worker->shared->budget, c->accounted);
	http_parser_destroy(c->parser);
	buf_finish(&c->read_ahead);
	buf_finish(&c->out);
	buf_finish(&c->writing_out);
	acceptor_resume(&c->worker->acceptor); /* the client's descriptor is free again */
	c->magic = 0;
	free(c);
}

static void mark_closed(struct client *c)
{
	client_set_state(c, CLIENT_CLOSED);
	list_remove(&c->link);
	list_remove(&c->cork);
	atomic_fetch_sub_explicit(&c->worker->shared->clients, 1, memory_order_relaxed);
	c->reading = false;
}

void client_disconnect(struct client *c, const char *reason)
{
	if (c->state == CLIENT_CLOSED) {
		return;
	}
	struct exchange *e = c->exchange;
	log_debug("Connection closed: {reason}.", log_field("reason", reason));
	c->exchange = NULL;
	mark_closed(c);
	uv_close((uv_handle_t *)&c->tcp, on_closed);
	if (e) {
		exchange_client_gone(e);
	}
}

void client_disconnect_hard(struct client *c)
{
	mark_closed(c);
	if (uv_tcp_close_reset(&c->tcp, on_closed) < 0) {
		uv_close((uv_handle_t *)&c->tcp, on_closed);
	}
}

/* Updates the budget by the bytes that are queued for the client, and by those that were read
 * ahead. */
void client_update_budget(struct client *c)
{
	struct budget *budget = &c->worker->shared->budget;
	size_t now = c->out.len + c->writing_out.len + c->read_ahead.len;
	if (now > c->accounted) {
		budget_force(budget, now - c->accounted);
	} else {
		budget_give(budget, c->accounted - now);
	}
	c->accounted = now;
}

size_t client_queued(const struct client *c)
{
	return c->out.len + c->writing_out.len;
}

bool client_between_requests(const struct client *c)
{
	return c->request_done || http_parser_idle(c->parser);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	/* The client sees the end and closes, or client_timeouts_check() closes the connection. */
}

static void finish_lingering(struct client *c)
{
	if (c->writing || c->out.len || c->shut || c->reset) {
		return;
	}
	c->shut = true;
	if (c->eof || uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) < 0) {
		client_disconnect(c, "answered");
	}
}

/* Schedules client_uncork() to run before the event loop waits again. */
static void schedule_uncork(struct client *c)
{
	if (!c->cork.next) {
		list_append(&c->worker->corked, &c->cork);
	}
}

/* Queued output will never be sent, nor will further output. */
static void mark_failed(struct client *c)
{
	c->failed = true;
	buf_finish(&c->out);
	schedule_uncork(c);
}

static void on_written(uv_write_t *write, int status);

static void start_write(struct client *c)
{
	struct buf swap = c->writing_out;
	c->writing_out = c->out;
	c->out = swap;
	buf_clear(&c->out);
	c->write.data = c;
	c->writing = true;
	uv_buf_t buf = uv_buf_init(c->writing_out.data, (unsigned)c->writing_out.len);
	int r = uv_write(&c->write, (uv_stream_t *)&c->tcp, &buf, 1, on_written);
	if (r < 0) {
		c->writing = false;
		buf_finish(&c->writing_out);
		mark_failed(c);
	}
}

static void on_written(uv_write_t *write, int status)
{
	struct client *c = CHECKED(struct client, write->data, CLIENT_MAGIC);
	c->writing = false;
	c->unsent = 0;
	buf_reuse(&c->writing_out);
	if (c->state == CLIENT_CLOSED) {
		return;
	}
	client_update_budget(c);
	if (status < 0) {
		client_disconnect(c, uv_strerror(status));
		return;
	}
	if (c->out.len) {
		start_write(c);
	}
	if (c->exchange) {
		exchange_client_caught_up(c->exchange);
	} else if (c->state == CLIENT_LINGER) {
		finish_lingering(c);
	}
}

#define PARTS_LIMIT 4

/*
 * Writes the held bytes and the parts in one call. Returns the number of bytes that the socket
 * took, or a negative errno.
 */
static ssize_t write_now(struct client *c, const struct span *parts, size_t n)
{
	uv_buf_t bufs[PARTS_LIMIT];
	unsigned used = 0;
	if (c->out.len) {
		bufs[used++] = uv_buf_init(c->out.data, (unsigned)c->out.len);
	}
	for (size_t i = 0; i < n; i++) {
		bufs[used++] = uv_buf_init((char *)parts[i].data, (unsigned)parts[i].len);
	}
	if (!used) {
		return 0;
	}
	int r = uv_try_write((uv_stream_t *)&c->tcp, bufs, used);
	return r == UV_EAGAIN ? 0 : r;
}

/* The socket took `taken` bytes of the held bytes and the parts. Queues what is left of the
 * parts. */
static void keep_rest(struct client *c, const struct span *parts, size_t n, size_t taken)
{
	size_t held = MIN(taken, c->out.len);
	buf_consume(&c->out, held);
	if (!c->out.len) {
		buf_reuse(&c->out);
	}
	taken -= held;
	for (size_t i = 0; i < n; i++) {
		size_t skip = MIN(taken, parts[i].len);
		buf_append(&c->out, parts[i].data + skip, parts[i].len - skip);
		taken -= skip;
	}
}

void client_send(struct client *c, const struct span *parts, size_t n, bool cork)
{
	expect(n < PARTS_LIMIT);
	if (c->state == CLIENT_CLOSED || c->failed) {
		return;
	}
	ssize_t taken = 0;
	if (!c->writing && !cork) {
		list_remove(&c->cork);
		taken = write_now(c, parts, n);
		if (taken < 0) {
			mark_failed(c);
			client_update_budget(c);
			return;
		}
	}
	keep_rest(c, parts, n, (size_t)taken);
	client_update_budget(c);
	if (c->writing || !c->out.len) {
		return;
	}
	if (cork) {
		schedule_uncork(c);
	} else {
		start_write(c);
	}
}

bool client_is_unread(const struct client *c)
{
	return !c->reading && c->exchange;
}

bool client_needs_polling(const struct client *c)
{
	return client_is_unread(c) || (c->state == CLIENT_LINGER && c->reset);
}

void client_resume_reading(struct client *c)
{
	if (c->state != CLIENT_CLOSED && !c->parsing) {
		request_reader_update(c);
	}
}

/*
 * Runs from the event loop, with no other callback on the stack. Sends the held output, then
 * handles the input that came during the last exchange.
 */
void client_uncork(struct client *c)
{
	list_remove(&c->cork);
	if (c->out.len && !c->writing) {
		client_send(c, NULL, 0, false);
	}
	if (c->failed) {
		client_disconnect(c, "the socket takes no more");
		return;
	}
	if (c->state == CLIENT_READY && c->read_ahead.len) {
		request_reader_continue(c);
	}
	if (c->state == CLIENT_READY && c->eof) {
		client_answered(c, false);
	} else if (c->state == CLIENT_LINGER) {
		finish_lingering(c);
	}
	if (c->state != CLIENT_CLOSED) {
		request_reader_update(c);
	}
}

void client_answered(struct client *c, bool keep)
{
	c->exchange = NULL;
	if (c->state == CLIENT_CLOSED) {
		return;
	}
	if (keep && c->state == CLIENT_WAITING && !worker_draining(c->worker)) {
		client_set_state(c, CLIENT_READY);
		if ((c->read_ahead.len || c->eof) && !c->parsing) {
			schedule_uncork(c);
		}
		if (!c->parsing) {
			request_reader_update(c);
		}
		return;
	}
	client_set_state(c, CLIENT_LINGER);
	buf_finish(&c->read_ahead);
	if (!c->cork.next) {
		finish_lingering(c);
	}
	if (c->state != CLIENT_CLOSED && !c->parsing) {
		request_reader_update(c);
	}
}

void client_abort(struct client *c, bool hard)
{
	c->reset = hard;
	if (hard) {
		worker_poll_often(c->worker);
	}
	client_answered(c, false);
}

static void read_peer(struct client *c)
{
	struct sockaddr_storage address;
	int len = sizeof(address);
	if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&address, &len) < 0) {
		return;
	}
	const void *host = &((struct sockaddr_in *)&address)->sin_addr;
	size_t size = sizeof(struct in_addr);
	if (address.ss_family == AF_INET6) {
		host = &((struct sockaddr_in6 *)&address)->sin6_addr;
		size = sizeof(struct in6_addr);
	}
	shared_peer_hash(c->worker->shared, host, size, c->peer);
}

void client_accept(struct worker *w, int fd)
{
	struct client *c = xcalloc(1, sizeof(*c));
	c->magic = CLIENT_MAGIC;
	c->worker = w;
	c->state_since = clock_mono();
	c->tcp.data = c;
	expect(uv_tcp_init(&w->loop, &c->tcp) == 0);
	c->parser = request_reader_create(c);
	list_append(&w->clients, &c->link);
	atomic_fetch_add_explicit(&w->shared->clients, 1, memory_order_relaxed);
	shared_count(w->shared, COUNTER_CONNECTIONS, 1);

	int r = uv_tcp_open(&c->tcp, fd);
	if (r < 0) {
		close(fd);
		log_warn("A connection could not be accepted: {error}.",
		        log_field("error", uv_strerror(r)));
		client_disconnect(c, "not accepted");
		return;
	}
	uv_tcp_nodelay(&c->tcp, 1);
	uv_tcp_keepalive(&c->tcp, 1, KEEPALIVE_SECONDS);
	read_peer(c);
	request_reader_update(c);
}
