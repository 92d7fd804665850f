#include "backends/injection/kind.h"

#include <criterion/criterion.h>

#include "base/mem.h"

static const struct request_facts nothing_asked;

#define PLAIN "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n"
#define WITH_NULL "data: {\"choices\":[{\"logprobs\":null,\"finish_reason\":\"stop\"}]}\n\n"
#define HALF "data: {\"choices\":[{\"i\":0,\"finish_reason\":null}]}\n\n"
#define OTHER "data: {\"choices\":[{\"index\":1,\"finish_reason\":null}]}\n\n"
#define OTHER_ENDS "data: {\"choices\":[{\"index\":1,\"finish_reason\":\"stop\"}]}\n\n"

Test(kind, is_learned_from_whole_plain_answers)
{
	static const struct {
		const char *body;
		enum kind_member logprobs, usage;
	} cases[] = {
	        {WITH_NULL WITH_NULL, KIND_NULL, KIND_ABSENT},
	        {PLAIN PLAIN "data: [DONE]\n\n", KIND_ABSENT, KIND_ABSENT},
	        {"data: {\"choices\":[{\"i\":0}],\"usage\":null}\n\n"
	         "data: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":null}\n\n",
	                KIND_ABSENT, KIND_NULL},
	        {"data: {\"choices\":[{\"i\":0},{\"logprobs\":null}]}\n\n" PLAIN, KIND_MIXED,
	                KIND_ABSENT},
	        {PLAIN WITH_NULL, KIND_MIXED, KIND_ABSENT},
	        {PLAIN "data: {\"choices\":[{\"logprobs\":{}}]}\n\n", KIND_MIXED, KIND_ABSENT},
	        /* no JSON apart from what would be cut out */
	        {PLAIN "data: {\"choices\":[{\"logprobs\":{\"\xeb\":[]}}]}\n\n", KIND_MIXED,
	                KIND_ABSENT},
	        /* transformers: usage on the last event, without a request for it; others: an event
	         * of its own */
	        {PLAIN "data: {\"choices\":[{}],\"usage\":{}}\n\n", KIND_ABSENT, KIND_MIXED},
	        {PLAIN PLAIN "data: {\"choices\":[],\"usage\":{}}\n\n", KIND_ABSENT, KIND_MIXED},
	        {PLAIN PLAIN "data: {\"choices\":[]}\n\n", KIND_ABSENT, KIND_ABSENT},
	        /* also without choices: the cut does not search that far */
	        {PLAIN PLAIN "data: {\"usage\":{}}\n\n", KIND_ABSENT, KIND_MIXED},
	        /* One event can't show what is only in the last one. */
	        {PLAIN, KIND_ABSENT, KIND_UNKNOWN},
	        /* What would come at the end of a broken stream is unknown. */
	        {HALF HALF, KIND_ABSENT, KIND_UNKNOWN},
	        {PLAIN OTHER "data: {\"error\":{\"code\":500}}\n\n", KIND_ABSENT, KIND_UNKNOWN},
	        {PLAIN OTHER, KIND_ABSENT, KIND_UNKNOWN},
	        {PLAIN PLAIN "data: {\"error\":{\"code\":500}}\n\n", KIND_ABSENT, KIND_UNKNOWN},
	        {PLAIN OTHER OTHER_ENDS "data: {\"error\":null}\n\n", KIND_ABSENT, KIND_ABSENT},
	        {OTHER OTHER_ENDS PLAIN, KIND_ABSENT, KIND_ABSENT},
	        {HALF HALF "data: {\"error\":{\"code\":500}}\n\ndata: [DONE]\n\n", KIND_ABSENT,
	                KIND_UNKNOWN},
	        /* there twice: the cut removes each of them */
	        {"data: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":null}\n\n"
	         "data: {\"choices\":[{}],\"usage\":[],\"usage\":null}\n\n",
	                KIND_ABSENT, KIND_MIXED},
	        {"data: "
	         "{\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":null,\"usage\":null}\n\n"
	         "data: {\"choices\":[{}],\"usage\":null}\n\n",
	                KIND_ABSENT, KIND_NULL},
	        {WITH_NULL "data: {\"choices\":[{\"logprobs\":{},\"logprobs\":null}]}\n\n",
	                KIND_MIXED, KIND_ABSENT},
	        {"data: {\"error\":{}}\n\n", KIND_UNKNOWN, KIND_UNKNOWN},
	        {"data: {\"choices\":[]}\n\n", KIND_UNKNOWN, KIND_UNKNOWN},
	        {"data: {\"choices\":[{\"logprobs\":null}]\n\n", KIND_UNKNOWN, KIND_UNKNOWN},
	        {"{\"error\":{}}", KIND_UNKNOWN, KIND_UNKNOWN},
	        {"", KIND_UNKNOWN, KIND_UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct kind kind =
		        kind_of_answer(span_of(cases[i].body), true, &nothing_asked, NULL);
		cr_expect_eq(kind.logprobs, cases[i].logprobs, "%s", cases[i].body);
		cr_expect_eq(kind.usage, cases[i].usage, "%s", cases[i].body);
		cr_expect_str_eq(kind.tail, "", "%s", cases[i].body);
	}
	struct kind kind = kind_of_answer(SPAN("{\"choices\":[{\"logprobs\":null}],\"usage\":{}}"),
	        false, &nothing_asked, NULL);
	cr_expect_eq(kind.logprobs, KIND_NULL);
	cr_expect_eq(kind.usage, KIND_UNKNOWN);
}

