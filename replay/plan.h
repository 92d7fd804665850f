#pragma once
/*
 * plan - what a replay sends, and in which order.
 *
 * Glossary
 *	request  one exchange of the source, by its location there; without its body
 *	send     one request in one repeat
 *	turn     a request that continues a conversation: it waits for the answer to the turn before
 *
 * Order of calls: plan_add() for each request, in the source's order; plan_link();
 * plan_limit_sessions() if the number of sessions is limited; plan_order(); plan_spread() if there
 * are several targets. Then the caller sets `skipped` for sends that an earlier process made.
 * plan_finish() frees the lists. A request takes about 140 bytes of memory, a send 16. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "answers/request.h"

#define PLAN_NONE UINT32_MAX

struct plan_request {
	struct id exchange;
	uint64_t at;      /* its location in the source */
	uint64_t number;  /* number of its record in a suite */
	uint32_t turn;    /* number of the turn in its session, if the source has sessions */
	uint64_t session; /* hash of the session's name; 0: the source names none */
	/* ns from the previous turn's answer to this turn, if the source states it */
	uint64_t delay;
	bool open;        /* its history has empty answers where the engine's answers will be put */
	uint64_t wall_ns; /* when it was first sent, wall clock; 0: unknown */
	uint64_t bytes;   /* bytes of its body, which the order may use */
	uint64_t category; /* hash of its category; 0: none */
	uint8_t chain[REQUEST_HASH_SIZE], parent[REQUEST_HASH_SIZE];
	uint32_t after; /* index of the turn before, or PLAN_NONE; plan_link() sets it */
	uint32_t root;  /* index of the first turn of its session */
};

struct plan_send {
	uint32_t request; /* index in plan.requests */
	uint32_t repeat;  /* from 0 */
	uint32_t after;   /* index of the send whose answer it waits for, or PLAN_NONE */
	uint8_t target;   /* index of its target; plan_spread() sets it */
	bool skipped;     /* do not send it: it was sent before, or belongs to another pass */
	/* skipped because it cannot be sent; later turns then wait for the turn before it */
	bool unfit;
	bool due; /* its scheduled time came, whether it was sent or not */
};

struct plan { /* zero-initialised: empty */
	struct plan_request *requests;
	size_t n_requests, room;
	struct plan_send *sends;
	size_t n_sends;
	size_t n_turns;   /* requests that wait for an earlier turn */
	size_t n_delayed; /* turns whose source states the think time */
};

enum plan_order { ORDER_CAPTURED, ORDER_SHUFFLED, ORDER_LONGEST };

#define PLAN_LIMIT (UINT32_C(1) << 31) /* sends */

/* False: the plan is full. */
bool plan_add(struct plan *p, const struct plan_request *request) MUST_CHECK;
/*
 * Finds, for each turn, the turn before it: the latest earlier request whose messages are its
 * parent's; if the source names sessions, the previous turn of the same session.
 */
void plan_link(struct plan *p);
/* Keeps so many sessions and drops the others. It takes one session of each category in turn,
 * categories ordered by their first appearance. A request without a session counts as a session.
 * Call after plan_link(). */
void plan_limit_sessions(struct plan *p, uint64_t sessions);
/*
 * Sets the order of the sends. Captured: all of repeat 0, then all of repeat 1, and so on.
 * Shuffled: the sends of all repeats mixed. Longest: by bytes, all repeats of a request together.
 * The turns of a session keep their order.
 */
void plan_order(struct plan *p, enum plan_order order, uint64_t seed, uint32_t repeats);
/*
 * Distributes the sends over so many targets: session k (or single request k) of repeat r goes to
 * target (k + r) mod targets. All turns of a session go to one target. The order of the sends does
 * not matter.
 */
void plan_spread(struct plan *p, uint8_t targets);
void plan_finish(struct plan *p);
