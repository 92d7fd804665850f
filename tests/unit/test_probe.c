#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backends/json_path.h"
#include "backends/probe/probing.h"
#include "base/mem.h"

#define CHAT_HEAD                                                                                  \
	"{\"id\":\"x\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"  \
	"\"message\":{\"role\":\"assistant\",\"content\":"

static struct arena texts;

static struct reply read_chat(const char *body)
{
	struct reading_hints hints = {
	        .endpoint = ENDPOINT_CHAT, .status = 200, .wants_logprobs = true};
	struct reader *r = reader_create(&hints);
	reader_feed(r, body, strlen(body));
	struct reply t = {.texts = &texts,
	        .request = "/v1/chat/completions {}",
	        .result = "200",
	        .reading = reader_end(r, true)};
	buf_append_str(&t.answer.body, body);
	return t;
}

static struct observations observe_body(const char *prompt, const char *body)
{
	struct observations s = {0};
	struct reply t = read_chat(body);
	observations_add(&s, span_of(prompt), &t);
	reply_finish(&t);
	return s;
}

/* A position: one token was chosen over another. */
static char *chosen_over(const char *chosen, double lp, const char *other, double other_lp)
{
	return xasprintf(CHAT_HEAD
	        "\"%s\"},\"logprobs\":{\"content\":[{\"token\":\"%s\","
	        "\"logprob\":%f,\"bytes\":null,\"top_logprobs\":[{\"token\":"
	        "\"%s\",\"logprob\":%f,\"bytes\":null},{\"token\":\"%s\","
	        "\"logprob\":%f,\"bytes\":null}]}]},\"finish_reason\":\"length\"}]}",
	        chosen, chosen, lp, other, other_lp, chosen, lp);
}

Test(probe, a_value_is_found_by_its_path_or_not_at_all)
{
	struct span json = SPAN("{\"choices\":[{\"a\":1},{\"message\":{\"b\":[5,6]}}]}");
	cr_expect(span_is(json_path_find(json, "choices.1.message.b.1"), "6"));
	cr_expect(span_is(json_path_find(json, "choices.0"), "{\"a\":1}"));
	cr_expect_eq(json_path_find(json, "choices.2").len, 0u);
	cr_expect_eq(json_path_find(json, "choices.0.a.b").len, 0u);
	cr_expect_eq(json_path_find(SPAN("{\"choices\":[{"), "choices.0.a").len, 0u);
	cr_expect_eq(json_path_find(SPAN("no json"), "a").len, 0u);
}

Test(probe, a_token_passed_over_that_occurred_before_is_told_from_one_that_did_not)
{
	char *body = chosen_over(" dog", -2, " cat", -0.5);
	struct observations s = observe_body("The cat sat", body);
	cr_expect_eq(s.not_top, 1u);
	cr_expect_eq(s.skipped_before, 1u);
	cr_expect_float_eq(s.skipped_most, 1.5, 1e-4);
	arena_finish(&texts);
	s = observe_body("Nothing of it", body);
	cr_expect_eq(s.not_top, 1u);
	cr_expect_eq(s.skipped_before, 0u);
	cr_expect_not_null(s.other_example);
	arena_finish(&texts);
	free(body);
}

Test(probe, a_tie_within_rounding_is_no_sign)
{
	char *body = chosen_over(" dog", -0.70, " cat", -0.695);
	struct observations s = observe_body("The cat sat", body);
	cr_expect_eq(s.tokens, 1u);
	cr_expect_eq(s.not_top, 0u);
	arena_finish(&texts);
	free(body);
}

Test(probe, a_token_that_is_not_in_the_text_is_misnamed)
{
	const char *body =
	        CHAT_HEAD "\" France\"},\"logprobs\":{\"content\":[{\"token\":\" Paris\","
	                  "\"logprob\":-1.5,\"bytes\":null,\"top_logprobs\":[{\"token\":"
	                  "\" Paris\",\"logprob\":-1.5,\"bytes\":null},{\"token\":\" France\","
	                  "\"logprob\":-1.4,\"bytes\":null}]}]},\"finish_reason\":\"length\"}]}";
	struct observations s = observe_body("x", body);
	cr_expect_eq(s.misnamed, 1u);
	cr_expect_eq(s.not_top, 0u, "it counts once");
	cr_assert_not_null(s.misnamed_example);
	cr_expect_not_null(strstr(s.misnamed_example, "France"));
	arena_finish(&texts);
}

Test(probe, a_logprob_that_contradicts_its_own_list_is_counted)
{
	const char *body =
	        CHAT_HEAD "\" a\"},\"logprobs\":{\"content\":[{\"token\":\" a\","
	                  "\"logprob\":-3,\"bytes\":[32,97],\"top_logprobs\":[{\"token\":"
	                  "\" a\",\"logprob\":-0.1,\"bytes\":[32,97]}]}]},"
	                  "\"finish_reason\":\"length\"}]}";
	struct observations s = observe_body("x", body);
	cr_expect_eq(s.inconsistent, 1u);
	cr_expect(s.bytes);
	cr_expect_not(s.pieces);
	arena_finish(&texts);
}

Test(probe, an_answer_without_logprobs_shows_nothing)
{
	struct observations s =
	        observe_body("x", CHAT_HEAD "\" a\"},\"finish_reason\":\"length\"}]}");
	cr_expect_eq(s.answers, 0u);
	arena_finish(&texts);
}

Test(probe, every_standing_and_severity_has_a_name_of_its_own)
{
	for (int a = STANDING_UNKNOWN; a <= STANDING_ABSENT; a++) {
		cr_assert_not_null(standing_name((enum standing)a));
		for (int b = STANDING_UNKNOWN; b < a; b++) {
			cr_expect_str_neq(
			        standing_name((enum standing)a), standing_name((enum standing)b));
		}
	}
	cr_expect_str_eq(severity_name(SEVERITY_FAULT), "fault");
}
