#include "analyzer/fold/example.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* A chosen token with its list: pairs of bytes and logprob; the first one is chosen. */
struct alternative {
	const char *bytes;
	float lp;
};

static void add_token(
        struct columns_builder *b, struct buf *text, const struct alternative *list, size_t n)
{
	float best = list[0].lp;
	for (size_t i = 1; i < n; i++) {
		best = fmaxf(best, list[i].lp);
	}
	buf_append_str(text, list[0].bytes);
	columns_builder_token(
	        b, span_of(list[0].bytes), -1, list[0].lp, list[0].lp < best ? TOKEN_NOT_TOP : 0);
	for (size_t i = 0; i < n; i++) {
		columns_builder_top(b, span_of(list[i].bytes), -1, list[i].lp);
	}
}

/* An answer of a common token and one in question. */
static struct choice answer(const struct alternative *second, size_t n)
{
	static const struct alternative FIRST[] = {{"The ", -0.1f}, {"A ", -3}};
	struct columns_builder *b = columns_builder_create();
	struct choice c = {.has_columns = true, .finish = (char *)"stop"};
	add_token(b, &c.text, FIRST, 2);
	add_token(b, &c.text, second, n);
	columns_builder_end(b, &c.columns);
	return c;
}

static void finish(struct choice *c)
{
	buf_finish(&c->text);
	columns_finish(&c->columns);
}

static void consider(struct examples *e, struct id exchange, const struct choice *base,
        const struct choice *test)
{
	struct first_difference difference;
	first_difference_find(base, test, &difference);
	examples_consider(e, exchange, base, test, &difference);
}

static const struct id ONE = {{1}}, TWO = {{2}};

Test(example, the_widest_parting_is_where_the_base_held_the_tests_choice_least_likely)
{
	const struct alternative cat[] = {{"cat", -0.5f}, {"dog", -1}, {"fox", -6}};
	const struct alternative dog[] = {{"dog", -0.6f}, {"cat", -0.9f}, {"fox", -5}};
	const struct alternative fox[] = {{"fox", -0.2f}, {"cat", -2}, {"dog", -3}};
	struct choice base = answer(cat, 3), near = answer(dog, 3), far = answer(fox, 3);
	struct examples e = {0};
	consider(&e, ONE, &base, &far);
	consider(&e, TWO, &base, &near);
	cr_assert(e.widest.known && e.widest.has_tokens);
	cr_assert_eq(id_compare(e.widest.exchange, ONE), 0);
	cr_assert_eq(e.widest.position, 1);
	cr_assert_float_eq(e.widest.gap, 5.5, 1e-6);
	cr_assert_str_eq(e.widest.before, "The ");
	cr_assert_str_eq(e.widest.base.token, "cat");
	cr_assert_str_eq(e.widest.test.token, "fox");
	cr_assert_float_eq(e.widest.base.of_other, -6, 1e-6);
	cr_assert_float_eq(e.widest.test.of_other, -2, 1e-6);
	cr_assert_not(e.test_not_best.known);
	finish(&base);
	finish(&near);
	finish(&far);
}

Test(example, a_token_that_is_not_listed_is_at_most_as_likely_as_the_least_that_is)
{
	const struct alternative cat[] = {{"cat", -0.5f}, {"dog", -4}};
	const struct alternative fox[] = {{"fox", -0.2f}, {"cat", -2}};
	struct choice base = answer(cat, 2), test = answer(fox, 2);
	struct examples e = {0};
	consider(&e, ONE, &base, &test);
	cr_assert_float_eq(e.widest.gap, 3.5, 1e-6);
	cr_assert(isnan(e.widest.base.of_other));
	finish(&base);
	finish(&test);
}

Test(example, a_side_that_chose_against_its_own_list_is_shown_with_what_it_passed_over)
{
	const struct alternative cat[] = {{"cat", -0.5f}, {"dog", -4}};
	const struct alternative dog[] = {{"dog", -4}, {"cat", -0.5f}};
	struct choice base = answer(cat, 2), test = answer(dog, 2);
	struct examples e = {0};
	consider(&e, ONE, &base, &test);
	cr_assert(e.test_not_best.known && e.test_not_best.test.not_best);
	cr_assert_str_eq(e.test_not_best.test.best, "cat");
	cr_assert_float_eq(e.test_not_best.gap, 3.5, 1e-6);
	cr_assert_not(e.base_not_best.known);
	finish(&base);
	finish(&test);
}

Test(example, without_tokens_the_earliest_parting_is_shown_from_a_whole_character_on)
{
	struct choice base = {0}, test = {0};
	buf_append_str(&base.text, "caf\u00e9 au lait");
	buf_append_str(&test.text, "caf\u00e8 noir");
	struct examples e = {0};
	consider(&e, ONE, &base, &test);
	cr_assert(e.widest.known && !e.widest.has_tokens);
	cr_assert_eq(e.widest.position, 3);
	cr_assert_str_eq(e.widest.before, "caf");
	cr_assert_str_eq(e.widest.base.text, "\u00e9 au lait");
	cr_assert_str_eq(e.widest.test.text, "\u00e8 noir");
	buf_finish(&base.text);
	buf_finish(&test.text);
}

Test(example, an_answer_cannot_steer_a_terminal_and_is_cut_to_fit)
{
	struct choice base = {0}, test = {0};
	buf_append_str(&base.text, "a\033[2J\xc2\x9b\u202e\n\xff");
	buf_append_str(&test.text, "b");
	for (int i = 0; i < 1000; i++) {
		buf_append_str(&test.text, "\xfe\U0001f427");
	}
	struct examples e = {0};
	consider(&e, ONE, &base, &test);
	cr_assert_str_eq(e.widest.base.text, "a?[2J??\\n\\xff");
	cr_assert_lt(strlen(e.widest.test.text), sizeof(e.widest.test.text));
	cr_assert_not_null(strstr(e.widest.test.text, "…"));
	buf_finish(&base.text);
	buf_finish(&test.text);
}
