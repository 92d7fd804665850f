#include "answers/api/native.h"

#include "tests/unit/readings.h"

/* Peculiarities of native APIs. tests/golden has their plain forms. */

static struct reading *read_events(const char *body)
{
	return read_with((struct reading_hints){.endpoint = ENDPOINT_NATIVE_GENERATE,
	                         .status = 200,
	                         .framing = FRAMING_SSE},
	        body);
}

#define LINE(content, rest)                                                                        \
	"{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"" content "\"}," rest  \
	"}\n"

Test(native, ollama_says_itself_when_it_is_done)
{
	struct reading *r = read_lines(LINE("a", "\"done\":false") LINE("b", "\"done\":false"));
	cr_assert_eq(r->marks, READING_NO_DONE | READING_CUT);
	assert_text(&r->choices[0].text, "ab");
	reading_destroy(r);
	r = read_lines(LINE("a", "\"done\":false")
	                LINE("", "\"done\":true,\"done_reason\":\"length\",\"prompt_eval_count\":3,"
	                         "\"eval_count\":1"));
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->shape, SHAPE_OLLAMA);
	cr_assert_str_eq(r->choices[0].finish, "length");
	cr_assert(r->usage.prompt_tokens == 3 && r->usage.completion_tokens == 1);
	cr_assert_eq(r->usage.total_tokens, -1, "what was not said");
	reading_destroy(r);
}

Test(native, ollamas_error_in_a_line_keeps_what_came_before)
{
	struct reading *r = read_lines(LINE("a", "\"done\":false") "{\"error\":\"no\"}\n");
	cr_assert_eq(r->marks, READING_NO_DONE | READING_CUT | READING_ERROR_BODY);
	cr_assert_str_eq(r->error, "no");
	assert_text(&r->choices[0].text, "a");
	cr_assert_eq(r->n_events, 2);
	reading_destroy(r);
}

Test(native, first_content_of_lines_is_counted_in_bytes)
{
	static const char empty[] = LINE("", "\"done\":false");
	static const char full[] = LINE("a", "\"done\":false");
	struct buf b = {0};
	buf_printf(&b, "%s\n%s%s", empty, full, full);
	struct reading *r = read_lines(buf_cstr(&b));
	/* A blank line is skipped, but its bytes count. */
	cr_assert_eq(r->first_content_at, strlen(empty) + 1 + strlen(full));
	reading_destroy(r);
	buf_finish(&b);
}

#define TRIPLES(list) "\"output_token_logprobs\":[" list "]"
#define PART(text, ids, n, lps)                                                                    \
	"data: {\"text\":\"" text "\",\"output_ids\":[" ids "],\"meta_info\":{\"finish_reason\":"  \
	"null,\"completion_tokens\":" n "," TRIPLES(lps) "}}\n\n"

Test(native, sglang_events_hold_all_so_far_or_only_what_is_new)
{
	static const char *const streams[] = {
	        PART("a", "1", "1", "[-1,1,\"a\"]")
	                PART("aa", "1,2", "2", "[-1,1,\"a\"],[-2,2,\"a\"]")
	                        PART("aab", "1,2,3", "3", "[-1,1,\"a\"],[-2,2,\"a\"],[-3,3,\"b\"]"),
	        PART("a", "1", "1", "[-1,1,\"a\"]") PART("a", "2", "2", "[-2,2,\"a\"]")
	                PART("b", "3", "3", "[-3,3,\"b\"]"),
	};
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct reading *r = read_events(streams[i]);
		assert_text(&r->choices[0].text, "aab");
		cr_assert_eq(r->choices[0].columns.n, 3);
		cr_assert(r->choices[0].columns.ids[2] == 3 && r->choices[0].columns.lp[1] == -2);
		cr_assert_eq(r->marks, READING_NO_DONE | READING_CUT);
		reading_destroy(r);
	}
}

