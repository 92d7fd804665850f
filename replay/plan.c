#include "replay/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/grow.h"
#include "base/mem.h"
#include "base/rng.h"

bool plan_add(struct plan *p, const struct plan_request *request)
{
	if (p->n_requests >= PLAN_LIMIT) {
		return false;
	}
	p->requests = grow(p->requests, p->n_requests, &p->room, sizeof(*p->requests));
	struct plan_request *to = &p->requests[p->n_requests];
	*to = *request;
	to->after = PLAN_NONE;
	to->root = (uint32_t)p->n_requests++;
	p->n_delayed += to->delay > 0;
	return true;
}

static bool is_zero(const uint8_t hash[REQUEST_HASH_SIZE])
{
	static const uint8_t ZERO[REQUEST_HASH_SIZE];
	return memcmp(hash, ZERO, sizeof(ZERO)) == 0;
}

/* The latest request of a chain of messages, or of a named session. */
struct latest_of_chain {
	uint8_t chain[REQUEST_HASH_SIZE];
	uint32_t request;
};
struct latest_of_session {
	uint64_t session;
	uint32_t request;
};
static const struct hash_layout CHAINS = {sizeof(struct latest_of_chain), REQUEST_HASH_SIZE};
static const struct hash_layout SESSIONS = {sizeof(struct latest_of_session), sizeof(uint64_t)};

static void link_to(struct plan *p, uint32_t turn, uint32_t before)
{
	if (before != PLAN_NONE) {
		p->requests[turn].after = before;
		p->requests[turn].root = p->requests[before].root;
		p->n_turns++;
	}
}

void plan_link(struct plan *p)
{
	struct hash_table chains = {0}, sessions = {0};
	bool is_new;
	for (uint32_t i = 0; i < p->n_requests; i++) {
		struct plan_request *r = &p->requests[i];
		/* Named sessions are not joined with other sessions. */
		if (r->session) {
			struct latest_of_session *s =
			        hash_table_add(&sessions, SESSIONS, &r->session, &is_new);
			bool next = !is_new && p->requests[s->request].turn + 1 == r->turn;
			link_to(p, i, next ? s->request : PLAN_NONE);
			s->request = i;
			continue;
		}
		const struct latest_of_chain *before = hash_table_find(&chains, CHAINS, r->parent);
		link_to(p, i, !is_zero(r->parent) && before ? before->request : PLAN_NONE);
		if (!is_zero(r->chain)) {
			struct latest_of_chain *c =
			        hash_table_add(&chains, CHAINS, r->chain, &is_new);
			c->request = i;
		}
	}
	hash_table_finish(&chains);
	hash_table_finish(&sessions);
}

/* The number of roots of each category so far. */
struct category_count {
	uint64_t taken; /* 1; part of the key, so that category 0 is one, too */
	uint64_t category;
	uint64_t n;
};

static uint64_t count_root(struct hash_table *counts, uint64_t category)
{
	static const struct hash_layout LAYOUT = {
	        sizeof(struct category_count), offsetof(struct category_count, n)};
	const struct category_count key = {1, category, 0};
	bool is_new;
	struct category_count *c = hash_table_add(counts, LAYOUT, &key, &is_new);
	return c->n++;
}

struct rank {
	uint64_t round; /* the request's number within its category */
	uint32_t request;
};

static int by_round(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	if (x->round != y->round) {
		return x->round < y->round ? -1 : 1;
	}
	return x->request < y->request ? -1 : 1;
}

/* Removes the requests that are not kept. The others move up, and turns still refer to the right
 * ones. */
static void keep_sessions(struct plan *p, const bool *kept)
{
	uint32_t *places = xcalloc(p->n_requests + 1, sizeof(*places));
	size_t n = 0;
	p->n_turns = p->n_delayed = 0;
	for (uint32_t i = 0; i < p->n_requests; i++) {
		struct plan_request r = p->requests[i];
		if (!kept[r.root]) {
			continue;
		}
		places[i] = (uint32_t)n;
		r.root = places[r.root];
		r.after = r.after == PLAN_NONE ? PLAN_NONE : places[r.after];
		p->n_turns += r.after != PLAN_NONE;
		p->n_delayed += r.delay > 0;
		p->requests[n++] = r;
	}
	p->n_requests = n;
	free(places);
}

void plan_limit_sessions(struct plan *p, uint64_t sessions)
{
	size_t n = 0;
	struct hash_table counts = {0};
	struct rank *ranks = xcalloc(p->n_requests + 1, sizeof(*ranks));
	bool *kept = xcalloc(p->n_requests + 1, sizeof(*kept));
	for (uint32_t i = 0; i < p->n_requests; i++) {
		if (p->requests[i].root == i) {
			uint64_t round = count_root(&counts, p->requests[i].category);
			ranks[n++] = (struct rank){round, i};
		}
	}
	qsort(ranks, n, sizeof(*ranks), by_round);
	for (size_t i = 0; i < n && i < sessions; i++) {
		kept[ranks[i].request] = true;
	}
	keep_sessions(p, kept);
	hash_table_finish(&counts);
	free(ranks);
	free(kept);
}

