#include "proxy/admin.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOG_MODULE "admin"
#include "base/http.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/metrics.h"
#include "proxy/shared.h"
#include "proxy/successor.h"

#define ADMIN_MAGIC 0xad314001u
#define CONNECTION_MAGIC 0xad314002u
#define CONNECTIONS_LIMIT 64
#define CONNECTION_TIMEOUT_MS 10000
#define SUCCESSOR_CHECK_MS 50 /* for a successor, during the drain */

struct admin {
	uint32_t magic;
	struct shared *shared;
	enum admin_port port;
	uv_tcp_t listener;
	uv_timer_t successor_timer;
	unsigned open_handles;
	struct list connections;
	unsigned n_connections;
	bool ready, handed_over, closing;
	/* The page of metrics. The buffer is kept for the next scrape, which may come while
	 * memory is short. */
	struct buf page;
};

/* One connection. */
struct admin_connection {
	uint32_t magic;
	struct admin *admin;
	struct list link;
	uv_tcp_t tcp;
	uv_timer_t timer;
	uv_write_t write;
	uv_shutdown_t shutdown;
	unsigned open_handles;
	struct http_parser *parser;
	struct buf answer;
	bool head_only; /* the request is HEAD */
	bool answered, writing, closing;
	bool ended; /* the client closed its end while the proxy wrote */
	char input[4096];
};

static void free_if_done(struct admin *a)
{
	if (a->closing && !a->n_connections && !a->open_handles) {
		buf_finish(&a->page);
		a->magic = 0;
		free(a);
	}
}

static void on_connection_closed(uv_handle_t *handle)
{
	struct admin_connection *c =
	        CHECKED(struct admin_connection, handle->data, CONNECTION_MAGIC);
	if (--c->open_handles) {
		return;
	}
	struct admin *a = c->admin;
	http_parser_destroy(c->parser);
	buf_finish(&c->answer);
	c->magic = 0;
	free(c);
	a->n_connections--;
	free_if_done(a);
}

static void close_connection(struct admin_connection *c)
{
	if (!c->closing) {
		c->closing = true;
		list_remove(&c->link);
		uv_close((uv_handle_t *)&c->tcp, on_connection_closed);
		uv_close((uv_handle_t *)&c->timer, on_connection_closed);
	}
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	/* The client sees the end and closes, or the timer closes the connection. */
}

static void on_written(uv_write_t *write, int status)
{
	struct admin_connection *c =
	        CHECKED(struct admin_connection, write->data, CONNECTION_MAGIC);
	c->writing = false;
	/* The kernel has the whole answer. Go on reading until the client closes or the timer fires:
	 * closing with unread input would reset the connection and lose the answer. */
	if (status < 0 || c->ended ||
	        uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) < 0) {
		close_connection(c);
	}
}

/* Called once per connection. */
static void answer(struct admin_connection *c, int status, const char *type, struct span body)
{
	expect(!c->answered);
	c->answered = true;
	buf_printf(&c->answer,
	        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%sConnection: "
	        "close\r\n\r\n",
	        status, http_reason(status), type, body.len,
	        status == 405 ? "Allow: GET, HEAD\r\n" : "");
	buf_append(&c->answer, body.data, c->head_only ? 0 : body.len);
	uv_buf_t whole = uv_buf_init(c->answer.data, (unsigned)c->answer.len);
	c->write.data = c;
	c->writing = uv_write(&c->write, (uv_stream_t *)&c->tcp, &whole, 1, on_written) == 0;
	if (!c->writing) {
		close_connection(c);
	}
}

static void answer_text(struct admin_connection *c, int status, const char *text)
{
	answer(c, status, "text/plain; charset=utf-8", span_of(text));
}

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct admin_connection *c = CHECKED(struct admin_connection, arg, CONNECTION_MAGIC);
	struct admin *a = c->admin;
	if (c->answered) {
		return;
	}
	c->head_only = span_is(head->method, "HEAD");
	if (!c->head_only && !span_is(head->method, "GET")) {
		answer_text(c, 405, "only GET and HEAD\n");
	} else if (span_is(head->target, "/healthz")) {
		answer_text(c, 200, "ok\n");
	} else if (span_is(head->target, "/readyz")) {
		answer_text(c, a->ready ? 200 : 503, a->ready ? "ready\n" : "stopping\n");
	} else if (span_is(head->target, "/metrics")) {
		buf_clear(&a->page);
		metrics_write(a->shared, &a->page);
		answer(c, 200, "text/plain; version=0.0.4; charset=utf-8", buf_span(&a->page));
	} else {
		answer_text(c, 404, "there are /healthz, /readyz and /metrics\n");
	}
}

static void on_body(void *arg, const char *data, size_t len)
{
}

static void on_complete(void *arg)
{
}

static const struct http_parser_events events = {on_head, on_body, on_complete};

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct admin_connection *c =
	        CHECKED(struct admin_connection, handle->data, CONNECTION_MAGIC);
	*buf = uv_buf_init(c->input, sizeof(c->input));
}

