#include "backends/injection/kinds.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

#define SECOND ((uint64_t)1000000000)
#define HOUR (3600 * SECOND)
#define FORM UINT64_C(0x700000007)
#define OTHER UINT64_C(0x700000008)
#define ELSEWHERE UINT64_C(0x800000007)

static const struct kind_key chat = {"prod", "m", ENDPOINT_CHAT, false, false};

static struct kind get(struct kinds *k, const struct kind_key *key, uint64_t now_ns)
{
	bool refused;
	return kinds_get(k, key, now_ns, &refused);
}

Test(kinds, know_only_what_was_learned_for_the_very_same)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, (struct kind){KIND_NULL, KIND_UNKNOWN, ""}, 5);
	cr_expect_eq(get(k, &chat, 6).logprobs, KIND_NULL);
	cr_expect_eq(get(k, &chat, 6).usage, KIND_UNKNOWN);
	const struct kind_key others[] = {{"prod2", "m", ENDPOINT_CHAT, false, false},
	        {"prod", "m2", ENDPOINT_CHAT, false, false},
	        {"prod", "m", ENDPOINT_COMPLETION, false, false},
	        {"prod", "m", ENDPOINT_CHAT, true, false},
	        {"prod", "m", ENDPOINT_CHAT, false, true},
	        {"pro", "dm", ENDPOINT_CHAT, false, false}};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		cr_expect_eq(get(k, &others[i], 6).logprobs, KIND_UNKNOWN, "%zu", i);
	}
	/* An unknown answer does not change what is known. */
	kinds_learn(k, &chat, FORM, (struct kind){KIND_UNKNOWN, KIND_ABSENT, "timings"}, 7);
	kinds_learn(k, &chat, FORM, (struct kind){KIND_NULL, KIND_UNKNOWN, ""}, 8);
	cr_expect_eq(get(k, &chat, 8).logprobs, KIND_NULL);
	cr_expect_eq(get(k, &chat, 8).usage, KIND_ABSENT);
	cr_expect_str_eq(get(k, &chat, 8).tail, "timings");
	kinds_destroy(k);
}

Test(kinds, events_that_say_nothing_are_known_once_they_were_seen)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, (struct kind){KIND_NULL, KIND_ABSENT, "", true}, 1);
	kinds_learn(k, &chat, FORM, (struct kind){KIND_NULL, KIND_ABSENT, "", false}, 2);
	cr_expect(get(k, &chat, 3).silent);
	kinds_destroy(k);
}

Test(kinds, answers_that_contradict_are_not_trusted_for_an_hour)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, (struct kind){KIND_NULL, KIND_ABSENT, ""}, SECOND);
	kinds_learn(k, &chat, FORM, (struct kind){KIND_ABSENT, KIND_ABSENT, ""}, 2 * SECOND);
	cr_expect_eq(get(k, &chat, HOUR).logprobs, KIND_MIXED);
	cr_expect_eq(get(k, &chat, HOUR).usage, KIND_ABSENT);
	cr_expect_eq(
	        get(k, &chat, SECOND).logprobs, KIND_MIXED, "a clock read before the lock was had");
	cr_expect_eq(get(k, &chat, 2 * SECOND + HOUR).logprobs, KIND_UNKNOWN);
	kinds_learn(k, &chat, FORM, (struct kind){KIND_ABSENT, KIND_ABSENT, ""}, 2 * HOUR);
	cr_expect_eq(get(k, &chat, 2 * HOUR).logprobs, KIND_ABSENT);
	kinds_learn(k, &chat, FORM, (struct kind){KIND_ABSENT, KIND_ABSENT, "other"}, 2 * HOUR);
	cr_expect_eq(get(k, &chat, 2 * HOUR).logprobs, KIND_ABSENT);
	cr_expect_eq(get(k, &chat, 2 * HOUR).usage, KIND_MIXED);
	kinds_destroy(k);
}

