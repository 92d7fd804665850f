#include "analyzer/fold/pair_sums.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "made_answers.h"

/* A token of a test answer: text, logprob, and alternatives as "text" and logprob. */
struct alternative {
	const char *text;
	double lp;
};

struct token {
	const char *text;
	double lp;
	struct alternative top[8];
};

static struct choice answer(const struct token *tokens, size_t n, const char *finish)
{
	struct choice c = {.finish = xstrdup(finish), .has_columns = true};
	struct columns_builder *b = columns_builder_create();
	for (size_t i = 0; i < n; i++) {
		const struct token *t = &tokens[i];
		buf_append_str(&c.text, t->text);
		columns_builder_token(b, span_of(t->text), -1, (float)t->lp, 0);
		for (size_t k = 0; k < ARRAY_LEN(t->top) && t->top[k].text; k++) {
			columns_builder_top(b, span_of(t->top[k].text), -1, (float)t->top[k].lp);
		}
	}
	columns_builder_end(b, &c.columns);
	return c;
}

static struct choice text_answer(const char *text)
{
	struct choice c = {.finish = xstrdup("stop")};
	buf_append_str(&c.text, text);
	return c;
}

static void choice_finish(struct choice *c)
{
	buf_finish(&c->text);
	buf_finish(&c->reasoning);
	buf_finish(&c->refusal);
	free(c->finish);
	if (c->has_columns) {
		columns_finish(&c->columns);
	}
}

static struct pair_sums m;

static double part(enum figure f)
{
	return pair_sums_total(&m, f).part;
}

static double whole(enum figure f)
{
	return pair_sums_total(&m, f).whole;
}

static double mean(enum figure f)
{
	return part(f) / whole(f);
}

static void compare(const struct choice *base, const struct choice *test)
{
	struct pair_row row;
	made_row(base, test, DECODING_GREEDY, (struct span){NULL, 0}, &row);
	struct pair_facts facts;
	pair_facts_of(&row.c, &facts);
	pair_sums_add(&m, &row, &facts);
}

static void add_texts(const char *base, const char *test)
{
	struct choice b = text_answer(base), t = text_answer(test);
	compare(&b, &t);
	choice_finish(&b);
	choice_finish(&t);
}

static void add(const struct token *base, size_t n_base, const struct token *test, size_t n_test)
{
	struct choice b = answer(base, n_base, "stop"), t = answer(test, n_test, "stop");
	compare(&b, &t);
	choice_finish(&b);
	choice_finish(&t);
}

#define NEAR(value, expected) cr_assert_float_eq((value), (expected), 1e-6, "%.9g", (double)(value))

Test(metrics, texts_are_compared_byte_for_byte)
{
	add_texts("hello world", "hello world");
	add_texts("hello world", "hello there");
	add_texts("hello", "hello!");
	cr_assert_eq(m.pairs, 3);
	cr_assert_eq(m.equal, 1);
	cr_assert_eq(whole(FIGURE_TEXT_DIFFERS) - part(FIGURE_TEXT_DIFFERS), 1);
	cr_assert_eq(m.first_byte.n, 2);
	NEAR(histogram_mean(&m.first_byte), (6 + 5) / 2.0);
	cr_assert_eq(m.bytes.n, 3);
	NEAR(exact_sum_value(&m.bytes.bias), 1);
	NEAR(exact_sum_value(&m.bytes.magnitude), 1);
	cr_assert_eq(m.tokens.n, 0);
	cr_assert_eq(whole(FIGURE_DIVERGENCE_INDEX), 0);
	cr_assert_eq(whole(FIGURE_HAZARD), 0);
}

Test(metrics, length_bias_is_signed_and_magnitude_is_not)
{
	add_texts("aaaa", "aa");
	add_texts("aa", "aaaaaaaa");
	NEAR(exact_sum_value(&m.bytes.bias) / 2, 2);
	NEAR(exact_sum_value(&m.bytes.magnitude) / 2, 4);
	NEAR(exact_sum_value(&m.bytes.test) / exact_sum_value(&m.bytes.base), 10.0 / 6);
}

Test(metrics, reasoning_is_compared_apart_from_the_answer)
{
	struct choice b = text_answer("4"), t = text_answer("4");
	buf_append_str(&b.reasoning, "two and two");
	buf_append_str(&t.reasoning, "2 + 2");
	compare(&b, &t);
	choice_finish(&b);
	choice_finish(&t);
	add_texts("x", "x");
	cr_assert_eq(m.pairs, 2);
	cr_assert_eq(m.equal, 2);
	cr_assert_eq(m.with_reasoning, 1);
	cr_assert_eq(m.reasoning_equal, 0);
	NEAR(exact_sum_value(&m.reasoning_bytes.bias), -6);
}

