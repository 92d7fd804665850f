#include "analyzer/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

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
	struct traffic block = {0};
	for (size_t i = 0; i < n; i++) {
		rows[i].row = legs[i];
	}
	const struct capture_exchange e = {.row = {.id = id_make(),
	                                           .endpoint = ENDPOINT_CHAT,
	                                           .labels = {.suite = (char *)suite}},
	        .legs = rows,
	        .n_legs = n};
	traffic_note(&block, &e);
	traffic_merge(to, &block);
	traffic_finish(&block);
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
	/* From the first one's begin to the last one's end. */
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
	cr_assert_str_eq(b->failed.items[0].why, "HTTP 503");
	cr_assert_eq(b->failed.items[0].n, 2);
	cr_assert_str_eq(b->failed.items[1].why, "refused");
	cr_assert_str_eq(b->failed.items[2].why, "unknown");
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

/* One answer of a second a day, in three repeats that follow on one another. */
Test(traffic, runs_that_find_no_room_are_summed_up)
{
	struct traffic t = {0};
	for (unsigned run = 0; run < TRAFFIC_PASSES; run++) {
		for (unsigned repeat = 0; repeat < 3; repeat++) {
			struct leg_row leg = answer("a", ROLE_CANDIDATE,
			        (100000 * run + 10 * repeat) * SECOND, 1000 * MS);
			memcpy(leg.run.bytes, &run, sizeof(run));
			leg.repeat = repeat;
			note(&t, &leg, 1);
		}
	}
	cr_assert_float_eq(traffic_seconds(&t.backends[0]), 3 * TRAFFIC_PASSES, 1e-6);
	cr_assert_eq(traffic_runs(&t.backends[0]), TRAFFIC_PASSES);
	traffic_finish(&t);
}

/* Of one run, passes a second long and 9 or, one of them, 1 second apart: that second is what is counted along. */
Test(traffic, passes_of_one_run_that_find_no_room_become_one_with_the_nearest)
{
	struct traffic t = {0};
	for (unsigned i = 0; i <= TRAFFIC_PASSES; i++) {
		struct leg_row leg = answer(
		        "a", ROLE_CANDIDATE, (10 * i + (i == 1 ? 0 : 8)) * SECOND, 1000 * MS);
		leg.repeat = i;
		note(&t, &leg, 1);
	}
	cr_assert_float_eq(traffic_seconds(&t.backends[0]), TRAFFIC_PASSES + 2, 1e-6);
	cr_assert_eq(traffic_runs(&t.backends[0]), 1);
	traffic_finish(&t);
}

Test(traffic, memory_is_bounded_in_answers_backends_and_runs)
{
	struct traffic t = {0};
	char name[16];
	for (unsigned i = 0; i < 3 * TRAFFIC_SAMPLE; i++) {
		struct leg_row leg = answer("prod", ROLE_PRIMARY, SECOND, 10 * MS);
		memcpy(leg.run.bytes, &i, sizeof(i));
		note(&t, &leg, 1);
		cr_assert_leq(t.backends[0].n_picks, 2 * TRAFFIC_SAMPLE);
	}
	cr_assert_eq(t.backends[0].n_passes, TRAFFIC_PASSES);
	cr_assert_eq(traffic_runs(&t.backends[0]), 3 * TRAFFIC_SAMPLE);
	traffic_thin(&t.backends[0]);
	cr_assert(t.backends[0].n_picks == TRAFFIC_SAMPLE && t.backends[0].is_sample);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "b%d", i);
		struct leg_row leg = answer(name, ROLE_REFERENCE, SECOND, 10 * MS);
		note(&t, &leg, 1);
	}
	cr_assert_eq(t.n_backends, TRAFFIC_BACKENDS);
	cr_assert_eq(t.beyond, 40 - (TRAFFIC_BACKENDS - 1));
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
