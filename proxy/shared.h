#pragma once
/*
 * shared - what all workers share: the snapshot in force, budget, ledger, recorder, counters.
 *
 * Created before the workers and destroyed after them. Each member is constant, atomic, behind the
 * lock, or an object for any thread.
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
	COUNTER_CONNECTIONS, /* client connections accepted */
	COUNTER_EXCHANGES,   /* request heads accepted */
	COUNTER_REFUSED,     /* requests answered 4xx by us */
	COUNTER_CLIENT_GONE,
	COUNTER_CLIENT_TIMEOUTS, /* clients that sent or took nothing for too long */
	COUNTER_ACCEPT_PAUSES,   /* times that the acceptor paused */
	COUNTER_UPSTREAM_FAILED, /* answered 502 or 504 by us, or cut */
	COUNTER_STRAYS,          /* connections on which an engine sent more than an answer */
	COUNTER_TUNNELS,         /* opened */
	COUNTER_INJECTED,
	COUNTER_INJECTION_REFUSED, /* second attempts without the added members */
	COUNTER_ASKED_AGAIN,       /* second attempts after an answer of unknown form */
	COUNTER_UNCUT,             /* answers whose added members reached the client */
	COUNTER_TRUNCATED, /* records cut because memory or the recorder's queue was spent */
	N_COUNTERS,
};

/* Classes of answers, by the number of alternatives that the proxy asked for. */
enum lists { LISTS_NONE, LISTS_ORDINARY, LISTS_AUDIT, N_LISTS };

/* What tokens cost: totals over complete answers of the primary to chats and completions. */
struct list_cost {
	atomic_uint_fast64_t answers;
	atomic_uint_fast64_t us;    /* duration; for a stream, from its first byte */
	atomic_uint_fast64_t bytes; /* that clients got */
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
	atomic_uint client_limit; /* most connections */
	/* descriptors for clients and for connections to the primary */
	atomic_uint client_descriptors;
	atomic_uint clients;      /* connections now */
	atomic_uint idle_clients; /* of them, idle for a second, as of the workers' last ticks */
	atomic_uint in_flight;    /* exchanges now */
	atomic_uint tunnels;      /* of them, open tunnels */
	atomic_uint_fast64_t counters[N_COUNTERS];
	atomic_uint_fast64_t injection_stops
	        [N_INJECTION_STOPS]; /* kinds of answers for which injection ended, by reason */
	struct list_cost list_costs[N_LISTS];
	struct routes routes;
	struct buckets head_time;  /* from a request's head to the head of its answer */
	struct buckets total_time; /* from a request's head to the end of its exchange */
	struct buckets added_time; /* that the proxy added */
	uint64_t started;          /* wall clock */
};

/* NULL and a sentence (the caller frees it) when the capture or the hash key is refused. */
struct shared *shared_create(struct settings *s, char **ret_error);
/* After the workers. Flushes the recorder for at most flush_timeout ns. NULL is fine. */
void shared_destroy(struct shared *s, uint64_t flush_timeout);

/* The snapshot in force; the caller unrefs it. */
struct config_snapshot *shared_config(struct shared *s);
/*
 * Applies settings to exchanges that begin from then on: workers and engine_watch get a new
 * snapshot. For what a reload can't change, conf must already have the values in force. False:
 * nothing has changed; *ret_error is a sentence that the caller frees. Main thread.
 */
bool shared_set_config(struct shared *s, struct settings *conf, char **ret_error) MUST_CHECK;

/* An address as it is recorded: 32 hex digits of its keyed hash. */
void shared_peer_hash(const struct shared *s, const void *address, size_t len, char hex[33]);

/* One more client may be accepted. Each that is not idle may need a connection to the primary
 * too. */
bool shared_can_accept(const struct shared *s);

/* What all legs of a backend have in common. */
struct leg_frame shared_frame(struct shared *s, const struct settings *conf,
        const struct backend_settings *b, struct backend_state *backend);

static inline void shared_count(struct shared *s, enum counter f, uint64_t n)
{
	atomic_fetch_add_explicit(&s->counters[f], n, memory_order_relaxed);
}
