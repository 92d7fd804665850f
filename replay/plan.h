#pragma once
/*
 * plan - what a replay sends and in which order.
 *
 * Glossary
 *	request  one exchange of the source, by its place there; without its body
 *	send     one request in one repeat
 *	turn     a request that continues a conversation: it waits for the answer to the turn before
 *
 * Order of calls: plan_add() for each request, in the source's order; plan_link(); plan_thin() if
 * the number of sessions is limited; plan_order(); plan_spread() if there are several targets. Then
 * the caller sets `skipped` in the sends that were made before. plan_finish() frees the lists. A
 * request takes about 140 bytes, a send 16. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "answers/request.h"

#define PLAN_NONE UINT32_MAX

struct plan_request {
	struct id exchange;
	uint64_t at;      /* where the source finds it */
	uint64_t number;  /* number of its record; suites only */
	uint32_t turn;    /* turn of its session; suites, and sources with sessions */
	uint64_t session; /* hash of the session's name; 0: the source names none */
	/* time from the previous turn's answer to this turn, ns; if the source states it */
	uint64_t delay;
	bool open; /* its history has empty answers in place of those that the engine will give */
	uint64_t wall_ns;  /* when it was first sent; 0: not known */
	uint64_t bytes;    /* length of its body, which the order may use */
	uint64_t category; /* hash of its category; 0: none */
	uint8_t chain[REQUEST_HASH_SIZE], parent[REQUEST_HASH_SIZE];
	uint32_t after; /* request of the turn before, or PLAN_NONE; plan_link() sets it */
	uint32_t root;  /* the first turn of its session */
};

struct plan_send {
	uint32_t request; /* index in plan.requests */
	uint32_t repeat;  /* from 0 */
	uint32_t after;   /* the earlier send whose answer it waits for, or PLAN_NONE */
	uint8_t target;   /* which of several targets; plan_spread() sets it */
	bool skipped;     /* not to be sent: it was sent before, or is not of this pass */
	bool unfit; /* skipped because it cannot be sent; later turns wait for the turn before it */
	bool due;   /* its scheduled time came, whether it was sent or not */
};

struct plan { /* zero-initialised is empty */
	struct plan_request *requests;
	size_t n_requests, room;
	struct plan_send *sends;
	size_t n_sends;
	size_t n_turns;   /* requests that wait for an earlier turn */
	size_t n_delayed; /* of these, those whose source states the think time */
};

enum plan_order { ORDER_CAPTURED, ORDER_SHUFFLED, ORDER_LONGEST };

#define PLAN_LIMIT (UINT32_C(1) << 31) /* sends */

/* False: the plan is full. */
bool plan_add(struct plan *p, const struct plan_request *request) MUST_CHECK;
/*
 * Finds the turn before each turn: the latest earlier request whose messages are its parent's.
 * Where the source names sessions, it is the previous turn of that session.
 */
void plan_link(struct plan *p);
/* After plan_link(). Keeps so many sessions, taken in turn from the categories in the order of
 * their first appearance, and drops the others. A single request counts as a session. */
void plan_thin(struct plan *p, uint64_t sessions);
/*
 * Captured: all of repeat 0, then all of repeat 1. Shuffled: sends of all repeats mixed. Longest:
 * by bytes, repeats side by side. The turns of a session keep their order within the places that
 * they get.
 */
void plan_order(struct plan *p, enum plan_order order, uint64_t seed, uint32_t repeats);
/*
 * Distributes sends over so many targets: session k (or single request k) of repeat r goes to
 * target (k + r) mod targets. This depends on the source alone, not on the order, and keeps turns
 * together.
 */
void plan_spread(struct plan *p, uint8_t targets);
void plan_finish(struct plan *p);