Test(native, sglang_texts_that_begin_alike_by_chance_are_told_apart_later)
{
	/* Each time new ones; then all so far, with ids that are new and logprobs that are all. */
	struct reading *r = read_events(PART("\\n", "1", "1", "[-1,1,\"\\n\"]") PART(
	        "\\n\\n", "2", "2", "[-2,2,\"\\n\\n\"]") PART("x", "3", "3", "[-3,3,\"x\"]"));
	assert_text(&r->choices[0].text, "\n\n\nx");
	cr_assert_eq(r->marks, READING_NO_DONE | READING_CUT);
	cr_assert_eq(r->choices[0].columns.n, 3);
	reading_destroy(r);
	r = read_events(PART("a", "1", "1", "") PART("ab", "2", "2", "")
	                PART("the first in sixteen", "3", "3", "") PART("c", "4", "4", ""));
	assert_text(&r->choices[0].text, "aabthe first in sixteenc");
	reading_destroy(r);
	r = read_events(
	        PART("a", "1", "1", "[-1,1,\"a\"]") PART("a", "2", "2", "[-1,1,\"a\"],[-2,2,\"\"]")
	                PART("ab", "3", "3", "[-1,1,\"a\"],[-2,2,\"\"],[-3,3,\"b\"]"));
	assert_text(&r->choices[0].text, "ab");
	cr_assert_eq(r->choices[0].columns.n, 3);
	cr_assert_eq(r->choices[0].columns.ids[2], 3);
	reading_destroy(r);
}

Test(native, sglangs_last_event_may_hold_all_again)
{
#define SAYS(text, finish)                                                                         \
	"data: {\"text\":\"" text "\",\"meta_info\":{\"finish_reason\":" finish "}}\n\n"
	struct reading *r = read_stream(SAYS("It is ", "null") SAYS("forty-two, as", "null")
	                SAYS("It is forty-two, as", "{\"type\":\"stop\"}"));
	assert_text(&r->choices[0].text, "It is forty-two, as");
	reading_destroy(r);
#undef SAYS
	r = read_body("{\"text\":\"x\",\"meta_info\":{\"finish_reason\":null}}");
	cr_assert(r->marks & READING_CUT);
	reading_destroy(r);
}

Test(native, sglang_events_of_all_so_far_may_take_text_back)
{
	/* The stop string, when it is complete. */
	struct reading *r = read_events(PART("sixteen bytes, or", "1", "1", "")
	                PART("sixteen bytes, or more. EN", "2", "2", "")
	                        PART("sixteen bytes, or more. ", "3", "3", ""));
	assert_text(&r->choices[0].text, "sixteen bytes, or more. EN");
	reading_destroy(r);
}

Test(native, a_batch_is_read_as_choices)
{
	struct reading *r =
	        read_body("[{\"text\":\"a\",\"meta_info\":{\"finish_reason\":{\"type\":"
	                  "\"stop\"}}},{\"text\":\"b\",\"meta_info\":{\"finish_reason\":"
	                  "{\"type\":\"length\",\"length\":1}}}]");
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->n_choices, 2);
	assert_text(&r->choices[1].text, "b");
	cr_assert_str_eq(r->choices[1].finish, "length");
	reading_destroy(r);
}

Test(native, malformed_triples_are_left_out)
{
	static const char *const odd[] = {
	        "[-1]", "[-1,\"1\",\"b\"]", "\"b\"", "{\"b\":-1}", "[-1,1,\"b\",2]", "null"};
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        "{\"text\":\"ab\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"}"
		        "," TRIPLES("[-1,1,\"a\"],%s") ",\"output_top_logprobs\":[[[-1,1,\"a\"],%s]"
		                                       ",null]}}",
		        odd[i], odd[i]);
		struct reading *r = read_body(buf_cstr(&b));
		cr_assert(r->marks & READING_MALFORMED_LOGPROBS, "%s", odd[i]);
		cr_assert_eq(r->choices[0].columns.n, 1, "%s", odd[i]);
		cr_assert_eq(r->choices[0].columns.top_end[0], 1, "%s", odd[i]);
		assert_text(&r->choices[0].text, "ab");
		reading_destroy(r);
		buf_finish(&b);
	}
	/* There are as many lists of alternatives as tokens, or none. */
	struct reading *r = read_body(
	        "{\"text\":\"ab\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"}," TRIPLES(
	                "[-1,1,\"a\"],[-1,2,\"b\"]") ",\"output_top_logprobs\":[[[-1,1,\"a\"]]]}}");
	cr_assert_eq(r->marks, READING_MALFORMED_LOGPROBS);
	cr_assert(r->choices[0].columns.n == 2 && r->choices[0].columns.top_end[1] == 0);
	reading_destroy(r);
}

