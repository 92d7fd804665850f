#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/align.h"
#include "backends/injection/inject.h"
#include "base/mem.h"

/* Returns the body for the engine; the caller frees it. */
static char *aligned(
        const struct align_plan *plan, enum endpoint endpoint, const char *body, bool *ret_dropped)
{
	struct request_facts facts;
	struct align_members members;
	struct edits edits = {0};
	struct buf out = {0};
	request_read(endpoint, span_of(body), &facts);
	cr_assert(align_request(plan, endpoint, &facts, span_of(body), &members), "%s", body);
	cr_assert(rewrite_request(span_of(body), members.items, members.n, &edits));
	edits_apply(edits.items, edits.n, span_of(body), &out);
	edits_finish(&edits);
	if (ret_dropped) {
		*ret_dropped = members.dropped;
	}
	align_members_finish(&members);
	return buf_steal(&out);
}

static struct align_plan plan_for(const char *to, enum align align)
{
	return (struct align_plan){
	        .align = align, .from = &dialect_generic, .to = dialect_find(to)};
}

static void expect_same_json(const char *got, const char *expected, const char *whose)
{
	json_t *a = json_loads(got, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
	json_t *b = json_loads(expected, JSON_DECODE_INT_AS_REAL, NULL);
	cr_assert(a && b, "%s: %s / %s", whose, got, expected);
	cr_expect(json_equal(a, b), "%s:\n     got %s\nexpected %s", whose, got, expected);
	json_decref(a);
	json_decref(b);
}

static void expect_aligned(const struct align_plan *plan, enum endpoint endpoint, const char *body,
        const char *expected, bool expect_dropped)
{
	bool dropped;
	char *got = aligned(plan, endpoint, body, &dropped);
	expect_same_json(got, expected, plan->to->name);
	cr_expect_eq(dropped, expect_dropped, "%s: %s", plan->to->name, body);
	free(got);
}

/* Each row switches every setting off and has nothing that the engine refuses. */
Test(align, greedy_sends_what_each_engine_is_neutral_with)
{
	static const struct {
		const char *to, *members;
	} rows[] = {
	        {"openai", "\"temperature\":0,\"top_p\":1,\"presence_penalty\":0,"
	                   "\"frequency_penalty\":0,\"n\":1"},
	        {"vllm", "\"temperature\":0,\"top_p\":1,\"top_k\":0,\"min_p\":0,"
	                 "\"repetition_penalty\":1,\"presence_penalty\":0,"
	                 "\"frequency_penalty\":0,\"n\":1,\"min_tokens\":0"},
	        {"sglang", "\"temperature\":0,\"top_p\":1,\"top_k\":-1,\"min_p\":0,"
	                   "\"repetition_penalty\":1,\"presence_penalty\":0,"
	                   "\"frequency_penalty\":0"},
	        {"llama.cpp",
	                "\"temperature\":0,\"top_k\":0,\"top_p\":1,\"min_p\":0,\"typical_p\":1,"
	                "\"top_n_sigma\":-1,\"repeat_penalty\":1,\"repeat_last_n\":0,"
	                "\"presence_penalty\":0,\"frequency_penalty\":0,\"dry_multiplier\":0,"
	                "\"xtc_probability\":0,\"mirostat\":0,\"dynatemp_range\":0,"
	                "\"adaptive_target\":-1,\"cache_prompt\":false"},
	        {"ollama", "\"temperature\":0,\"top_p\":1,\"presence_penalty\":0,"
	                   "\"frequency_penalty\":0,\"seed\":0"},
	        {"lmdeploy", "\"temperature\":1,\"top_k\":1,\"top_p\":1,\"repetition_penalty\":1,"
	                     "\"repetition_ngram_size\":0,\"min_p\":0"},
	        {"tgi", "\"temperature\":0,\"frequency_penalty\":0"},
	        {"tensorrt-llm", "\"temperature\":0,\"top_p\":1,\"min_p\":0,"
	                         "\"repetition_penalty\":1,\"presence_penalty\":0,"
	                         "\"frequency_penalty\":0"},
	        {"transformers", "\"temperature\":0,\"frequency_penalty\":0"},
	        {"llama-cpp-python", "\"temperature\":0,\"repeat_penalty\":1.0,"
	                             "\"presence_penalty\":0,\"frequency_penalty\":0,\"min_p\":0,"
	                             "\"top_p\":1,\"mirostat_mode\":0"},
	        {"mlx-lm", "\"temperature\":0,\"repetition_penalty\":0.0,\"presence_penalty\":0,"
	                   "\"frequency_penalty\":0"},
	        {"vllm-mlx", "\"temperature\":0,\"top_p\":1,\"top_k\":0,\"min_p\":0,"
	                     "\"repetition_penalty\":1,\"presence_penalty\":0"},
	        {"lm-studio", "\"temperature\":0,\"top_p\":1,\"top_k\":0,\"repeat_penalty\":1,"
	                      "\"presence_penalty\":0,\"frequency_penalty\":0"},
	};
	static const struct {
		enum endpoint endpoint;
		const char *prompt;
	} forms[] = {{ENDPOINT_CHAT, "\"messages\":[]"}, {ENDPOINT_COMPLETION, "\"prompt\":\"x\""}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct align_plan plan = plan_for(rows[i].to, ALIGN_GREEDY);
		for (size_t f = 0; f < ARRAY_LEN(forms); f++) {
			char *body = xasprintf("{\"model\":\"m\",%s}", forms[f].prompt);
			char *expected = xasprintf(
			        "{\"model\":\"m\",%s,%s}", forms[f].prompt, rows[i].members);
			expect_aligned(&plan, forms[f].endpoint, body, expected, false);
			free(body);
			free(expected);
		}
	}
}

Test(align, greedy_wins_over_what_the_client_set)
{
	struct align_plan tgi = plan_for("tgi", ALIGN_GREEDY);
	expect_aligned(&tgi, ENDPOINT_CHAT,
	        "{\"top_p\":0.9,\"top_k\":5,\"typical_p\":0.5,\"presence_penalty\":1,"
	        "\"temperature\":0.7,\"stop\":[\"x\"]}",
	        "{\"temperature\":0,\"stop\":[\"x\"],\"frequency_penalty\":0}", false);
	struct align_plan mlx = plan_for("mlx-lm", ALIGN_GREEDY);
	expect_aligned(&mlx, ENDPOINT_CHAT, "{\"xtc_probability\":0.5,\"temperature\":1}",
	        "{\"temperature\":0,\"repetition_penalty\":0.0,\"presence_penalty\":0,"
	        "\"frequency_penalty\":0}",
	        false);
}

Test(align, a_penalty_of_mlx_lm_is_written_with_a_point)
{
	struct align_plan plan = plan_for("mlx-lm", ALIGN_GREEDY);
	char *got = aligned(&plan, ENDPOINT_CHAT, "{}", NULL);
	cr_expect(strstr(got, "\"repetition_penalty\":0.0") != NULL, "%s", got);
	cr_expect_null(strstr(got, "xtc_probability"));
	free(got);
}

Test(align, strict_engines_get_nothing_that_they_refuse)
{
	static const char request[] =
	        "{\"model\":\"m\",\"messages\":[],\"max_completion_tokens\":9,\"stream\":true,"
	        "\"stream_options\":{\"include_usage\":true},\"user\":\"u\",\"n\":1,"
	        "\"temperature\":null,\"logprobs\":true,\"top_logprobs\":3,\"seed\":1,"
	        "\"presence_penalty\":0,\"top_k\":0}";
	struct align_plan plan = plan_for("transformers", ALIGN_NONE);
	expect_aligned(&plan, ENDPOINT_CHAT, request,
	        "{\"model\":\"m\",\"messages\":[],\"max_tokens\":9,\"stream\":true,\"seed\":1}",
	        false);
	plan = plan_for("tensorrt-llm", ALIGN_NONE);
	expect_aligned(&plan, ENDPOINT_CHAT, request,
	        "{\"model\":\"m\",\"messages\":[],\"max_tokens\":9,\"stream\":true,"
	        "\"stream_options\":{\"include_usage\":true},\"user\":\"u\",\"n\":1,"
	        "\"logprobs\":true,\"top_logprobs\":3,\"seed\":1,\"presence_penalty\":0,"
	        "\"top_k\":0}",
	        false);
	plan = plan_for("openai", ALIGN_NONE);
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"model\":\"gpt-4o\",\"top_k\":0,\"min_p\":0.1}",
	        "{\"model\":\"gpt-4o\"}", true);
}

