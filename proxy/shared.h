#pragma once
/*
 * shared - what all workers share: the snapshot in force, budget, ledger, recorder, counters.
 *
 * Created before the workers and destroyed after them. Each member is constant, atomic, protected
 * by `lock`, or an object that any thread may use.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/inject.h"
#include "backends/leg.h"
#include "base/buckets.h"
#include "base/budget.h"
#include "capture/recorder/ledger.h"
#include "capture/recorder/recorder.h"
#include "proxy/injection_stop.h"
#include "proxy/settings/settings.h"

struct config_snapshot;
struct backend_state;
struct reload;
struct score_pool;
struct engine_watch;
struct worker;

#define SHARED_STATUSES 1000 /* 0 to 999 */

enum counter {
	COUNTER_CONNECTIONS,     /* client connections accepted */
	COUNTER_EXCHANGES,       /* request heads accepted */
	COUNTER_REFUSED,         /* requests that plumbline answered with 4xx, 501 or 505 */
	COUNTER_CLIENT_GONE,     /* exchanges whose client left early */
	COUNTER_CLIENT_TIMEOUTS, /* clients that sent or read nothing for too long */
	COUNTER_ACCEPT_PAUSES,   /* times that the acceptor paused */
	/* requests that plumbline answered with 502 or 504, and answers that broke off */
	COUNTER_UPSTREAM_FAILED,
	/* connections on which an engine sent more bytes than the answer */
	COUNTER_STRAYS,
	COUNTER_TUNNELS,  /* tunnels opened */
	COUNTER_INJECTED, /* requests with added members */
	/* second attempts, because the engine refused the added members, or its answer had a
	 * content coding */
	COUNTER_INJECTION_REFUSED,
	/* second attempts, because the answer had an unknown form or did not come */
	COUNTER_ASKED_AGAIN,
	COUNTER_UNCUT,     /* answers that reached the client with the added members */
	COUNTER_TRUNCATED, /* records of bodies that were cut */
	N_COUNTERS,
};

/* Classes of answers, by the number of alternatives that the proxy requested for each token:
 * none, top_logprobs, or audit_top. */
enum lists { LISTS_NONE, LISTS_ORDINARY, LISTS_AUDIT, N_LISTS };

/* What it costs to request lists of alternatives: totals over the primary's complete answers (2xx)
 * to chats and completions whose clients requested no logprobs. */
struct list_cost {
	atomic_uint_fast64_t answers;
	/* microseconds; duration of the answer; of a stream, from its first byte */
	atomic_uint_fast64_t us;
	atomic_uint_fast64_t bytes; /* bytes of the bodies that clients got */
};

struct shared {
	pthread_mutex_t lock;
	/* the snapshot in force; protected by the lock: use shared_config() */
	struct config_snapshot *snapshot;
	struct budget budget;
	struct ledger *ledger;
	struct ledger_book *exchanges;
	struct recorder *recorder; /* NULL: nothing is recorded */
	uint8_t hash_key[32];
	struct id run;
	struct kinds *kinds;
	struct engine_watch *watch;
	struct score_pool *scoring;
	struct reload *reload; /* used by the main thread only */
	struct worker **workers;
	unsigned n_workers;
	atomic_uint client_limit; /* the most client connections */
	/* the most file descriptors for clients and for connections to the primary */
	atomic_uint client_descriptors;
	atomic_uint clients; /* number of client connections */
	/* number of clients that were idle for a second at their workers' last ticks */
	atomic_uint idle_clients;
	atomic_uint in_flight; /* number of exchanges in progress */
	atomic_uint tunnels;   /* number of open tunnels */
	atomic_uint_fast64_t counters[N_COUNTERS];
	/* number of kinds of answers for which injection was stopped, by reason */
	atomic_uint_fast64_t injection_stops[N_INJECTION_STOPS];
	struct list_cost list_costs[N_LISTS];
	/* completed requests, by endpoint and the status that the client got; 0: none was sent,
	 * because the client left or was disconnected */
	atomic_uint_fast64_t answered[N_ENDPOINTS][SHARED_STATUSES];
	struct buckets head_time;  /* from a request's head to the head of its answer */
	struct buckets total_time; /* from a request's head to the end of its exchange */
	struct buckets added_time; /* time that the proxy added to an exchange */
	uint64_t started;          /* wall clock ns; when the process started */
};

/* In shared_setup.c, for the main thread: */

/* NULL: the capture or the hash key is refused; *ret_error is then a sentence that the caller
 * frees. */
struct shared *shared_create(struct settings *s, char **ret_error);
/* Call after the workers were destroyed. Waits at most flush_timeout ns for the recorder to
 * write what is queued. NULL is fine. */
void shared_destroy(struct shared *s, uint64_t flush_timeout);
/* Applies settings to exchanges that begin from then on: workers and engine_watch get a new
 * snapshot. The settings that a reload can't change must already be equal to those in force
 * (settings_keep()). False: nothing has changed; *ret_error is a sentence that the caller frees. */
bool shared_set_config(struct shared *s, struct settings *conf, char **ret_error) MUST_CHECK;

/* In shared.c, for any thread: */

/* Returns the snapshot in force, with a new reference for the caller. */
struct config_snapshot *shared_config(struct shared *s);
/* Writes the address as it is recorded: 32 hex digits of its keyed hash, and a NUL. */
void shared_peer_hash(const struct shared *s, const void *address, size_t len, char hex[33]);

/* True if one more client may be accepted. The check assumes that each client that is not idle
 * needs a connection to the primary too. */
bool shared_can_accept(const struct shared *s);

/* What all legs of a backend have in common (struct leg_frame). It owns nothing, and points into
 * the arguments. */
struct leg_frame shared_frame(struct shared *s, const struct settings *conf,
        const struct backend_settings *b, struct backend_state *backend);

static inline void shared_count(struct shared *s, enum counter f, uint64_t n)
{
	atomic_fetch_add_explicit(&s->counters[f], n, memory_order_relaxed);
}

static inline void shared_count_answer(struct shared *s, enum endpoint e, int status)
{
	status = status > 0 && status < SHARED_STATUSES ? status : 0;
	atomic_fetch_add_explicit(&s->answered[e][status], 1, memory_order_relaxed);
}
