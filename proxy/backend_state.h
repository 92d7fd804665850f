#pragma once
/*
 * backend_state - one backend as all workers see it: what is known of its engine, what is under way, and of a
 * reference its places, its queue's weight, its book.
 *
 * Counted. A snapshot makes those that the one before has not; so places, queues, token buckets and
 * what was learned of an engine outlive a change of the configuration that leaves the engine alone.
 * Any thread.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "backends/leg.h"
#include "base/reasons.h"
#include "capture/ledger.h"
#include "proxy/sampler.h"
#include "proxy/settings/settings.h"
#include "proxy/engine_info.h"

struct recorder;

struct backend_state {
	atomic_uint refs;
	struct settings *conf; /* held, for what follows */
	/* Who it is: name, URL, role, key, dialect, stack. All else may have changed since. */
	const struct backend_settings *settings;
	char *label; /* what is remembered of its answers goes by it: this name at this address */
	struct engine_info *engine;
	atomic_uint in_flight; /* requests under way */
	struct leg_counts counts;
	/* Of references */
	struct ledger_book *book;
	struct sampler *sampler;
	atomic_uint concurrency; /* copies that may run at once, as the configuration says ... */
	atomic_bool concurrency_configured; /* ... or as it is by itself */
	atomic_bool alone;                  /* the engine bears one request at a time */
	atomic_bool
	        unidentified; /* it is to be asked who it is first: no copy has a place until then */
	atomic_bool no_logprobs; /* it is not asked for logprobs, and that was said */
	atomic_uint_fast64_t
	        wait_reported_ns; /* when it was last said that copies wait long; mono */
	atomic_uint
	        running; /* copies and scores that hold a place: at most backend_state_slots() */
	atomic_uint waiting;                /* copies in the workers' queues */
	atomic_uint scores_waiting;         /* answers to be scored, in scoring's queue */
	atomic_size_t waiting_bytes;        /* the weight of both: at most queue_limit */
	struct buckets score_time;          /* how long the engine took to score an answer */
	atomic_uint_fast64_t tokens_scored; /* of answers */
	pthread_mutex_t lock;               /* of what follows */
	struct reasons unscorable;          /* why answers could not be scored */
	_Atomic(const struct dialect *) scoring_reported; /* whose scoring the log was told of */
	_Atomic(const char *) unable; /* what can't be asked of it, as it was last told; or NULL */
};

/* b is of conf, which is kept; book NULL: the primary. recorder may be NULL. */
struct backend_state *backend_state_create(struct settings *conf, const struct backend_settings *b,
        struct ledger_book *book, struct recorder *recorder);
struct backend_state *backend_state_ref(struct backend_state *p);
void backend_state_unref(struct backend_state *p); /* NULL is fine */

/* Whether b says the same of who it is: the backend may serve in its stead. */
bool backend_state_matches(const struct backend_state *p, const struct backend_settings *b);
/* What b says of places is in force. */
void backend_state_set_limits(struct backend_state *p, const struct backend_settings *b);
/* Another engine may have been recognised: the copies that may run at once are as many as it bears,
 * and it is said whether logprobs would harm it. */
void backend_state_engine_changed(struct backend_state *p);

/* A copy got its place after this long: where that is minutes it is said, with its cause. */
void backend_state_report_wait(struct backend_state *p, const struct backend_settings *b,
        enum inject_where inject, uint64_t waited_ns);

/* Room in its queue. False: it is full. What could have a place at once fits in, however small the
 * queue is. */
bool backend_state_enqueue(struct backend_state *p, size_t queue_limit, size_t weight) MUST_CHECK;
void backend_state_dequeue(struct backend_state *p, size_t weight);
/* In sequential order with the counts of what waits, so that whoever gives a place back either sees
 * who waits for it, or is seen by them. */
bool backend_state_acquire_slot(struct backend_state *p) MUST_CHECK;

/* An answer is excluded, because it can't be scored: why fits behind these words. */
void backend_state_count_unscorable(struct backend_state *p, const char *why);

static inline unsigned backend_state_slots(const struct backend_state *p)
{
	if (atomic_load(&p->unidentified)) {
		return 0;
	}
	bool one = atomic_load(&p->alone) && !atomic_load(&p->concurrency_configured);
	return one ? 1 : atomic_load(&p->concurrency);
}