Test(kinds, the_end_of_injection_is_for_good_and_told_once)
{
	struct kinds *k = kinds_create();
	bool refused = false;
	cr_expect(kinds_end(k, &chat));
	cr_expect(!kinds_end(k, &chat));
	kinds_get(k, &chat, 100 * HOUR, &refused);
	cr_expect(refused);
	struct kind_key codings = chat;
	codings.codings = true;
	kinds_get(k, &codings, 0, &refused);
	cr_expect(!refused, "another client gets other answers");
	kinds_destroy(k);
}

Test(kinds, a_refusal_is_remembered_for_an_hour)
{
	struct kinds *k = kinds_create();
	bool refused = true;
	kinds_get(k, &chat, 0, &refused);
	cr_expect(!refused);
	cr_expect(kinds_refused(k, &chat, SECOND));
	cr_expect_not(kinds_refused(k, &chat, SECOND));
	kinds_get(k, &chat, HOUR, &refused);
	cr_expect(refused);
	kinds_get(k, &chat, SECOND + HOUR, &refused);
	cr_expect(!refused);
	kinds_destroy(k);
}

Test(kinds, refused_token_ids_leave_the_rest_injected_for_an_hour)
{
	struct kinds *k = kinds_create();
	bool refused = true;
	struct kind kind = {KIND_NULL, KIND_NULL, .token_ids = KIND_NULL};
	kinds_learn(k, &chat, FORM, kind, SECOND);
	cr_expect_eq(get(k, &chat, SECOND).token_ids, KIND_NULL);
	kinds_ids_refused(k, &chat, SECOND);
	kind = kinds_get(k, &chat, HOUR, &refused);
	cr_expect(!refused && kind.logprobs == KIND_NULL && kind.token_ids == KIND_UNKNOWN);
	kinds_learn(
	        k, &chat, FORM, (struct kind){KIND_NULL, KIND_NULL, .token_ids = KIND_NULL}, HOUR);
	cr_expect_eq(get(k, &chat, SECOND + HOUR).token_ids, KIND_NULL);
	kinds_destroy(k);
}

Test(kinds, errors_that_plain_streams_do_not_have_are_told)
{
	static const struct kinds_draw no_draw = {.number = 1};
	struct kinds *k = kinds_create();
	unsigned n = 0;
	for (bool many = false; n < 20 && !many; n++) {
		many = kinds_count_stream(k, &chat, true, true, SECOND);
		cr_expect_eq(kinds_stay_plain(k, &chat, no_draw, SECOND), KINDS_PLAIN);
		many |= kinds_count_stream(k, &chat, false, false, SECOND);
	}
	cr_expect_eq(n, 7, "2^-7 is below 1 %%");
	cr_expect_not(kinds_count_stream(k, &chat, false, false, SECOND), "it is told once");
	/* After an hour, they are forgotten. */
	for (n = 0; n < 12; n++) {
		uint64_t now_ns = (n < 6 ? 2 : 4) * HOUR;
		cr_expect_not(kinds_count_stream(k, &chat, true, true, now_ns));
		cr_expect_not(kinds_count_stream(k, &chat, false, false, now_ns));
	}
	/* Both have errors. */
	for (n = 0; n < 1000; n++) {
		cr_expect_not(kinds_count_stream(k, &chat, true, n % 10 == 0, 6 * HOUR));
		cr_expect_not(kinds_count_stream(k, &chat, false, n % 10 == 5, 6 * HOUR));
	}
	/* A single error may be chance. */
	for (n = 0; n < 50; n++) {
		cr_expect_not(kinds_count_stream(k, &chat, false, false, 8 * HOUR));
	}
	cr_expect_not(kinds_count_stream(k, &chat, true, true, 8 * HOUR));
	kinds_destroy(k);
}

