#pragma once
/*
 * names - the addresses of one backend's host, looked up beside the loop.
 *
 * A lookup has a thread of its own, which nobody ever waits for: libuv's few threads are shared by all loops, a loop
 * can't end before a lookup of theirs does, and a name server that is silent for a reference must not keep the
 * primary's name waiting. A numeric address needs no lookup. What was found serves for a minute, and
 * longer until something newer is found. Loop thread only.
 */
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

struct uv_loop_s;

#define NAMES_ADDRESSES 8

union address_any {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* In the order in which they are to be tried: as the system sorts them, the families in turn. */
struct addresses {
	size_t n;
	union address_any items[NAMES_ADDRESSES];
};

struct names;

struct names_events {
	/* What names_ask() has begun is over: it now has an answer. Never from within names_ask(). */
	void (*on_found)(void *arg);
	void (*on_closed)(
	        void *arg); /* after names_destroy(), which may call it: the memory is gone */
};

/* host: a name or a numeric address, without brackets. */
struct names *names_create(struct uv_loop_s *loop, const char *host, uint16_t port,
        const struct names_events *events, void *arg);
void names_destroy(struct names *n); /* a lookup under way is left to itself */

/*
 * 0 and the addresses, valid until the caller returns to the loop; -EAGAIN: on_found follows; -ENOENT: there are none,
 * or none could be found just now.
 */
int names_ask(struct names *n, const struct addresses **ret) MUST_CHECK;
/* None of the addresses answered: the next names_ask() looks them up again. */
void names_doubt(struct names *n);
const char *names_problem(const struct names *n); /* why the last lookup failed; static */
