#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "backends/transport/wire.h"
#include "base/mem.h"

#define KEEPALIVE_SECONDS 60
#define PARTS_LIMIT 2

struct wire_connection *wire_connection_create(
        struct wire *w, struct wire_exchange *user, const struct wire_connection_events *events)
{
	struct wire_connection *c = xcalloc(1, sizeof(*c));
	c->magic = WIRE_CONNECTION_MAGIC;
	c->wire = w;
	c->user = user;
	c->events = events;
	c->tcp.data = c;
	expect(uv_tcp_init(w->loop, &c->tcp) == 0);
	w->open++;
	return c;
}

static void forget_rest(struct wire_connection *c)
{
	wire_uncount(c->wire, c->rest.len);
	buf_finish(&c->rest);
}

static void on_closed(uv_handle_t *handle)
{
	struct wire_connection *c =
	        CHECKED(struct wire_connection, handle->data, WIRE_CONNECTION_MAGIC);
	struct wire *w = c->wire;
	http_parser_destroy(c->parser);
	forget_rest(c);
	c->magic = 0;
	free(c);
	wire_release(w);
}

void wire_connection_close(struct wire_connection *c)
{
	c->closing = true;
	c->user = NULL;
	list_remove(&c->link);
	uv_close((uv_handle_t *)&c->tcp, on_closed);
}

/* Connecting */

static void on_connect(uv_connect_t *request, int status)
{
	struct wire_connection *c =
	        CHECKED(struct wire_connection, request->data, WIRE_CONNECTION_MAGIC);
	if (!c->closing) {
		c->events->on_connect(c, status);
	}
}

int wire_connection_connect(struct wire_connection *c, const union address_any *to)
{
	c->request.connect.data = c;
	/* libuv stores these options and applies them once the socket exists. */
	uv_tcp_nodelay(&c->tcp, 1);
	uv_tcp_keepalive(&c->tcp, 1, KEEPALIVE_SECONDS);
	return uv_tcp_connect(&c->request.connect, &c->tcp, &to->any, on_connect);
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
	int r = uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
	c->reading = r == 0;
	return r;
}

void wire_connection_hold(struct wire_connection *c)
{
	c->reading = false;
	uv_read_stop((uv_stream_t *)&c->tcp);
}

bool wire_connection_is_clean(const struct wire_connection *c)
{
	char byte;
	uv_os_fd_t fd;
	if (uv_fileno((const uv_handle_t *)&c->tcp, &fd) < 0) {
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
	forget_rest(c);
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
	uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown);
}

/* Queues what the socket did not accept of the parts. */
static int write_rest(struct wire_connection *c, const struct span *parts, size_t n, size_t taken)
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
	uv_buf_t buf = uv_buf_init(c->rest.data, (unsigned)c->rest.len);
	c->request.write.data = c;
	int r = uv_write(&c->request.write, (uv_stream_t *)&c->tcp, &buf, 1, on_written);
	c->writing = r == 0;
	if (r < 0) {
		forget_rest(c);
	}
	return r;
}

int wire_connection_write(struct wire_connection *c, const struct span *parts, size_t n, bool later)
{
	uv_buf_t bufs[PARTS_LIMIT] = {{0}};
	int taken = 0;
	expect(n <= PARTS_LIMIT && !c->writing);
	if (!later) {
		for (size_t i = 0; i < n; i++) {
			bufs[i] = uv_buf_init((char *)parts[i].data, (unsigned)parts[i].len);
		}
		taken = uv_try_write((uv_stream_t *)&c->tcp, bufs, (unsigned)n);
		if (taken < 0 && taken != UV_EAGAIN) {
			return taken;
		}
	}
	return write_rest(c, parts, n, (size_t)MAX(taken, 0));
}
