#include "analyzer/causes/cause_verdict.h"

#include <criterion/criterion.h>
#include <string.h>

#include "made_answers.h"
#include "rounds.h"

#define PAIRS 150
#define SECOND UINT64_C(1000000000)

/* A pair and its surroundings. */
struct around {
	uint32_t in_flight;
	int64_t cached, base_prompt, test_prompt;
	enum decoding decoding;
	bool floor;         /* a side against itself */
	enum side floor_of; /* that side */
	bool written_out;   /* the chat was sent as a prompt */
	uint32_t system;    /* words of the system message */
};

static const struct around PLAIN = {1, 0, 20, 20, DECODING_GREEDY, false, SIDE_BASE, false};

static void observe(struct analysis_group *g, uint64_t i, const struct made_side *base,
        const struct made_side *test, const struct around *a)
{
	struct choice b, t;
	struct pair_row row;
	made_pair(base, test, &b, &t);
	made_row(&b, &t, a->decoding, (struct span){NULL, 0}, &row);
	memcpy(row.exchange.id.bytes, &i, sizeof(i));
	memcpy(row.exchange.cluster, &i, sizeof(i));
	memcpy(row.exchange.cluster + 8, &i, sizeof(i));
	row.exchange.system = (struct system_text){.words = a->system, .bytes = 5 * a->system};
	row.exchange.messages = a->written_out ? 0 : 1 + (uint32_t)(i % 3);
	row.base.url = row.test.url = "http://127.0.0.1:1";
	row.base.in_flight = row.test.in_flight = a->in_flight;
	row.base.start_ns = row.test.start_ns = (i + 1) * SECOND;
	row.base.prompt_tokens = a->base_prompt;
	row.test.prompt_tokens = a->test_prompt;
	row.test.cached_tokens = a->cached;
	if (a->floor) {
		causes_add_floor(&g->causes, row.exchange.cluster, a->floor_of, row.c.signs.noise,
		        row.c.signs.noise_n);
	} else {
		struct pair_facts facts;
		pair_facts_of(&row.c, &facts);
		causes_add(&g->causes, &row, &facts);
	}
	made_finish(&b);
	made_finish(&t);
}

static struct analysis_group *begin(void)
{
	struct analysis_group *g = xcalloc(1, sizeof(*g));
	g->base = xstrdup("trusted");
	g->test = xstrdup("prod");
	g->sigma = NAN;
	return g;
}

/* The causes by their keys, the names of both ends and a blank between two. */
static const char *named(struct analysis_group *g)
{
	static char keys[512];
	causes_judge(g);
	keys[0] = '\0';
	for (size_t i = 0; i < g->found.n; i++) {
		const struct cause *c = &g->found.items[i];
		cr_assert(c->text && c->phrase && c->fix);
		cr_assert_leq(c->n, c->of);
		cr_assert(isnan(c->p) || c->p < CAUSE_ALPHA);
		strcat(keys, i ? " " : "");
		strcat(keys, cause_words(c->kind)->key);
		strcat(keys, ":");
		strcat(keys, cause_side_name(c->side));
	}
	return keys;
}

static void end(struct analysis_group *g)
{
	group_finish(g);
	free(g);
}

static const struct made_side EXACT = {0};

static void assert_named(const struct made_side *base, const struct made_side *test,
        enum decoding decoding, const char *keys)
{
	struct analysis_group *g = begin();
	struct around around = PLAIN;
	around.decoding = decoding;
	for (uint64_t i = 0; i < PAIRS; i++) {
		observe(g, i, base, test, &around);
	}
	const char *got = named(g);
	cr_assert_str_eq(got, keys, "%s, not %s", got, keys);
	end(g);
}

