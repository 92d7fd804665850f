#pragma once
/*
 * plan - what a replay sends and in which order: requests, and for each repeat of each a send.
 *
 * Glossary
 *	request  one exchange of the source, by its place there; no bodies are held
 *	send     one request to be sent, in one repeat
 *	turn     a request whose messages begin with another's and its answer: it waits for that one
 *
 * plan_add() each request in the source's order, plan_link(), plan_order() once, then plan_skip() what has
 * been sent before. About 140 bytes a request and 16 a send. One thread.
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
	uint64_t number;  /* of the record there; suites */
	uint32_t turn;    /* of its session: suites, and where there is: */
	uint64_t session; /* a hash of its name, where the source names it; 0: it does not */
	uint64_t delay;   /* ns, from the answer of the turn before to this one; likewise */
	bool open; /* an empty answer stands in its history for each that is to be given; likewise */
	uint64_t wall_ns;  /* when it was first sent; 0: not known */
	uint64_t bytes;    /* of its body: its length, for the order */
	uint64_t category; /* of its suite: a hash; 0: none */
	uint8_t chain[REQUEST_HASH_SIZE], parent[REQUEST_HASH_SIZE];
	uint32_t after; /* the request of the turn before, or PLAN_NONE; set by plan_link() */
	uint32_t root;  /* the first turn of its session */
};

struct plan_send {
	uint32_t request;
	uint32_t repeat;
	uint32_t after; /* a send before it in the order whose answer it waits for, or PLAN_NONE */
	uint8_t target; /* which of several it goes to; set by plan_spread() */
	bool skipped;
	bool unfit; /* skipped since it can't be sent: who comes after it waits for the one before */
	bool due;   /* its time came, in a load that sets times, whether it was sent or not */
};

struct plan {
	struct plan_request *requests;
	size_t n_requests, room;
	struct plan_send *sends;
	size_t n_sends;
	size_t n_turns;   /* requests that wait for another */
	size_t n_delayed; /* whose source says for how long, once there is an answer */
};

enum plan_order { ORDER_CAPTURED, ORDER_SHUFFLED, ORDER_LONGEST };

#define PLAN_LIMIT (UINT32_C(1) << 31) /* sends */

/* False: there are as many as a plan holds. */
bool plan_add(struct plan *p, const struct plan_request *request) MUST_CHECK;
/*
 * Finds each turn's turn before: the latest request before it whose messages are its parent's; where the source names
 * sessions, the one of that session with the number before.
 */
void plan_link(struct plan *p);
/* After plan_link(): of so many sessions (a request that stands alone is one) the others go. They are taken in turns from the
 * categories, in the order in which these come. */
void plan_thin(struct plan *p, uint64_t sessions);
/*
 * Captured: all of repeat 0, then all of repeat 1. Shuffled: sends of all repeats mixed. Longest: by bytes,
 * repeats side by side. In each, the turns of a session keep their order among the places that
 * they have got.
 */
void plan_order(struct plan *p, enum plan_order order, uint64_t seed, uint32_t repeats);
/*
 * Each send goes to one of so many targets, in turn: session k of the source (a request that stands alone is one), in
 * repeat r, to number k + r. So it follows from the source alone, whatever the order, and turns stay together.
 */
void plan_spread(struct plan *p, uint8_t targets);
void plan_finish(struct plan *p);
