#include "backends/transport/curl_pool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

#define MAGIC 0x736f636b

struct curl_socket {
	uint32_t magic;
	struct curl_pool *pool;
	struct curl_socket *next; /* in fresh or in a bucket */
	uv_poll_t poll;
	int fd;      /* as libcurl calls it */
	int watched; /* the descriptor that is polled: the same, or our duplicate */
	int port;    /* 0: not connected yet */
	char ip[INET6_ADDRSTRLEN];
};

void curl_pool_init(struct curl_pool *pool, uv_loop_t *loop, curl_pool_event_fn on_event,
        void (*on_idle)(void *arg), void *arg)
{
	*pool = (struct curl_pool){
	        .loop = loop, .on_event = on_event, .on_idle = on_idle, .arg = arg};
}

static void finish_if_idle(struct curl_pool *pool)
{
	if (pool->closing && pool->handles == 0) {
		free(pool->by_fd);
		pool->by_fd = NULL;
		pool->on_idle(pool->arg);
	}
}

static void on_poll_closed(uv_handle_t *handle)
{
	struct curl_socket *s = CHECKED(struct curl_socket, handle->data, MAGIC);
	struct curl_pool *pool = s->pool;
	s->magic = 0;
	free(s);
	pool->handles--;
	finish_if_idle(pool);
}

static struct curl_socket *find(const struct curl_pool *pool, int fd)
{
	return fd >= 0 && (size_t)fd < pool->n_fds ? pool->by_fd[fd] : NULL;
}

static struct curl_socket **bucket(struct curl_pool *pool, int port)
{
	return port ? &pool->by_port[(unsigned)port % CURL_POOL_BUCKETS] : &pool->fresh;
}

static void unlink_socket(struct curl_pool *pool, struct curl_socket *s)
{
	struct curl_socket **at = bucket(pool, s->port);
	while (*at != s) {
		at = &(*at)->next;
	}
	*at = s->next;
}

static void link_socket(struct curl_pool *pool, struct curl_socket *s)
{
	struct curl_socket **at = bucket(pool, s->port);
	s->next = *at;
	*at = s;
}

/* A socket that libcurl opened for itself, to be woken by its name lookups. libcurl does not report
 * when it closes one. So libuv polls our duplicate, and never a descriptor number that was reused
 * for another socket. */
static bool is_internal(const struct curl_socket *s)
{
	return s->watched != s->fd;
}

static void drop(struct curl_pool *pool, struct curl_socket *s)
{
	unlink_socket(pool, s);
	pool->by_fd[s->fd] = NULL;
	uv_close((uv_handle_t *)&s->poll, on_poll_closed);
	if (is_internal(s)) {
		close(s->watched);
	}
}

static struct curl_socket *add(struct curl_pool *pool, int fd, int watched)
{
	if ((size_t)fd >= pool->n_fds) {
		size_t n = MAX((size_t)fd + 1, pool->n_fds * 2);
		pool->by_fd = xrealloc(pool->by_fd, n * sizeof(struct curl_socket *));
		memset(pool->by_fd + pool->n_fds, 0,
		        (n - pool->n_fds) * sizeof(struct curl_socket *));
		pool->n_fds = n;
	}
	if (pool->by_fd[fd]) {
		/* An old internal socket of libcurl: it reports the closing of all others. */
		drop(pool, pool->by_fd[fd]);
	}
	struct curl_socket *s = xmalloc(sizeof(*s));
	*s = (struct curl_socket){.magic = MAGIC, .pool = pool, .fd = fd, .watched = watched};
	if (uv_poll_init(pool->loop, &s->poll, watched) < 0) {
		free(s);
		return NULL;
	}
	s->poll.data = s;
	pool->handles++;
	pool->by_fd[fd] = s;
	link_socket(pool, s);
	return s;
}

