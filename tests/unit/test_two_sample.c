#include "analyzer/stats/two_sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

static uint64_t state = 11;

static double unit(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) * 0x1p-53;
}

static struct choice said(const char *text)
{
	struct choice c = {0};
	buf_append_str(&c.text, text);
	return c;
}

static void add(struct two_sample_side *s, const char *text)
{
	struct choice c = said(text);
	two_sample_add(s, (struct id){.bytes = {(uint8_t)(s->n + 1)}}, &c);
	buf_finish(&c.text);
}

/* Ten words of a random kind, chosen per prompt. */
static void draw(struct two_sample_side *s, size_t n, double chance)
{
	for (size_t i = 0; i < n; i++) {
		char text[64] = "";
		for (size_t w = 0; w < 10; w++) {
			strcat(text, unit() < chance ? "a " : "b ");
		}
		add(s, text);
	}
}

static double capture(size_t prompts, size_t each, double base, double test)
{
	struct two_sample t = {0};
	struct two_sample_result result;
	for (uint64_t i = 0; i < prompts; i++) {
		struct two_sample_prompt p = {0};
		/* Prompts are unlike each other. */
		double own = 0.2 * unit();
		draw(&p.base, each, base + own);
		draw(&p.test, each, test + own);
		two_sample_test(&p, i, &result);
		two_sample_add_result(&t, &result);
	}
	return two_sample_p(&t);
}

static void add_prompt(struct two_sample *t, const struct two_sample_prompt *p)
{
	struct two_sample_result result;
	two_sample_test(p, 1, &result);
	two_sample_add_result(t, &result);
}

Test(two_sample, the_distance_is_what_the_formula_says)
{
	struct two_sample t = {0};
	struct two_sample_prompt p = {0};
	add(&p.base, "x y");
	add(&p.base, "x z");
	add(&p.test, "x y");
	add(&p.test, "w w");
	add_prompt(&t, &p);
	/* Within the base 1/2, within the test 0; across 1, 0, 1/2, 0. */
	cr_assert_float_eq(two_sample_distance(&t), 0.5 + 0 - 2 * (1.5 / 4), 1e-12);
	cr_assert_eq(t.prompts, 1);
	cr_assert(t.base_answers == 2 && t.test_answers == 2);
}

Test(two_sample, equal_engines_raise_an_alarm_as_often_as_alpha_says)
{
	int at_5 = 0, at_1 = 0;
	enum { CAPTURES = 400 };
	for (int i = 0; i < CAPTURES; i++) {
		double p = capture(5, 5, 0.3, 0.3);
		at_5 += p < 0.05;
		at_1 += p < 0.01;
	}
	/* 20 and 4 are expected; these are over three standard deviations off. */
	cr_assert(at_5 >= 7 && at_5 <= 35, "%d", at_5);
	cr_assert_leq(at_1, 10, "%d", at_1);
}

/* A reference: both names are permuted in all prompts at once, and the sums of all prompts
 * compared. */
#define PERMUTATIONS 2000
#define EACH 4

static double likeness(const struct two_sample_answer *a, const struct two_sample_answer *b)
{
	double same = 0, n = 0;
	for (size_t i = 0; i < TWO_SAMPLE_WORDS && (a->words[i] || b->words[i]); i++, n++) {
		same += a->words[i] == b->words[i];
	}
	return same / n;
}

/* The unbiased discrepancy of the first EACH answers and the other ones. */
static double discrepancy(const struct two_sample_answer *const all[2 * EACH])
{
	double within = 0, across = 0;
	for (size_t i = 0; i < 2 * EACH; i++) {
		for (size_t k = 0; k < i; k++) {
			bool apart = i / EACH != k / EACH;
			double like = likeness(all[i], all[k]);
			within += apart ? 0 : like;
			across += apart ? like : 0;
		}
	}
	return within / (EACH * (EACH - 1) / 2.0) - 2 * across / (EACH * EACH);
}

static double sum_of(const struct two_sample_prompt *prompts, size_t n, bool permuted)
{
	double sum = 0;
	for (size_t p = 0; p < n; p++) {
		const struct two_sample_answer *all[2 * EACH];
		for (size_t i = 0; i < 2 * EACH; i++) {
			all[i] = i < EACH ? &prompts[p].base.answers[i]
			                  : &prompts[p].test.answers[i - EACH];
		}
		for (size_t i = 2 * EACH - 1; permuted && i > 0; i--) {
			size_t k = (size_t)(unit() * (double)(i + 1));
			const struct two_sample_answer *kept = all[i];
			all[i] = all[k];
			all[k] = kept;
		}
		sum += discrepancy(all);
	}
	return sum;
}

static double reference_p(const struct two_sample_prompt *prompts, size_t n)
{
	double observed = sum_of(prompts, n, false);
	size_t as_far = 0;
	for (size_t i = 0; i < PERMUTATIONS; i++) {
		as_far += sum_of(prompts, n, true) >= observed - 1e-9;
	}
	return (double)(as_far + 1) / (PERMUTATIONS + 1);
}

/* How far p is off, on average over captures where it matters: as the logarithm to base 10 of a
 * factor. */
