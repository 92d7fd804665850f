#include "analyzer/compare/tokens/cause_signs.h"

#include <criterion/criterion.h>

#include "made_answers.h"

#define PAIRS 400

/* request: NULL: none. */
static void signs_of(const struct choice *base, const struct choice *test, enum decoding decoding,
        const char *request, struct cause_signs *ret)
{
	struct pair_row row;
	made_row(base, test, decoding, request ? span_of(request) : (struct span){NULL, 0}, &row);
	*ret = row.c.signs;
}

/* What so many pairs say together. */
static struct cause_signs sum(
        const struct made_side *base, const struct made_side *test, bool greedy)
{
	struct cause_signs all = {0};
	for (int i = 0; i < PAIRS; i++) {
		struct choice b, t;
		struct cause_signs s;
		made_pair(base, test, &b, &t);
		signs_of(&b, &t, greedy ? DECODING_GREEDY : DECODING_SAMPLED, NULL, &s);
		all.contrast += s.contrast;
		all.contrast_n += s.contrast_n;
		all.gap_base_squares += s.gap_base_squares;
		all.gap_test_squares += s.gap_test_squares;
		all.gap_products += s.gap_products;
		all.noise += s.noise;
		all.noise_n += s.noise_n;
		all.choices[SIDE_TEST].tokens += s.choices[SIDE_TEST].tokens;
		all.choices[SIDE_TEST].unlisted += s.choices[SIDE_TEST].unlisted;
		all.choices[SIDE_TEST].shifted += s.choices[SIDE_TEST].shifted;
		all.choices[SIDE_TEST].not_top += s.choices[SIDE_TEST].not_top;
		all.choices[SIDE_TEST].repeats += s.choices[SIDE_TEST].repeats;
		all.choices[SIDE_TEST].strange += s.choices[SIDE_TEST].strange;
		all.choices[SIDE_TEST].best += s.choices[SIDE_TEST].best;
		all.choices[SIDE_TEST].best_seen += s.choices[SIDE_TEST].best_seen;
		all.choices[SIDE_BASE].not_top += s.choices[SIDE_BASE].not_top;
		all.gaps += s.foreign; /* put to another use here */
		made_finish(&b);
		made_finish(&t);
	}
	return all;
}

static const struct made_side EXACT = {0};

Test(cause_signs, equal_engines_show_none)
{
	struct cause_signs s = sum(&EXACT, &EXACT, true);
	cr_assert(s.noise_n > 5000 && s.noise == 0 && s.contrast == 0 && s.contrast_n == 0);
	cr_assert(s.choices[SIDE_TEST].not_top == 0 && s.choices[SIDE_TEST].unlisted == 0 &&
	          s.gaps == 0);
	cr_assert_float_eq(s.gap_test_squares, s.gap_base_squares, 1e-9);
}

Test(cause_signs, the_contrast_is_the_penalty_that_logprobs_tell)
{
	const struct made_side test = {.penalty = 0.7, .processed = true};
	struct cause_signs s = sum(&EXACT, &test, true);
	cr_assert_float_eq(s.contrast / (double)s.contrast_n, -0.7, 0.005);
	s = sum(&test, &EXACT, true);
	cr_assert_float_eq(s.contrast / (double)s.contrast_n, 0.7, 0.005);
}

Test(cause_signs, the_contrast_is_nothing_where_only_noise_is)
{
	const struct made_side noisy = {.noise = 0.2};
	struct cause_signs s = sum(&noisy, &noisy, true);
	cr_assert_float_eq(s.contrast / (double)s.contrast_n, 0, 0.02);
	/* Of the difference of two logits on two sides: twice 0.2, times the mean of |z|. */
	cr_assert_float_eq(s.noise / (double)s.noise_n, 0.4 * sqrt(2 / M_PI), 0.02);
}

