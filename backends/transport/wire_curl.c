/*
 * libcurl opens the connection and encrypts it (CURLOPT_CONNECT_ONLY); its bytes are read and
 * written by curl_easy_recv() and curl_easy_send(). Each connection has an easy handle, which stays
 * in the transport's multi handle until the connection is closed.
 *
 * libcurl must not be called from within its own callbacks. They only open, watch and close
 * sockets.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/transport/wire.h"
#include "base/mem.h"

static struct wire_connection *checked(void *arg)
{
	return CHECKED(struct wire_connection, arg, WIRE_CONNECTION_MAGIC);
}

/* libcurl's sockets and timers */

/* Why the connection could not be opened. */
static const char *problem_of(const struct wire_connection *c, CURLcode code)
{
	long error = 0;
	if (code == CURLE_OPERATION_TIMEDOUT) {
		return "no connection in time";
	}
	if (code == CURLE_COULDNT_CONNECT) {
		curl_easy_getinfo(c->easy, CURLINFO_OS_ERRNO, &error);
		return error ? uv_strerror(-(int)error) : curl_easy_strerror(code);
	}
	if (strstr(c->error, "wrong version number")) {
		return "the server does not speak TLS; its URL begins with http://";
	}
	return c->error[0] ? c->error : curl_easy_strerror(code);
}

/* Reports the connections that are open, or could not be opened. The callbacks may close
 * connections, and even destroy the transport, so no state is kept across a call. */
static void reap(struct transport *w)
{
	CURLMsg *message;
	int left;
	while (w->multi && (message = curl_multi_info_read(w->multi, &left))) {
		void *arg = NULL;
		CURLcode code = message->data.result;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &arg);
		struct wire_connection *c = checked(arg);
		c->connected = code == CURLE_OK;
		c->events->on_connect(c, c->connected ? NULL : problem_of(c, code));
	}
}

static void on_timeout(uv_timer_t *timer)
{
	struct transport *w = CHECKED(struct transport, timer->data, WIRE_MAGIC);
	int running;
	curl_multi_socket_action(w->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	reap(w);
}

static int on_curl_timer(CURLM *multi, long timeout_ms, void *arg)
{
	struct transport *w = CHECKED(struct transport, arg, WIRE_MAGIC);
	if (timeout_ms < 0) {
		uv_timer_stop(&w->timer);
	} else {
		uv_timer_start(&w->timer, on_timeout, (uint64_t)timeout_ms, 0);
	}
	return 0;
}

static void on_poll(uv_poll_t *poll, int status, int events);

/* Watches the socket of a connection that is being opened. */
static int on_curl_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
	void *private = NULL;
	curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
	struct wire_connection *c = checked(private);
	int events =
	        (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
	bool removed = what == CURL_POLL_REMOVE || !events;
	if (!c->connected && !c->closing && c->has_socket) {
		removed ? uv_poll_stop(&c->socket.poll)
		        : uv_poll_start(&c->socket.poll, events, on_poll);
	}
	return 0;
}

static curl_socket_t on_open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct wire_connection *c = checked(arg);
	int type = address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int fd = c->has_socket ? -1 : socket(address->family, type, address->protocol);
	if (fd >= 0 && uv_poll_init(c->wire->loop, &c->socket.poll, fd) < 0) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		return CURL_SOCKET_BAD;
	}
	c->has_socket = true;
	c->fd = fd;
	return fd;
}

static void on_socket_closed(uv_handle_t *handle)
{
	struct wire_connection *c = checked(handle->data);
	c->has_socket = false;
	if (c->closing) {
		wire_connection_free(c);
	}
}

static void close_socket(struct wire_connection *c)
{
	if (c->has_socket && !uv_is_closing(&c->socket.handle)) {
		uv_close(&c->socket.handle, on_socket_closed);
	}
}

static int on_close_socket(void *arg, curl_socket_t fd)
{
	close_socket(checked(arg));
	return close(fd);
}

static void init_curl(void)
{
	expect(curl_global_init_mem(CURL_GLOBAL_ALL, xmalloc, free, xrealloc, xstrdup, xcalloc) ==
	        CURLE_OK);
}

void wire_curl_init(struct transport *w, const char *scheme, const char *ca_file)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, init_curl);
	w->multi = curl_multi_init();
	expect(w->multi);
	w->url = xasprintf("%s://%s", scheme, w->name);
	w->ca_file = ca_file ? xstrdup(ca_file) : NULL;
	w->open++;
	uv_timer_init(w->loop, &w->timer);
	w->timer.data = w;
	curl_multi_setopt(w->multi, CURLMOPT_SOCKETFUNCTION, on_curl_socket);
	curl_multi_setopt(w->multi, CURLMOPT_TIMERFUNCTION, on_curl_timer);
	curl_multi_setopt(w->multi, CURLMOPT_TIMERDATA, w);
}

static void on_timer_closed(uv_handle_t *handle)
{
	wire_release(CHECKED(struct transport, handle->data, WIRE_MAGIC));
}

void wire_curl_finish(struct transport *w)
{
	if (w->multi) {
		curl_multi_cleanup(w->multi);
		w->multi = NULL;
		uv_close((uv_handle_t *)&w->timer, on_timer_closed);
	}
}