Test(native, old_llamas_probabilities_become_logprobs)
{
	struct reading *r = read_body(
	        "{\"content\":\"ab\",\"stop\":true,\"stop_type\":\"eos\",\"completion_"
	        "probabilities\":["
	        "{\"content\":\"a\",\"probs\":[{\"tok_str\":\"x\",\"prob\":0.5},{\"tok_str\":\"a\","
	        "\"prob\":0.25}]},{\"content\":\"b\",\"probs\":[{\"tok_str\":\"b\",\"prob\":1},"
	        "{\"tok_str\":\"c\",\"prob\":0.0}]}]}");
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_NON_FINITE, "ln 0");
	cr_assert_float_eq(c->lp[0], logf(0.25F), 1e-6);
	cr_assert_float_eq(c->top_lp[0], logf(0.5F), 1e-6);
	cr_assert(c->lp[1] == 0 && isnan(c->top_lp[3]));
	cr_assert_str_eq(r->choices[0].finish, "stop");
	reading_destroy(r);
}

Test(native, probabilities_after_the_sampler_are_no_logprobs)
{
	struct reading *r = read_body(
	        "{\"content\":\"ab\",\"stop\":true,\"stop_type\":\"eos\",\"completion_"
	        "probabilities\":[{\"id\":7,\"token\":\"a\",\"prob\":0.5,\"top_probs\":[{\"id\":7,"
	        "\"token\":\"a\",\"prob\":0.5},{\"id\":8,\"token\":\"c\",\"prob\":0.0}]},"
	        "{\"id\":9,\"token\":\"b\",\"logprob\":-1,\"top_logprobs\":[]}]}");
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_SAMPLED_PROBS);
	cr_assert_eq(c->n, 2);
	cr_assert(isnan(c->lp[0]) && isnan(c->top_lp[0]) && isnan(c->top_lp[1]));
	cr_assert_eq(oddity(c, 0), TOKEN_MISSING);
	assert_token(c, 0, "a");
	cr_assert(c->ids[0] == 7 && c->top_ids[1] == 8 && c->top_end[0] == 2);
	cr_assert(c->lp[1] == -1 && oddity(c, 1) == 0);
	reading_destroy(r);
}

Test(native, a_chosen_token_that_old_llamas_list_lacks_has_no_logprob)
{
	struct reading *r =
	        read_body("{\"content\":\"a\",\"stop\":true,\"stopped_limit\":true,\"completion_"
	                  "probabilities\":["
	                  "{\"content\":\"a\",\"probs\":[{\"tok_str\":\"x\",\"prob\":0.5}]}]}");
	cr_assert(isnan(r->choices[0].columns.lp[0]));
	cr_assert_eq(oddity(&r->choices[0].columns, 0), TOKEN_MISSING | TOKEN_UNLISTED);
	cr_assert_str_eq(r->choices[0].finish, "length");
	reading_destroy(r);
}

Test(native, llamas_cache_counts_only_what_lies_in_the_prompt)
{
	struct reading *r = read_body("{\"content\":\"a\",\"stop\":true,\"stop_type\":\"limit\","
	                              "\"tokens_evaluated\":7,\"tokens_cached\":9}");
	cr_assert_eq(r->usage.cached_tokens, -1, "all that the slot holds");
	reading_destroy(r);
	r = read_body(
	        "{\"content\":\"a\",\"stop\":true,\"stop_type\":\"limit\",\"tokens_evaluated\":7,"
	        "\"tokens_cached\":9,\"timings\":{\"cache_n\":5}}");
	cr_assert_eq(r->usage.cached_tokens, 5);
	reading_destroy(r);
}

Test(native, llamas_old_error_line_is_an_error)
{
	struct reading *r = read_events("data: {\"content\":\"a\",\"stop\":false}\n\n"
	                                "error: {\"code\":500,\"message\":\"no\"}\n\n");
	cr_assert_str_eq(r->error, "no");
	assert_text(&r->choices[0].text, "a");
	cr_assert_eq(r->marks, READING_ERROR_BODY | READING_NO_DONE | READING_CUT);
	reading_destroy(r);
}