Test(causes, each_is_named_and_nothing_else)
{
	const struct made_side hidden = {.penalty = 0.5},
	                       told = {.penalty = 0.5, .processed = true};
	const struct made_side cold = {.temperature = 0.7}, sampling = {.sampling = 0.7};
	const struct made_side late = {.late = true}, lost = {.foreign = 0.02};
	const struct made_side drift = {.noise = 0.15};
	random_state = 1;
	assert_named(&EXACT, &EXACT, DECODING_GREEDY, "");
	assert_named(&EXACT, &hidden, DECODING_GREEDY, "repetition_penalty:test");
	assert_named(&hidden, &EXACT, DECODING_GREEDY, "repetition_penalty:base");
	assert_named(&EXACT, &told, DECODING_GREEDY, "repetition_penalty:test");
	assert_named(&told, &EXACT, DECODING_GREEDY, "repetition_penalty:base");
	assert_named(&EXACT, &sampling, DECODING_GREEDY, "unasked_sampling:test");
	assert_named(&EXACT, &cold, DECODING_GREEDY, "processed_logprobs:unknown");
	assert_named(&EXACT, &late, DECODING_GREEDY, "misaligned_logprobs:test");
	assert_named(&EXACT, &lost, DECODING_GREEDY, "lost_context:unknown");
	assert_named(&EXACT, &drift, DECODING_GREEDY, "drift:unknown");
	assert_named(&sampling, &sampling, DECODING_SAMPLED, "sampled:both");
	assert_named(&sampling, &sampling, DECODING_UNKNOWN, "temperature_unset:both");
}

/* A longer template makes all prompts of the test longer, also those that lack the system message. */
Test(causes, a_dropped_system_message_has_its_side_beside_a_longer_template)
{
	struct analysis_group *g = begin();
	random_state = 3;
	for (uint64_t i = 0; i < 60; i++) {
		struct around a = PLAIN;
		a.system = i % 3 ? 0 : 3 + (uint32_t)(i % 5);
		a.test_prompt = a.base_prompt + 60 - 2 * (int64_t)a.system;
		observe(g, i, &EXACT, &EXACT, &a);
	}
	cr_assert_str_eq(named(g), "chat_template:unknown system_dropped:test");
	const struct cause *c = cause_list_get(&g->found, CAUSE_SYSTEM);
	cr_assert(strstr(c->text, "prod counts 46 to 54 more prompt tokens in all 20 chats"));
	cr_assert(strstr(c->text, "and 60 more in the other chats: prod drops the message"));
	end(g);
}

Test(causes, a_range_around_equal_counts_has_both_ends)
{
	struct analysis_group *g = begin();
	for (uint64_t i = 0; i < 60; i++) {
		struct around a = PLAIN;
		a.system = i % 3 ? 0 : 1 + 10 * (uint32_t)(i / 3 % 2);
		a.test_prompt = a.base_prompt + 6 - (int64_t)a.system;
		observe(g, i, &EXACT, &EXACT, &a);
	}
	named(g);
	const struct cause *c = cause_list_get(&g->found, CAUSE_SYSTEM);
	cr_assert(c && strstr(c->text, "prod counts 5 fewer to 5 more prompt tokens in all"));
	end(g);
}

Test(causes, captures_of_equal_engines_raise_no_alarms)
{
	const struct made_side noisy = {.noise = 0.02};
	int alarms = 0;
	random_state = 2;
	for (int capture = 0; capture < ROUNDS(300); capture++) {
		struct analysis_group *g = begin();
		for (uint64_t i = 0; i < 60; i++) {
			struct around a = PLAIN;
			a.in_flight = 1 + (uint32_t)below(16);
			a.cached = (int64_t)below(2);
			observe(g, i, &noisy, &noisy, &a);
		}
		alarms += *named(g) != '\0';
		end(g);
	}
	cr_assert_leq(alarms, ROUNDS(3), "%d", alarms);
}

Test(causes, drift_is_what_is_above_the_floor)
{
	const struct made_side noisy = {.noise = 0.1}, more = {.noise = 0.3};
	struct around floor = PLAIN;
	random_state = 3;
	floor.floor = true;
	for (int drifts = 0; drifts < 2; drifts++) {
		struct analysis_group *g = begin();
		for (uint64_t i = 0; i < PAIRS; i++) {
			observe(g, i, &noisy, drifts ? &more : &noisy, &PLAIN);
			observe(g, i, &noisy, &noisy, &floor);
		}
		cr_assert_str_eq(named(g), drifts ? "drift:unknown" : "");
		end(g);
	}
}