Test(kinds, plain_answers_that_disagree_on_token_ids_end_these_alone)
{
	struct kinds *k = kinds_create();
	struct kind kind = {KIND_NULL, KIND_NULL, .token_ids = KIND_NULL}, own;
	const struct injection with_ids = {true, true, 5, true};
	kinds_learn(k, &chat, FORM, kind, SECOND);
	struct signature s = {FORM, 0};
	cr_expect(kinds_find(k, &chat, s, &with_ids, SECOND, &own));
	kind.token_ids = KIND_ABSENT;
	kinds_learn(k, &chat, FORM, kind, SECOND);
	kind = get(k, &chat, SECOND);
	cr_expect(kind_can_cut(kind.logprobs) && !kind_can_cut(kind.token_ids));
	cr_expect(
	        !kinds_find(k, &chat, s, &with_ids, SECOND, &own), "how to cut them is not known");
	cr_expect(kinds_find(k, &chat, s, &(struct injection){true, true, 5}, SECOND, &own));
	kinds_destroy(k);
}

static const struct kind nulls = {KIND_NULL, KIND_NULL}, absents = {KIND_ABSENT, KIND_ABSENT};
static const struct injection all = {true, true, 5};

/* Returns how to cut an injected answer of this form; UNKNOWN for an unknown form. */
static enum kind_member find_styled(struct kinds *k, uint64_t form, unsigned style, uint64_t now_ns)
{
	struct kind kind;
	bool found = kinds_find(k, &chat, (struct signature){form, style}, &all, now_ns, &kind);
	return found ? kind.logprobs : KIND_UNKNOWN;
}

static enum kind_member find(struct kinds *k, uint64_t form, uint64_t now_ns)
{
	return find_styled(k, form, 0, now_ns);
}

Test(kinds, each_form_is_cut_by_what_its_own_plain_answers_showed)
{
	struct kinds *k = kinds_create();
	cr_expect_eq(find(k, FORM, 0), KIND_UNKNOWN);
	kinds_learn(k, &chat, FORM, nulls, SECOND);
	cr_expect_eq(find(k, OTHER, SECOND), KIND_UNKNOWN, "an engine that nobody has seen");
	kinds_learn(k, &chat, OTHER, absents, 2 * SECOND);
	cr_expect(kind_can_cut(get(k, &chat, 2 * SECOND).logprobs), "two that can be told apart");
	cr_expect_eq(find(k, FORM, 2 * SECOND), KIND_NULL);
	cr_expect_eq(find(k, OTHER, 2 * SECOND), KIND_ABSENT);
	cr_expect_eq(find(k, FORM, SECOND + HOUR), KIND_UNKNOWN, "not seen for an hour");
	/* A third form, which cannot be cut. */
	kinds_learn(k, &chat, ELSEWHERE, (struct kind){KIND_MIXED, KIND_NULL}, 3 * SECOND);
	cr_expect_eq(get(k, &chat, 3 * SECOND).logprobs, KIND_MIXED);
	cr_expect(kind_can_cut(get(k, &chat, 3 * SECOND).usage));
	cr_expect_eq(find(k, ELSEWHERE, 3 * SECOND), KIND_UNKNOWN);
	kinds_destroy(k);
}

/* A client that requests logprobs itself shows nothing about them. */
Test(kinds, forms_that_were_seen_in_part_take_nothing_from_others)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, nulls, 1);
	kinds_learn(k, &chat, OTHER, (struct kind){KIND_UNKNOWN, KIND_ABSENT}, 2);
	kinds_learn(k, &chat, ELSEWHERE, (struct kind){KIND_ABSENT, KIND_UNKNOWN}, 3);
	cr_expect_eq(get(k, &chat, 4).logprobs, KIND_NULL);
	cr_expect_eq(get(k, &chat, 4).usage, KIND_NULL);
	cr_expect_eq(find(k, OTHER, 4), KIND_UNKNOWN, "of it itself it is not known");
	kinds_destroy(k);
}

