#include "analyzer/rows/draws_request.h"

#include <criterion/criterion.h>
#include <math.h>

#include "analyzer/compare/tokens/request_words.h"
#include "analyzer/rows/draws_rows.h"

static enum draws_exclusion read_request(const char *body)
{
	return draws_request_read(span_of(body));
}

Test(draws_request, what_binds_an_answer_excludes_it)
{
	cr_expect_eq(read_request("{}"), DRAWS_COUNTS);
	cr_expect_eq(read_request("{\"response_format\":{\"type\":\"text\"}}"), DRAWS_COUNTS);
	cr_expect_eq(read_request("{\"response_format\":{\"type\":\"json_object\"}}"),
	        DRAWS_RESPONSE_FORMAT);
	cr_expect_eq(read_request("{\"tool_choice\":\"auto\"}"), DRAWS_COUNTS);
	cr_expect_eq(read_request("{\"tool_choice\":\"required\"}"), DRAWS_TOOLS);
	cr_expect_eq(read_request("{\"tool_choice\":{\"type\":\"function\"}}"), DRAWS_TOOLS);
	cr_expect_eq(read_request("{\"logit_bias\":{}}"), DRAWS_COUNTS);
	cr_expect_eq(read_request("{\"logit_bias\":{\"5\":1}}"), DRAWS_LOGIT_BIAS);
	cr_expect_eq(read_request("{\"min_tokens\":0}"), DRAWS_COUNTS);
	cr_expect_eq(read_request("{\"min_tokens\":4}"), DRAWS_MIN_TOKENS);
	cr_expect_eq(read_request("{\"use_beam_search\":true}"), DRAWS_BEAMS);
	cr_expect_eq(read_request("{\"options\":{\"mirostat\":2}}"), DRAWS_OTHER_SAMPLER);
	cr_expect_eq(read_request("{\"messages\":[{\"content\":\"min_tokens\"}]}"), DRAWS_COUNTS);
	cr_expect_eq(read_request("no JSON with min_tokens"), DRAWS_COUNTS);
}

Test(request_words, tokens_are_whole_words_of_its_texts)
{
	struct request_words w = {0};
	request_words_read(&w, span_of("{\"messages\":[{\"content\":\"The old\\nriver, 12!\"}]}"));
	cr_expect(request_words_have(&w, span_of(" river")));
	cr_expect(request_words_have(&w, span_of("river")));
	cr_expect(request_words_have(&w, span_of("12")));
	cr_expect(request_words_have(&w, span_of(",")));
	cr_expect(!request_words_have(&w, span_of(" riv")));
	cr_expect(!request_words_have(&w, span_of("content")));
	cr_expect(!request_words_have(&w, span_of(" ")));
	request_words_finish(&w);
}

Test(draws_memory, a_seed_counts_once_and_equal_answers_are_expected_as_they_are_likely)
{
	struct draws_memory m = {0};
	struct draws_before b;
	const struct draws_memory_answer one = {.text = 1, .seed = 5, .chance = -1};
	const struct draws_memory_answer two = {.text = 2, .seed = 7, .chance = -2};
	const struct draws_memory_answer again = {.text = 1, .seed = 9, .chance = -1};
	draws_memory_add(&m, 42, &one, &b);
	cr_expect(!b.same_seed && b.pairs == 0 && !b.identical);
	draws_memory_add(&m, 42, &one, &b);
	cr_expect(b.same_seed && b.pairs == 0);
	draws_memory_add(&m, 42, &two, &b);
	cr_expect(!b.same_seed && b.pairs == 1 && !b.identical);
	cr_expect_float_eq(b.expected, exp(-1), 1e-12);
	draws_memory_add(&m, 42, &again, &b);
	cr_expect(b.pairs == 2 && b.identical);
	cr_expect_float_eq(b.expected, exp(-1) + exp(-2), 1e-12);
	draws_memory_add(&m, 43, &again, &b);
	cr_expect(b.pairs == 0 && !b.identical);
	draws_memory_finish(&m);
}
