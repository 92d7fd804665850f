#pragma once
/*
 * shared - what all workers have in common: the snapshot in force, budget, ledger, recorder, figures.
 *
 * Made before the workers and destroyed after them. Everything in it is either constant from then
 * on, atomic, behind its lock, or an object that any thread may use.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/inject.h"
#include "backends/leg.h"
#include "base/buckets.h"
#include "base/budget.h"
#include "capture/ledger.h"
#include "capture/recorder.h"
#include "proxy/injection_stop.h"
#include "proxy/routes.h"
#include "proxy/settings/settings.h"

struct config_snapshot;
struct backend_state;
struct reload;
struct score_pool;
struct engine_watch;
struct worker;

enum counter {
	COUNTER_CONNECTIONS, /* clients accepted */
	COUNTER_EXCHANGES,   /* heads accepted */
	COUNTER_REFUSED,     /* requests answered 4xx by us */
	COUNTER_SHED,        /* requests answered 503 by us, because memory was short */
	COUNTER_CLIENT_GONE,
	COUNTER_CLIENT_TIMEOUTS, /* clients that were waited for in vain */
	COUNTER_ACCEPT_PAUSES, /* times that nobody was let in, for want of places or descriptors */
	COUNTER_UPSTREAM_FAILED, /* answered 502 or 504 by us, or cut */
	COUNTER_STRAYS,          /* connections of engines on which more came than an answer */
	COUNTER_TUNNELS,         /* opened */
	COUNTER_INJECTED,
	COUNTER_INJECTION_REFUSED, /* second tries without the fields */
	COUNTER_ASKED_AGAIN,       /* second tries because an answer had an unknown form */
	COUNTER_UNCUT,             /* answers whose added fields the client saw */
	COUNTER_TRUNCATED, /* records cut because memory or the recorder's queue was spent */
	N_COUNTERS,
};

struct shared {
	pthread_mutex_t lock;
	struct config_snapshot *snapshot; /* in force; behind the lock: shared_config() */
	struct budget budget;
	struct ledger *ledger;
	struct ledger_book *exchanges;
	struct recorder *recorder; /* NULL: nothing is recorded */
	uint8_t hash_key[32];
	struct id run;
	struct kinds *kinds;
	struct engine_watch *watch;
	struct score_pool *scoring;
	struct reload *reload; /* the main thread's */
	struct worker **workers;
	unsigned n_workers;
	atomic_uint client_limit;       /* connections there may be */
	atomic_uint client_descriptors; /* for them and for their connections to the primary */
	atomic_uint clients;            /* connections now */
	atomic_uint idle_clients; /* of them, without a request for a while, as of the last ticks */
	atomic_uint in_flight;    /* exchanges now */
	atomic_uint tunnels;      /* of them, open tunnels */
	atomic_uint_fast64_t counters[N_COUNTERS];
	atomic_uint_fast64_t injection_stops
	        [N_INJECTION_STOPS]; /* kinds of answers to which nothing is added any more */
	struct routes routes;
	struct buckets head_time;  /* from a request's head to its answer's */
	struct buckets total_time; /* from a request's head to the end of its exchange */
	struct buckets added_time; /* that its client waited for us and not for the engine */
	uint64_t started;          /* wall clock */
};

/* NULL and a sentence (the caller frees it) when the capture or the hash key is refused. */
struct shared *shared_create(struct settings *s, char **ret_error);
/* Flushes the recorder for at most that long; after the workers. NULL is fine. */
void shared_destroy(struct shared *s, uint64_t flush_timeout);

/* The snapshot in force, with a reference of its own. */
struct config_snapshot *shared_config(struct shared *s);
/*
 * Puts settings in force, for exchanges that begin a moment later: workers and watch are told. Of what
 * can't change they say what is so. Main thread. False and a sentence (the caller frees it): all stays
 * as it was.
 */
bool shared_set_config(struct shared *s, struct settings *conf, char **ret_error) MUST_CHECK;

/* What an address is kept as: 32 hex digits of its keyed hash. */
void shared_peer_hash(const struct shared *s, const void *address, size_t len, char hex[33]);

/* Whether one more client may be let in: each that is not idle may want a connection to the primary
 * too. */
bool shared_can_accept(const struct shared *s);

/* The frame of a backend's legs. */
struct leg_frame shared_frame(struct shared *s, const struct settings *conf,
        const struct backend_settings *b, struct backend_state *backend);

static inline void shared_count(struct shared *s, enum counter f, uint64_t n)
{
	atomic_fetch_add_explicit(&s->counters[f], n, memory_order_relaxed);
}