static void read_request(struct admin_connection *c, const char *data, size_t len)
{
	int r = c->answered ? 0 : (int)http_parser_feed(c->parser, data, len);
	if (r < 0 && !c->answered) { /* an error after the head does not change the answer */
		const struct http_problem *problem = http_parser_problem(c->parser);
		answer_text(c, problem->status, problem->text);
	}
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct admin_connection *c =
	        CHECKED(struct admin_connection, stream->data, CONNECTION_MAGIC);
	if (n == UV_EOF && c->writing) {
		c->ended = true; /* it may still read the rest of the answer */
		uv_read_stop(stream);
	} else if (n < 0) {
		close_connection(c);
	} else {
		read_request(c, buf->base, (size_t)n);
	}
}

static void on_timeout(uv_timer_t *timer)
{
	close_connection(CHECKED(struct admin_connection, timer->data, CONNECTION_MAGIC));
}

/* fd: an accepted connection; -1: accept one from the listener. */
static void begin_connection(struct admin *a, int fd)
{
	uv_loop_t *loop = a->listener.loop;
	struct admin_connection *c = xcalloc(1, sizeof(*c));
	c->magic = CONNECTION_MAGIC;
	c->admin = a;
	c->tcp.data = c;
	c->timer.data = c;
	c->open_handles = 2;
	c->parser = http_parser_create(HTTP_REQUEST, &events, c);
	expect(uv_tcp_init(loop, &c->tcp) == 0);
	expect(uv_timer_init(loop, &c->timer) == 0);
	list_append(&a->connections, &c->link);
	a->n_connections++;
	int r = fd < 0 ? uv_accept((uv_stream_t *)&a->listener, (uv_stream_t *)&c->tcp)
	               : uv_tcp_open(&c->tcp, fd);
	if (r < 0 && fd >= 0) {
		close(fd);
	}
	if (r < 0 || a->n_connections > CONNECTIONS_LIMIT ||
	        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) < 0) {
		close_connection(c);
		return;
	}
	uv_timer_start(&c->timer, on_timeout, CONNECTION_TIMEOUT_MS, 0);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct admin *a = CHECKED(struct admin, listener->data, ADMIN_MAGIC);
	if (status < 0) {
		log_warn("A monitor's connection can't be accepted: {reason}.",
		        log_field("reason", uv_strerror(status)));
	} else {
		begin_connection(a, -1);
	}
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct admin *a = CHECKED(struct admin, handle->data, ADMIN_MAGIC);
	a->open_handles--;
	free_if_done(a);
}

int admin_create(
        uv_loop_t *loop, struct shared *s, int fd, enum admin_port port, struct admin **ret)
{
	struct admin *a = xcalloc(1, sizeof(*a));
	a->magic = ADMIN_MAGIC;
	a->shared = s;
	a->port = port;
	list_init(&a->connections);
	expect(uv_tcp_init(loop, &a->listener) == 0);
	expect(uv_timer_init(loop, &a->successor_timer) == 0);
	a->listener.data = a;
	a->successor_timer.data = a;
	a->open_handles = 2;
	int r = uv_tcp_open(&a->listener, fd);
	if (r < 0) {
		close(fd);
	} else {
		r = uv_listen((uv_stream_t *)&a->listener, 16, on_connection);
	}
	if (r < 0) {
		admin_close(a);
		return r;
	}
	*ret = a;
	return 0;
}

void admin_set_ready(struct admin *a)
{
	if (a) {
		a->ready = true;
	}
}

/* Accepts the clients that are already in the listen queue, which closing the listener would
 * drop. */
static void hand_over_port(struct admin *a, int fd)
{
	int accepted;
	while ((accepted = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		begin_connection(a, accepted);
	}
	a->handed_over = true;
	uv_timer_stop(&a->successor_timer);
	uv_close((uv_handle_t *)&a->listener, on_handle_closed);
	log_info("The new process has taken over the admin port.");
}

static void check_successor(struct admin *a)
{
	uv_os_fd_t fd;
	if (!a->handed_over && uv_fileno((uv_handle_t *)&a->listener, &fd) == 0 &&
	        (a->port == ADMIN_INHERITED || successor_listens(fd))) {
		hand_over_port(a, fd);
	}
}

static void on_successor_timer(uv_timer_t *timer)
{
	check_successor(CHECKED(struct admin, timer->data, ADMIN_MAGIC));
}

void admin_drain(struct admin *a)
{
	if (!a || a->closing) {
		return;
	}
	a->ready = false;
	if (a->port != ADMIN_ALONE) {
		uv_timer_start(&a->successor_timer, on_successor_timer, SUCCESSOR_CHECK_MS,
		        SUCCESSOR_CHECK_MS);
		check_successor(a);
	}
}

void admin_close(struct admin *a)
{
	if (!a || a->closing) {
		return;
	}
	a->closing = true;
	if (!a->handed_over) {
		uv_close((uv_handle_t *)&a->listener, on_handle_closed);
	}
	uv_close((uv_handle_t *)&a->successor_timer, on_handle_closed);
	LIST_EACH(struct admin_connection, c, link, &a->connections)
	{
		close_connection(c);
	}
}
