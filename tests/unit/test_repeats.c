#include "analyzer/rows/repeats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static uint64_t moment;

/* Returns the hash of a prompt; hashes are evenly distributed. */
static void hash(uint8_t to[REQUEST_HASH_SIZE], uint64_t prompt)
{
	uint64_t words[2] = {(prompt + 1) * 0x9e3779b97f4a7c15u, prompt};
	memcpy(to, words, sizeof(words));
}

struct asked {
	const char *backend;
	uint64_t prompt;
	int64_t cached;
	uint8_t run;
};

/* An exchange with one answer, as it would come next. */
static void ask(struct repeats *r, struct asked a)
{
	struct capture_leg leg = {.row = {
	                                  .backend = (char *)a.backend,
	                                  .run = {.bytes = {a.run}},
	                                  .outcome = OUTCOME_COMPLETE,
	                                  .status = 200,
	                                  .usage = {.cached_tokens = a.cached},
	                          }};
	struct capture_exchange e = {
	        .row = {.endpoint = ENDPOINT_CHAT, .content = CONTENT_FULL, .body_bytes = 10},
	        .legs = &leg,
	        .n_legs = 1,
	};
	e.row.facts.temperature = e.row.facts.top_k = NAN;
	hash(e.row.hashes.prompt, a.prompt);
	moment++;
	for (int i = 0; i < 8; i++) {
		e.row.id.bytes[i] = (uint8_t)(moment >> (56 - 8 * i));
	}
	leg.row.id = e.row.id;
	leg.row.id.bytes[15] = 1;
	repeats_add(r, &e);
}

Test(repeats, only_prompts_that_one_backend_answered_twice_are_kept)
{
	struct repeats r = {.most = REPEATS_OF_ONE};
	ask(&r, (struct asked){"a", 1, -1, 0});
	ask(&r, (struct asked){"a", 2, -1, 0});
	ask(&r, (struct asked){"b", 1, -1, 0});
	ask(&r, (struct asked){"a", 1, -1, 0});
	repeats_settle(&r);
	cr_assert_eq(r.n, 3, "all answers to prompt 1, the single one of b too");
	size_t of_a = repeats_of_condition(&r, 0) == 2 ? 0 : 1;
	cr_assert_eq(repeats_of_prompt(&r, 0), 3);
	cr_assert_eq(repeats_of_condition(&r, of_a), 2);
	cr_assert(id_compare(r.items[of_a].exchange, r.items[of_a + 1].exchange) < 0);
	repeats_finish(&r);
}

Test(repeats, another_cache_or_run_is_another_condition)
{
	struct repeats r = {.most = REPEATS_OF_ONE};
	ask(&r, (struct asked){"a", 1, 0, 0});
	ask(&r, (struct asked){"a", 1, 16, 0});
	ask(&r, (struct asked){"a", 1, 0, 1});
	repeats_settle(&r);
	cr_assert_eq(r.n, 0);
	ask(&r, (struct asked){"a", 2, 0, 0});
	ask(&r, (struct asked){"a", 2, 16, 0});
	ask(&r, (struct asked){"a", 2, 16, 0});
	repeats_settle(&r);
	cr_assert_eq(r.n, 3);
	repeats_finish(&r);
}

Test(repeats, of_one_condition_the_first_answers_are_enough)
{
	struct repeats r = {.most = REPEATS_OF_ONE};
	for (int i = 0; i < 100; i++) {
		ask(&r, (struct asked){"a", 5, -1, 0});
	}
	repeats_settle(&r);
	cr_assert_eq(r.n, REPEATS_OF_ONE);
	cr_assert_eq(r.items[0].exchange.bytes[7], 1);
	cr_assert_eq(r.items[7].exchange.bytes[7], 8);
	repeats_finish(&r);
}

Test(repeats, requests_by_chance_and_without_a_prompt_are_none)
{
	struct repeats r = {.most = REPEATS_OF_ONE};
	struct capture_leg leg = {.row = {.outcome = OUTCOME_COMPLETE, .status = 200}};
	struct capture_exchange e = {.row = {.content = CONTENT_FULL}, .legs = &leg, .n_legs = 1};
	repeats_add(&r, &e);
	cr_assert_eq(r.n, 0, "no prompt is known");
	hash(e.row.hashes.prompt, 1);
	e.row.facts.temperature = 0.7;
	repeats_add(&r, &e);
	cr_assert_eq(r.n, 0);
	e.row.facts.top_k = 1;
	repeats_add(&r, &e);
	cr_assert_eq(r.n, 1);
	leg.row.marks = LEG_SCORED;
	repeats_add(&r, &e);
	leg.row = (struct leg_row){.outcome = OUTCOME_TIMEOUT, .status = 200};
	repeats_add(&r, &e);
	cr_assert_eq(r.n, 1);
	repeats_finish(&r);
}

/* Far more prompts than there is room for, each twice: a sample by hash, in parts or not. */
Test(repeats, memory_is_bounded_and_parts_change_nothing)
{
	enum { PROMPTS = 100000, PARTS = 3 };
	const struct repeats empty = {.exchanges = 2 * (uint64_t)PROMPTS, .most = REPEATS_OF_ONE};
	struct repeats alone = empty, parts[PARTS] = {empty, empty, empty};
	size_t n = 0;
	moment = 0;
	for (int i = 0; i < 2 * PROMPTS; i++) {
		ask(&alone, (struct asked){"a", (uint64_t)(i % PROMPTS), -1, 0});
		cr_assert_leq(alone.n, 2 * REPEATS_EXCHANGES);
	}
	moment = 0;
	for (int i = 0; i < 2 * PROMPTS; i++) {
		struct asked a = {"a", (uint64_t)(i % PROMPTS), -1, 0};
		ask(&parts[a.prompt % PARTS], a);
	}
	repeats_settle(&alone);
	cr_assert(alone.n > REPEATS_EXCHANGES * 9 / 10 && alone.n < REPEATS_EXCHANGES * 11 / 10);
	for (size_t i = 0; i < alone.n; i += 2) {
		cr_assert_eq(
		        repeats_of_condition(&alone, i), 2, "a prompt stays with all its answers");
	}
	for (size_t p = 0; p < PARTS; p++) {
		repeats_settle(&parts[p]);
		n += parts[p].n;
		for (size_t i = 0, k = 0; i < parts[p].n; i++, k++) {
			while (k < alone.n && memcmp(&alone.items[k], &parts[p].items[i],
			                              sizeof(struct repeat)) != 0) {
				k++;
			}
			cr_assert_lt(k, alone.n, "no part keeps another one");
		}
		repeats_finish(&parts[p]);
	}
	cr_assert_eq(n, alone.n);
	repeats_finish(&alone);
}

Test(repeats, a_prompt_with_ever_new_conditions_is_bounded)
{
	struct repeats r = {.most = REPEATS_OF_ONE};
	for (int i = 0; i < 20000; i++) {
		ask(&r, (struct asked){"a", 5, i / 2, 0});
		cr_assert_leq(r.n, 1024);
	}
	repeats_settle(&r);
	cr_assert_eq(r.n, REPEATS_OF_PROMPT);
	repeats_finish(&r);
}