Test(metrics, tool_calls_are_equal_whatever_their_ids)
{
	struct tool_call one = {(char *)"id-1", (char *)"f", (char *)"{\"a\":1}"};
	struct tool_call same = {(char *)"id-2", (char *)"f", (char *)"{\"a\":1}"};
	struct tool_call other = {(char *)"id-1", (char *)"f", (char *)"{\"a\":2}"};
	struct choice b = {.calls = &one, .n_calls = 1};
	struct choice t = {.calls = &same, .n_calls = 1};
	struct choice u = {.calls = &other, .n_calls = 1};
	struct choice none = {0};
	compare(&b, &t);
	compare(&b, &u);
	compare(&b, &none);
	compare(&none, &none);
	cr_assert_eq(m.with_calls, 3);
	cr_assert_eq(m.calls_equal, 1);
	cr_assert_eq(whole(FIGURE_TEXT_DIFFERS) - part(FIGURE_TEXT_DIFFERS), 4);
	cr_assert_eq(m.equal, 2);
}

Test(metrics, finish_reasons_are_counted_as_pairs)
{
	struct choice a = {.finish = (char *)"stop"}, b = {.finish = (char *)"length"};
	struct choice odd = {.finish = (char *)"\033[31mred"}, none = {0};
	compare(&a, &a);
	compare(&a, &b);
	compare(&a, &b);
	compare(&a, &none);
	compare(&a, &odd);
	cr_assert_eq(whole(FIGURE_FINISH_DIFFERS), 4);
	cr_assert_eq(whole(FIGURE_FINISH_DIFFERS) - part(FIGURE_FINISH_DIFFERS), 1);
	cr_assert_eq(m.n_finishes, 3);
	cr_assert_str_eq(m.finishes[1].base, "stop");
	cr_assert_str_eq(m.finishes[1].test, "length");
	cr_assert_eq(m.finishes[1].n, 2);
	cr_assert_str_eq(m.finishes[0].test, "?[31mred", "by name");
}

Test(metrics, pairs_of_one_cut_answer_are_counted)
{
	struct choice stop = {.finish = (char *)"stop"}, cut = {.finish = (char *)"length"};
	struct choice gemini = {.finish = (char *)"MAX_TOKENS"};
	struct choice filtered = {.finish = (char *)"content_filter"};
	compare(&stop, &filtered);
	compare(&cut, &gemini);
	cr_assert_eq(m.meanings.one_cut, 0);
	compare(&stop, &gemini);
	compare(&cut, &stop);
	cr_assert_eq(m.meanings.one_cut, 2);
	cr_assert_eq(m.meanings.classes[MEANING_STRUCTURAL], 3);
}

Test(metrics, kinds_of_finish_reasons_are_bounded)
{
	for (int i = 0; i < 100; i++) {
		char reason[16];
		snprintf(reason, sizeof(reason), "r%d", i);
		struct choice a = {.finish = reason}, b = {.finish = (char *)"stop"};
		compare(&a, &b);
	}
	cr_assert_eq(m.n_finishes, PAIR_SUMS_FINISHES);
	cr_assert_eq(m.finishes_beyond, 100 - PAIR_SUMS_FINISHES);
}

Test(metrics, only_positions_before_and_at_the_first_difference_count)
{
	const struct token base[] = {
	        {"The", -0.1, {{"The", -0.1}, {"A", -2.5}}},
	        {" cat", -0.2, {{" cat", -0.2}, {" dog", -1.8}}},
	        {" sat", -0.3, {{" sat", -0.3}, {" ran", -1.5}}},
	        {".", -0.4, {{".", -0.4}, {"!", -2}}},
	};
	const struct token test[] = {
	        {"The", -0.2, {{"The", -0.2}, {"A", -2}}},
	        {" dog", -0.6, {{" dog", -0.6}, {" cat", -0.9}}},
	        {" sat", -9, {{" lay", -0.1}, {" sat", -9}}},
	        {".", -9, {{"?", -0.1}, {".", -9}}},
	};
	add(base, 4, test, 4);
	cr_assert_eq(whole(FIGURE_DIVERGENCE_INDEX), 1);
	cr_assert_eq(part(FIGURE_HAZARD), 1);
	cr_assert_eq(whole(FIGURE_HAZARD), 2);
	cr_assert_eq(m.first_token.n, 1);
	NEAR(histogram_mean(&m.first_token), 1);
	NEAR(mean(FIGURE_DIVERGENCE_INDEX), 0.25);
	cr_assert_eq(whole(FIGURE_SAME_TOP), 2);
	cr_assert_eq(part(FIGURE_SAME_TOP), 1);
	/* -0.2 - -0.1 and -0.9 - -0.2 */
	cr_assert_eq(m.top1_logprob.n, 2);
	NEAR(moments_rms(&m.top1_logprob), sqrt((0.01 + 0.49) / 2));
	/* Only the first token was chosen by both. */
	cr_assert_eq(whole(FIGURE_DELTA_LP), 1);
	NEAR(mean(FIGURE_DELTA_LP), -0.1);
	/* Lists of two have no top five. */
	cr_assert_eq(whole(FIGURE_JACCARD_5), 0);
	cr_assert_eq(m.top5_short, 2);
}

