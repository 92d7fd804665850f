#pragma once
/*
 * curl_pool - libcurl's sockets of one transport: finds out whether unexpected bytes wait on them.
 *
 * libcurl would take bytes that arrive on an idle connection as the answer to the next request.
 * Before it sends a request, it reports only the local address of the connection. So the pool finds
 * the socket by its local address, and curl_pool_is_clean() checks whether anything waits on it.
 * The pool also owns each socket's uv_poll_t, which lives as long as the socket. Loop thread only.
 */
#include "base/check.h" /* before uv.h, which defines MIN and MAX, too */

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#define CURL_POOL_BUCKETS 256

struct curl_socket;

/* events: UV_READABLE and UV_WRITABLE; 0: unknown, so the function must find out. */
typedef void (*curl_pool_event_fn)(void *arg, int fd, int events);

struct curl_pool {
	uv_loop_t *loop;
	curl_pool_event_fn on_event;
	/* called after curl_pool_close(), when the pool's last handle is closed */
	void (*on_idle)(void *arg);
	void *arg;
	struct curl_socket **by_fd; /* indexed by descriptor, n_fds items */
	size_t n_fds;
	struct curl_socket *by_port[CURL_POOL_BUCKETS]; /* a hash table, by local port */
	struct curl_socket *fresh; /* opened sockets that may not be connected yet */
	size_t handles;            /* uv handles that are not closed */
	bool closing;
};

void curl_pool_init(struct curl_pool *pool, uv_loop_t *loop, curl_pool_event_fn on_event,
        void (*on_idle)(void *arg), void *arg);
/* Call it after libcurl has closed its sockets. on_idle follows, perhaps within this call. */
void curl_pool_close(struct curl_pool *pool);

/* Returns a socket; or -1, and errno is set. */
int curl_pool_open(struct curl_pool *pool, int family, int type, int protocol);
int curl_pool_close_socket(struct curl_pool *pool, int fd); /* returns as close() */
/* Watches a socket for these events (0: none). Returns 0 or a negative errno. */
int curl_pool_watch(struct curl_pool *pool, int fd, int events);

/*
 * Call it before a request is sent on the connection with this local address. False: bytes that no
 * request asked for, or the end of the stream, wait on the connection. *ret_kept: the connection
 * has carried a request before.
 */
bool curl_pool_is_clean(
        struct curl_pool *pool, const char *local_ip, int local_port, bool *ret_kept);
