#include "backends/kinds.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

#define SECOND ((uint64_t)1000000000)
#define HOUR (3600 * SECOND)

static const struct kind_key chat = {"prod", "m", ENDPOINT_CHAT, false, false};

static struct kind get(struct kinds *k, const struct kind_key *key, uint64_t now_ns)
{
	bool refused;
	return kinds_get(k, key, now_ns, &refused);
}

Test(kinds, know_only_what_was_learned_for_the_very_same)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, (struct kind){KIND_NULL, KIND_UNKNOWN, ""}, 5);
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
	/* What is unknown takes nothing back. */
	kinds_learn(k, &chat, (struct kind){KIND_UNKNOWN, KIND_ABSENT, "timings"}, 7);
	kinds_learn(k, &chat, (struct kind){KIND_NULL, KIND_UNKNOWN, ""}, 8);
	cr_expect_eq(get(k, &chat, 8).logprobs, KIND_NULL);
	cr_expect_eq(get(k, &chat, 8).usage, KIND_ABSENT);
	cr_expect_str_eq(get(k, &chat, 8).tail, "timings");
	kinds_destroy(k);
}

Test(kinds, events_that_say_nothing_are_known_once_they_were_seen)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, (struct kind){KIND_NULL, KIND_ABSENT, "", true}, 1);
	kinds_learn(k, &chat, (struct kind){KIND_NULL, KIND_ABSENT, "", false}, 2);
	cr_expect(get(k, &chat, 3).silent);
	kinds_destroy(k);
}

Test(kinds, answers_that_contradict_are_not_trusted_for_an_hour)
{
	struct kinds *k = kinds_create();
	kinds_learn(k, &chat, (struct kind){KIND_NULL, KIND_ABSENT, ""}, SECOND);
	kinds_learn(k, &chat, (struct kind){KIND_ABSENT, KIND_ABSENT, ""}, 2 * SECOND);
	cr_expect_eq(get(k, &chat, HOUR).logprobs, KIND_MIXED);
	cr_expect_eq(get(k, &chat, HOUR).usage, KIND_ABSENT);
	cr_expect_eq(
	        get(k, &chat, SECOND).logprobs, KIND_MIXED, "a clock read before the lock was had");
	cr_expect_eq(get(k, &chat, 2 * SECOND + HOUR).logprobs, KIND_UNKNOWN);
	kinds_learn(k, &chat, (struct kind){KIND_ABSENT, KIND_ABSENT, "other"}, 2 * HOUR);
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
	kinds_refused(k, &chat, SECOND);
	kinds_get(k, &chat, HOUR, &refused);
	cr_expect(refused);
	kinds_get(k, &chat, SECOND + HOUR, &refused);
	cr_expect(!refused);
	kinds_destroy(k);
}

Test(kinds, are_bounded_and_forget_what_was_of_no_use_longest)
{
	struct kinds *k = kinds_create();
	struct kind null = {KIND_NULL, KIND_UNKNOWN, ""};
	kinds_learn(k, &chat, null, 1);
	for (int i = 0; i < 3 * KINDS_LIMIT; i++) {
		char *model = xasprintf("model-%d", i);
		kinds_learn(
		        k, &(struct kind_key){"prod", model, ENDPOINT_CHAT, false, false}, null, 2);
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
		kinds_learn(k, &key, (struct kind){KIND_ABSENT, KIND_NULL, ""}, (uint64_t)i);
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
