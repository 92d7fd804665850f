#pragma once
/*
 * shared - what all workers have in common: settings, budget, ledger, recorder, what is known of
 * engines, figures.
 *
 * Made before the workers and destroyed after them. Everything in it is either constant from then
 * on, atomic, or an object that any thread may use.
 */
#include <stdatomic.h>
#include <stdint.h>

#include "backends/inject.h"
#include "backends/leg.h"
#include "base/budget.h"
#include "capture/ledger.h"
#include "capture/recorder.h"
#include "proxy/sampler.h"
#include "proxy/settings.h"
#include "proxy/stack.h"
#include "proxy/watch.h"

struct worker;

/* One reference or candidate, as all workers see it. */
struct reference {
	const struct backend_settings *settings;
	struct ledger_book *book;
	struct sampler *sampler;
	struct stack *stack;
	atomic_uint
	        places; /* copies that may run at once: max_concurrency, or 1 where the engine bears no more */
	atomic_uint running;          /* copies that hold a place: at most places */
	atomic_uint in_flight;        /* of them, requests under way */
	atomic_uint waiting;          /* copies in the workers' queues */
	atomic_size_t waiting_bytes;  /* and their weight: at most queue_limit */
	_Atomic(const char *) unable; /* what can't be asked of it, as it was last told; or NULL */
};

enum figure {
	FIGURE_CONNECTIONS, /* clients accepted */
	FIGURE_EXCHANGES,   /* heads accepted */
	FIGURE_REFUSED,     /* requests answered 4xx by us */
	FIGURE_CLIENT_GONE,
	FIGURE_CLIENT_TIMEOUTS, /* clients that were waited for in vain */
	FIGURE_ACCEPT_PAUSES, /* times that nobody was let in, for want of places or descriptors */
	FIGURE_UPSTREAM_FAILED, /* answered 502 or 504 by us, or cut */
	FIGURE_INJECTED,
	FIGURE_INJECTION_REFUSED, /* second tries without the fields */
	FIGURE_UNCUT,             /* answers whose added fields the client saw */
	FIGURE_TRUNCATED,         /* records cut because memory or the recorder's queue was spent */
	FIGURE_HEAD_COUNT,        /* time from a request's head to the answer's: sum and count */
	FIGURE_HEAD_US,
	FIGURE_TOTAL_COUNT,
	FIGURE_TOTAL_US,
	N_FIGURES,
};

struct shared {
	struct settings *settings;
	struct budget budget;
	struct ledger *ledger;
	struct ledger_book *exchanges;
	struct recorder *recorder; /* NULL: nothing is recorded */
	uint8_t hash_key[32];
	struct id run;
	struct kinds *kinds;
	struct stack *stack;           /* the primary's */
	_Atomic(struct watch *) watch; /* NULL: nobody is asked, or not yet */
	struct reference references[SETTINGS_REFERENCES_LIMIT];
	size_t n_references;
	struct worker **workers;     /* settings->workers of them */
	unsigned client_places;      /* connections there may be */
	unsigned client_descriptors; /* for them and for their connections to the primary */
	atomic_uint clients;         /* connections now */
	atomic_uint idle_clients; /* of them, without a request for a while, as of the last ticks */
	atomic_uint in_flight;    /* exchanges now */
	atomic_uint primary_in_flight;
	atomic_uint_fast64_t figures[N_FIGURES];
	uint64_t started; /* wall clock */
};

/* NULL and a sentence (the caller frees it) when the capture or the hash key is refused. */
struct shared *shared_create(struct settings *s, char **ret_error);
/* Flushes the recorder for at most that long; after the workers. NULL is fine. */
void shared_destroy(struct shared *s, uint64_t flush_timeout);

/* The copies that may run at once are as many as the engine that was recognised bears. */
void shared_fit_places(struct shared *s, size_t reference, const struct dialect *dialect);
/* What an address is kept as: 32 hex digits of its keyed hash. */
void shared_peer_hash(const struct shared *s, const void *address, size_t len, char hex[33]);

/* Whether one more client may be let in: each that is not idle may want a connection to the primary
 * too. */
bool shared_has_place(const struct shared *s);

/* The frame of a backend's legs; in_flight counts those under way. */
struct leg_frame shared_frame(
        struct shared *s, const struct backend_settings *backend, atomic_uint *in_flight);

static inline void shared_count(struct shared *s, enum figure f, uint64_t n)
{
	atomic_fetch_add_explicit(&s->figures[f], n, memory_order_relaxed);
}