Test(native, tgis_special_tokens_are_no_text)
{
	struct reading *r = read_events(
	        "data: {\"token\":{\"id\":1,\"text\":\"a\",\"logprob\":-1,\"special\":false},"
	        "\"generated_text\":null,\"details\":null}\n\n"
	        "data: {\"token\":{\"id\":2,\"text\":\"</s>\",\"logprob\":null,\"special\":true},"
	        "\"generated_text\":\"a\",\"details\":{\"finish_reason\":\"eos_token\","
	        "\"generated_tokens\":2,\"input_length\":5}}\n\n");
	assert_text(&r->choices[0].text, "a");
	cr_assert_eq(r->marks, READING_NON_FINITE);
	cr_assert_eq(r->choices[0].columns.n, 2);
	cr_assert_str_eq(r->choices[0].finish, "eos_token");
	cr_assert(r->usage.prompt_tokens == 5 && r->usage.completion_tokens == 2);
	reading_destroy(r);
}

Test(native, tgis_sequences_that_were_not_the_best_are_further_choices)
{
	struct reading *r = read_body(
	        "{\"generated_text\":\"a\",\"details\":{\"finish_reason\":\"length\","
	        "\"generated_tokens\":1,\"tokens\":[{\"id\":1,\"text\":\"a\",\"logprob\":-1}],"
	        "\"best_of_sequences\":[{\"generated_text\":\"bb\",\"finish_reason\":\"eos_token\","
	        "\"generated_tokens\":2,\"tokens\":[{\"id\":2,\"text\":\"b\",\"logprob\":-2},"
	        "{\"id\":2,\"text\":\"b\",\"logprob\":-3}],\"top_tokens\":[[],[{\"id\":3,"
	        "\"text\":\"c\",\"logprob\":-2.5}]]},7,{\"generated_text\":null},"
	        "{\"generated_text\":\"c\",\"tokens\":\"none\"}]}}");
	cr_assert_eq(r->n_choices, 3);
	cr_assert_eq(r->usage.completion_tokens, 1, "as said");
	const struct choice *best = &r->choices[0], *other = &r->choices[1];
	assert_text(&best->text, "a");
	cr_assert_str_eq(best->finish, "length");
	cr_assert(best->columns.n == 1 && best->columns.lp[0] == -1);
	cr_assert_eq(other->index, 1);
	assert_text(&other->text, "bb");
	cr_assert_str_eq(other->finish, "eos_token");
	cr_assert(other->columns.n == 2 && other->columns.lp[1] == -3);
	cr_assert(other->columns.top_end[0] == 0 && other->columns.top_end[1] == 1);
	cr_assert_eq(r->choices[2].index, 4);
	assert_text(&r->choices[2].text, "c");
	cr_assert_not(r->choices[2].has_columns);
	reading_destroy(r);
}

Test(native, an_answer_that_changes_its_shape_is_read_by_what_it_is)
{
	/* A gateway that falls back to another engine. */
	struct reading *r =
	        read_stream(DELTA("\"content\":\"a\"") "data: "
	                                               "{\"response\":\"b\",\"done\":true,\"done_"
	                                               "reason\":\"stop\"}\n\n");
	assert_text(&r->choices[0].text, "ab");
	cr_assert_eq(r->shape, SHAPE_OLLAMA);
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(native, a_type_makes_no_answer_anthropics_that_has_choices_or_output)
{
	struct reading *r = read_body("{\"type\":\"message\",\"choices\":[{\"index\":0,"
	                              "\"message\":{\"content\":\"a\"},"
	                              "\"finish_reason\":\"stop\"}]}");
	cr_assert_eq(r->shape, SHAPE_OPENAI);
	cr_assert_eq(r->marks, 0);
	assert_text(&r->choices[0].text, "a");
	reading_destroy(r);
	r = read_body("{\"type\":\"message\",\"status\":\"completed\",\"output\":[{\"type\":"
	              "\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"b\"}]}]}");
	cr_assert_eq(r->shape, SHAPE_RESPONSES);
	assert_text(&r->choices[0].text, "b");
	reading_destroy(r);
}

Test(native, anthropics_answers_are_said_not_to_be_read)
{
	struct reading *r =
	        read_body("{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{"
	                  "\"type\":\"text\",\"text\":\"hi\"}],\"stop_reason\":\"end_turn\"}");
	cr_assert_eq(r->marks, READING_NOT_READ);
	cr_assert_eq(r->shape, SHAPE_ANTHROPIC);
	cr_assert_eq(r->n_choices, 0);
	reading_destroy(r);
	r = read_error_body("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
	                    "\"message\":\"no\"}}");
	cr_assert_str_eq(r->error, "no");
	reading_destroy(r);
}