Test(cause_signs, gaps_grow_as_temperature_falls)
{
	const struct made_side cold = {.temperature = 0.5};
	struct cause_signs s = sum(&EXACT, &cold, false);
	cr_assert_float_eq(sqrt(s.gap_test_squares / s.gap_base_squares), 2, 1e-4);
	cr_assert_float_eq(
	        s.gap_products * s.gap_products / (s.gap_test_squares * s.gap_base_squares), 1,
	        1e-6);
}

Test(cause_signs, a_hidden_penalty_goes_round_what_has_been_there)
{
	const struct made_side test = {.penalty = 1};
	struct cause_signs s = sum(&EXACT, &test, true);
	cr_assert(s.choices[SIDE_TEST].not_top > 50 &&
	          s.choices[SIDE_TEST].repeats == s.choices[SIDE_TEST].not_top);
	cr_assert(s.choices[SIDE_TEST].strange == 0 && s.choices[SIDE_BASE].not_top == 0);
	cr_assert_lt(s.choices[SIDE_TEST].best_seen * 2, s.choices[SIDE_TEST].best);
}

Test(cause_signs, a_sampler_goes_round_anything)
{
	const struct made_side test = {.sampling = 1};
	struct cause_signs s = sum(&EXACT, &test, true);
	cr_assert(s.choices[SIDE_TEST].not_top > 50 &&
	          s.choices[SIDE_TEST].strange * 2 > s.choices[SIDE_TEST].not_top);
	cr_assert_eq(sum(&EXACT, &test, false).choices[SIDE_TEST].not_top, 0, "it was asked to");
}

Test(cause_signs, lists_of_the_token_before_hold_the_next_token)
{
	const struct made_side test = {.late = true};
	struct cause_signs s = sum(&EXACT, &test, true);
	cr_assert_gt(s.choices[SIDE_TEST].unlisted * 2, s.choices[SIDE_TEST].tokens);
	cr_assert_gt(s.choices[SIDE_TEST].shifted * 10, s.choices[SIDE_TEST].unlisted * 8);
}

Test(cause_signs, a_position_without_its_context_is_foreign)
{
	const struct made_side test = {.foreign = 0.02}, noisy = {.noise = 0.3};
	cr_assert_gt(sum(&EXACT, &test, true).gaps, PAIRS / 5);
	cr_assert_eq(sum(&EXACT, &noisy, true).gaps, 0);
}

static void read_one(const char *request, double second, bool call, struct cause_signs *ret)
{
	struct choice c[2] = {{0}};
	struct tool_call one = {(char *)"id", (char *)"f", (char *)"{}"};
	for (size_t i = 0; i < 2; i++) {
		struct columns_builder *b = columns_builder_create();
		columns_builder_row(b, SPAN(" one"), -1, -0.4f);
		columns_builder_row(b, SPAN(" two"), -1, (float)second);
		columns_builder_commit(b, SPAN(" two"), -1, -0.5f, 0);
		columns_builder_end(b, &c[i].columns);
		c[i].has_columns = true;
		c[i].calls = &one;
		c[i].n_calls = call;
		buf_append_str(&c[i].text, " two");
	}
	signs_of(&c[0], &c[1], DECODING_GREEDY, request, ret);
	for (size_t i = 0; i < 2; i++) {
		columns_finish(&c[i].columns);
		buf_finish(&c[i].text);
	}
}

Test(cause_signs, what_the_request_says_is_not_strange_and_a_call_is_no_choice)
{
	struct cause_signs s;
	read_one("{\"prompt\":\"zero\"}", -0.5, false, &s);
	cr_assert(s.choices[SIDE_TEST].not_top == 1 && s.choices[SIDE_TEST].strange == 1);
	read_one("{\"prompt\":\"zero one\"}", -0.5, false, &s);
	cr_assert(s.choices[SIDE_TEST].not_top == 1 && s.choices[SIDE_TEST].strange == 0);
	read_one("{\"prompt\":\"zero\"}", -0.5, true, &s);
	cr_assert_eq(s.choices[SIDE_TEST].not_top, 0);
	cr_assert_eq(s.choices[SIDE_TEST].over_one, 1, "exp(-0.4) + exp(-0.5)");
}
