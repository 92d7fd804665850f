#pragma once
/*
 * backend_state - what all workers share about one backend: its engine, its load, and for a
 * reference its slots, its queue and its book.
 *
 * Reference-counted. A new config_snapshot keeps the state of each backend that stays the same, so
 * that slots, queues, token buckets and what was learned about the engine survive a reload. Any
 * thread.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/slowdown.h"
#include "backends/leg.h"
#include "base/error_tally.h"
#include "capture/ledger.h"
#include "proxy/engine_info.h"
#include "proxy/sampler.h"
#include "proxy/settings/settings.h"

struct recorder;

struct backend_state {
	atomic_uint refs;
	struct settings *conf; /* a counted reference; `settings` points into it */
	/* Valid: name, URL, role, key, dialect, stack. A reload may change the rest. */
	const struct backend_settings *settings;
	char *label; /* name and URL: the key under which kinds.h remembers its answers */
	struct engine_info *engine;
	atomic_uint in_flight;           /* requests running */
	atomic_uint_fast64_t down_since; /* monotonic; 0: it is not down */
	struct leg_counts counts;
	/* References only. */
	struct ledger_book *book; /* NULL: the primary */
	struct sampler *sampler;
	atomic_uint concurrency;            /* max_concurrency */
	atomic_bool concurrency_configured; /* the file has the key; else the default */
	_Atomic(enum mirror_mode) mode;     /* the mode in force */
	atomic_bool alone;                  /* the engine can run one request only */
	/* no copy gets a slot until the engine was asked for its identity */
	atomic_bool unidentified;
	atomic_bool no_logprobs;     /* it was logged that this engine is not asked for logprobs */
	atomic_uint running;         /* copies and scores that hold a slot */
	atomic_uint waiting;         /* copies queued, in all workers */
	atomic_uint scores_waiting;  /* answers queued for scoring */
	atomic_size_t waiting_bytes; /* bytes that both queues hold: at most queue_limit */
	struct buckets score_time;   /* time that the engine took for one score */
	atomic_uint_fast64_t tokens_scored; /* tokens of the answers scored */
	/* tokens of prompts and answers that the engine read to score them */
	atomic_uint_fast64_t tokens_read;
	pthread_mutex_t lock;          /* of the next two */
	struct error_tally unscorable; /* reasons, with counts */
	/* of_primary only: by how much its scoring slows clients */
	struct slowdown self_slowdown;
	/* of_primary only: its scoring was stopped, because it slows clients */
	atomic_bool self_stopped;
	_Atomic(const struct dialect *) scoring_reported; /* dialect whose scoring was logged */
	/* what the engine can't be asked for, as logged last; NULL: nothing was logged */
	_Atomic(const char *) unable;
};

/* b belongs to conf, which is referenced. book NULL: the primary. recorder may be NULL. */
struct backend_state *backend_state_create(struct settings *conf, const struct backend_settings *b,
        struct ledger_book *book, struct recorder *recorder);
struct backend_state *backend_state_ref(struct backend_state *p);
void backend_state_unref(struct backend_state *p); /* NULL is fine */

/* True if b describes the same engine: name, URL, role, key, dialect and stack are equal. */
bool backend_state_matches(const struct backend_state *p, const struct backend_settings *b);
/* Applies max_concurrency of b. */
void backend_state_set_limits(struct backend_state *p, const struct backend_settings *b);
/* The engine may have been recognised as another: adapts the number of slots, and logs what its
 * dialect can't do. */
void backend_state_engine_changed(struct backend_state *p);

/*
 * Logs that a request got no answer, or not all of it. down: the backend can't be reached at all.
 * It then counts as down until backend_state_report_answer(), which logs how long that took.
 * exchange may be NULL.
 */
void backend_state_report_failure(
        struct backend_state *p, bool down, const char *error, const struct id *exchange);
void backend_state_report_answer(struct backend_state *p);

/* Reports that a copy waited this long for its slot. A wait of minutes is logged with its cause. */
void backend_state_report_wait(struct backend_state *p, const struct backend_settings *b,
        enum inject_where inject, uint64_t waited_ns);

/* Reserves weight bytes of its queue. False: it is full. An empty queue with a free slot accepts
 * any weight. */
bool backend_state_enqueue(struct backend_state *p, size_t queue_limit, size_t weight) MUST_CHECK;
void backend_state_dequeue(struct backend_state *p, size_t weight);
/* Takes a slot. False: none is free. Sequentially consistent with `waiting` and
 * `scores_waiting`: either the thread that frees a slot sees those that wait, or they see the
 * free slot. */
bool backend_state_acquire_slot(struct backend_state *p) MUST_CHECK;

/* Adds the time to the first byte of one answer of the primary, in seconds. beside: the primary
 * was scoring when the request was sent. p: the state of the reference that is the primary
 * (of_primary). May stop its scoring. */
void backend_state_compare_latency(struct backend_state *p, bool beside, double seconds);

/* Counts one answer in the book as excluded. why completes "it can't be scored because ...". */
void backend_state_count_unscorable(struct backend_state *p, const char *why);

static inline unsigned backend_state_slots(const struct backend_state *p)
{
	if (atomic_load(&p->unidentified)) {
		return 0;
	}
	bool one = atomic_load(&p->alone) && !atomic_load(&p->concurrency_configured);
	return one ? 1 : atomic_load(&p->concurrency);
}
