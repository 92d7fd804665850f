#include "proxy/sampler.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define SECOND UINT64_C(1000000000)

static struct id id_of(uint64_t n)
{
	struct id id = {0};
	memcpy(id.bytes, &n, sizeof(n));
	return id;
}

static const struct span NO_BODY = {0};

Test(sampler, a_smaller_share_is_within_a_larger_one)
{
	const struct sample s = {.share = 1};
	int small = 0, large = 0;
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t key = sampler_key(&s, id_of(i), NULL, NO_BODY, NULL);
		bool in_small = sampler_within(0.2, key), in_large = sampler_within(0.5, key);
		cr_assert(!in_small || in_large);
		small += in_small;
		large += in_large;
		cr_assert(sampler_within(1, key));
		cr_assert_not(sampler_within(0, key));
	}
	/* Five standard deviations of the binomial distribution. */
	cr_assert(abs(small - 4000) < 283, "%d", small);
	cr_assert(abs(large - 10000) < 354, "%d", large);
}

Test(sampler, the_largest_hash_is_within_everything_and_never_beyond)
{
	cr_assert(sampler_within(1, UINT64_MAX));
	cr_assert_not(sampler_within(0.999999, UINT64_MAX));
	cr_assert_not(sampler_within(0, 0));
}

Test(sampler, all_turns_of_a_session_go_together)
{
	const struct sample s = {.share = 1};
	struct request_hashes first = {.prompt = {1}, .session = {9}};
	struct request_hashes second = {.prompt = {2}, .parent = {1}, .session = {9}};
	struct request_hashes other = {.prompt = {3}, .session = {8}};
	uint64_t a = sampler_key(&s, id_of(1), NULL, NO_BODY, &first);
	cr_assert_eq(a, sampler_key(&s, id_of(2), NULL, NO_BODY, &second));
	cr_assert_neq(a, sampler_key(&s, id_of(3), NULL, NO_BODY, &other));
}

Test(sampler, the_first_configured_key_that_is_present_names_the_session)
{
	struct sample s = {.share = 1, .n_keys = 2};
	s.keys[0] = (struct session_key){.name = (char *)"x-session-id"};
	s.keys[1] = (struct session_key){.body = true, .name = (char *)"user"};
	struct http_field field = {SPAN("X-Session-Id"), SPAN("abc")};
	struct http_head with = {.fields = &field, .n_fields = 1}, without = {0};
	struct span body = SPAN("{\"user\":\"abc\"}"), escaped = SPAN("{\"user\":\"\\u0061bc\"}");
	uint64_t by_header = sampler_key(&s, id_of(1), &with, body, NULL);
	cr_assert_eq(by_header, sampler_key(&s, id_of(2), &with, NO_BODY, NULL));
	uint64_t by_body = sampler_key(&s, id_of(3), &without, body, NULL);
	cr_assert_eq(by_body, sampler_key(&s, id_of(4), &without, escaped, NULL));
	uint64_t by_id = sampler_key(&s, id_of(5), &without, SPAN("{\"user\":null}"), NULL);
	cr_assert_neq(by_body, by_id);
	cr_assert_neq(by_id, sampler_key(&s, id_of(6), &without, SPAN("not json"), NULL));
}

/* The key of a session that the body names: that many letters, the last ones spelt as said. */
static uint64_t named(const struct sample *s, size_t letters, const char *end)
{
	struct buf body = {0};
	buf_append_str(&body, "{\"user\":\"");
	for (size_t i = 0; i < letters; i++) {
		buf_append_char(&body, 'a');
	}
	buf_append_str(&body, end);
	buf_append_str(&body, "\"}");
	uint64_t key = sampler_key(s, id_of(1), NULL, buf_span(&body), NULL);
	buf_finish(&body);
	return key;
}

Test(sampler, a_name_is_its_text_up_to_the_limit_and_its_spelling_beyond)
{
	struct sample s = {.share = 1, .n_keys = 1};
	s.keys[0] = (struct session_key){.body = true, .name = (char *)"user"};
	const char *spelt = "\\u0061";
	size_t most = SAMPLER_NAME_LIMIT - strlen(spelt);
	cr_assert_eq(named(&s, most, spelt), named(&s, most, "a"));
	cr_assert_neq(named(&s, most + 1, spelt), named(&s, most + 1, "a"));
	cr_assert_eq(named(&s, most + 1, spelt), named(&s, most + 1, spelt));
}