Test(kinds, forms_that_cannot_be_told_apart_are_not_cut)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, nulls, SECOND);
	kinds_learn(k, &chat, FORM, absents, 2 * SECOND);
	cr_expect_eq(find(k, FORM, 2 * SECOND), KIND_UNKNOWN);
	kinds_learn(k, &chat, FORM, absents, HOUR);
	cr_expect_eq(find(k, FORM, HOUR), KIND_UNKNOWN);
	cr_expect_eq(find(k, FORM, HOUR + SECOND), KIND_ABSENT, "the other has gone");
	kinds_destroy(k);
}

Test(kinds, says_once_that_logprobs_became_mixed)
{
	struct kinds *k = kinds_create();
	cr_expect_not(kinds_learn(k, &chat, FORM, nulls, SECOND));
	cr_expect(kinds_learn(k, &chat, FORM, absents, 2 * SECOND));
	cr_expect_not(kinds_learn(k, &chat, FORM, nulls, 3 * SECOND));
	kinds_forget(k, chat.backend, false);
	cr_expect_not(kinds_learn(k, &chat, FORM, nulls, 4 * SECOND));
	cr_expect_eq(get(k, &chat, 4 * SECOND).logprobs, KIND_NULL, "another engine answers");
	cr_expect(kinds_learn(k, &chat, FORM, absents, 5 * SECOND));
	kinds_destroy(k);
}

Test(kinds, a_strange_answer_stops_injection_until_a_plain_one_shows_its_form)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, nulls, 1);
	cr_expect_not(kinds_learn_strange(k, &chat, OTHER, 2));
	cr_expect_eq(get(k, &chat, 3).logprobs, KIND_UNKNOWN);
	kinds_learn(k, &chat, FORM, nulls, 3);
	cr_expect_eq(get(k, &chat, 3).logprobs, KIND_UNKNOWN);
	kinds_learn(k, &chat, OTHER, nulls, 4);
	cr_expect_eq(get(k, &chat, 4).logprobs, KIND_NULL);
	/* Only the head of this form was observed. */
	cr_expect_not(kinds_know_head(k, &chat, ELSEWHERE >> 32, 4));
	cr_expect_not(kinds_learn_strange(k, &chat, ELSEWHERE >> 32 << 32, 4));
	cr_expect_not(kinds_know_head(k, &chat, ELSEWHERE >> 32, 4));
	cr_expect_eq(get(k, &chat, 5).logprobs, KIND_UNKNOWN);
	kinds_learn(k, &chat, ELSEWHERE, nulls, 5);
	cr_expect(kinds_know_head(k, &chat, ELSEWHERE >> 32, 5));
	cr_expect_eq(get(k, &chat, 5).logprobs, KIND_NULL);
	kinds_destroy(k);
}

Test(kinds, an_engine_of_ever_new_forms_is_left_alone)
{
	struct kinds *k = kinds_create();
	bool many = false;
	unsigned n = 0;
	for (; !many && n < 100; n++) {
		kinds_learn(k, &chat, FORM + n, nulls, n);
		many = n % 2 ? kinds_count_loss(k, &chat, n)
		             : kinds_learn_strange(k, &chat, OTHER + n, n);
	}
	cr_expect_eq(n, KINDS_STRANGE_LIMIT, "each costs a second request");
	cr_expect_not(kinds_count_loss(k, &chat, 2 * HOUR));
	kinds_destroy(k);
}

Test(kinds, another_style_of_injected_answers_is_strange_until_it_is_accepted)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, nulls, 1);
	cr_expect_eq(find_styled(k, FORM, 4, 1), KIND_NULL);
	cr_expect_eq(find_styled(k, FORM, 4, 1), KIND_NULL);
	cr_expect_eq(find_styled(k, FORM, 5, 1), KIND_UNKNOWN);
	cr_expect_eq(find_styled(k, FORM, 5, 1), KIND_UNKNOWN);
	kinds_accept(k, &chat, (struct signature){FORM, 5});
	cr_expect_eq(find_styled(k, FORM, 5, 1), KIND_NULL);
	cr_expect_eq(find_styled(k, FORM, 4, 1), KIND_NULL);
	kinds_destroy(k);
}