Test(align, what_is_lost_is_reported_and_what_changes_nothing_is_not)
{
	static const struct {
		const char *to, *body, *expected;
		bool dropped;
	} cases[] = {
	        {"transformers", "{\"response_format\":{\"type\":\"json_object\"}}", "{}", true},
	        {"transformers", "{\"n\":2}", "{}", true},
	        {"transformers", "{\"presence_penalty\":0.5}", "{}", true},
	        {"transformers", "{\"n\":1,\"user\":\"u\",\"presence_penalty\":0}", "{}", false},
	        {"tensorrt-llm", "{\"store\":false,\"metadata\":{},\"service_tier\":\"auto\"}",
	                "{}", false},
	        {"tensorrt-llm", "{\"xtc_probability\":0.5}", "{}", true},
	        {"transformers", "{\"echo\":false,\"ignore_eos\":false,\"logprobs\":false}", "{}",
	                false},
	        {"openai", "{\"model\":\"m\",\"use_beam_search\":false}", "{\"model\":\"m\"}",
	                false},
	        {"openai", "{\"model\":\"m\",\"add_special_tokens\":false}", "{\"model\":\"m\"}",
	                true},
	        {"openai", "{\"model\":\"m\",\"enable_thinking\":false}", "{\"model\":\"m\"}",
	                true},
	        {"openai", "{\"model\":\"m\",\"skip_special_tokens\":false}", "{\"model\":\"m\"}",
	                true},
	        {"openai", "{\"model\":\"m\",\"add_generation_prompt\":false}", "{\"model\":\"m\"}",
	                true},
	        {"transformers", "{\"parallel_tool_calls\":false}", "{}", true},
	        {"tensorrt-llm", "{\"max_tokens\":3,\"max_completion_tokens\":4}",
	                "{\"max_tokens\":4}", false},
	        {"tensorrt-llm", "{\"n\":null}", "{}", false},
	        {"tgi", "{\"top_p\":1}", "{}", false},
	        {"tgi", "{\"top_p\":0.9}", "{\"top_p\":0.9}", false},
	        {"tgi", "{\"presence_penalty\":0}", "{}", false},
	        {"tgi", "{\"presence_penalty\":0.5}", "{}", true},
	        {"sglang", "{\"top_k\":0}", "{\"top_k\":-1}", false},
	        {"sglang", "{\"top_k\":7}", "{\"top_k\":7}", false},
	        {"lmdeploy", "{\"top_k\":-1}", "{\"top_k\":0}", false},
	        {"llama.cpp", "{\"repeat_last_n\":-1}", "{}", true},
	        {"mlx-lm", "{\"temperature\":null,\"seed\":null,\"xtc_probability\":0}", "{}",
	                false},
	        {"llama-cpp-python", "{\"top_p\":null,\"max_completion_tokens\":5}",
	                "{\"max_tokens\":5}", false},
	        {"ollama", "{\"max_completion_tokens\":5}", "{\"max_tokens\":5}", false},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct align_plan plan = plan_for(cases[i].to, ALIGN_NONE);
		expect_aligned(
		        &plan, ENDPOINT_CHAT, cases[i].body, cases[i].expected, cases[i].dropped);
	}
}