Test(sampler, another_salt_gives_another_sample)
{
	const struct sample a = {.share = 1, .salt = (char *)"a"};
	const struct sample b = {.share = 1, .salt = (char *)"b"};
	cr_assert_neq(sampler_key(&a, id_of(1), NULL, NO_BODY, NULL),
	        sampler_key(&b, id_of(1), NULL, NO_BODY, NULL));
}

Test(sampler, max_rate_lets_a_second_of_burst_through_and_then_its_rate)
{
	const struct sample s = {.share = 1, .max_rate = 5};
	struct sampler *sampler = sampler_create();
	int taken = 0;
	for (int i = 0; i < 100; i++) {
		taken += sampler_decide(sampler, &s, 0, SECOND) == SAMPLED;
	}
	cr_assert_eq(taken, 5);
	cr_assert_eq(sampler_decide(sampler, &s, 0, SECOND), SAMPLED_OUT_RATE);
	cr_assert_eq(sampler_decide(sampler, &s, 0, SECOND + SECOND / 5), SAMPLED);
	/* Time that goes back, and a long pause, give nothing extra. */
	cr_assert_eq(sampler_decide(sampler, &s, 0, SECOND), SAMPLED_OUT_RATE);
	taken = 0;
	for (int i = 0; i < 100; i++) {
		taken += sampler_decide(sampler, &s, 0, 1000 * SECOND) == SAMPLED;
	}
	cr_assert_eq(taken, 5);
	sampler_destroy(sampler);
}

Test(sampler, a_rate_below_one_a_second_still_samples)
{
	const struct sample s = {.share = 1, .max_rate = 0.5};
	struct sampler *sampler = sampler_create();
	int taken = 0;
	for (uint64_t t = 0; t < 100; t++) {
		taken += sampler_decide(sampler, &s, 0, t * SECOND) == SAMPLED;
	}
	cr_assert_eq(taken, 50);
	sampler_destroy(sampler);
}

Test(sampler, another_rate_holds_from_the_next_decision_on_and_gives_no_second_burst)
{
	const struct sample slow = {.share = 1, .max_rate = 5}, fast = {.share = 1, .max_rate = 50};
	struct sampler *sampler = sampler_create();
	int taken = 0;
	for (int i = 0; i < 100; i++) {
		taken += sampler_decide(sampler, &slow, 0, SECOND) == SAMPLED;
	}
	for (int i = 0; i < 100; i++) {
		taken += sampler_decide(sampler, &fast, 0, SECOND) == SAMPLED;
	}
	cr_assert_eq(taken, 5);
	for (int i = 0; i < 100; i++) {
		taken += sampler_decide(sampler, &fast, 0, SECOND + SECOND / 5) == SAMPLED;
	}
	cr_assert_eq(taken, 15);
	sampler_destroy(sampler);
}

Test(sampler, what_the_share_leaves_out_uses_no_rate)
{
	const struct sample s = {.share = 0.5, .max_rate = 1};
	struct sampler *sampler = sampler_create();
	cr_assert_eq(sampler_decide(sampler, &s, UINT64_MAX, SECOND), SAMPLED_OUT_SHARE);
	cr_assert_eq(sampler_decide(sampler, &s, 0, SECOND), SAMPLED);
	sampler_destroy(sampler);
}

struct taking {
	const struct sample *sample;
	struct sampler *sampler;
	int taken;
};

static void *take(void *arg)
{
	struct taking *t = arg;
	for (int i = 0; i < 1000; i++) {
		t->taken += sampler_decide(t->sampler, t->sample, 0, SECOND) == SAMPLED;
	}
	return NULL;
}

Test(sampler, the_rate_is_one_for_all_threads)
{
	const struct sample s = {.share = 1, .max_rate = 50};
	struct taking t[4] = {0};
	pthread_t threads[4];
	struct sampler *sampler = sampler_create();
	for (int i = 0; i < 4; i++) {
		t[i].sample = &s;
		t[i].sampler = sampler;
		cr_assert_eq(pthread_create(&threads[i], NULL, take, &t[i]), 0);
	}
	int taken = 0;
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		taken += t[i].taken;
	}
	cr_assert_eq(taken, 50);
	sampler_destroy(sampler);
}
