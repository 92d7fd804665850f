#include "analyzer/compare/tokens/first_difference_kind.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

struct entry {
	const char *token;
	float lp;
};

/* One position: the chosen token and the list. */
static struct columns position(struct entry chosen, const struct entry *list, size_t n)
{
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	columns_builder_token(b, span_of(chosen.token), -1, chosen.lp, 0);
	for (size_t i = 0; i < n; i++) {
		columns_builder_top(b, span_of(list[i].token), -1, list[i].lp);
	}
	columns_builder_end(b, &c);
	return c;
}

static void find(const struct columns *p, const struct columns *r, struct first *ret)
{
	struct listing a = listing_at(p, 0), b = listing_at(r, 0);
	first_find(&b, &a, ret);
}

static double noise(const struct columns *p, const struct columns *r)
{
	struct listing a = listing_at(p, 0), b = listing_at(r, 0);
	double found = first_noise(&b, &a);
	return found;
}

static const struct first_scale SCALE = {.sigma = 0.01, .floor = 0.2};

static enum first_verdict judge(struct entry p, const struct entry *p_list, struct entry r,
        const struct entry *r_list, struct first *ret)
{
	struct columns a = position(p, p_list, 2), b = position(r, r_list, 2);
	find(&a, &b, ret);
	columns_finish(&a);
	columns_finish(&b);
	return first_judge(ret, &SCALE);
}

Test(first_difference_kind, the_shift_is_how_far_the_logits_moved)
{
	struct first f;
	struct entry p[] = {{"a", -0.60f}, {"b", -0.61f}}, r[] = {{"b", -0.60f}, {"a", -0.61f}};
	cr_assert_eq(judge(p[0], p, r[0], r, &f), FIRST_TIE);
	cr_assert_float_eq(f.shift, 0.02, 1e-6);
	cr_assert(!f.test_censored && !f.base_censored);

	struct entry far[] = {{"b", -0.55f}, {"a", -0.65f}};
	cr_assert_eq(judge(p[0], p, far[0], far, &f), FIRST_DRIFT);
	struct entry further[] = {{"b", -0.30f}, {"a", -1.40f}};
	cr_assert_eq(judge(p[0], p, further[0], further, &f), FIRST_SHIFT);
}

Test(first_difference_kind, a_token_that_the_other_side_does_not_list_is_foreign)
{
	struct first f;
	struct entry p[] = {{"a", -0.1f}, {"c", -3.0f}}, r[] = {{"b", -0.5f}, {"a", -1.0f}};
	cr_assert_eq(judge(p[0], p, r[0], r, &f), FIRST_FOREIGN);
	cr_assert(f.test_censored && !f.base_censored);
	cr_assert_float_eq(f.test_gap, 2.9, 1e-6, "at least as far as the list goes");
}

Test(first_difference_kind, without_a_floor_or_logprobs_nothing_is_guessed)
{
	struct first f = {.test_gap = 0.2, .base_gap = 0.3, .shift = 0.5};
	struct first_scale none = {.sigma = NAN, .floor = NAN};
	cr_assert_eq(first_judge(&f, &none), FIRST_UNKNOWN);
	f.shift = 1e-7;
	cr_assert_eq(first_judge(&f, &none), FIRST_TIE, "an exact tie needs no scale");
	f.shift = NAN;
	cr_assert_eq(first_judge(&f, &SCALE), FIRST_UNKNOWN);

	struct columns a = position((struct entry){"a", NAN}, NULL, 0);
	struct columns b = position((struct entry){"b", -1}, NULL, 0);
	find(&a, &b, &f);
	cr_assert(isnan(f.shift));
	columns_finish(&a);
	columns_finish(&b);
}

Test(first_difference_kind, noise_is_the_move_of_the_gap_between_the_two_best)
{
	struct entry p[] = {{"a", -0.50f}, {"b", -1.20f}}, r[] = {{"b", -1.00f}, {"a", -0.60f}};
	struct columns x = position(p[0], p, 2), y = position(r[1], r, 2);
	cr_assert_float_eq(noise(&x, &y), 0.7 - 0.4, 1e-6);
	struct columns z = position(p[0], p, 1);
	cr_assert(isnan(noise(&z, &y)), "b is not in its list");
	columns_finish(&x);
	columns_finish(&y);
	columns_finish(&z);
}