Test(align, an_unknown_engine_gets_every_byte_as_it_came)
{
	static const char body[] = "{ \"top_k\" : 0, \"n\":null, \"what\": [1, 2], \"top_p\": 1 }";
	struct align_plan plan = plan_for("generic", ALIGN_NONE);
	plan.from = dialect_find("vllm");
	char *got = aligned(&plan, ENDPOINT_CHAT, body, NULL);
	cr_expect_str_eq(got, body);
	free(got);
	plan = plan_for("transformers", ALIGN_GREEDY);
	got = aligned(&plan, ENDPOINT_EMBEDDING, body, NULL);
	cr_expect_str_eq(got, body);
	free(got);
}

Test(align, reasoning_models_take_neither_sampling_nor_max_tokens)
{
	struct align_plan plan = plan_for("openai", ALIGN_GREEDY);
	expect_aligned(&plan, ENDPOINT_CHAT,
	        "{\"model\":\"o3\",\"temperature\":0.5,\"max_tokens\":7,\"logprobs\":true}",
	        "{\"model\":\"o3\",\"max_completion_tokens\":7,\"n\":1}", true);
	plan.model = "o3-mini";
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"model\":\"mine\",\"temperature\":1}",
	        "{\"model\":\"mine\",\"n\":1}", false);
}

