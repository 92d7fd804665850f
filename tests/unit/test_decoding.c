#include "analyzer/compare/decoding.h"
#include "analyzer/rows/row_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/fold/decoding_differences.h"

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
	e.inserted = SPAN("\"rep_pen\":1.2,");
	cr_assert(decoding_may_differ(&leg));
	e = (struct edit){.at = 1, .removed = 10};
	cr_assert(decoding_may_differ(&leg));
}

/* A request to an engine of that dialect, the engine's defaults, and the finish of the answer. */
struct said {
	const char *dialect, *body, *finish;
	const struct sampling *told;
	bool dropped;
	enum endpoint endpoint;
};

static enum decoding judged(
        const struct said *base, const struct said *test, struct decoding_reason *ret)
{
	const struct said *sides[] = {base, test};
	struct decoding_side side[2];
	struct request_facts f[2];
	for (size_t i = 0; i < 2; i++) {
		f[i] = facts(sides[i]->body);
		side[i] = (struct decoding_side){
		        .facts = &f[i],
		        .endpoint = sides[i]->endpoint ? sides[i]->endpoint : ENDPOINT_CHAT,
		        .dialect = dialect_find(sides[i]->dialect),
		        .stated = sides[i]->told,
		        .finish = sides[i]->finish,
		        .dropped = sides[i]->dropped,
		};
		cr_assert_not_null(side[i].dialect);
	}
	struct decoding_reason turned;
	enum decoding d = decoding_judge(&side[0], &side[1], ret);
	cr_assert_eq(decoding_judge(&side[1], &side[0], &turned), d);
	cr_assert_eq(turned.what, ret->what);
	return d;
}

static void expect_judged(
        struct said base, struct said test, enum decoding expected, const char *expected_reason)
{
	struct decoding_reason reason;
	enum decoding d = judged(&base, &test, &reason);
	char *text = decoding_reason_text(&reason);
	cr_expect_eq(d, expected, "%s and %s: %s, %s", base.dialect, test.dialect, decoding_name(d),
	        text);
	cr_expect_str_eq(text, expected_reason);
	free(text);
	const struct row row = {.type = PAIR_ROW, .pair = {.unlike = reason}};
	struct buf line = {0};
	row_put_json(&line, &row); /* every reason can be written */
	buf_finish(&line);
}

#define GREEDY_BODY "{\"temperature\":0,\"max_tokens\":9}"

Test(decoding, a_known_hidden_penalty_makes_greedy_answers_unlike)
{
	expect_judged((struct said){"vllm", GREEDY_BODY},
	        (struct said){"llama-cpp-python", GREEDY_BODY}, DECODING_UNLIKE,
	        "repetition_penalty 1 by default against 1.1 by default");
	expect_judged((struct said){"vllm", GREEDY_BODY},
	        (struct said){"llama-cpp-python",
	                "{\"temperature\":0,\"max_tokens\":9,\"repeat_penalty\":1.0}"},
	        DECODING_GREEDY, "");
	expect_judged((struct said){"llama-cpp-python", GREEDY_BODY},
	        (struct said){"llama-cpp-python", GREEDY_BODY}, DECODING_GREEDY, "");
	struct sampling told = {NAN, NAN, NAN, NAN, 1.1, NAN, NAN};
	expect_judged((struct said){"ollama", GREEDY_BODY, NULL, &told},
	        (struct said){"vllm", GREEDY_BODY}, DECODING_UNLIKE,
	        "repetition_penalty 1.1 by default against 1 by default");
}

/* llama.cpp knows repeat_penalty alone: the other name changes nothing there. */
Test(decoding, a_penalty_under_a_name_that_the_engine_ignores_is_not_in_force)
{
	static const char asked[] =
	        "{\"temperature\":0,\"max_tokens\":9,\"repetition_penalty\":1.3}";
	expect_judged((struct said){"llama.cpp", asked}, (struct said){"vllm", GREEDY_BODY},
	        DECODING_GREEDY, "");
	expect_judged((struct said){"llama.cpp", asked}, (struct said){"vllm", asked},
	        DECODING_UNLIKE, "repetition_penalty 1 by default against 1.3 as asked");
}