static int by_length(const void *a, const void *b, void *arg)
{
	const struct plan *p = arg;
	const struct plan_send *x = a, *y = b;
	uint64_t m = p->requests[x->request].bytes, n = p->requests[y->request].bytes;
	if (m != n) {
		return m > n ? -1 : 1;
	}
	if (x->request != y->request) {
		return x->request < y->request ? -1 : 1;
	}
	return x->repeat < y->repeat ? -1 : 1;
}

/* One send of a session's turn, with its place in the order. */
struct seat {
	uint64_t session; /* root and repeat */
	uint32_t request, place;
};

static int by_place(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;
	if (x->session != y->session) {
		return x->session < y->session ? -1 : 1;
	}
	return x->place < y->place ? -1 : 1;
}

static int by_turn(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;
	if (x->session != y->session) {
		return x->session < y->session ? -1 : 1;
	}
	return x->request < y->request ? -1 : 1;
}

/* Reassigns the places of each session's sends, in the order of its turns. */
static void seat_turns(struct plan *p)
{
	struct seat *places = xcalloc(p->n_sends, sizeof(*places));
	for (size_t i = 0; i < p->n_sends; i++) {
		const struct plan_send *s = &p->sends[i];
		uint32_t root = p->requests[s->request].root;
		places[i] =
		        (struct seat){(uint64_t)root << 32 | s->repeat, s->request, (uint32_t)i};
	}
	struct seat *turns = xmemdup(places, p->n_sends * sizeof(*places));
	qsort(places, p->n_sends, sizeof(*places), by_place);
	qsort(turns, p->n_sends, sizeof(*turns), by_turn);
	for (size_t i = 0; i < p->n_sends; i++) {
		struct plan_send *s = &p->sends[places[i].place];
		s->request = turns[i].request;
		s->repeat = (uint32_t)turns[i].session;
	}
	free(places);
	free(turns);
}

/* Sets which send each turn waits for. */
static void link_sends(struct plan *p, uint32_t repeats)
{
	uint32_t *place = xmalloc(p->n_sends * sizeof(*place));
	for (size_t i = 0; i < p->n_sends; i++) {
		place[(size_t)p->sends[i].request * repeats + p->sends[i].repeat] = (uint32_t)i;
	}
	for (size_t i = 0; i < p->n_sends; i++) {
		struct plan_send *s = &p->sends[i];
		uint32_t before = p->requests[s->request].after;
		s->after = before == PLAN_NONE ? PLAN_NONE
		                               : place[(size_t)before * repeats + s->repeat];
		expect(s->after == PLAN_NONE || s->after < i);
	}
	free(place);
}

void plan_order(struct plan *p, enum plan_order order, uint64_t seed, uint32_t repeats)
{
	expect(repeats > 0 && !p->sends && p->n_requests <= PLAN_LIMIT / repeats);
	p->n_sends = p->n_requests * repeats;
	if (!p->n_sends) {
		return;
	}
	p->sends = xcalloc(p->n_sends, sizeof(*p->sends));
	for (size_t i = 0; i < p->n_sends; i++) {
		p->sends[i] = (struct plan_send){
		        .request = (uint32_t)(i % p->n_requests),
		        .repeat = (uint32_t)(i / p->n_requests),
		        .after = PLAN_NONE,
		};
	}
	if (order == ORDER_SHUFFLED) {
		struct rng rng = {seed};
		RNG_SHUFFLE(&rng, p->n_sends, p->sends[i]);
	} else if (order == ORDER_LONGEST) {
		qsort_r(p->sends, p->n_sends, sizeof(*p->sends), by_length, p);
	}
	if (p->n_turns) {
		if (order != ORDER_CAPTURED) {
			seat_turns(p);
		}
		link_sends(p, repeats);
	}
}

void plan_spread(struct plan *p, uint8_t targets)
{
	uint64_t n = 0;
	uint8_t *first = xcalloc(p->n_requests + 1, sizeof(*first)); /* of repeat 0, by request */
	for (size_t i = 0; i < p->n_requests; i++) {
		uint32_t root = p->requests[i].root;
		first[i] = root == i ? (uint8_t)(n++ % targets) : first[root];
	}
	for (size_t i = 0; i < p->n_sends; i++) {
		struct plan_send *s = &p->sends[i];
		s->target = (uint8_t)((first[s->request] + s->repeat) % targets);
	}
	free(first);
}

void plan_finish(struct plan *p)
{
	free(p->requests);
	free(p->sends);
	*p = (struct plan){0};
}
