#include "backends/transport/resolver.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"

#define RESOLVER_MAGIC 0x6e616d65u
#define LIFE (60 * UINT64_C(1000000000))
/* All who wait for a lookup get its failure; a request after this time begins a new lookup. */
#define FAILURE_LIFE (20 * UINT64_C(1000000))
/* resolver_expire() has no effect on addresses that are younger than this. */
#define EXPIRE_AGE UINT64_C(1000000000)

/* Shared by the loop and the thread; the last one of them frees it. */
struct lookup {
	pthread_mutex_t lock;
	struct resolver *owner; /* NULL: the result is no longer wanted */
	bool done;
	char *host;
	char port[8];
	int error; /* EAI_... */
	struct addresses found;
};

struct resolver {
	uint32_t magic;
	const struct resolver_events *events;
	void *arg;
	char *host;
	uint16_t port;
	bool numeric;
	uv_async_t done; /* unused if the address is numeric */
	struct lookup *lookup;
	struct addresses known;
	uint64_t known_since, failed_until; /* clock_mono() */
	bool expired;
	const char *problem;
};

/* The thread */

static void lookup_free(struct lookup *l)
{
	pthread_mutex_destroy(&l->lock);
	free(l->host);
	free(l);
}

/* Alternates between the address families, beginning with the system's first one. */
static void gather(const struct addrinfo *list, struct addresses *ret)
{
	if (!list) {
		return;
	}
	const struct addrinfo *next[2] = {list, list};
	int family[2] = {list->ai_family, list->ai_family == AF_INET ? AF_INET6 : AF_INET};
	while (ret->n < RESOLVER_ADDRESSES && (next[0] || next[1])) {
		for (int i = 0; i < 2; i++) {
			while (next[i] && next[i]->ai_family != family[i]) {
				next[i] = next[i]->ai_next;
			}
			if (next[i] && ret->n < RESOLVER_ADDRESSES &&
			        next[i]->ai_addrlen <= sizeof(union address_any)) {
				memcpy(&ret->items[ret->n++], next[i]->ai_addr,
				        next[i]->ai_addrlen);
			}
			next[i] = next[i] ? next[i]->ai_next : NULL;
		}
	}
}

static void *look_up(void *arg)
{
	struct lookup *l = arg;
	struct addrinfo hints = {
	        .ai_family = AF_UNSPEC,
	        .ai_socktype = SOCK_STREAM,
	        .ai_flags = AI_NUMERICSERV,
	};
	struct addrinfo *list = NULL;
	int error = getaddrinfo(l->host, l->port, &hints, &list);
	pthread_mutex_lock(&l->lock);
	l->error = error;
	if (error == 0) {
		gather(list, &l->found);
	}
	l->done = true;
	bool wanted = l->owner != NULL;
	if (wanted) {
		uv_async_send(&l->owner->done);
	}
	pthread_mutex_unlock(&l->lock);
	if (error == 0) {
		freeaddrinfo(list);
	}
	if (!wanted) {
		lookup_free(l);
	}
	return NULL;
}

static int start_thread(struct lookup *l)
{
	pthread_t thread;
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);
	if (r != 0) {
		return -r;
	}
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, look_up, l);
	pthread_attr_destroy(&attr);
	return -r;
}

/* The loop */

static void on_done(uv_async_t *async)
{
	struct resolver *n = CHECKED(struct resolver, async->data, RESOLVER_MAGIC);
	struct lookup *l = n->lookup;
	if (!l) {
		return;
	}
	pthread_mutex_lock(&l->lock);
	bool done = l->done;
	pthread_mutex_unlock(&l->lock);
	if (!done) {
		return;
	}
	uint64_t now = clock_mono();
	if (l->error == 0 && l->found.n) {
		n->known = l->found;
		n->known_since = now;
		n->expired = false;
	} else {
		n->problem = l->error ? gai_strerror(l->error) : "it has no address";
		n->failed_until = now + FAILURE_LIFE;
		n->expired = false; /* the known addresses stay, and may expire again */
	}
	n->lookup = NULL;
	lookup_free(l);
	uv_unref((uv_handle_t *)&n->done);
	n->events->on_found(n->arg);
}

static void begin(struct resolver *n)
{
	struct lookup *l = xcalloc(1, sizeof(*l));
	pthread_mutex_init(&l->lock, NULL);
	l->owner = n;
	l->host = xstrdup(n->host);
	snprintf(l->port, sizeof(l->port), "%u", (unsigned)n->port);
	n->lookup = l;
	uv_ref((uv_handle_t *)&n->done);
	if (start_thread(l) < 0) {
		/* The thread was not started, so no lock is needed. */
		l->error = EAI_AGAIN;
		l->done = true;
		uv_async_send(&n->done);
	}
}

int resolver_get(struct resolver *n, const struct addresses **ret)
{
	uint64_t now = clock_mono();
	bool known = n->known.n > 0;
	if (!n->numeric && now >= n->failed_until &&
	        (!known || n->expired || now - n->known_since > LIFE)) {
		if (!n->lookup) {
			begin(n);
		}
		/* Old addresses are used until the new lookup is done. */
		if (!known || n->expired) {
			return -EAGAIN;
		}
	}
	if (!known) {
		return -ENOENT;
	}
	*ret = &n->known;
	return 0;
}

void resolver_expire(struct resolver *n)
{
	n->expired |= clock_mono() - n->known_since > EXPIRE_AGE;
}

const char *resolver_problem(const struct resolver *n)
{
	return n->problem;
}

/* A host that is an address needs no look-up. */
static bool take_numeric_host(struct resolver *n)
{
	union address_any *a = &n->known.items[0];
	if (uv_ip4_addr(n->host, n->port, &a->v4) == 0 ||
	        uv_ip6_addr(n->host, n->port, &a->v6) == 0) {
		n->known.n = 1;
		return true;
	}
	return false;
}

struct resolver *resolver_create(struct uv_loop_s *loop, const char *host, uint16_t port,
        const struct resolver_events *events, void *arg)
{
	struct resolver *n = xcalloc(1, sizeof(*n));
	*n = (struct resolver){
	        .magic = RESOLVER_MAGIC,
	        .events = events,
	        .arg = arg,
	        .host = xstrdup(host),
	        .port = port,
	        .problem = "it could not be found",
	};
	n->numeric = take_numeric_host(n);
	if (!n->numeric) {
		expect(uv_async_init(loop, &n->done, on_done) == 0);
		n->done.data = n;
		uv_unref((uv_handle_t *)&n->done);
	}
	return n;
}

static void finish(struct resolver *n)
{
	const struct resolver_events *events = n->events;
	void *arg = n->arg;
	n->magic = 0;
	free(n->host);
	free(n);
	events->on_closed(arg);
}

static void on_closed(uv_handle_t *handle)
{
	finish(CHECKED(struct resolver, handle->data, RESOLVER_MAGIC));
}

void resolver_destroy(struct resolver *n)
{
	struct lookup *l = n->lookup;
	if (l) {
		pthread_mutex_lock(&l->lock);
		bool done = l->done;
		l->owner = NULL;
		pthread_mutex_unlock(&l->lock);
		if (done) {
			lookup_free(l);
		}
		n->lookup = NULL;
	}
	if (n->numeric) {
		finish(n);
	} else {
		uv_close((uv_handle_t *)&n->done, on_closed);
	}
}