static double error_of(size_t n)
{
	double error = 0;
	int captures = 0;
	while (captures < 20) {
		struct two_sample_prompt prompts[20] = {0};
		struct two_sample t = {0};
		for (size_t i = 0; i < n; i++) {
			draw(&prompts[i].base, EACH, 0.2);
			draw(&prompts[i].test, EACH, 0.2 + 0.7 / sqrt((double)n));
			add_prompt(&t, &prompts[i]);
		}
		double p = two_sample_p(&t);
		if (p > 0.002 && p < 0.05) {
			error += fabs(log10(p / reference_p(prompts, n))) / 20;
			captures++;
		}
	}
	return error;
}

Test(two_sample, p_is_that_of_permutations_over_all_prompts)
{
	/* Half of it is chance: of 2,000 permutations 20 lie beyond p = 0.01, give or take 4.5. */
	const size_t prompts[] = {2, 3, 5, 20};
	const double limits[] = {0.25, 0.2, 0.15, 0.15};
	for (size_t i = 0; i < 4; i++) {
		double error = error_of(prompts[i]);
		cr_assert_lt(error, limits[i], "%zu prompts: off by 10^%.3f", prompts[i], error);
	}
}

/* Four answers of one prompt have three ways to be divided in two: none is rarer than one in
 * three. */
Test(two_sample, few_answers_raise_no_alarm)
{
	struct two_sample t = {0};
	struct two_sample_prompt p = {0};
	add(&p.base, "x y");
	add(&p.base, "x y");
	add(&p.test, "v w");
	add(&p.test, "v w");
	add_prompt(&t, &p);
	cr_assert_float_eq(two_sample_p(&t), 1 / 3.0, 0.05);
}

Test(two_sample, answers_that_are_all_the_same_give_no_alarm)
{
	struct two_sample t = {0};
	struct two_sample_prompt p = {0};
	for (int i = 0; i < 3; i++) {
		add(&p.base, "x y");
		add(&p.test, "x y");
	}
	add_prompt(&t, &p);
	cr_assert_eq(two_sample_p(&t), 1);
}

Test(two_sample, unlike_ones_are_found)
{
	int found = 0;
	for (int i = 0; i < 40; i++) {
		found += capture(20, 6, 0.3, 0.55) < 0.01;
	}
	cr_assert_geq(found, 36, "%d", found);
}

Test(two_sample, the_same_answers_give_the_same_p)
{
	state = 5;
	double first = capture(8, 4, 0.2, 0.4);
	state = 5;
	cr_assert_eq(capture(8, 4, 0.2, 0.4), first);
}

Test(two_sample, prompts_with_one_answer_of_a_side_are_counted_apart)
{
	struct two_sample t = {0};
	struct two_sample_prompt p = {0}, none = {0};
	draw(&p.base, 1, 0.5);
	draw(&p.test, 10, 0.5);
	add_prompt(&t, &p);
	add_prompt(&t, &none);
	cr_assert(t.prompts == 0 && t.unpaired == 1);
	cr_assert(isnan(two_sample_p(&t)) && isnan(two_sample_distance(&t)));
}

Test(two_sample, an_answer_that_met_several_others_counts_once)
{
	struct two_sample_side s = {0};
	struct choice c = said("yes");
	const struct id leg = {.bytes = {7}}, other = {.bytes = {8}};
	two_sample_add(&s, leg, &c);
	two_sample_add(&s, leg, &c);
	cr_assert_eq(s.n, 1);
	c.index = 1;
	two_sample_add(&s, leg, &c);
	two_sample_add(&s, other, &c);
	cr_assert_eq(s.n, 3);
	for (int i = 0; i < 100; i++) {
		c.index = i;
		two_sample_add(&s, leg, &c);
	}
	cr_assert_eq(s.n, TWO_SAMPLE_EACH);
	buf_finish(&c.text);
}

Test(two_sample, reasoning_in_the_text_has_no_part_in_it)
{
	struct two_sample_answer a, b;
	struct thought thought = {.open = 0, .from = 7, .to = 9, .close = 17};
	struct choice plain = said("so it is"), with = said("<think>mm</think>so  it\nis");
	with.thoughts = &thought;
	with.n_thoughts = 1;
	two_sample_read(&plain, &a);
	two_sample_read(&with, &b);
	cr_assert_eq(memcmp(&a, &b, sizeof(a)), 0);
	/* Numbers out of a file may be anything. */
	thought = (struct thought){.open = 9, .from = 7, .to = 9, .close = 4000000000u};
	two_sample_read(&with, &b);
	buf_finish(&plain.text);
	buf_finish(&with.text);
}

Test(two_sample, a_longer_answer_is_another_one_and_the_rest_of_a_long_one_is_not_looked_at)
{
	struct two_sample_answer a, b;
	struct buf text = {0};
	for (int i = 0; i < 2 * TWO_SAMPLE_WORDS; i++) {
		buf_printf(&text, "w%d ", i);
	}
	struct choice c = said(buf_cstr(&text));
	two_sample_read(&c, &a);
	buf_append_str(&c.text, "more");
	two_sample_read(&c, &b);
	cr_assert_eq(memcmp(&a, &b, sizeof(a)), 0);
	buf_finish(&c.text);
	buf_finish(&text);
	struct choice brief = said("one"), longer = said("one two");
	two_sample_read(&brief, &a);
	two_sample_read(&longer, &b);
	cr_assert_neq(memcmp(&a, &b, sizeof(a)), 0);
	buf_finish(&brief.text);
	buf_finish(&longer.text);
}