Test(metrics, jaccard_is_of_the_five_most_probable_each_once)
{
	const struct token base[] = {
	        {"a", -1, {{"a", -1}, {"b", -2}, {"c", -3}, {"d", -4}, {"e", -5}, {"f", -6}}},
	};
	/* In another order, the chosen one twice; the five best are a b c g h. */
	const struct token test[] = {
	        {"a", -1,
	                {{"h", -5}, {"a", -1}, {"g", -4}, {"c", -3}, {"b", -2}, {"a", -1},
	                        {"z", -9}}},
	};
	add(base, 1, test, 1);
	cr_assert_eq(whole(FIGURE_JACCARD_5), 1);
	NEAR(mean(FIGURE_JACCARD_5), 3.0 / 7);
	cr_assert_eq(m.top5_short, 0);
}

Test(metrics, equal_answers_have_index_one_and_no_hazard)
{
	const struct token t[] = {{"x", -0.5, {{"x", -0.5}}}, {"y", -0.5, {{"y", -0.5}}}};
	add(t, 2, t, 2);
	cr_assert_eq(m.equal, 1);
	cr_assert_eq(part(FIGURE_HAZARD), 0);
	cr_assert_eq(whole(FIGURE_HAZARD), 2);
	NEAR(mean(FIGURE_DIVERGENCE_INDEX), 1);
	NEAR(moments_rms(&m.top1_logprob), 0);
	NEAR(exact_sum_value(&m.tokens.bias), 0);
}

Test(metrics, an_answer_that_goes_on_parts_where_the_other_ends)
{
	const struct token t[] = {
	        {"x", -0.5, {{"x", -0.5}}}, {"y", -0.5, {{"y", -0.5}}}, {"z", -0.5, {{"z", -0.5}}}};
	add(t, 3, t, 2);
	cr_assert_eq(part(FIGURE_HAZARD), 1);
	cr_assert_eq(whole(FIGURE_HAZARD), 2);
	NEAR(mean(FIGURE_DIVERGENCE_INDEX), 2.0 / 3);
	NEAR(exact_sum_value(&m.tokens.bias), -1);
}

Test(metrics, unlisted_tokens_are_counted_and_not_guessed)
{
	const struct token base[] = {{"a", -0.1, {{"a", -0.1}, {"b", -3}}}};
	const struct token test[] = {{"c", -0.1, {{"c", -0.1}, {"d", -3}}}};
	add(base, 1, test, 1);
	cr_assert_eq(whole(FIGURE_SAME_TOP), 1);
	cr_assert_eq(part(FIGURE_SAME_TOP), 0);
	cr_assert_eq(m.top1_logprob.n, 0);
	cr_assert_eq(m.top1_unlisted, 1);
}

Test(metrics, missing_logprobs_leave_a_position_out_of_their_figures)
{
	const struct token base[] = {{"a", NAN, {{"a", NAN}}}, {"b", -1, {{"b", -1}}}};
	const struct token test[] = {{"a", -1, {{"a", -1}}}, {"b", -1, {{"b", -1}}}};
	add(base, 2, test, 2);
	cr_assert_eq(whole(FIGURE_HAZARD), 2);
	cr_assert_eq(whole(FIGURE_SAME_TOP), 1);
	cr_assert_eq(whole(FIGURE_DELTA_LP), 1);
	cr_assert(isfinite(moments_rms(&m.top1_logprob)));
}

Test(metrics, tokens_whose_bytes_were_lost_identify_nothing)
{
	const struct token base[] = {{"\xef\xbf\xbd", -1, {{"\xef\xbf\xbd", -1}}}};
	add(base, 1, base, 1);
	cr_assert_eq(whole(FIGURE_SAME_TOP), 0);
	cr_assert_eq(whole(FIGURE_DELTA_LP), 0);
}

Test(metrics, other_token_boundaries_meet_where_both_begin)
{
	const struct token base[] = {
	        {"un", -1, {{"un", -1}}}, {"do", -1, {{"do", -1}}}, {"!", -1, {{"!", -1}}}};
	const struct token test[] = {{"undo", -2, {{"undo", -2}}}, {"!", -1.5, {{"!", -1.5}}}};
	add(base, 3, test, 2);
	cr_assert_eq(m.equal, 1);
	cr_assert_eq(whole(FIGURE_HAZARD), 2);
	cr_assert_eq(whole(FIGURE_DELTA_LP), 1);
	NEAR(mean(FIGURE_DELTA_LP), -0.5);
}