Test(kinds, what_a_form_showed_more_than_an_hour_ago_counts_no_more)
{
	struct kinds *k = kinds_create();
	struct kind silent = nulls;
	silent.silent = true;
	kinds_learn(k, &chat, FORM, silent, 1);
	cr_expect_eq(find_styled(k, FORM, 4, 1), KIND_NULL);
	kinds_learn(k, &chat, FORM, nulls, 2 + HOUR);
	cr_expect_not(get(k, &chat, 2 + HOUR).silent);
	cr_expect_eq(
	        find_styled(k, FORM, 5, 2 + HOUR), KIND_NULL, "the first style is as good as any");
	cr_expect_eq(find_styled(k, FORM, 4, 2 + HOUR), KIND_UNKNOWN);
	/* Together with another observation of the form that is too old and was not repeated. */
	kinds_learn(k, &chat, FORM, absents, 3 * HOUR);
	cr_expect_eq(find_styled(k, FORM, 4, 3 * HOUR), KIND_ABSENT);
	kinds_destroy(k);
}

static enum kinds_plain stays(struct kinds *k, double number, double share, uint64_t now_ns)
{
	return kinds_stay_plain(
	        k, &chat, (struct kinds_draw){.number = number, .share = share}, now_ns);
}

Test(kinds, requests_stay_plain_if_drawn_or_once_a_minute_under_traffic_or_in_doubt)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, FORM, nulls, SECOND);
	cr_expect_eq(stays(k, 0.009, 0.01, SECOND), KINDS_DRAWN);
	for (int i = 0; i < KINDS_TRAFFIC; i++) {
		cr_expect_eq(stays(k, 0.01, 0.01, HOUR), KINDS_INJECTED, "no traffic");
	}
	cr_expect_eq(stays(k, 0.5, 0.01, 60 * SECOND), KINDS_INJECTED);
	cr_expect_eq(stays(k, 0, 0, HOUR), KINDS_INJECTED);
	cr_expect_eq(stays(k, 0.5, 0.01, 61 * SECOND), KINDS_PLAIN);
	cr_expect_eq(stays(k, 0.5, 0.01, 61 * SECOND), KINDS_INJECTED);
	kinds_doubt(k, "prod2");
	cr_expect_eq(stays(k, 0.5, 0, 62 * SECOND), KINDS_INJECTED);
	kinds_doubt(k, "prod");
	cr_expect_eq(stays(k, 0.5, 0, 62 * SECOND), KINDS_PLAIN);
	cr_expect_eq(stays(k, 0.5, 0, 62 * SECOND), KINDS_INJECTED);
	kinds_destroy(k);
}

Test(kinds, more_stay_plain_until_slowness_was_judged_once)
{
	struct kinds *k = kinds_create();
	struct slowdown_ratio r;
	struct kinds_draw draw = {.number = 0.09, .share = 0.01, .watched = true};
	for (int i = 0; i < SLOWDOWN_SAMPLE; i++) {
		cr_expect_eq(kinds_stay_plain(k, &chat, draw, SECOND), KINDS_DRAWN);
		cr_expect_not(kinds_add_time(k, &chat, true, 2 + i % 3, &r));
		cr_expect_eq(
		        kinds_add_time(k, &chat, false, 1 + i % 3, &r), i == SLOWDOWN_SAMPLE - 1);
	}
	cr_expect(r.low > 1 && r.high < 3);
	cr_expect_eq(kinds_stay_plain(k, &chat, draw, SECOND), KINDS_INJECTED);
	kinds_forget(k, "prod", false);
	cr_expect_eq(kinds_stay_plain(k, &chat, draw, SECOND), KINDS_INJECTED, "one of several");
	kinds_forget(k, "prod", true);
	cr_expect_eq(kinds_stay_plain(k, &chat, draw, SECOND), KINDS_DRAWN);
	kinds_destroy(k);
}

