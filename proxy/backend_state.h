#pragma once
/*
 * backend_state - what all workers share about one backend: its engine and its load. For a
 * reference also its slots, its queue and its book in the ledger.
 *
 * Reference-counted. A new config_snapshot keeps the state of each backend that stays the same. So
 * slots, queues, token buckets and what the proxy knows about the engine survive a reload. Any
 * thread.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/slowdown.h"
#include "backends/leg.h"
#include "base/error_tally.h"
#include "capture/recorder/ledger.h"
#include "proxy/engine_info.h"
#include "proxy/sampler.h"
#include "proxy/settings/settings.h"

struct recorder;

struct backend_state {
	atomic_uint refs;
	struct settings *conf; /* a counted reference; `settings` points into it */
	/* Valid are only name, URL, CA file, role, API key, dialect and stack. A reload may
	 * change the other settings of the backend without a new state. */
	const struct backend_settings *settings;
	/* name and URL with a space between; the backend's name in kinds.h */
	char *label;
	struct engine_info *engine;
	atomic_uint in_flight; /* number of running requests */
	/* clock_mono() ns; when it became unreachable; 0: it is reachable */
	atomic_uint_fast64_t down_since;
	struct leg_counts counts;
	/* The following members are for references, unless stated otherwise. */
	struct ledger_book *book; /* NULL: the primary */
	struct sampler *sampler;
	/* the number of slots (`max_concurrency`): copies and scores that may run at one time */
	atomic_uint concurrency;
	atomic_bool concurrency_configured; /* the file has that key */
	_Atomic(enum mirror_mode) mode;     /* the mode in force */
	atomic_bool alone;                  /* the engine can run one request only */
	/* the engine was not asked for its identity yet, so copies and scores get no slot */
	atomic_bool unidentified;
	/* of the primary: the log already says that the proxy does not ask it for logprobs */
	atomic_bool no_logprobs;
	atomic_uint running;        /* number of copies and scores that hold a slot */
	atomic_uint waiting;        /* number of queued copies, in all workers */
	atomic_uint scores_waiting; /* number of answers queued for scoring */
	/* bytes of queued copies and answers: at most queue_limit, or those of a single item */
	atomic_size_t waiting_bytes;
	struct buckets score_time;          /* duration of one score at the engine */
	atomic_uint_fast64_t tokens_scored; /* number of tokens of scored answers */
	/* number of tokens of prompts and answers that the engine read to score them */
	atomic_uint_fast64_t tokens_read;
	pthread_mutex_t lock;          /* protects unscorable and self_slowdown */
	struct error_tally unscorable; /* reasons, with counts, why answers can't be scored */
	/* if the reference is the primary itself (of_primary): how much its scoring slows
	 * clients */
	struct slowdown self_slowdown;
	/* if of_primary: scoring was stopped, because it slows clients */
	atomic_bool self_stopped;
	/* the dialect in the latest message about scoring */
	_Atomic(const struct dialect *) scoring_reported;
	/* the latest message about what the engine can't do; NULL: none was logged */
	_Atomic(const char *) unable;
};

/* b is a member of conf; the state takes a reference to conf. book NULL: the backend is the
 * primary. recorder may be NULL. */
struct backend_state *backend_state_create(struct settings *conf, const struct backend_settings *b,
        struct ledger_book *book, struct recorder *recorder);
struct backend_state *backend_state_ref(struct backend_state *p);
void backend_state_unref(struct backend_state *p); /* NULL is fine */

/* True if b describes the same engine: b and p->settings have the same name, URL, CA file, role,
 * API key, dialect and stack. */
bool backend_state_matches(const struct backend_state *p, const struct backend_settings *b);
/* Sets the number of slots and the mode from b. */
void backend_state_set_limits(struct backend_state *p, const struct backend_settings *b);
/* Call when the engine may have been recognised as another one. Adapts the number of slots, and
 * logs what the engine's dialect can't do. */
void backend_state_engine_changed(struct backend_state *p);

/* Logs that a request got no answer, or only a part of it. down: the backend is unreachable; it
 * counts as down until backend_state_report_answer(). exchange: its id, or NULL. */
void backend_state_report_failure(
        struct backend_state *p, bool down, const char *error, const struct id *exchange);
void backend_state_report_answer(struct backend_state *p); /* it answered: it is not down */

/* Reports that a copy waited waited_ns for its slot. Logs a wait of a minute or more, with its
 * cause. */
void backend_state_report_wait(struct backend_state *p, const struct backend_settings *b,
        enum inject_where inject, uint64_t waited_ns);

/* Reserves weight bytes of the backend's queue, which has queue_limit bytes. False: the queue is
 * full. Any weight fits if the queue is empty and a slot is free. backend_state_dequeue() gives
 * the bytes back. */
bool backend_state_enqueue(struct backend_state *p, size_t queue_limit, size_t weight) MUST_CHECK;
void backend_state_dequeue(struct backend_state *p, size_t weight);
/* Takes a slot; mirror_slot_freed() and score_pool free it. False: none is free. Sequentially
 * consistent with `waiting` and `scores_waiting`: either the thread that frees a slot sees what
 * waits, or the thread whose work waits sees the free slot. */
bool backend_state_acquire_slot(struct backend_state *p) MUST_CHECK;

/* Adds one measurement of the primary's time to first byte: `seconds` from sending. while_scoring:
 * the primary was also scoring at that time. p: the state of the reference that is the primary
 * itself (of_primary). May stop its scoring (self_stopped). */
void backend_state_compare_latency(struct backend_state *p, bool while_scoring, double seconds);

/* Counts one answer in the book as excluded. why: the end of a sentence that begins with "can't be
 * scored: "; the metrics have it as a label. True: it is the first answer with this reason. */
bool backend_state_count_unscorable(struct backend_state *p, const char *why);

/* The number of slots; 0: no copy may start yet. */
static inline unsigned backend_state_slots(const struct backend_state *p)
{
	if (atomic_load(&p->unidentified)) {
		return 0;
	}
	bool one = atomic_load(&p->alone) && !atomic_load(&p->concurrency_configured);
	return one ? 1 : atomic_load(&p->concurrency);
}
