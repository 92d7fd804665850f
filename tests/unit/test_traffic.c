#include "analyzer/fold/traffic.h"

#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/rows/leg_rows.h"
#include "any_order.h"

#define MS UINT64_C(1000)
#define SECOND UINT64_C(1000000000)

static struct leg_row answer(
        const char *backend, enum role role, uint64_t start_ns, uint64_t end_us)
{
	return (struct leg_row){
	        .id = id_make(),
	        .backend = (char *)backend,
	        .role = role,
	        .outcome = OUTCOME_COMPLETE,
	        .status = 200,
	        .start_ns = start_ns,
	        .queued_us = 0,
	        .first_content_us = end_us / 2,
	        .end_us = end_us,
	        .body_bytes = 100,
	        .usage = {.prompt_tokens = 10, .completion_tokens = 5, .cached_tokens = -1},
	};
}

static void note_of_suite(struct traffic *to, const char *suite, struct leg_row *legs, size_t n)
{
	struct capture_leg *rows = calloc(n, sizeof(*rows));
	struct leg_summary leg;
	for (size_t i = 0; i < n; i++) {
		rows[i].row = legs[i];
	}
	const struct capture_exchange e = {.row = {.id = id_make(),
	                                           .endpoint = ENDPOINT_CHAT,
	                                           .labels = {.suite = (char *)suite}},
	        .legs = rows,
	        .n_legs = n};
	for (size_t i = 0; i < n; i++) {
		if (leg_row_summary(&e, i, &leg)) {
			traffic_add(to, &leg);
		}
	}
	free(rows);
}

static void note(struct traffic *to, struct leg_row *legs, size_t n)
{
	note_of_suite(to, NULL, legs, n);
}

Test(traffic, answers_are_counted_by_backend_with_their_tokens_and_times)
{
	struct traffic t = {0};
	for (uint64_t i = 0; i < 4; i++) {
		struct leg_row legs[] = {
		        answer("prod", ROLE_PRIMARY, i * SECOND, (i + 1) * 100 * MS),
		        answer("trusted", ROLE_REFERENCE, i * SECOND, 50 * MS),
		};
		note(&t, legs, 2);
	}
	cr_assert_eq(t.n_backends, 2);
	const struct traffic_backend *b = &t.backends[0];
	cr_assert_str_eq(b->name, "prod");
	cr_assert(b->answers == 4 && b->complete == 4 && b->failed.total == 0);
	cr_assert(b->prompt_tokens == 40 && b->completion_tokens == 20 && b->cached_tokens == 0);
	cr_assert_eq(histogram_quantile(&b->last_byte, 0.5) / 1000, 200);
	cr_assert_eq(b->last_byte.most, 400 * MS);
	cr_assert_eq(b->busy_us, 1000 * MS);
	/* From the start of the first to the end of the last. */
	cr_assert_float_eq(traffic_seconds(b), 3.4, 1e-9);
	traffic_finish(&t);
}

Test(traffic, failures_go_by_kind_and_what_was_cut_is_none)
{
	struct traffic t = {0};
	struct leg_row legs[6];
	for (size_t i = 0; i < 6; i++) {
		legs[i] = answer("prod", ROLE_PRIMARY, SECOND, 10 * MS);
	}
	legs[0].status = 503;
	legs[1].status = 503;
	legs[2].outcome = OUTCOME_REFUSED;
	legs[2].status = 0;
	legs[2].end_us = UINT64_MAX;
	legs[3].outcome = OUTCOME_CLIENT_GONE;
	legs[4].outcome = (enum outcome)99;
	note(&t, legs, 6);
	const struct traffic_backend *b = &t.backends[0];
	cr_assert(b->answers == 6 && b->complete == 1 && b->cut == 1 && b->failed.total == 4);
	cr_assert_eq(b->failed.n, 3);
	cr_assert_str_eq(b->failed.items[0].name, "HTTP 503");
	cr_assert_eq(b->failed.items[0].n, 2);
	cr_assert_str_eq(b->failed.items[1].name, "refused");
	cr_assert_str_eq(b->failed.items[2].name, "unknown");
	cr_assert_eq(b->last_byte.n, 1, "only complete answers have times");
	cr_assert_eq(t.parts[TRAFFIC_UNINJECTED].answers, 5);
	cr_assert_eq(t.parts[TRAFFIC_UNINJECTED].failed, 4);
	traffic_finish(&t);
}