Test(align, a_penalty_keeps_its_meaning_under_the_other_engines_name)
{
	struct align_plan plan = plan_for("llama.cpp", ALIGN_NONE);
	plan.from = dialect_find("vllm");
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"repetition_penalty\":1.2}",
	        "{\"repeat_penalty\":1.2}", false);
	plan.to = dialect_find("vllm");
	plan.from = dialect_find("llama-cpp-python");
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"repeat_penalty\":1.2}",
	        "{\"repetition_penalty\":1.2}", false);
}

/* Also under a name that no dialect has today. */
Test(align, a_penalty_has_the_name_of_the_engine_that_gets_it)
{
	struct dialect from = *dialect_find("vllm"), to = *dialect_find("vllm");
	struct align_plan plan = {.align = ALIGN_NONE, .from = &from, .to = &to};
	for (size_t i = 0; i < N_PENALTY_NAMES * N_PENALTY_NAMES; i++) {
		from.repetition_name = PENALTY_NAMES[i / N_PENALTY_NAMES];
		to.repetition_name = PENALTY_NAMES[i % N_PENALTY_NAMES];
		char *body = xasprintf("{\"%s\":1.2}", from.repetition_name);
		char *expected = xasprintf("{\"%s\":1.2}", to.repetition_name);
		expect_aligned(&plan, ENDPOINT_CHAT, body, expected, false);
		free(body);
		free(expected);
	}
}

Test(align, a_neutral_penalty_is_dropped_without_loss_under_each_name)
{
	struct align_plan plan = plan_for("openai", ALIGN_NONE);
	for (const char *const *name = PENALTY_NAMES; *name; name++) {
		char *body = xasprintf("{\"%s\":1}", *name);
		expect_aligned(&plan, ENDPOINT_CHAT, body, "{}", false);
		free(body);
		body = xasprintf("{\"%s\":1.1}", *name);
		expect_aligned(&plan, ENDPOINT_CHAT, body, "{}", true);
		free(body);
	}
}

/* vLLM does not know repeat_penalty: there it penalises nothing. */
Test(align, a_penalty_that_the_primary_ignores_is_not_put_in_force)
{
	struct align_plan plan = plan_for("llama.cpp", ALIGN_NONE);
	plan.from = dialect_find("vllm");
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"repeat_penalty\":1.2}", "{}", false);
	plan.to = plan.from;
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"repeat_penalty\":1.2}", "{}", false);
}

/* llama.cpp ignores repetition_penalty: the other name's value is the one in force there. */
Test(align, of_both_penalties_the_one_that_the_primary_heeds_is_kept)
{
	static const char *const bodies[] = {
	        "{\"repetition_penalty\":1.3,\"repeat_penalty\":1.1}",
	        "{\"repeat_penalty\":1.1,\"repetition_penalty\":1.3}",
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct align_plan plan = plan_for("vllm", ALIGN_NONE);
		plan.from = dialect_find("llama.cpp");
		expect_aligned(
		        &plan, ENDPOINT_CHAT, bodies[i], "{\"repetition_penalty\":1.1}", false);
		plan.to = plan.from;
		plan.from = dialect_find("vllm");
		expect_aligned(&plan, ENDPOINT_CHAT, bodies[i], "{\"repeat_penalty\":1.3}", false);
	}
}

/* An engine that knows both heeds max_completion_tokens, and so do the facts. */
Test(align, of_both_lengths_the_newer_name_wins)
{
	static const char *const bodies[] = {
	        "{\"max_completion_tokens\":5,\"max_tokens\":7}",
	        "{\"max_tokens\":7,\"max_completion_tokens\":5}",
	        "{\"max_tokens\":null,\"max_completion_tokens\":5}",
	};
	struct align_plan plan = plan_for("ollama", ALIGN_NONE);
	plan.from = dialect_find("openai");
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		expect_aligned(&plan, ENDPOINT_CHAT, bodies[i], "{\"max_tokens\":5}", false);
	}
	plan.to = dialect_find("openai");
	expect_aligned(&plan, ENDPOINT_CHAT,
	        "{\"model\":\"o3\",\"max_completion_tokens\":5,\"max_tokens\":7}",
	        "{\"model\":\"o3\",\"max_completion_tokens\":5}", false);
}