/* The base varies a little from run to run, the test does not. */
Test(causes, noise_of_one_side_explains_no_larger_distance)
{
	const struct made_side noisy = {.noise = 0.05}, far = {.noise = 0.3};
	const struct around of_base = {.floor = true},
	                    of_test = {.floor = true, .floor_of = SIDE_TEST};
	for (int is_far = 0; is_far < 2; is_far++) {
		struct analysis_group *g = begin();
		random_state = 4;
		for (uint64_t i = 0; i < PAIRS; i++) {
			observe(g, i, &noisy, is_far ? &far : &EXACT, &PLAIN);
			observe(g, i, &noisy, &noisy, &of_base);
			observe(g, i, &EXACT, &EXACT, &of_test);
		}
		const char *got = named(g);
		cr_assert_str_eq(got, is_far ? "drift:unknown" : "unstable:base", "%s", got);
		for (size_t i = 0; i < g->found.n; i++) {
			cr_assert_gt(g->found.items[i].shift_most, 0);
		}
		end(g);
	}
}

static uint32_t log2_of(uint32_t n)
{
	return 31 - (uint32_t)__builtin_clz(n);
}

Test(causes, noise_that_grows_with_the_load_is_load)
{
	struct analysis_group *g = begin();
	random_state = 4;
	for (uint64_t i = 0; i < 2 * PAIRS; i++) {
		struct around a = PLAIN;
		a.in_flight = 1u << below(5);
		const struct made_side test = {.noise = 0.08 * log2_of(a.in_flight)};
		observe(g, i, &EXACT, &test, &a);
	}
	cr_assert_str_eq(named(g), "load:unknown");
	/* Answers at concurrency 1 never differ, so load causes all differences. */
	cr_assert_eq(g->found.items[0].n, g->found.items[0].of);
	end(g);
}

Test(causes, noise_of_cached_prompts_is_the_cache)
{
	struct analysis_group *g = begin();
	random_state = 5;
	for (uint64_t i = 0; i < PAIRS; i++) {
		struct around a = PLAIN;
		a.cached = i % 2 ? 16 : 0;
		const struct made_side test = {.noise = i % 2 ? 0.3 : 0};
		observe(g, i, &EXACT, &test, &a);
	}
	cr_assert_str_eq(named(g), "cache:test");
	end(g);
}

Test(causes, corruption_from_a_moment_on_is_a_change)
{
	struct analysis_group *g = begin();
	const struct made_side spoilt = {.foreign = 1};
	random_state = 6;
	for (uint64_t i = 0; i < PAIRS; i++) {
		observe(g, i, &EXACT, i < 90 ? &EXACT : &spoilt, &PLAIN);
	}
	cr_assert_str_eq(named(g), "change_point:unknown");
	cr_assert(g->found.items[0].n == g->found.items[0].of && g->found.items[0].of >= 55);
	end(g);
}

Test(causes, a_text_shows_shares_near_0_as_every_other_form_does)
{
	struct analysis_group *g = begin();
	const struct made_side spoilt = {.foreign = 1};
	random_state = 7;
	for (uint64_t i = 0; i < 2 * PAIRS; i++) {
		observe(g, i, &EXACT, i == 60 || i >= 200 ? &spoilt : &EXACT, &PLAIN);
	}
	cr_assert_str_eq(named(g), "change_point:unknown");
	const char *text = g->found.items[0].text;
	cr_expect(strstr(text, "before it 0.5 % of 2") || strstr(text, "before it 0.5 % of 1"),
	        "%s", text);
	end(g);
}

Test(causes, another_prompt_explains_all_that_comes_of_it)
{
	struct analysis_group *g = begin();
	const struct made_side other = {.foreign = 1};
	random_state = 7;
	for (uint64_t i = 0; i < PAIRS; i++) {
		struct around a = PLAIN;
		a.test_prompt = 19;
		observe(g, i, &EXACT, &other, &a);
	}
	cr_assert_str_eq(named(g), "bos_token:unknown");
	end(g);
	g = begin();
	for (uint64_t i = 0; i < PAIRS; i++) {
		observe(g, i, &EXACT, &other, &PLAIN);
	}
	cr_assert_str_eq(named(g), "other_model:unknown", "without the counts it is one");
	end(g);
}