Test(traffic, clients_answers_are_told_apart_by_injection_and_by_a_copy)
{
	struct traffic t = {0};
	struct leg_row both[] = {answer("prod", ROLE_PRIMARY, SECOND, 10 * MS),
	        answer("trusted", ROLE_REFERENCE, SECOND, 10 * MS)};
	both[0].marks = LEG_INJECTED_LOGPROBS;
	struct leg_row alone = answer("prod", ROLE_PRIMARY, SECOND, 30 * MS);
	struct leg_row replayed[] = {alone, answer("new", ROLE_CANDIDATE, SECOND, 10 * MS)};
	replayed[1].run.bytes[0] = 9;
	note(&t, both, 2);
	note(&t, &alone, 1);
	note(&t, replayed, 2);
	cr_assert_eq(t.parts[TRAFFIC_INJECTED].answers, 1);
	cr_assert_eq(t.parts[TRAFFIC_UNINJECTED].answers, 2);
	cr_assert_eq(t.parts[TRAFFIC_MIRRORED].answers, 1, "another run's answer is no copy");
	cr_assert_eq(t.parts[TRAFFIC_MIRRORED].last_byte.most, 10 * MS);
	cr_assert_eq(t.parts[TRAFFIC_UNMIRRORED].answers, 2);
	traffic_finish(&t);
}

Test(traffic, what_longer_lists_cost_is_a_ratio_of_times_per_token)
{
	static const uint32_t MARKS[] = {
	        0, LEG_INJECTED_LOGPROBS, LEG_INJECTED_LOGPROBS | LEG_AUDITED};
	static const uint64_t COST[] = {10, 11, 22}; /* ms */
	struct traffic t = {0};
	for (uint64_t i = 0; i < 90; i++) {
		struct leg_row leg = answer(
		        "prod", ROLE_PRIMARY, i * SECOND, COST[i % 3] * (i % 2 ? 9 : 10) * MS);
		leg.marks = MARKS[i % 3];
		note(&t, &leg, 1);
	}
	struct leg_row copy = answer("trusted", ROLE_REFERENCE, SECOND, SECOND);
	copy.marks = LEG_INJECTED_LOGPROBS | LEG_AUDITED;
	note(&t, &copy, 1);
	struct traffic_ratio r = traffic_list_ratio(&t, LEG_LISTS_AUDIT, LEG_LISTS_ORDINARY);
	cr_assert_eq(t.paces[LEG_LISTS_AUDIT].n, 30, "a copy is no client's answer");
	cr_assert_float_eq(r.ratio, 2, 1e-6);
	cr_assert(r.ci.low > 1.9 && r.ci.low < 2 && r.ci.high > 2 && r.ci.high < 2.1);
	r = traffic_list_ratio(&t, LEG_LISTS_AUDIT, LEG_LISTS_NONE);
	cr_assert_float_eq(r.ratio, 2.2, 1e-6);
	traffic_finish(&t);
}

Test(traffic, scores_are_no_answers)
{
	struct traffic t = {0};
	struct leg_row leg = answer("judge", ROLE_REFERENCE, SECOND, 10 * MS);
	leg.marks = LEG_SCORED;
	note(&t, &leg, 1);
	cr_assert_eq(t.n_backends, 0);
	traffic_finish(&t);
}

Test(traffic, time_between_runs_is_nobodys)
{
	struct traffic t = {0};
	struct leg_row legs[] = {answer("prod", ROLE_PRIMARY, SECOND, 1000 * MS),
	        answer("prod", ROLE_PRIMARY, 100000 * SECOND, 1000 * MS)};
	legs[1].run.bytes[0] = 2;
	note(&t, legs, 2);
	cr_assert_float_eq(traffic_seconds(&t.backends[0]), 2, 1e-9);
	cr_assert_eq(traffic_runs(&t.backends[0]), 2);
	traffic_finish(&t);
}