/* Python's writers leave NaN in documents and its readers take it: so do we. */
Test(align, what_engines_read_is_aligned)
{
	struct align_plan plan = plan_for("ollama", ALIGN_GREEDY);
	char *got = aligned(
	        &plan, ENDPOINT_CHAT, "{\"x\":NaN,\"y\":[-Infinity],\"temperature\":1}", NULL);
	cr_expect_not_null(strstr(got, "\"temperature\":0"), "%s", got);
	cr_expect_not_null(strstr(got, "{\"x\":NaN,\"y\":[-Infinity],"), "%s", got);
	free(got);
}

Test(align, same_writes_the_primarys_defaults_into_what_was_left_unset)
{
	struct align_plan plan = plan_for("vllm", ALIGN_SAME);
	plan.from = dialect_find("llama-cpp-python");
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"temperature\":0.3}",
	        "{\"temperature\":0.3,\"top_p\":0.95,\"top_k\":40,\"min_p\":0.05,"
	        "\"repetition_penalty\":1.1,\"presence_penalty\":0,\"frequency_penalty\":0}",
	        false);
	plan = plan_for("sglang", ALIGN_SAME);
	plan.from = dialect_find("mlx-lm");
	expect_aligned(&plan, ENDPOINT_CHAT, "{}",
	        "{\"temperature\":0,\"top_p\":1,\"top_k\":-1,\"min_p\":0,\"repetition_penalty\":1,"
	        "\"presence_penalty\":0,\"frequency_penalty\":0,\"max_tokens\":512}",
	        false);
	plan = plan_for("mlx-lm", ALIGN_SAME);
	plan.from = dialect_find("llama.cpp");
	expect_aligned(&plan, ENDPOINT_COMPLETION, "{\"max_tokens\":5}",
	        "{\"max_tokens\":5,\"temperature\":0.8,\"top_p\":0.95,\"top_k\":40,"
	        "\"min_p\":0.05,\"repetition_penalty\":0,\"presence_penalty\":0,"
	        "\"frequency_penalty\":0}",
	        false);
}

Test(align, same_says_nothing_that_the_engine_can_not_be_told)
{
	struct align_plan plan = plan_for("tgi", ALIGN_SAME);
	plan.from = dialect_find("openai");
	expect_aligned(
	        &plan, ENDPOINT_CHAT, "{}", "{\"temperature\":1,\"frequency_penalty\":0}", false);
	plan = plan_for("vllm", ALIGN_SAME);
	expect_aligned(&plan, ENDPOINT_CHAT, "{}", "{}", false);
	plan.from = dialect_find("openai");
	expect_aligned(&plan, ENDPOINT_COMPLETION, "{}",
	        "{\"temperature\":1,\"top_p\":1,\"top_k\":0,\"min_p\":0,\"repetition_penalty\":1,"
	        "\"presence_penalty\":0,\"frequency_penalty\":0}",
	        false);
}

Test(align, same_prefers_what_the_manifest_tells)
{
	struct sampling told = {0.6, 0.9, 20, NAN, 1.05, NAN, NAN};
	struct align_plan plan = plan_for("llama.cpp", ALIGN_SAME);
	plan.from = dialect_find("vllm");
	plan.from_defaults = &told;
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"top_k\":1}",
	        "{\"top_k\":1,\"temperature\":0.6,\"top_p\":0.9,\"repeat_penalty\":1.05,"
	        "\"presence_penalty\":0,\"frequency_penalty\":0}",
	        false);
}

Test(align, same_gives_both_the_same_length)
{
	struct align_plan plan = plan_for("plumbline", ALIGN_SAME);
	plan.from = dialect_find("transformers");
	expect_aligned(&plan, ENDPOINT_COMPLETION, "{\"temperature\":0}",
	        "{\"temperature\":0,\"repetition_penalty\":1,\"presence_penalty\":0,"
	        "\"frequency_penalty\":0}",
	        false);
	plan.from = dialect_find("vllm");
	expect_aligned(&plan, ENDPOINT_COMPLETION, "{\"temperature\":0}",
	        "{\"temperature\":0,\"repetition_penalty\":1,\"presence_penalty\":0,"
	        "\"frequency_penalty\":0,\"max_tokens\":16}",
	        false);
}