Test(decoding, an_unknown_default_is_not_held_against_anyone)
{
	expect_judged((struct said){"generic", GREEDY_BODY},
	        (struct said){"llama-cpp-python", GREEDY_BODY}, DECODING_GREEDY, "");
	expect_judged((struct said){"plumbline", GREEDY_BODY}, (struct said){"vllm", GREEDY_BODY},
	        DECODING_GREEDY, "");
	expect_judged((struct said){"plumbline", GREEDY_BODY},
	        (struct said){"plumbline",
	                "{\"temperature\":0,\"max_tokens\":9,\"repetition_penalty\":1,"
	                "\"presence_penalty\":0}"},
	        DECODING_GREEDY, "");
	expect_judged((struct said){"plumbline", GREEDY_BODY},
	        (struct said){"plumbline",
	                "{\"temperature\":0,\"max_tokens\":9,\"repetition_penalty\":1.2}"},
	        DECODING_UNLIKE, "repetition_penalty an unknown default against 1.2 as asked");
}

Test(decoding, unset_temperatures_are_judged_by_the_engines_defaults)
{
	static const char unset[] = "{\"max_tokens\":9}";
	expect_judged((struct said){"llama.cpp", unset}, (struct said){"openai", unset},
	        DECODING_UNLIKE, "temperature 0.8 by default against 1 by default");
	expect_judged((struct said){"openai", unset}, (struct said){"openai", unset},
	        DECODING_SAMPLED, "");
	expect_judged((struct said){"mlx-lm", unset}, (struct said){"mlx-lm", unset},
	        DECODING_GREEDY, "");
	expect_judged((struct said){"mlx-lm", unset},
	        (struct said){"vllm", "{\"temperature\":0,\"max_tokens\":9}"}, DECODING_GREEDY, "");
	expect_judged(
	        (struct said){"vllm", unset}, (struct said){"vllm", unset}, DECODING_UNKNOWN, "");
	expect_judged(
	        (struct said){"vllm", unset}, (struct said){"mlx-lm", unset}, DECODING_UNKNOWN, "");
	struct sampling told = {0.6, 0.9, 20, 0, NAN, NAN, NAN};
	expect_judged((struct said){"vllm", unset, NULL, &told},
	        (struct said){"vllm", unset, NULL, &told}, DECODING_SAMPLED, "");
}

Test(decoding, an_engines_own_limit_counts_where_it_cut_the_answer)
{
	struct said ends = {"vllm", "{\"temperature\":0}", "stop", .endpoint = ENDPOINT_COMPLETION};
	struct said cut = {
	        "vllm", "{\"temperature\":0}", "length", .endpoint = ENDPOINT_COMPLETION};
	struct said runs = {
	        "ollama", "{\"temperature\":0}", "stop", .endpoint = ENDPOINT_COMPLETION};
	expect_judged(ends, runs, DECODING_GREEDY, "");
	expect_judged(
	        cut, runs, DECODING_UNLIKE, "max_tokens 16 by default against no limit by default");
}

Test(decoding, what_was_taken_out_of_a_copy_makes_it_unlike)
{
	expect_judged((struct said){"vllm", GREEDY_BODY},
	        (struct said){"transformers", GREEDY_BODY, .dropped = true}, DECODING_UNLIKE,
	        "members that an engine would have refused were taken out of its copy");
}

Test(decoding, unlike_pairs_are_counted_by_reason_and_the_hidden_penalty_is_named)
{
	struct decoding_differences u = {0};
	struct decoding_reason penalty, temperature;
	struct said vllm = {"vllm", GREEDY_BODY}, llama = {"llama-cpp-python", GREEDY_BODY};
	struct said hot = {"vllm", "{\"temperature\":1,\"max_tokens\":9}"};
	cr_assert_null(decoding_differences_advice(&u));
	judged(&vllm, &hot, &temperature);
	decoding_differences_add(&u, &temperature, dialect_find("vllm"), dialect_find("vllm"));
	cr_assert_null(decoding_differences_advice(&u));
	judged(&vllm, &llama, &penalty);
	for (int i = 0; i < 2; i++) {
		decoding_differences_add(
		        &u, &penalty, dialect_find("vllm"), dialect_find("llama-cpp-python"));
	}
	char *text = decoding_differences_text(&u), *advice = decoding_differences_advice(&u);
	cr_expect_str_eq(text, "repetition_penalty 1 by default against 1.1 by default (2), "
	                       "temperature 0 as asked against 1 as asked (1)");
	cr_expect_str_eq(advice, "llama-cpp-python applies repetition_penalty 1.1 by default; send "
	                         "repeat_penalty 1.0, or set align: same");
	free(text);
	free(advice);
	for (int i = 0; i < 2 * DECODING_DIFFERENCES_LIMIT; i++) {
		temperature.base = i;
		decoding_differences_add(
		        &u, &temperature, dialect_find("vllm"), dialect_find("vllm"));
	}
	cr_expect_eq(u.n, DECODING_DIFFERENCES_LIMIT);
	cr_expect_gt(u.others, 0);
	decoding_differences_finish(&u);
}