/* As a recipe asks: both, the other way round, and the same again for another suite. */
Test(traffic, time_in_which_another_target_had_its_turn_is_nobodys)
{
	struct traffic t = {0};
	const char *turns[] = {"a", "b", "b", "a", "a", "b"};
	struct leg_row legs[6];
	for (size_t i = 0; i < 6; i++) {
		legs[i] = answer(turns[i], ROLE_CANDIDATE, (10 * i + 1) * SECOND, 1000 * MS);
		legs[i].repeat = i % 4 / 2;
	}
	note(&t, legs, 4);
	note_of_suite(&t, "other", legs + 4, 2);
	cr_assert_float_eq(traffic_seconds(&t.backends[0]), 3, 1e-9);
	cr_assert_float_eq(traffic_seconds(&t.backends[1]), 3, 1e-9);
	cr_assert_eq(traffic_runs(&t.backends[0]), 1);
	traffic_finish(&t);
}

Test(traffic, repeats_that_are_mixed_count_no_time_twice)
{
	struct traffic t = {0};
	struct leg_row legs[4];
	for (size_t i = 0; i < 4; i++) {
		legs[i] = answer("a", ROLE_CANDIDATE, (i + 1) * SECOND, 1000 * MS);
		legs[i].repeat = i % 2;
	}
	note(&t, legs, 4);
	cr_assert_float_eq(traffic_seconds(&t.backends[0]), 4, 1e-9);
	traffic_finish(&t);
}

Test(traffic, memory_is_bounded_in_backends_and_passes)
{
	struct traffic t = {0};
	char name[16];
	for (unsigned i = 0; i < TRAFFIC_PASSES + 100; i++) {
		struct leg_row leg = answer("a", ROLE_PRIMARY, 10 * i * SECOND, 1000 * MS);
		leg.run.bytes[0] = (uint8_t)(i >> 8);
		leg.run.bytes[1] = (uint8_t)i;
		note(&t, &leg, 1);
	}
	const struct traffic_backend *a = &t.backends[0];
	cr_assert_eq(a->n_passes, TRAFFIC_PASSES);
	cr_assert_eq(a->beyond_passes, 100);
	cr_assert_eq(traffic_runs(a), TRAFFIC_PASSES);
	cr_assert_float_eq(traffic_seconds(a), TRAFFIC_PASSES, 1e-6);
	cr_assert_float_eq(traffic_answers_per_second(a), 1, 1e-9);
	cr_assert_float_eq(traffic_tokens_per_second(a), 5, 1e-9);
	for (int i = 39; i >= 0; i--) {
		snprintf(name, sizeof(name), "b%02d", i);
		struct leg_row leg = answer(name, ROLE_REFERENCE, SECOND, 10 * MS);
		note(&t, &leg, 1);
	}
	cr_assert_eq(t.n_backends, TRAFFIC_BACKENDS);
	cr_assert_eq(t.beyond, 40 - (TRAFFIC_BACKENDS - 1));
	traffic_settle(&t);
	cr_assert_str_eq(t.backends[0].name, "a");
	cr_assert_str_eq(t.backends[1].name, "b14", "as they came");
	traffic_finish(&t);
}

Test(traffic, a_clock_that_jumps_and_times_that_never_came_do_no_harm)
{
	struct traffic t = {0};
	struct leg_row legs[] = {answer("prod", ROLE_PRIMARY, UINT64_MAX, UINT64_MAX - 1),
	        answer("prod", ROLE_PRIMARY, 0, UINT64_MAX)};
	legs[1].queued_us = legs[1].first_content_us = UINT64_MAX;
	note(&t, legs, 2);
	cr_assert_eq(t.backends[0].last_byte.n, 1);
	cr_assert_eq(t.backends[0].queued.n, 1);
	traffic_finish(&t);
}

Test(traffic, gaps_between_tokens_are_known_within_a_few_per_cent)
{
	for (uint64_t us = 0; us < 130 * SECOND / 1000; us += 1 + us / 50) {
		uint64_t told = times_gap_us(times_gap_bin(us));
		cr_assert_leq(fabs((double)told - (double)us), 0.032 * (double)us, "%lu", us);
	}
	cr_assert_eq(times_gap_bin(UINT32_MAX), TIMES_GAP_BINS - 1);
	cr_assert_eq(times_gap_bin(UINT64_MAX), TIMES_GAP_BINS - 1);
}