Test(align, logprobs_that_the_client_asked_for_are_asked_for_in_the_engines_words)
{
	static const struct {
		const char *to;
		enum endpoint endpoint;
		const char *body, *expected;
	} cases[] = {
	        {"mlx-lm", ENDPOINT_COMPLETION, "{\"logprobs\":5}",
	                "{\"logprobs\":true,\"top_logprobs\":5}"},
	        {"mlx-lm", ENDPOINT_CHAT, "{\"logprobs\":true,\"top_logprobs\":20}",
	                "{\"logprobs\":true,\"top_logprobs\":11}"},
	        {"tgi", ENDPOINT_CHAT, "{\"logprobs\":true,\"top_logprobs\":20}",
	                "{\"logprobs\":true,\"top_logprobs\":5}"},
	        {"openai", ENDPOINT_COMPLETION, "{\"logprobs\":20}", "{\"logprobs\":5}"},
	        {"llama.cpp", ENDPOINT_CHAT,
	                "{\"stream\":true,\"tools\":[{}],\"logprobs\":true,\"top_logprobs\":4}",
	                "{\"stream\":true,\"tools\":[{}],\"n_probs\":4}"},
	        {"ollama", ENDPOINT_CHAT, "{\"tools\":[{}],\"logprobs\":true}", "{\"tools\":[{}]}"},
	        {"vllm-mlx", ENDPOINT_CHAT, "{\"logprobs\":true,\"top_logprobs\":4}", "{}"},
	        {"vllm", ENDPOINT_CHAT, "{\"logprobs\":true,\"top_logprobs\":4}",
	                "{\"logprobs\":true,\"top_logprobs\":4}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct align_plan plan = plan_for(cases[i].to, ALIGN_NONE);
		expect_aligned(&plan, cases[i].endpoint, cases[i].body, cases[i].expected, false);
	}
}

Test(align, thinking_is_switched_in_the_engines_words)
{
	struct align_plan plan = plan_for("vllm", ALIGN_NONE);
	plan.thinking = THINKING_OFF;
	expect_aligned(&plan, ENDPOINT_CHAT, "{}",
	        "{\"chat_template_kwargs\":{\"enable_thinking\":false}}", false);
	expect_aligned(&plan, ENDPOINT_CHAT,
	        "{\"chat_template_kwargs\":{\"enable_thinking\":true,\"a\":[1]}}",
	        "{\"chat_template_kwargs\":{\"a\":[1],\"enable_thinking\":false}}", false);
	expect_aligned(&plan, ENDPOINT_COMPLETION, "{}", "{}", false);
	plan.to = dialect_find("ollama");
	plan.thinking = THINKING_ON;
	expect_aligned(&plan, ENDPOINT_CHAT, "{\"reasoning_effort\":\"none\"}",
	        "{\"reasoning_effort\":\"medium\"}", false);
	cr_expect_null(align_unable(&plan));
	plan.to = dialect_find("tgi");
	expect_aligned(&plan, ENDPOINT_CHAT, "{}", "{}", false);
	cr_expect_not_null(align_unable(&plan));
}

Test(align, both_things_that_an_engine_cannot_be_asked_are_told)
{
	struct sampling told = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	struct align_plan plan = plan_for("tgi", ALIGN_SAME);
	plan.from = &dialect_generic;
	plan.from_defaults = &told;
	cr_expect(strstr(align_unable(&plan), "defaults of the primary's engine"));
	cr_expect_not(strstr(align_unable(&plan), "thinking"));
	plan.thinking = THINKING_OFF;
	cr_expect(strstr(align_unable(&plan), "defaults of the primary's engine"));
	cr_expect(strstr(align_unable(&plan), "thinking"));
	told.top_p = 0.9;
	cr_expect_not(strstr(align_unable(&plan), "defaults of the primary's engine"));
	plan.thinking = THINKING_AS_ASKED;
	cr_expect_null(align_unable(&plan));
}

Test(align, of_duplicates_the_last_counts)
{
	struct align_plan plan = plan_for("tgi", ALIGN_NONE);
	bool dropped;
	char *got = aligned(&plan, ENDPOINT_CHAT, "{\"top_p\":0.5,\"top_p\":1}", &dropped);
	cr_expect_str_eq(got, "{}");
	free(got);
	got = aligned(&plan, ENDPOINT_CHAT, "{\"top_p\":1,\"top_p\":0.5}", &dropped);
	cr_expect_str_eq(got, "{\"top_p\":1,\"top_p\":0.5}");
	free(got);
}

Test(align, what_is_no_request_is_left_alone)
{
	struct align_plan plan = plan_for("transformers", ALIGN_GREEDY);
	struct request_facts facts;
	struct align_members members;
	struct buf many = {0};
	buf_append_char(&many, '{');
	for (int i = 0; i <= ALIGN_MEMBERS_MAX; i++) {
		buf_printf(&many, "%s\"m%d\":0", i ? "," : "", i);
	}
	buf_append_char(&many, '}');
	const char *bodies[] = {"", "[]", "{", "{\"a\":}", "{} {}", buf_cstr(&many)};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		request_read(ENDPOINT_CHAT, span_of(bodies[i]), &facts);
		cr_expect(
		        !align_request(&plan, ENDPOINT_CHAT, &facts, span_of(bodies[i]), &members));
		cr_expect(members.n == 0 && !members.items);
	}
	buf_finish(&many);
}

