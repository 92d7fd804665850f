#include "proxy/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

static int resolve(const struct address *address, struct addrinfo **ret)
{
	struct addrinfo hints = {
	        .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
	        .ai_socktype = SOCK_STREAM,
	};
	char port[8];
	snprintf(port, sizeof(port), "%u", (unsigned)address->port);
	const char *host = address->host && address->host[0] ? address->host : NULL;
	int r = getaddrinfo(host, port, &hints, ret);
	return r == 0 ? 0 : r == EAI_SYSTEM ? -errno : -EADDRNOTAVAIL;
}

static uint16_t port_of(const struct sockaddr_storage *a)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): zeroed, then filled */
	return ntohs(a->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port
	                                      : ((const struct sockaddr_in *)a)->sin_port);
}

static void set_port(struct sockaddr_storage *a, uint16_t port)
{
	if (a->ss_family == AF_INET6) {
		((struct sockaddr_in6 *)a)->sin6_port = htons(port);
	} else {
		((struct sockaddr_in *)a)->sin_port = htons(port);
	}
}

/* Bound, or a negative errno. */
static int bind_one(const struct sockaddr_storage *a, socklen_t len, bool share)
{
	int one = 1;
	int fd = socket(a->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		return -errno;
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (share) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	}
	if (bind(fd, (const struct sockaddr *)a, len) < 0) {
		int r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

/*
 * Binds without SO_REUSEPORT, which fails if another socket listens there, even one with
 * SO_REUSEPORT. If the port is 0, the kernel chooses one.
 */
static int probe(struct sockaddr_storage *a, socklen_t len)
{
	int fd = bind_one(a, len, false);
	if (fd < 0) {
		return fd;
	}
	struct sockaddr_storage bound;
	socklen_t size = sizeof(bound);
	if (getsockname(fd, (struct sockaddr *)&bound, &size) < 0) {
		int r = -errno;
		close(fd);
		return r;
	}
	set_port(a, port_of(&bound));
	return fd;
}

static int bind_all(struct sockaddr_storage *a, socklen_t len, bool share, int *fds, size_t n)
{
	/* Another process may already listen on a shared port, so probe it only to choose a
	 * port. */
	if (!share || port_of(a) == 0) {
		int first = probe(a, len);
		if (first < 0) {
			return first;
		}
		if (n == 1 && !share) {
			fds[0] = first;
			return 0;
		}
		close(first);
	}
	for (size_t i = 0; i < n; i++) {
		fds[i] = bind_one(a, len, true);
		if (fds[i] < 0) {
			int r = fds[i];
			while (i-- > 0) {
				close(fds[i]);
			}
			return r;
		}
	}
	return 0;
}

int listener_bind(const struct address *address, bool share, int *fds, size_t n, uint16_t *ret_port)
{
	struct addrinfo *list;
	int r = resolve(address, &list);
	if (r < 0) {
		return r;
	}
	r = -EADDRNOTAVAIL;
	for (const struct addrinfo *i = list; i && r < 0; i = i->ai_next) {
		struct sockaddr_storage a = {0};
		if (i->ai_addrlen > sizeof(a)) {
			continue;
		}
		memcpy(&a, i->ai_addr, i->ai_addrlen);
		r = bind_all(&a, i->ai_addrlen, share, fds, n);
		if (r == 0) {
			*ret_port = port_of(&a);
		}
	}
	freeaddrinfo(list);
	return r;
}

#define INHERITED_FIRST 3
#define INHERITED_LIMIT 16

/* The number of sockets that were passed to this process. */
static size_t n_inherited(void)
{
	const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
	if (!pid || !n || strtol(pid, NULL, 10) != (long)getpid()) {
		return 0;
	}
	long count = strtol(n, NULL, 10);
	return count < 0 ? 0 : MIN((size_t)count, INHERITED_LIMIT);
}

/* Whether the i-th of the colon-separated names is "admin". */
static bool is_admin(size_t i)
{
	const char *name = getenv("LISTEN_FDNAMES");
	for (; name && i > 0; i--) {
		name = strchr(name, ':');
		name = name ? name + 1 : NULL;
	}
	return name && strcspn(name, ":") == 5 && strncmp(name, "admin", 5) == 0;
}

static int name_of_stream(int fd, struct sockaddr_storage *ret)
{
	struct sockaddr_storage bound = {0};
	socklen_t size = sizeof(bound), word = sizeof(int);
	int type = 0;
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &word) < 0 ||
	        getsockname(fd, (struct sockaddr *)&bound, &size) < 0) {
		return -errno;
	}
	if (type != SOCK_STREAM || (bound.ss_family != AF_INET && bound.ss_family != AF_INET6)) {
		return -ENOTSOCK;
	}
	*ret = bound;
	return 0;
}

/* The inherited descriptor, or -ENOENT. */
static int find_inherited(bool admin)
{
	for (size_t i = 0; i < n_inherited(); i++) {
		if (is_admin(i) == admin) {
			return INHERITED_FIRST + (int)i;
		}
	}
	return -ENOENT;
}

int listener_inherited_at(bool admin, struct address *ret)
{
	struct sockaddr_storage a;
	int from = find_inherited(admin);
	int r = from < 0 ? from : name_of_stream(from, &a);
	if (r < 0) {
		return r;
	}
	bool v6 = a.ss_family == AF_INET6;
	char host[INET6_ADDRSTRLEN];
	const void *address = v6 ? (const void *)&((const struct sockaddr_in6 *)&a)->sin6_addr
	                         : (const void *)&((const struct sockaddr_in *)&a)->sin_addr;
	expect(inet_ntop(a.ss_family, address, host, sizeof(host)));
	*ret = (struct address){
	        .text = xasprintf(v6 ? "[%s]:%u" : "%s:%u", host, (unsigned)port_of(&a)),
	        .host = xstrdup(host),
	        .port = port_of(&a),
	};
	return 0;
}

int listener_inherit(bool admin, int *fds, size_t n, uint16_t *ret_port)
{
	struct sockaddr_storage bound;
	int from = find_inherited(admin);
	int r = from < 0 ? from : name_of_stream(from, &bound);
	if (r < 0) {
		return r;
	}
	*ret_port = port_of(&bound);
	int flags = fcntl(from, F_GETFL);
	if (flags < 0 || fcntl(from, F_SETFL, flags | O_NONBLOCK) < 0) {
		return -errno;
	}
	for (size_t i = 0; i < n; i++) {
		fds[i] = fcntl(from, F_DUPFD_CLOEXEC, INHERITED_FIRST + INHERITED_LIMIT);
		if (fds[i] < 0) {
			r = -errno;
			while (i-- > 0) {
				close(fds[i]);
			}
			return r;
		}
	}
	return 0;
}