Test(kind, what_was_asked_for_teaches_nothing)
{
	struct span body = SPAN(WITH_NULL WITH_NULL);
	struct request_facts request = {.has_logprobs = true, .has_stream_options = true};
	struct kind kind = kind_of_answer(body, true, &request, NULL);
	cr_expect_eq(kind.logprobs, KIND_UNKNOWN);
	cr_expect_eq(kind.usage, KIND_UNKNOWN);
	kind = kind_of_answer(
	        body, true, &nothing_asked, &(struct injection){.logprobs = true, .top = 5});
	cr_expect_eq(kind.logprobs, KIND_UNKNOWN);
	cr_expect_eq(kind.usage, KIND_ABSENT);
}

Test(kind, notes_members_with_a_value_outside_of_the_choices)
{
	static const struct {
		const char *body;
		bool elsewhere;
	} cases[] = {
	        {"{\"choices\":[{\"i\":0}],\"logprobs\":false}", true},
	        {"{\"choices\":[{\"i\":0}],\"params\":{\"top_logprobs\":0}}", true},
	        {"{\"choices\":[{\"delta\":{\"token_ids\":[1]}}]}", true},
	        {"{\"choices\":[{\"logprobs\":null}],\"logprobs\":null}", false},
	        {"{\"choices\":[{\"text\":\"\\\"logprobs\\\":1\"}]}", false},
	        {"{\"choices\":[{\"i\":0,\"token\":{\"logprob\\u0073\": 1}}]}", true},
	        {"{\"choices\":[{\"i\":0}],\"prompt_logprobs\":[1]}", false},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span body = span_of(cases[i].body);
		struct request_facts request = {.has_logprobs = true, .has_token_ids = true};
		uint64_t elsewhere = kind_of_answer(body, false, &nothing_asked, NULL).elsewhere;
		cr_expect_eq(elsewhere != 0, cases[i].elsewhere, "%s", cases[i].body);
		cr_expect_not(
		        kind_of_answer(body, false, &request, NULL).elsewhere, "%s", cases[i].body);
	}
}