/* For every request the result is JSON with only members that the engine accepts. */
Test(align, any_plan_makes_a_request_that_is_allowed)
{
	static const char *const members[] = {"\"temperature\":0.5", "\"temperature\":null",
	        "\"top_p\":1", "\"top_k\":0", "\"top_k\":-1", "\"repeat_penalty\":1.1",
	        "\"repetition_penalty\":1.3", "\"presence_penalty\":0", "\"max_tokens\":4",
	        "\"max_completion_tokens\":5", "\"stream\":true", "\"tools\":[{}]",
	        "\"logprobs\":true", "\"top_logprobs\":25", "\"logprobs\":3",
	        "\"chat_template_kwargs\":{\"b\":1}", "\"unheard_of\":{\"c\":[]}",
	        "\"\\u0073eed\":1", "\"seed\":2"};
	size_t n;
	const struct dialect *const *all = dialects(&n);
	unsigned state = 7;
	for (int round = 0; round < 4000; round++) {
		struct buf body = {0};
		buf_append_char(&body, '{');
		for (size_t i = 0; i < ARRAY_LEN(members); i++) {
			state = state * 1103515245 + 12345;
			if ((state >> 16) % 3 == 0) {
				buf_append(&body, ",", body.len > 1);
				buf_append_str(&body, members[i]);
			}
		}
		buf_append_char(&body, '}');
		state = state * 1103515245 + 12345;
		struct align_plan plan = {
		        .align = (enum align)((state >> 16) % N_ALIGNS),
		        .thinking = (enum thinking)((state >> 18) % 3),
		        .from = all[(state >> 20) % n],
		        .to = all[(unsigned)round % n],
		};
		enum endpoint endpoint = round & 32 ? ENDPOINT_CHAT : ENDPOINT_COMPLETION;
		const char *const *allowed = endpoint == ENDPOINT_CHAT
		                                     ? plan.to->allowed_chat
		                                     : plan.to->allowed_completion;
		char *got = aligned(&plan, endpoint, buf_cstr(&body), NULL);
		json_t *json = json_loads(got, 0, NULL);
		cr_assert(json != NULL, "%s: %s", plan.to->name, got);
		const char *key;
		json_t *value;
		json_object_foreach(json, key, value) {
			bool taken = !allowed;
			for (const char *const *a = allowed; a && *a; a++) {
				taken = taken || strcmp(*a, key) == 0;
			}
			cr_assert(taken, "%s does not take %s", plan.to->name, key);
			cr_assert(!plan.to->refuses_null || !json_is_null(value), "%s: %s",
			        plan.to->name, got);
		}
		json_decref(json);
		free(got);
		buf_finish(&body);
	}
}

/* What the primary ignored is its default, and that is what the copy must have. */
Test(align, same_writes_the_default_of_a_penalty_that_the_primary_ignored)
{
	struct align_plan plan = plan_for("llama-cpp-python", ALIGN_SAME);
	plan.from = dialect_find("vllm");
	char *got = aligned(&plan, ENDPOINT_CHAT, "{\"repeat_penalty\":1.2}", NULL);
	cr_expect_not_null(strstr(got, "\"repeat_penalty\":1"), "%s", got);
	cr_expect_null(strstr(got, "\"repeat_penalty\":1.2"), "%s", got);
	free(got);
}

Test(align, names_are_read_back)
{
	enum align a;
	for (enum align each = 0; each < N_ALIGNS; each++) {
		cr_expect(align_parse(align_name(each), &a) && a == each);
	}
	cr_expect(!align_parse("", &a));
	enum thinking t;
	for (enum thinking each = 0; each < N_THINKINGS; each++) {
		cr_expect(thinking_parse(THINKING_NAMES[each], &t) && t == each);
	}
	cr_expect(!thinking_parse("yes", &t));
}