Test(causes, another_prompt_does_not_hide_what_a_side_does_against_its_own_list)
{
	struct analysis_group *g = begin();
	const struct made_side hidden = {.penalty = 0.5};
	random_state = 9;
	for (uint64_t i = 0; i < PAIRS; i++) {
		struct around a = PLAIN;
		a.test_prompt = 49;
		observe(g, i, &EXACT, &hidden, &a);
	}
	const char *got = named(g);
	cr_assert(
	        strstr(got, "repetition_penalty:test") && strstr(got, "chat_template"), "%s", got);
	end(g);
}

Test(causes, a_prompt_that_we_wrote_out_has_no_engines_template_to_blame)
{
	static const char *const KEYS[] = {"chat_template:unknown", "prompt_tokens:unknown"};
	const struct made_side other = {.foreign = 1};
	random_state = 9;
	for (int written = 0; written < 2; written++) {
		struct analysis_group *g = begin();
		for (uint64_t i = 0; i < PAIRS; i++) {
			struct around a = PLAIN;
			a.test_prompt = 18;
			a.written_out = written;
			observe(g, i, &EXACT, &other, &a);
		}
		cr_assert_str_eq(named(g), KEYS[written]);
		end(g);
	}
}

Test(causes, failures_count_by_the_side_that_failed)
{
	struct analysis_group *g = begin();
	const struct leg_row good = {.outcome = OUTCOME_COMPLETE, .status = 200};
	const struct leg_row bad = {.outcome = OUTCOME_COMPLETE, .status = 503};
	const struct leg_row late = {.outcome = OUTCOME_TIMEOUT};
	const struct leg_row gone = {.outcome = OUTCOME_CLIENT_GONE, .status = 200};
	for (uint8_t i = 0; i < 100; i++) {
		const struct id id = {{i}};
		const struct leg_row *test = i % 4 == 0 ? &bad : i % 4 == 1 ? &late : &gone;
		const bool failed[N_SIDES] = {
		        left_out_leg_has_failed(&good, NULL), left_out_leg_has_failed(test, NULL)};
		const bool both[N_SIDES] = {
		        left_out_leg_has_failed(&bad, NULL), left_out_leg_has_failed(&bad, NULL)};
		causes_add_left_out(&g->causes, id, failed);
		causes_add_left_out(&g->causes, id, both);
	}
	cr_assert_str_eq(named(g), "error:test");
	cr_assert(g->found.items[0].n == 50 && g->found.items[0].of == 50);
	end(g);
}

static void fill(struct analysis_group *g, uint64_t from, uint64_t until)
{
	const struct made_side test = {.noise = 0.1, .penalty = 0.3};
	for (uint64_t i = from; i < until; i++) {
		struct around a = PLAIN;
		random_state = i;
		a.in_flight = 1 + (uint32_t)(i % 7);
		a.cached = (int64_t)(i % 3);
		observe(g, i, &EXACT, &test, &a);
	}
}

Test(causes, rows_in_any_order_give_the_same_bits)
{
	struct analysis_group *sums[2] = {begin(), begin()};
	for (int way = 0; way < 2; way++) {
		for (uint64_t i = 0; i < 12; i++) {
			uint64_t k = way ? (i * 5) % 12 : i;
			fill(sums[way], 10 * k, 10 * k + 10);
		}
	}
	char first[512];
	strcpy(first, named(sums[0]));
	cr_assert_str_eq(first, named(sums[1]));
	cr_assert_eq(sums[0]->found.n, sums[1]->found.n);
	for (size_t i = 0; i < sums[0]->found.n; i++) {
		const struct cause *a = &sums[0]->found.items[i], *b = &sums[1]->found.items[i];
		cr_assert(memcmp(&a->p, &b->p, sizeof(a->p)) == 0 && a->n == b->n);
		cr_assert_str_eq(a->text, b->text);
		cr_assert_eq(memcmp(&a->exchanges, &b->exchanges, sizeof(a->exchanges)), 0);
	}
	end(sums[0]);
	end(sums[1]);
}

Test(causes, nothing_at_all_names_nothing)
{
	struct analysis_group *g = begin();
	cr_assert_str_eq(named(g), "");
	end(g);
}