/* Connecting */

static void set_options(struct wire_connection *c, const char *connect_to)
{
	const struct transport *w = c->wire;
	CURL *easy = c->easy;
	c->connect_to = curl_slist_append(NULL, connect_to);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, c);
	curl_easy_setopt(easy, CURLOPT_URL, w->url);
	curl_easy_setopt(easy, CURLOPT_CONNECT_TO, c->connect_to);
	curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, c->error);
	if (w->ca_file) {
		curl_easy_setopt(easy, CURLOPT_CAINFO, w->ca_file);
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, c);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, c);
}

int wire_curl_connect(struct wire_connection *c, const union address_any *to)
{
	bool six = to->any.sa_family == AF_INET6;
	unsigned port = ntohs(six ? to->v6.sin6_port : to->v4.sin_port);
	char ip[INET6_ADDRSTRLEN];
	int r = uv_ip_name(&to->any, ip, sizeof(ip));
	if (r < 0) {
		return r;
	}
	/* Any host and port are replaced by this address; the certificate is still the host's. */
	char *connect_to = xasprintf(six ? "::[%s]:%u" : "::%s:%u", ip, port);
	c->easy = curl_easy_init();
	expect(c->easy);
	set_options(c, connect_to);
	free(connect_to);
	expect(curl_multi_add_handle(c->wire->multi, c->easy) == CURLM_OK);
	return 0;
}

void wire_curl_close(struct wire_connection *c)
{
	close_socket(c); /* libcurl does not tell of one that is not connected yet */
	if (c->easy) {
		curl_multi_remove_handle(c->wire->multi, c->easy); /* closes the connection */
		curl_easy_cleanup(c->easy);
		curl_slist_free_all(c->connect_to);
	}
	if (!c->has_socket) {
		wire_connection_free(c);
	}
}

/* Reading and writing */

void wire_curl_watch(struct wire_connection *c)
{
	int events = (c->reading ? UV_READABLE : 0) | (c->writing ? UV_WRITABLE : 0);
	if (events) {
		uv_poll_start(&c->socket.poll, events, on_poll);
	} else {
		uv_poll_stop(&c->socket.poll);
	}
}

/* Returns the number of bytes, or a libuv error. */
static ssize_t receive(const struct wire_connection *c, char *to, size_t size)
{
	size_t n = 0;
	CURLcode code = curl_easy_recv(c->easy, to, size, &n);
	return code == CURLE_AGAIN ? UV_EAGAIN
	       : code != CURLE_OK  ? UV_ECONNRESET
	       : n == 0            ? UV_EOF
	                           : (ssize_t)n;
}

/* Reads one record of TLS at most, which has at most WIRE_READ_SIZE bytes. So libcurl holds none
 * back, and the socket shows whether there are more. */
static void read_some(struct wire_connection *c)
{
	ssize_t n = receive(c, c->wire->in, WIRE_READ_SIZE);
	if (n > 0) {
		c->events->on_data(c, c->wire->in, (size_t)n);
	} else if (n != UV_EAGAIN) {
		c->reading = false;
		wire_curl_watch(c);
		c->events->on_end(c, (int)n);
	}
}

/* Writes what the socket accepts. Returns 0 or a libuv error. */
static int flush(struct wire_connection *c)
{
	CURLcode code = CURLE_OK;
	while (code == CURLE_OK && c->rest_sent < c->rest.len) {
		size_t n = 0;
		code = curl_easy_send(
		        c->easy, c->rest.data + c->rest_sent, c->rest.len - c->rest_sent, &n);
		c->rest_sent += n;
	}
	c->writing = code == CURLE_AGAIN;
	if (!c->writing) {
		wire_connection_drop_rest(c);
		c->rest_sent = 0;
	}
	return code == CURLE_OK || c->writing ? 0 : UV_EPIPE;
}

int wire_curl_write(struct wire_connection *c, bool later)
{
	int r = 0;
	c->writing = true;
	if (!later) {
		r = flush(c);
	}
	wire_curl_watch(c);
	return r;
}

bool wire_curl_is_clean(const struct wire_connection *c)
{
	char byte;
	ssize_t n = receive(c, &byte, 1);
	if (n > 0) {
		wire_count_stray(c->wire);
	}
	return n == UV_EAGAIN;
}

static void write_some(struct wire_connection *c)
{
	int r = flush(c);
	if (!c->writing) {
		wire_curl_watch(c);
		c->events->on_written(c, r);
	}
}

/* libcurl gets an error as no event: it then finds the cause by itself. So do reading and writing.
 */
static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct wire_connection *c = checked(poll->data);
	if (!c->connected) {
		struct transport *w = c->wire;
		int running, flags = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
		                     (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
		curl_multi_socket_action(w->multi, c->fd, status < 0 ? 0 : flags, &running);
		reap(w);
		return;
	}
	if (status < 0) {
		events = UV_READABLE | UV_WRITABLE;
		wire_curl_watch(c); /* libuv watches no longer */
	}
	if (c->writing && (events & UV_WRITABLE)) {
		write_some(c);
	}
	if (!c->closing && c->reading && (events & UV_READABLE)) {
		read_some(c);
	}
}
