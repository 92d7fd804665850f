#pragma once
/*
 * upstream_bench - both sides of an exchange, for tests of the transport: a small server with real
 * sockets in its own thread, and exchanges (struct talk) that log all callbacks. Each test is built
 * twice: for libuv's connections, and with BENCH_BY_CURL for those of libcurl.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uv.h>

#include "backends/transport/upstream.h"
#include "base/clock.h"
#include "base/mem.h"

#define MS 1000000ULL
/* ms; the shortest timeout within which something must arrive: on a busy machine a thread may wait
 * for seconds. */
#define PATIENCE 4000ULL
#define LARGE ((size_t)64 << 20)
#ifndef BENCH_BY_CURL
#define BENCH_BY_CURL false
#endif

/* A small server: runs serve() in its own thread, with a listening socket. */
struct server {
	int fd;
	int port;
	pthread_t thread;
	void (*serve)(struct server *s);
	struct buf received; /* bytes that serve() stored; read them after server_stop() */
	atomic_int connections;
	atomic_int stage;           /* progress of the test; serve() may wait for it */
	_Atomic uint64_t closed_at; /* clock_mono() when the server saw the client's close */
};

static inline void *server_main(void *arg)
{
	struct server *s = arg;
	s->serve(s);
	return NULL;
}

/* Takes a port at which nobody listens, not even another process, until s->fd is closed. */
static inline void server_bind(struct server *s)
{
	struct sockaddr_in address = {
	        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int on = 1;
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	cr_assert_eq(bind(s->fd, (struct sockaddr *)&address, len), 0);
	cr_assert_eq(getsockname(s->fd, (struct sockaddr *)&address, &len), 0);
	s->port = ntohs(address.sin_port);
}

static inline void server_listen(struct server *s)
{
	server_bind(s);
	cr_assert_eq(listen(s->fd, 64), 0);
}

static inline void server_start(struct server *s, void (*serve)(struct server *s))
{
	signal(SIGPIPE, SIG_IGN);
	*s = (struct server){.serve = serve};
	server_listen(s);
	cr_assert_eq(pthread_create(&s->thread, NULL, server_main, s), 0);
}

static inline void server_stop(struct server *s)
{
	pthread_join(s->thread, NULL);
	close(s->fd);
}

/* Accepts the next connection. */
static inline int take(struct server *s)
{
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
	struct timeval limit = {.tv_sec = 40};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	atomic_fetch_add(&s->connections, 1);
	return fd;
}

static inline void say(int fd, const char *text)
{
	size_t len = strlen(text);
	while (len) {
		ssize_t n = send(fd, text, len, 0);
		if (n <= 0) {
			return;
		}
		text += n;
		len -= (size_t)n;
	}
}

/* Reads up to the empty line, and nothing more, into received. False: the client closed the
 * connection. */
static inline bool read_head(struct server *s, int fd)
{
	size_t start = s->received.len;
	for (;;) {
		char c;
		if (recv(fd, &c, 1, 0) != 1) {
			return false;
		}
		buf_append_char(&s->received, c);
		if (s->received.len - start >= 4 &&
		        memcmp(s->received.data + s->received.len - 4, "\r\n\r\n", 4) == 0) {
			return true;
		}
	}
}

static inline void read_bytes(struct server *s, int fd, size_t n)
{
	while (n) {
		ssize_t got = recv(fd, buf_reserve(&s->received, n), n, 0);
		if (got <= 0) {
			return;
		}
		s->received.len += (size_t)got;
		n -= (size_t)got;
	}
}

/* Closes the connection with a RST. */
static inline void reset(int fd)
{
	struct linger now = {.l_onoff = 1};
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

static inline void wait_stage(struct server *s, int stage)
{
	while (atomic_load(&s->stage) < stage) {
		usleep(500);
	}
}

/* Waits until something has arrived on the client's connection: data, its end or a reset. */
static inline void wait_arrived(const struct server *s)
{
	for (int fd = 0; fd < 1024; fd++) {
		struct sockaddr_in peer;
		socklen_t len = sizeof(peer);
		if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
		        peer.sin_family == AF_INET && peer.sin_port == htons((uint16_t)s->port)) {
			poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
		}
	}
}

/* The client side: one loop, one transport, and exchanges that log their callbacks. */
struct bench {
	uv_loop_t loop;
	struct transport *transport;
	uv_timer_t watchdog;
};

struct talk {
	struct bench *bench;
	struct upstream *upstream;
	struct buf heads; /* raw heads, interim ones too */
	struct buf body;
	size_t body_bytes; /* counted also with discard_body */
	bool discard_body;
	int status;
	int interims;
	enum http_framing framing;
	bool ended;
	struct upstream_end end;
	struct buf end_text;
	/* the body to send */
	const char *send;
	size_t send_len, sent, piece;
	bool in_memory; /* the transport gets the body as a span */
	bool no_data;   /* pull has nothing yet */
	int pull_error;
	int rewinds;
	/* what to do in callbacks */
	bool cancel_in_head, cancel_in_body, cancel_in_interim, destroy_in_end;
	size_t pause_every; /* on_body pauses after this many bytes */
	size_t since_pause;
	bool paused; /* on_body must not be called again before resume */
	int body_calls;
	bool in_start;
	void (*then)(struct talk *k);
};

static inline void on_interim(void *arg, const struct http_head *head)
{
	struct talk *k = arg;
	k->interims++;
	buf_append_span(&k->heads, head->raw);
	if (k->cancel_in_interim) {
		upstream_cancel(k->upstream);
	}
}

static inline void on_head(void *arg, const struct http_head *head)
{
	struct talk *k = arg;
	cr_assert_eq(k->status, 0, "a second head came");
	k->status = head->status;
	k->framing = head->framing;
	buf_append_span(&k->heads, head->raw);
	if (k->cancel_in_head) {
		upstream_cancel(k->upstream);
	}
}

static inline bool on_body(void *arg, const char *data, size_t len)
{
	struct talk *k = arg;
	cr_assert(len > 0);
	cr_assert_not(k->paused, "a piece came although the caller said no more");
	k->body_calls++;
	k->body_bytes += len;
	if (!k->discard_body) {
		buf_append(&k->body, data, len);
	}
	if (k->cancel_in_body) {
		upstream_cancel(k->upstream);
	}
	k->since_pause += len;
	if (k->pause_every && k->since_pause >= k->pause_every) {
		k->since_pause = 0;
		k->paused = true;
		return false;
	}
	return true;
}

static inline void on_end(void *arg, const struct upstream_end *end)
{
	struct talk *k = arg;
	cr_assert_not(k->ended, "two ends came");
	cr_assert_not(k->in_start);
	k->ended = true;
	k->end = *end;
	cr_assert_not_null(end->text);
	buf_append_str(&k->end_text, end->text);
	if (k->destroy_in_end) {
		upstream_destroy(k->upstream);
		k->upstream = NULL;
	}
	if (k->then) {
		k->then(k);
	}
}

static const struct upstream_events events = {on_interim, on_head, on_body, on_end};

static inline ssize_t pull(void *arg, char *buf, size_t cap)
{
	struct talk *k = arg;
	if (k->pull_error) {
		return k->pull_error;
	}
	if (k->no_data) {
		return -EAGAIN;
	}
	size_t n = MIN(cap, k->send_len - k->sent);
	n = k->piece ? MIN(n, k->piece) : n;
	memcpy(buf, k->send + k->sent, n);
	k->sent += n;
	return (ssize_t)n;
}

static inline void rewind_body(void *arg)
{
	struct talk *k = arg;
	k->rewinds++;
	k->sent = 0;
}

static inline void on_watchdog(uv_timer_t *timer)
{
	fprintf(stderr, "an exchange never ended\n");
	abort();
}

static inline void bench_open_url(struct bench *b, const struct upstream_target *target)
{
	uv_loop_init(&b->loop);
	struct upstream_target to = *target;
	to.by_curl = BENCH_BY_CURL;
	b->transport = transport_create(&b->loop, &to);
	uv_timer_init(&b->loop, &b->watchdog);
	uv_timer_start(&b->watchdog, on_watchdog, 60000, 0);
	uv_unref((uv_handle_t *)&b->watchdog);
}

static inline void bench_open(struct bench *b, int port, uint64_t idle_timeout)
{
	char url[64];
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/ignored", port);
	bench_open_url(b, &(struct upstream_target){
	                          .url = url,
	                          .connect_timeout = 20000 * MS,
	                          .idle_timeout = idle_timeout,
	                          .max_idle_age = 20000 * MS,
	                  });
}

static inline void bench_close(struct bench *b)
{
	transport_destroy(b->transport);
	uv_close((uv_handle_t *)&b->watchdog, NULL);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	cr_assert_eq(uv_loop_close(&b->loop), 0, "a handle was left open");
}

static inline void talk_start(
        struct talk *k, struct bench *b, const struct upstream_request *request)
{
	k->bench = b;
	k->upstream = upstream_create(b->transport, &events, k);
	struct upstream_request copy = *request;
	copy.pull = k->in_memory ? NULL : pull;
	copy.rewind = k->in_memory ? NULL : rewind_body;
	k->in_start = true;
	cr_assert_eq(upstream_start(k->upstream, &copy), 0);
	k->in_start = false;
}

static inline void talk_wait(struct talk *k)
{
	while (!k->ended) {
		uv_run(&k->bench->loop, UV_RUN_ONCE);
	}
	upstream_destroy(k->upstream);
	k->upstream = NULL;
}

static inline void talk_finish(struct talk *k)
{
	buf_finish(&k->heads);
	buf_finish(&k->body);
	buf_finish(&k->end_text);
}

static const struct upstream_request get
        __attribute__((unused)) = {.method = {"GET", 3}, .target = {"/v1/models", 10}};

static inline void ask(struct talk *k, struct bench *b, const struct upstream_request *request)
{
	talk_start(k, b, request);
	talk_wait(k);
}

static inline struct upstream_request post(struct talk *k, const char *body, bool chunked)
{
	k->send = body;
	k->send_len = strlen(body);
	return (struct upstream_request){
	        .method = SPAN("POST"),
	        .target = SPAN("/v1/completions"),
	        .has_body = true,
	        .body = k->in_memory ? span_of(body) : (struct span){0},
	        .body_length = chunked ? -1 : (int64_t)k->send_len,
	};
}

/* Serves one request with one canned answer, which is all that most tests need. */
static const char *canned __attribute__((unused));
static bool canned_keeps
        __attribute__((unused)); /* the connection stays open until the client closes it */

static inline void serve_canned(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, canned);
	char c;
	if (canned_keeps) {
		while (recv(fd, &c, 1, 0) > 0) {
		}
	}
	close(fd);
}

static inline void ask_canned(
        struct talk *k, const char *answer, const struct upstream_request *request)
{
	struct server s;
	struct bench b;
	canned = answer;
	server_start(&s, serve_canned);
	bench_open(&b, s.port, 0);
	ask(k, &b, request);
	bench_close(&b);
	server_stop(&s);
	buf_finish(&s.received);
}

#define is(buffer, text) cr_assert_str_eq(buf_cstr(&(buffer)), (text))

static inline void serve_until_gone(struct server *s)
{
	int fd = take(s);
	char c[4096];
	while (recv(fd, c, sizeof(c), 0) > 0) {
	}
	atomic_store(&s->closed_at, clock_mono());
	close(fd);
}

static inline void serve_keep_alive(struct server *s)
{
	int fd = take(s);
	while (read_head(s, fd)) {
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	}
	close(fd);
}