Test(kinds, are_found_again_by_their_number)
{
	struct kinds *k = kinds_create();
	bool refused;
	struct kind_key key = {0}, other = chat;
	other.stream = true;
	uint64_t number = kinds_number(k, &chat);
	cr_expect_neq(number, 0);
	cr_expect_eq(number, kinds_number(k, &chat));
	cr_expect_neq(number, kinds_number(k, &other));
	cr_assert(kinds_end_number(k, number, &key));
	cr_expect_str_eq(key.backend, "prod");
	cr_expect_str_eq(key.model, "m");
	cr_expect_eq(key.endpoint, ENDPOINT_CHAT);
	free((char *)key.backend);
	cr_expect_not(kinds_end_number(k, number, &key));
	kinds_get(k, &chat, 0, &refused);
	cr_expect(refused);
	kinds_get(k, &other, 0, &refused);
	cr_expect_not(refused);
	kinds_destroy(k);
}

Test(kinds, what_was_learned_and_what_ended_go_with_the_engine)
{
	struct kinds *k = kinds_create();
	bool refused;
	kinds_learn(k, &chat, FORM, nulls, 1);
	cr_expect(kinds_end(k, &chat));
	cr_expect_not(kinds_end(k, &chat));
	kinds_get(k, &chat, 2 * HOUR, &refused);
	cr_expect(refused);
	kinds_forget(k, "pro", true);
	kinds_get(k, &chat, 1, &refused);
	cr_expect(refused);
	kinds_forget(k, "prod", false);
	cr_expect_eq(kinds_get(k, &chat, 1, &refused).logprobs, KIND_UNKNOWN);
	cr_expect(refused, "an engine that was there before");
	kinds_learn(k, &chat, FORM, nulls, 1);
	kinds_forget(k, "prod", true);
	cr_expect_eq(kinds_get(k, &chat, 1, &refused).logprobs, KIND_UNKNOWN);
	cr_expect_not(refused);
	kinds_destroy(k);
}

Test(kinds, are_bounded_and_forget_what_was_of_no_use_longest)
{
	struct kinds *k = kinds_create();
	struct kind null = {KIND_NULL, KIND_UNKNOWN, ""};
	kinds_learn(k, &chat, FORM, null, 1);
	for (int i = 0; i < 3 * KINDS_LIMIT; i++) {
		char *model = xasprintf("model-%d", i);
		kinds_learn(k, &(struct kind_key){"prod", model, ENDPOINT_CHAT, false, false}, FORM,
		        null, 2);
		free(model);
		cr_assert_eq(get(k, &chat, 3).logprobs, KIND_NULL);
	}
	const struct kind_key first = {"prod", "model-0", ENDPOINT_CHAT, false, false};
	cr_expect_eq(get(k, &first, 3).logprobs, KIND_UNKNOWN);
	kinds_destroy(k);
}

static void *use(void *arg)
{
	struct kinds *k = arg;
	for (int i = 0; i < 2000; i++) {
		char *model = xasprintf("model-%d", i % 50);
		struct kind_key key = {"prod", model, ENDPOINT_CHAT, false, false};
		kinds_learn(k, &key, FORM, (struct kind){KIND_ABSENT, KIND_NULL, ""}, (uint64_t)i);
		bool refused;
		struct kind kind = kinds_get(k, &key, (uint64_t)i, &refused);
		expect(kind.logprobs == KIND_ABSENT);
		kinds_refused(k, &key, (uint64_t)i);
		free(model);
	}
	return NULL;
}

Test(kinds, are_shared_by_threads)
{
	struct kinds *k = kinds_create();
	pthread_t threads[4];
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		cr_assert_eq(pthread_create(&threads[i], NULL, use, k), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		pthread_join(threads[i], NULL);
	}
	kinds_destroy(k);
}
