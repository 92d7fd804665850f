#include "replay/plan.h"

#include <string.h>

#include <criterion/criterion.h>

/* A request with the messages `chain`, which follow `parent` (0: first turn). */
static void add(struct plan *p, uint8_t number, uint8_t chain, uint8_t parent, uint64_t bytes)
{
	struct plan_request r = {.bytes = bytes, .wall_ns = number};
	r.exchange.bytes[15] = number;
	memset(r.chain, chain, sizeof(r.chain));
	memset(r.parent, parent, sizeof(r.parent));
	cr_assert(plan_add(p, &r));
}

/* Three sessions of three turns, interleaved, the later turns longer, and four single requests. */
static void fill(struct plan *p)
{
	uint8_t number = 0;
	for (uint8_t turn = 0; turn < 3; turn++) {
		for (uint8_t session = 1; session <= 3; session++) {
			uint8_t chain = (uint8_t)(session * 10 + turn);
			add(p, number++, chain, turn ? (uint8_t)(chain - 1) : 0,
			        100 * turn + session);
		}
		add(p, number++, (uint8_t)(200 + turn), 0, 1000);
	}
	plan_link(p);
}

/* What goes where, of so many targets: by request and repeat. */
static void fill_spread(struct plan *p, enum plan_order order, uint8_t targets, uint8_t to[12][2])
{
	fill(p);
	plan_order(p, order, 5, 2);
	plan_spread(p, targets);
	for (size_t i = 0; i < p->n_sends; i++) {
		to[p->sends[i].request][p->sends[i].repeat] = p->sends[i].target;
	}
}

static void each_once(const struct plan *p, uint32_t repeats)
{
	cr_assert_eq(p->n_sends, p->n_requests * repeats);
	unsigned seen[12][8] = {0};
	for (size_t i = 0; i < p->n_sends; i++) {
		seen[p->sends[i].request][p->sends[i].repeat]++;
	}
	for (size_t r = 0; r < p->n_requests; r++) {
		for (uint32_t k = 0; k < repeats; k++) {
			cr_assert_eq(seen[r][k], 1);
		}
	}
}

static void turns_in_order(const struct plan *p)
{
	for (size_t i = 0; i < p->n_sends; i++) {
		const struct plan_send *s = &p->sends[i];
		uint32_t before = p->requests[s->request].after;
		if (before == PLAN_NONE) {
			cr_assert_eq(s->after, PLAN_NONE);
			continue;
		}
		cr_assert_lt(s->after, i);
		cr_assert_eq(p->sends[s->after].request, before);
		cr_assert_eq(p->sends[s->after].repeat, s->repeat);
	}
}

Test(plan, a_turn_waits_for_the_latest_request_with_its_history)
{
	struct plan p = {0};
	add(&p, 0, 1, 0, 10);
	add(&p, 1, 1, 0, 10); /* the same first turn, of another client */
	add(&p, 2, 2, 1, 20);
	add(&p, 3, 3, 9, 20); /* its turn before is not here */
	plan_link(&p);
	cr_expect_eq(p.n_turns, 1);
	cr_expect_eq(p.requests[2].after, 1);
	cr_expect_eq(p.requests[2].root, 1);
	cr_expect_eq(p.requests[3].after, PLAN_NONE);
	plan_finish(&p);
}

Test(plan, every_order_sends_each_once_and_turns_in_order)
{
	const enum plan_order orders[] = {ORDER_CAPTURED, ORDER_SHUFFLED, ORDER_LONGEST};
	for (size_t o = 0; o < ARRAY_LEN(orders); o++) {
		for (uint64_t seed = 0; seed < 50; seed++) {
			struct plan p = {0};
			fill(&p);
			plan_order(&p, orders[o], seed, 4);
			each_once(&p, 4);
			turns_in_order(&p);
			plan_finish(&p);
		}
	}
}

Test(plan, longest_goes_by_length_among_single_requests)
{
	struct plan p = {0};
	const uint64_t lengths[] = {5, 900, 31, 900, 2};
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		add(&p, (uint8_t)i, (uint8_t)(i + 1), 0, lengths[i]);
	}
	plan_link(&p);
	plan_order(&p, ORDER_LONGEST, 0, 1);
	const uint32_t expected[] = {1, 3, 2, 0, 4};
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		cr_expect_eq(p.sends[i].request, expected[i]);
	}
	plan_finish(&p);
}

Test(plan, a_seed_is_an_order)
{
	struct plan a = {0}, b = {0}, c = {0};
	fill(&a);
	fill(&b);
	fill(&c);
	plan_order(&a, ORDER_SHUFFLED, 1, 2);
	plan_order(&b, ORDER_SHUFFLED, 1, 2);
	plan_order(&c, ORDER_SHUFFLED, 2, 2);
	size_t bytes = a.n_sends * sizeof(*a.sends);
	cr_expect_arr_eq(a.sends, b.sends, bytes);
	cr_expect_arr_neq(a.sends, c.sends, bytes);
	plan_finish(&a);
	plan_finish(&b);
	plan_finish(&c);
}

