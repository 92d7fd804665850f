#pragma once
/*
 * plan - what a replay sends, and in which order.
 *
 * Glossary
 *
 *	request  one exchange of the source: its location there, without its body
 *	send     one request in one repeat
 *	turn     a request that continues a session: it waits for the answer to the turn before
 *
 * Order of calls:
 *
 *	plan_add()             for each request, in the source's order
 *	plan_link()            once
 *	plan_limit_sessions()  if the number of sessions is limited
 *	plan_order()           once; makes the sends
 *	plan_spread()          if there are several targets
 *	plan_finish()          frees the lists; call last
 *
 * Before sending, the caller sets `skipped` of sends that an earlier process made. A request takes
 * about 140 bytes of memory, a send 16. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "answers/request.h"

#define PLAN_NONE UINT32_MAX

struct plan_request {
	struct id exchange;
	uint64_t at;      /* its location; only the source knows what the number means */
	uint64_t number;  /* suites only: number of its record, from 1 */
	uint32_t turn;    /* number of the turn in its session, if the source states it */
	uint64_t session; /* hash of the session's name; 0: the source names none */
	uint64_t delay;   /* ns from the previous turn's answer to this turn; 0: not stated */
	/* its history has an empty answer, which this run's answer must replace */
	bool open;
	uint64_t wall_ns;  /* wall clock ns; when it was first sent; 0: unknown */
	uint64_t bytes;    /* bytes of its body, for ORDER_LONGEST */
	uint64_t category; /* hash of its category; 0: none */
	uint8_t chain[REQUEST_HASH_SIZE], parent[REQUEST_HASH_SIZE]; /* of request_hashes */
	/* index of the request of the turn before, or PLAN_NONE; plan_link() sets it */
	uint32_t after;
	/* index of the first request of its session; its own index if it is the first, or alone */
	uint32_t root;
};

struct plan_send {
	uint32_t request; /* index in plan.requests */
	uint32_t repeat;  /* from 0 */
	uint32_t after;   /* index of the send of the turn before, or PLAN_NONE */
	uint8_t target;   /* index of its target; 0 unless plan_spread() sets it */
	/* not to be sent now: it was sent before, cannot be sent, or belongs to another pass */
	bool skipped;
	/* it cannot be sent; the turn after it waits for the turn before it instead */
	bool unfit;
	bool due; /* its scheduled time came in an open loop, whether it was sent or not */
};

struct plan { /* zero-initialised: empty */
	struct plan_request *requests;
	size_t n_requests, room;
	struct plan_send *sends;
	size_t n_sends;
	size_t n_turns;   /* number of requests that are turns after a first one */
	size_t n_delayed; /* number of requests with a `delay` */
};

enum plan_order { ORDER_CAPTURED, ORDER_SHUFFLED, ORDER_LONGEST };

#define PLAN_LIMIT (UINT32_C(1) << 31) /* the most sends */

/* Copies the request. False: the plan has PLAN_LIMIT requests already. */
bool plan_add(struct plan *p, const struct plan_request *request) MUST_CHECK;
/*
 * Sets `after` and `root` of all requests. The turn before a request is:
 *
 *	in a source that names sessions  the previous request of the session, if its turn is
 *	                                 smaller by 1
 *	else                             the latest earlier request whose `chain` is this
 *	                                 request's `parent` (struct request_hashes)
 */
void plan_link(struct plan *p);
/* Keeps at most so many sessions and removes the other requests. Keeps the first session of each
 * category, then the second of each, and so on, in the source's order. A request without a
 * session counts as a session. Call after plan_link(). */
void plan_limit_sessions(struct plan *p, uint64_t sessions);
/*
 * Makes the sends: `repeats` of each request, at least 1. There must be at most PLAN_LIMIT in all.
 *
 *	ORDER_CAPTURED  all requests of repeat 0, then all of repeat 1, and so on
 *	ORDER_SHUFFLED  random order by the seed, repeats mixed
 *	ORDER_LONGEST   most bytes first, all repeats of a request together
 *
 * In each order, a turn comes after the turns before it.
 */
void plan_order(struct plan *p, enum plan_order order, uint64_t seed, uint32_t repeats);
/*
 * Distributes the sends over so many targets: session k (or request k without a session), counted
 * in the source's order, of repeat r goes to target (k + r) mod targets.
 */
void plan_spread(struct plan *p, uint8_t targets);
void plan_finish(struct plan *p);