Test(kind, token_ids_are_null_or_absent_wherever_they_stand)
{
	static const struct {
		const char *body;
		enum kind_member ids;
	} cases[] = {
	        {PLAIN PLAIN, KIND_ABSENT},
	        {"data: {\"choices\":[{\"d\":1}],\"prompt_token_ids\":null}\n\n" PLAIN, KIND_NULL},
	        {PLAIN "data: {\"choices\":[{\"token_ids\":null}]}\n\n", KIND_NULL},
	        {"data: {\"choices\":[{\"token_ids\":null}]}\n\n"
	         "data: {\"choices\":[{\"token_ids\":[1]}]}\n\n",
	                KIND_MIXED},
	        {"data: {\"error\":{}}\n\n", KIND_UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span body = span_of(cases[i].body);
		struct kind kind = kind_of_answer(body, true, &nothing_asked, NULL);
		cr_expect_eq(kind.token_ids, cases[i].ids, "%s", cases[i].body);
		struct request_facts request = {.has_token_ids = true};
		cr_expect_eq(kind_of_answer(body, true, &request, NULL).token_ids, KIND_UNKNOWN);
	}
}

#define BEGIN "data: {\"choices\":[{\"text\":\"a\"}]}\n\n"
#define LAST(more) "data: {\"choices\":[{\"i\":0,\"finish_reason\":\"stop\"}]" more "}\n\n"

Test(kind, sees_the_member_that_only_the_last_event_has)
{
	static const struct {
		const char *body, *tail;
		enum kind_member usage;
	} cases[] = {
	        {BEGIN BEGIN LAST(",\"timings\":{\"a\":1}"), "timings", KIND_ABSENT},
	        {BEGIN LAST(",\"a\":1"), "a", KIND_ABSENT},
	        {"data: {\"choices\":[],\"filter\":1}\n\n" PLAIN LAST(""), "", KIND_ABSENT},
	        /* it could become the usage event */
	        {PLAIN LAST("") "data: {\"id\":\"a\",\"choices\":[],\"stats\":1}\n\n", "",
	                KIND_MIXED},
	        {PLAIN LAST(",\"a\":1,\"b\":1"), "", KIND_MIXED},
	        /* not last in its event, not at the end of a choice, or not only there: it cannot
	         * be restored */
	        {PLAIN "data: {\"a\":1,\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n", "",
	                KIND_MIXED},
	        {PLAIN "data: {\"choices\":[{}],\"a\":1}\n\n", "", KIND_MIXED},
	        {LAST(",\"a\":1") PLAIN LAST(",\"a\":1"), "", KIND_MIXED},
	        /* an event after it: the usage event would not be the next one */
	        {"data: {\"choices\":[{\"text\":\"a\"}]}\n\n" LAST(
	                 ",\"a\":1") "data: "
	                             "{\"choices\":[],\"filter\":null}\n\n",
	                "", KIND_MIXED},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct kind kind =
		        kind_of_answer(span_of(cases[i].body), true, &nothing_asked, NULL);
		cr_expect_eq(kind.usage, cases[i].usage, "%s", cases[i].body);
		cr_expect_str_eq(kind.tail, cases[i].tail, "%s", cases[i].body);
	}
}

Test(kind, sees_events_after_the_end_of_all_choices)
{
	static const struct {
		const char *body;
		bool late;
	} cases[] = {
	        {BEGIN LAST("") "data: [DONE]\n\n", false},
	        {BEGIN LAST("") "data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n", true},
	        {BEGIN LAST("") "data: {\"choices\":[]}\n\n", true},
	        {BEGIN LAST("") "data: {\"usage\":\n\n", true},
	        {BEGIN LAST("") "data:  [DONE] \n\n", false},
	        {BEGIN "data: {\"choices\":[{\"index\":1}]}\n\n" LAST(""), false},
	};
	struct request_facts request = {.has_stream_options = true};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span body = span_of(cases[i].body);
		cr_expect_eq(kind_of_answer(body, true, &nothing_asked, NULL).late, cases[i].late,
		        "%s", cases[i].body);
		cr_expect_not(kind_of_answer(body, true, &request, NULL).late, "usage may be late");
	}
}

Test(kind, various_values_outside_of_the_choices_cannot_be_restored)
{
	static const char one[] = "data: {\"choices\":[{\"i\":0}],\"top_logprobs\":1}\n\n";
	static const char two[] = "data: {\"choices\":[{\"i\":0}],\"top_logprobs\":2}\n\n";
	char *body = xasprintf("%s%s%s", one, PLAIN, one);
	cr_expect_eq(
	        kind_of_answer(span_of(body), true, &nothing_asked, NULL).logprobs, KIND_ABSENT);
	free(body);
	body = xasprintf("%s%s", one, two);
	cr_expect_eq(
	        kind_of_answer(span_of(body), true, &nothing_asked, NULL).logprobs, KIND_MIXED);
	free(body);
}

Test(kind, sees_events_that_say_nothing_unasked)
{
	static const struct {
		const char *body;
		bool silent;
	} cases[] = {
	        {PLAIN "data: "
	               "{\"choices\":[{\"index\":0,\"text\":null,\"finish_reason\":null}]}\n\n",
	                true},
	        {PLAIN "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":null}}]}\n\n",
	                true},
	        /* Events with an empty text stay in any case. */
	        {PLAIN "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n",
	                false},
	        {PLAIN LAST(""), false},
	        /* A role says something at the beginning of a choice only. */
	        {"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n" PLAIN, false},
	        {PLAIN "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n", true},
	        {PLAIN "data: {\"choices\":[{\"index\":1,\"delta\":{\"role\":\"a\"}}]}\n\n", false},
	        {PLAIN "data: {\"choices\":[]}\n\n", false},
	        {PLAIN "data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"a\":1}}\n\n", false},
	};
	struct request_facts request = {.has_logprobs = true};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span body = span_of(cases[i].body);
		cr_expect_eq(kind_of_answer(body, true, &nothing_asked, NULL).silent,
		        cases[i].silent, "%s", cases[i].body);
		cr_expect(!kind_of_answer(body, true, &request, NULL).silent, "%s", cases[i].body);
	}
}
