#include "analyzer/decoding.h"

#include <criterion/criterion.h>

static struct request_facts facts(const char *body)
{
	struct request_facts f;
	request_read(ENDPOINT_CHAT, span_of(body), &f);
	cr_assert(f.is_json, "%s", body);
	return f;
}

static enum decoding of(const char *base, const char *test)
{
	struct request_facts a = facts(base), b = facts(test);
	cr_assert_eq(decoding_of_pair(&a, &b), decoding_of_pair(&b, &a));
	return decoding_of_pair(&a, &b);
}

Test(decoding, temperature_zero_or_one_candidate_is_greedy)
{
	cr_assert_eq(of("{\"temperature\":0}", "{\"temperature\":0}"), DECODING_GREEDY);
	cr_assert_eq(of("{\"temperature\":0.0}", "{\"temperature\":0}"), DECODING_GREEDY);
	cr_assert_eq(of("{\"temperature\":1,\"top_k\":1}", "{\"temperature\":0}"), DECODING_GREEDY);
}

Test(decoding, what_only_shapes_sampling_does_not_matter_when_greedy)
{
	cr_assert_eq(
	        of("{\"temperature\":0,\"top_p\":0.9}", "{\"temperature\":0}"), DECODING_GREEDY);
}

Test(decoding, penalties_and_limits_matter_when_greedy)
{
	cr_assert_eq(of("{\"temperature\":0,\"repetition_penalty\":1.1}", "{\"temperature\":0}"),
	        DECODING_UNLIKE);
	cr_assert_eq(of("{\"temperature\":0,\"frequency_penalty\":0.5}",
	                     "{\"temperature\":0,\"frequency_penalty\":0.5}"),
	        DECODING_GREEDY);
	cr_assert_eq(
	        of("{\"temperature\":0,\"max_tokens\":5}", "{\"temperature\":0}"), DECODING_UNLIKE);
}

Test(decoding, an_unset_temperature_is_unknown)
{
	cr_assert_eq(of("{}", "{}"), DECODING_UNKNOWN);
	cr_assert_eq(of("{\"temperature\":null}", "{}"), DECODING_UNKNOWN);
	cr_assert_eq(of("{\"top_p\":0.5}", "{\"top_p\":0.5}"), DECODING_UNKNOWN);
}

Test(decoding, like_parameters_are_sampled_and_others_unlike)
{
	cr_assert_eq(of("{\"temperature\":0.7}", "{\"temperature\":0.7}"), DECODING_SAMPLED);
	cr_assert_eq(of("{\"temperature\":0.7}", "{\"temperature\":0.8}"), DECODING_UNLIKE);
	cr_assert_eq(of("{\"temperature\":0.7}", "{\"temperature\":0}"), DECODING_UNLIKE);
	cr_assert_eq(of("{\"temperature\":0}", "{}"), DECODING_UNLIKE);
	cr_assert_eq(of("{\"temperature\":1}", "{}"), DECODING_UNLIKE);
	cr_assert_eq(
	        of("{\"temperature\":1,\"top_p\":0.9}", "{\"temperature\":1}"), DECODING_UNLIKE);
}

Test(decoding, what_was_not_understood_is_unknown)
{
	struct request_facts f = facts("{\"temperature\":0}"), none = {.is_json = false};
	cr_assert_eq(decoding_of_pair(&f, &none), DECODING_UNKNOWN);
}

Test(decoding, only_edits_that_touch_decoding_need_the_body)
{
	struct leg_row leg = {0};
	cr_assert_not(decoding_may_differ(&leg));
	struct edit e = {.at = 1, .inserted = SPAN("\"logprobs\":true,\"top_logprobs\":5,")};
	leg.edits = &e;
	leg.n_edits = 1;
	cr_assert_not(decoding_may_differ(&leg));
	e.inserted = SPAN("\"temperature\":0,");
	cr_assert(decoding_may_differ(&leg));
	e.inserted = SPAN("\"presence_penalty\":0,");
	cr_assert(decoding_may_differ(&leg));
	e = (struct edit){.at = 1, .removed = 10};
	cr_assert(decoding_may_differ(&leg));
}
