#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "backends/transport/wire.h"
#include "base/mem.h"

#define KEEPALIVE_SECONDS 60
#define PARTS_LIMIT 2

struct wire_connection *wire_connection_create(
        struct transport *w, struct upstream *user, const struct wire_connection_events *events)
{
	struct wire_connection *c = xcalloc(1, sizeof(*c));
	c->magic = WIRE_CONNECTION_MAGIC;
	c->wire = w;
	c->user = user;
	c->events = events;
	c->socket.handle.data = c;
	if (!w->multi) {
		expect(uv_tcp_init(w->loop, &c->socket.tcp) == 0);
	}
	w->open++;
	return c;
}

void wire_connection_drop_rest(struct wire_connection *c)
{
	wire_uncount(c->wire, c->rest.len);
	buf_finish(&c->rest);
}

void wire_connection_free(struct wire_connection *c)
{
	struct transport *w = c->wire;
	http_parser_destroy(c->parser);
	wire_connection_drop_rest(c);
	c->magic = 0;
	free(c);
	wire_release(w);
}

static void on_closed(uv_handle_t *handle)
{
	wire_connection_free(CHECKED(struct wire_connection, handle->data, WIRE_CONNECTION_MAGIC));
}

void wire_connection_close(struct wire_connection *c)
{
	c->closing = true;
	c->user = NULL;
	list_remove(&c->link);
	if (c->wire->multi) {
		wire_curl_close(c);
	} else {
		uv_close(&c->socket.handle, on_closed);
	}
}

/* Connecting */

static void on_connect(uv_connect_t *request, int status)
{
	struct wire_connection *c =
	        CHECKED(struct wire_connection, request->data, WIRE_CONNECTION_MAGIC);
	if (!c->closing) {
		c->events->on_connect(c, status < 0 ? uv_strerror(status) : NULL);
	}
}

int wire_connection_connect(struct wire_connection *c, const union address_any *to)
{
	uv_tcp_t *tcp = &c->socket.tcp;
	if (c->wire->multi) {
		return wire_curl_connect(c, to);
	}
	c->request.connect.data = c;
	/* libuv stores these options and applies them once the socket exists. */
	uv_tcp_nodelay(tcp, 1);
	uv_tcp_keepalive(tcp, 1, KEEPALIVE_SECONDS);
	return uv_tcp_connect(&c->request.connect, tcp, &to->any, on_connect);
}

/* Reading */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct wire_connection *c =
	        CHECKED(struct wire_connection, handle->data, WIRE_CONNECTION_MAGIC);
	*buf = uv_buf_init(c->wire->in, WIRE_READ_SIZE);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct wire_connection *c =
	        CHECKED(struct wire_connection, stream->data, WIRE_CONNECTION_MAGIC);
	if (n > 0) {
		c->events->on_data(c, buf->base, (size_t)n);
	} else if (n < 0) {
		c->reading = false;
		c->events->on_end(c, (int)n);
	}
}

int wire_connection_read(struct wire_connection *c)
{
	if (c->reading) {
		return 0;
	}
	int r = 0;
	c->reading = true;
	if (c->easy) {
		wire_curl_watch(c);
	} else {
		r = uv_read_start((uv_stream_t *)&c->socket.tcp, on_alloc, on_read);
		c->reading = r == 0;
	}
	return r;
}

void wire_connection_hold(struct wire_connection *c)
{
	c->reading = false;
	if (c->easy) {
		wire_curl_watch(c);
	} else {
		uv_read_stop((uv_stream_t *)&c->socket.tcp);
	}
}

bool wire_connection_is_clean(const struct wire_connection *c)
{
	char byte;
	uv_os_fd_t fd;
	if (c->easy) {
		return wire_curl_is_clean(c);
	}
	if (uv_fileno(&c->socket.handle, &fd) < 0) {
		return false;
	}
	/* The loop may not have reported bytes that have already arrived. */
	ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (n > 0) {
		wire_count_stray(c->wire);
	}
	return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* Writing */

static void on_written(uv_write_t *request, int status)
{
	struct wire_connection *c =
	        CHECKED(struct wire_connection, request->data, WIRE_CONNECTION_MAGIC);
	c->writing = false;
	wire_connection_drop_rest(c);
	if (!c->closing) {
		c->events->on_written(c, status);
	}
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	/* The read side reports how the connection ends. */
}

void wire_connection_finish(struct wire_connection *c)
{
	uv_shutdown(&c->shutdown, (uv_stream_t *)&c->socket.tcp, on_shutdown);
}

/* Queues what the socket did not accept of the parts. */
static int write_rest(
        struct wire_connection *c, const struct span *parts, size_t n, size_t taken, bool later)
{
	for (size_t i = 0; i < n; i++) {
		size_t skip = MIN(taken, parts[i].len);
		buf_append(&c->rest, parts[i].data + skip, parts[i].len - skip);
		taken -= skip;
	}
	if (!c->rest.len) {
		return 0;
	}
	wire_count(c->wire, c->rest.len);
	if (c->easy) {
		return wire_curl_write(c, later);
	}
	uv_buf_t buf = uv_buf_init(c->rest.data, (unsigned)c->rest.len);
	c->request.write.data = c;
	int r = uv_write(&c->request.write, (uv_stream_t *)&c->socket.tcp, &buf, 1, on_written);
	c->writing = r == 0;
	if (r < 0) {
		wire_connection_drop_rest(c);
	}
	return r;
}

int wire_connection_write(struct wire_connection *c, const struct span *parts, size_t n, bool later)
{
	uv_buf_t bufs[PARTS_LIMIT] = {{0}};
	int taken = 0;
	expect(n <= PARTS_LIMIT && !c->writing);
	if (!later && !c->easy) {
		for (size_t i = 0; i < n; i++) {
			bufs[i] = uv_buf_init((char *)parts[i].data, (unsigned)parts[i].len);
		}
		taken = uv_try_write((uv_stream_t *)&c->socket.tcp, bufs, (unsigned)n);
		if (taken < 0 && taken != UV_EAGAIN) {
			return taken;
		}
	}
	return write_rest(c, parts, n, (size_t)MAX(taken, 0), later);
}
