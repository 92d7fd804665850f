#pragma once
/*
 * resolver - finds the addresses of one backend's host, in a thread outside of the loop.
 *
 * Each lookup has a thread of its own, and nobody waits for that thread to end. libuv's thread pool
 * is not used for three reasons: all loops share its few threads, a loop cannot end before its
 * lookups end, and a slow name server of a reference must not delay the lookup of the primary's
 * name. A numeric address needs no lookup. Addresses are used for one minute, and then until a
 * lookup finds newer ones. Loop thread only.
 */
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

struct uv_loop_s;

#define RESOLVER_ADDRESSES 8

union address_any {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* In the order in which to try them: as the system sorts them, but alternating between IPv4 and
 * IPv6. */
struct addresses {
	size_t n;
	union address_any items[RESOLVER_ADDRESSES];
};

struct resolver;

struct resolver_events {
	/* The lookup that resolver_get() began has ended: resolver_get() now has an answer. Never
	 * called from within resolver_get(). */
	void (*on_found)(void *arg);
	/* The memory is freed. Called after resolver_destroy(), or from within it. */
	void (*on_closed)(void *arg);
};

/* host: a name or a numeric address, without brackets. events must live until on_closed. */
struct resolver *resolver_create(struct uv_loop_s *loop, const char *host, uint16_t port,
        const struct resolver_events *events, void *arg);
/* does not wait for a running lookup, and ignores its result */
void resolver_destroy(struct resolver *n);

/*
 * Returns 0 and the addresses, which are valid until the caller returns to the loop; -EAGAIN: a
 * lookup runs, and on_found follows; -ENOENT: the last lookup found none.
 */
int resolver_get(struct resolver *n, const struct addresses **ret) MUST_CHECK;
/* Call it if none of the addresses answered: the next resolver_get() looks them up again, unless
 * they are less than 1 s old. */
void resolver_expire(struct resolver *n);
const char *resolver_problem(
        const struct resolver *n); /* why the last lookup failed: a static text */