Test(plan, captured_order_goes_pass_by_pass)
{
	struct plan p = {0};
	fill(&p);
	plan_order(&p, ORDER_CAPTURED, 0, 2);
	for (size_t i = 0; i < p.n_sends; i++) {
		cr_assert_eq(p.sends[i].request, i % p.n_requests);
		cr_assert_eq(p.sends[i].repeat, i / p.n_requests);
	}
	plan_finish(&p);
}

Test(plan, an_empty_one_has_nothing_to_send)
{
	struct plan p = {0};
	plan_link(&p);
	plan_order(&p, ORDER_SHUFFLED, 0, 3);
	cr_expect_eq(p.n_sends, 0);
	plan_finish(&p);
}

Test(plan, thinned_sessions_are_taken_in_turns_from_the_categories_and_keep_their_turns)
{
	/* Five of category 1, two of 2, one of none; the second of 1 is a session of two turns, the other turn last. */
	static const uint64_t CATEGORIES[] = {1, 1, 1, 2, 1, 0, 2, 1, 1};
	struct plan p = {0};
	for (uint8_t i = 0; i < ARRAY_LEN(CATEGORIES); i++) {
		bool later = i + 1u == ARRAY_LEN(CATEGORIES);
		struct plan_request r = {.category = CATEGORIES[i], .delay = i};
		r.exchange.bytes[15] = i;
		memset(r.chain, i + 1, sizeof(r.chain));
		memset(r.parent, later ? 2 : 0, sizeof(r.parent));
		cr_assert(plan_add(&p, &r));
	}
	plan_link(&p);
	plan_limit_sessions(&p, 5);
	/* In rounds 0, 3, 5; then 1 with its turn, and 6. */
	static const uint8_t LEFT[] = {0, 1, 3, 5, 6, 8};
	cr_assert_eq(p.n_requests, ARRAY_LEN(LEFT));
	for (size_t i = 0; i < ARRAY_LEN(LEFT); i++) {
		cr_expect_eq(p.requests[i].exchange.bytes[15], LEFT[i]);
	}
	cr_expect_eq(p.requests[5].after, 1);
	cr_expect_eq(p.requests[5].root, 1);
	cr_expect_eq(p.n_turns, 1);
	cr_expect_eq(p.n_delayed, 5);
	plan_order(&p, ORDER_CAPTURED, 0, 2);
	cr_expect_eq(p.n_sends, 12);
	plan_finish(&p);
}

Test(plan, spread_over_targets_sessions_go_round_and_their_turns_stay_together)
{
	for (uint8_t targets = 1; targets <= 3; targets++) {
		struct plan p = {0};
		uint8_t to[12][2];
		unsigned session = 0;
		fill_spread(&p, ORDER_CAPTURED, targets, to);
		for (size_t i = 0; i < 12; i++) {
			const struct plan_request *r = &p.requests[i];
			if (r->root == i) {
				cr_expect_eq(to[i][0], session++ % targets);
			}
			cr_expect_eq(to[i][0], to[r->root][0]);
			cr_expect_eq(to[i][1], (to[i][0] + 1) % targets, "the next one is next");
		}
		cr_expect_eq(session, 6);
		plan_finish(&p);
	}
}

Test(plan, where_a_send_goes_does_not_hang_on_the_order)
{
	struct plan a = {0}, b = {0};
	uint8_t captured[12][2], shuffled[12][2];
	fill_spread(&a, ORDER_CAPTURED, 3, captured);
	fill_spread(&b, ORDER_SHUFFLED, 3, shuffled);
	cr_expect_arr_eq(captured, shuffled, sizeof(captured));
	plan_finish(&a);
	plan_finish(&b);
}

Test(plan, turns_of_a_named_session_follow_its_numbers_and_nothing_else)
{
	static const struct {
		uint64_t session;
		uint32_t turn, after;
	} rows[] = {{7, 1, PLAN_NONE}, {9, 1, PLAN_NONE}, {7, 2, 0}, {9, 3, PLAN_NONE}, {9, 4, 3},
	        {7, 3, 2}, {0, 1, PLAN_NONE}};
	struct plan p = {0};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		/* All have the same words, so words alone cannot tell them apart. */
		struct plan_request r = {
		        .session = rows[i].session, .turn = rows[i].turn, .delay = i};
		r.chain[0] = 1;
		cr_assert(plan_add(&p, &r));
	}
	plan_link(&p);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_expect_eq(p.requests[i].after, rows[i].after, "%zu", i);
	}
	cr_expect(p.n_turns == 3 && p.n_delayed == 6 && p.requests[5].root == 0);
	plan_finish(&p);
}