void curl_pool_close(struct curl_pool *pool)
{
	pool->closing = true;
	for (size_t i = 0; i < pool->n_fds; i++) {
		if (pool->by_fd[i]) {
			drop(pool, pool->by_fd[i]);
		}
	}
	finish_if_idle(pool);
}

int curl_pool_open(struct curl_pool *pool, int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	if (fd >= 0 && !add(pool, fd, fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

int curl_pool_close_socket(struct curl_pool *pool, int fd)
{
	struct curl_socket *s = find(pool, fd);
	if (s) {
		drop(pool, s);
	}
	return close(fd);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct curl_socket *s = CHECKED(struct curl_socket, poll->data, MAGIC);
	if (is_internal(s)) {
		/* One event is enough, since libcurl also checks by timer. A socket that libcurl
		 * has forgotten must not keep the loop awake. */
		uv_poll_stop(poll);
	}
	/* An error is reported to libcurl as no event: libcurl then finds a reset by itself and
	 * may reconnect, while an error flag would fail the transfer. */
	s->pool->on_event(s->pool->arg, s->fd, status < 0 ? 0 : events);
}

static bool is_pair(int fd)
{
	int domain = 0;
	socklen_t len = sizeof(domain);
	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX;
}

static struct curl_socket *add_internal(struct curl_pool *pool, int fd)
{
	int watched = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct curl_socket *s = watched < 0 ? NULL : add(pool, fd, watched);
	if (watched >= 0 && !s) {
		close(watched);
	}
	return s;
}

int curl_pool_watch(struct curl_pool *pool, int fd, int events)
{
	struct curl_socket *s = find(pool, fd);
	if (events == 0) {
		/*
		 * A socket that never connected is forgotten now. If its transfer is abandoned,
		 * libcurl closes it without telling us, and its number may be reused.
		 */
		if (s && !s->port) {
			drop(pool, s);
		} else if (s) {
			uv_poll_stop(&s->poll);
		}
		return 0;
	}
	if (!s) {
		s = is_pair(fd) ? add_internal(pool, fd) : add(pool, fd, fd);
	}
	return s ? uv_poll_start(&s->poll, events, on_poll) : -ENOMEM;
}

/*
 * Moves the connected socket with this address to its bucket. Sockets that are still connecting may
 * have an address too; they stay.
 */
static void assign_address(struct curl_pool *pool, const char *local_ip, int local_port)
{
	for (struct curl_socket *s = pool->fresh; s; s = s->next) {
		char ip[INET6_ADDRSTRLEN];
		struct sockaddr_storage address = {0};
		socklen_t len = sizeof(address);
		if (is_internal(s) || getsockname(s->fd, (struct sockaddr *)&address, &len) < 0) {
			continue;
		}
		const struct sockaddr_in *in = (const struct sockaddr_in *)&address;
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address;
		bool six = address.ss_family == AF_INET6;
		/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): zeroed, then filled */
		int port = ntohs(six ? in6->sin6_port : in->sin_port);
		const void *raw = six ? (const void *)&in6->sin6_addr : (const void *)&in->sin_addr;
		if (port == local_port && inet_ntop(address.ss_family, raw, ip, sizeof(ip)) &&
		        !strcmp(ip, local_ip)) {
			unlink_socket(pool, s);
			s->port = port;
			memcpy(s->ip, ip, sizeof(ip));
			link_socket(pool, s);
			return;
		}
	}
}

bool curl_pool_is_clean(
        struct curl_pool *pool, const char *local_ip, int local_port, bool *ret_kept)
{
	bool known = false, clean = true;
	for (struct curl_socket *s = *bucket(pool, local_port); s; s = s->next) {
		if (s->port != local_port || strcmp(s->ip, local_ip) != 0) {
			continue;
		}
		char byte;
		ssize_t n = recv(s->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
		known = true;
		clean &= n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
	}
	*ret_kept = known;
	if (!known) {
		assign_address(pool, local_ip, local_port);
	}
	return clean;
}
