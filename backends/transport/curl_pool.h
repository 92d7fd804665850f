#pragma once
/*
 * curl_pool - the sockets that libcurl holds for one transport: identifies them and tells whether
 * unexpected bytes wait on them.
 *
 * If bytes arrive on an idle connection, libcurl takes them as the answer to the next request.
 * Therefore the pool identifies each socket by its local address, which is all that libcurl tells
 * before it sends a request, and curl_pool_is_clean() checks whether anything waits on it. Each
 * socket also has its uv_poll_t, which lives as long as the socket. Loop thread only.
 */
#include "base/check.h" /* must come before uv.h, which defines its own MIN and MAX */

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#define CURL_POOL_BUCKETS 256

struct curl_socket;

/* What happened on a socket: UV_READABLE and UV_WRITABLE. 0: unknown; the callee must look at
 * the socket itself. */
typedef void (*curl_pool_event_fn)(void *arg, int fd, int events);

struct curl_pool {
	uv_loop_t *loop;
	curl_pool_event_fn on_event;
	void (*on_idle)(void *arg); /* the last handle of a pool under curl_pool_close() is gone */
	void *arg;
	struct curl_socket **by_fd;
	size_t n_fds;
	struct curl_socket *by_port[CURL_POOL_BUCKETS];
	struct curl_socket *fresh; /* opened; it is not yet known whether they are connected */
	size_t handles;            /* uv handles not closed yet */
	bool closing;
};

void curl_pool_init(struct curl_pool *pool, uv_loop_t *loop, curl_pool_event_fn on_event,
        void (*on_idle)(void *arg), void *arg);
void curl_pool_close(struct curl_pool
                *pool); /* libcurl has closed its sockets; on_idle follows, perhaps at once */

int curl_pool_open(
        struct curl_pool *pool, int family, int type, int protocol); /* a socket or -1, errno set */
int curl_pool_close_socket(struct curl_pool *pool, int fd);
int curl_pool_watch(
        struct curl_pool *pool, int fd, int events); /* 0 events: not at all; 0 or -errno */

/*
 * Call before a request is sent on the connection with this local address. False: bytes that no
 * request asked for, or the end of the stream, wait on it. *ret_kept tells whether the connection
 * has carried a request before.
 */
bool curl_pool_is_clean(
        struct curl_pool *pool, const char *local_ip, int local_port, bool *ret_kept);