/* Leg number i: of more backends and failures than are told apart, some with times. */
static void add_number(void *block, uint64_t i)
{
	char name[16];
	snprintf(name, sizeof(name), "b%02u", (unsigned)(i * 7 % 20));
	struct leg_summary leg = {
	        .backend = name,
	        .role = i % 3 ? ROLE_REFERENCE : ROLE_PRIMARY,
	        .end = (enum leg_end)(i % N_LEG_ENDS),
	        .of_client = i % 2,
	        .injected = i % 5,
	        .lists = (enum leg_lists)(i % N_LEG_LISTS),
	        .mirrored = i % 7,
	        .pass = i % 400,
	        .start_ns = i * i % 1000 * SECOND,
	        .first_content_us = i % 11 ? i * 100 : UINT64_MAX,
	        .end_us = i % 13 ? i * 1000 : UINT64_MAX,
	        .prompt_tokens = 3,
	        .completion_tokens = (int64_t)(i % 17) - 1,
	        .cached_tokens = -1,
	};
	leg.exchange.bytes[0] = (uint8_t)(i * 41 % 256);
	memcpy(leg.leg.bytes, &i, sizeof(i));
	leg.run.bytes[0] = (uint8_t)(i % 50);
	if (leg.end == LEG_END_FAILED) {
		snprintf(leg.failure, sizeof(leg.failure), "HTTP %u", (unsigned)(500 + i % 60));
	}
	traffic_add(block, &leg);
	if (i % 4 == 0) {
		struct times_row times = {.leg = leg.leg,
		        .backend = name,
		        .ttft_us = i,
		        .tpot_us = UINT64_MAX,
		        .e2e_us = 9 * i};
		times.gaps[i % TIMES_GAP_BINS] = i;
		traffic_add_times(block, &times);
	}
}

static void put_histogram(struct buf *to, const struct histogram *h)
{
	buf_printf(to, " %lu %lu %lu %.17g %.17g %lu %lu", h->n, h->least, h->most,
	        histogram_mean(h), histogram_deviation(h), histogram_quantile(h, 0.5),
	        histogram_quantile(h, 0.99));
}

static void say(void *block, struct buf *to)
{
	struct traffic *t = block;
	traffic_settle(t);
	struct traffic_ratio ratio = traffic_list_ratio(t, LEG_LISTS_AUDIT, LEG_LISTS_NONE);
	buf_printf(to, "%lu %.17g %.17g", t->beyond, ratio.ratio, ratio.ci.low);
	for (size_t i = 0; i < t->n_backends; i++) {
		const struct traffic_backend *b = &t->backends[i];
		buf_printf(to, "\n%s %d %lu %lu %lu %lu %lu %lu %lu %lu %.17g %zu %.17g %.17g %lu",
		        b->name, (int)b->role, b->answers, b->complete, b->cut, b->failed.total,
		        b->completion_tokens, b->without_usage, b->busy_us, b->beyond_passes,
		        traffic_seconds(b), traffic_runs(b), traffic_answers_per_second(b),
		        traffic_tokens_per_second(b), b->timed);
		for (size_t k = 0; k < b->failed.n; k++) {
			buf_printf(to, " %s: %lu", b->failed.items[k].name, b->failed.items[k].n);
		}
		put_histogram(to, &b->first_content);
		put_histogram(to, &b->last_byte);
		put_histogram(to, &b->itl);
		put_histogram(to, &b->e2e);
	}
	for (size_t i = 0; i < N_TRAFFIC_PARTS; i++) {
		buf_printf(to, "\n%lu %lu", t->parts[i].answers, t->parts[i].failed);
		put_histogram(to, &t->parts[i].last_byte);
	}
}

static void finish(void *block)
{
	traffic_finish(block);
}

Test(traffic, order_does_not_matter)
{
	const struct any_order m = {sizeof(struct traffic), 5000, add_number, say, finish};
	any_order_check(&m);
}

Test(traffic, which_legs_are_timed_depends_on_the_number_of_exchanges)
{
	size_t n = 0;
	for (uint64_t i = 0; i < 20000; i++) {
		struct leg_summary leg = {.end = LEG_END_COMPLETE};
		memcpy(leg.leg.bytes, &i, sizeof(i));
		cr_assert(leg_times_wanted(&leg, LEG_TIMES_EXCHANGES));
		bool of_more = leg_times_wanted(&leg, 20000);
		cr_assert(of_more || !leg_times_wanted(&leg, 40000), "more exchanges, fewer legs");
		n += of_more;
		leg.end = LEG_END_FAILED;
		cr_assert_not(leg_times_wanted(&leg, 1));
	}
	cr_assert(n > 1800 && n < 2300, "%zu", n);
}
