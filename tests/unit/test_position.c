#include "analyzer/compare/tokens/position.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"
#include "rounds.h"
#include "seeded.h"

struct entry {
	const char *token;
	double p;
};

/* A position; the first token of the list is chosen. */
static struct columns position(const struct entry *list, size_t n)
{
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	columns_builder_token(b, span_of(list[0].token), -1, (float)log(list[0].p), 0);
	for (size_t i = 0; i < n; i++) {
		columns_builder_top(b, span_of(list[i].token), -1, (float)log(list[i].p));
	}
	columns_builder_end(b, &c);
	return c;
}

/* P is the test, R the base. */
static struct position read_both(
        const struct entry *p, size_t n_p, const struct entry *r, size_t n_r)
{
	struct columns test = position(p, n_p), base = position(r, n_r);
	struct position both;
	struct listing b = listing_at(&base, 0), t = listing_at(&test, 0);
	position_read(&b, &t, &both);
	columns_finish(&test);
	columns_finish(&base);
	return both;
}

Test(position, lists_give_the_bounds_that_the_masses_allow)
{
	static const struct {
		struct entry p[3], r[3];
		size_t n_p, n_r;
		double kl, js_low, js_high, tv_low, tv_high, renormalised;
	} CASES[] = {
	        {{{"a", .6}, {"b", .2}, {"c", .1}}, {{"a", .5}, {"b", .3}, {"d", .05}}, 3, 3,
	                0.028300, 0.007310, 0.145939, 0.10, 0.30, 1.277456},
	        {{{"a", .15}, {"b", .15}}, {{"a", .3}, {"b", .3}}, 2, 2, 0.183787, 0.046201,
	                0.406716, 0.30, 0.70, 0.000000},
	        {{{"a", .9}, {"b", .05}}, {{"b", .9}, {"a", .05}}, 2, 2, 2.456816, 0.462607,
	                0.497265, 0.85, 0.90, 2.586122},
	        {{{"a", .9}, {"b", .05}}, {{"c", .9}, {"d", .05}}, 2, 2, 2.649995, 0.494632,
	                0.693147, 0.90, 1.00, 22.819659},
	        {{{"a", .7}, {"b", .2}}, {{"a", .7}, {"c", .2}}, 2, 2, 0.069315, 0.016990, 0.207944,
	                0.10, 0.30, 4.782616},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		struct position p = read_both(CASES[i].p, CASES[i].n_p, CASES[i].r, CASES[i].n_r);
		struct bounds b;
		position_bounds(&p, 0, &b);
		/* The guard against rounding costs the lower bound a little. */
		cr_expect_float_eq(b.kl_low, CASES[i].kl, 5e-5, "case %zu: %f", i, b.kl_low);
		cr_expect_leq(b.kl_low, CASES[i].kl + 1e-6);
		cr_expect_float_eq(b.js_low, CASES[i].js_low, 1e-6, "case %zu", i);
		cr_expect_float_eq(b.js_high, CASES[i].js_high, 1e-6, "case %zu", i);
		cr_expect_float_eq(b.tv_low, CASES[i].tv_low, 1e-6, "case %zu", i);
		cr_expect_float_eq(b.tv_high, CASES[i].tv_high, 1e-6, "case %zu", i);
		cr_expect_float_eq(position_kl_renormalised(&p), CASES[i].renormalised, 2e-5,
		        "case %zu: %f", i, position_kl_renormalised(&p));
	}
}

/* A position of infer-check's own results (tests/imports/infer-check-0.2.6/sweep.json), and the
 * divergence that it states there. */
Test(position, the_renormalised_divergence_is_that_of_infer_check)
{
	const struct entry base[] = {{"17", exp(-0.125)}, {"?", exp(-2.5)}};
	const struct entry test[] = {{"17", exp(-0.25)}, {"?", exp(-2.5)}};
	struct position p = read_both(test, 2, base, 2);
	cr_expect_float_eq(position_kl_renormalised(&p), 0.0006297128, 1e-9);
}

Test(position, ranks_gaps_and_overlap_are_of_the_base_and_its_best)
{
	struct entry p[] = {{"c", .5}, {"a", .3}, {"x", .1}};
	struct entry r[] = {{"a", .6}, {"b", .2}, {"c", .1}};
	struct position both = read_both(p, 3, r, 3);
	cr_assert_eq(position_rank(&both), 2, "a and b are more probable to the base");
	cr_assert_float_eq(position_gap(&both), log(.6) - log(.2), 1e-6);
	cr_assert_float_eq(position_jaccard(&both, position_shorter_length(&both)), 2.0 / 4, 1e-12);
	cr_assert_neq(both.best_base, both.best_test);
	struct position alone = read_both(p, 3, (struct entry[]){{"b", .9}}, 1);
	cr_assert(isnan(position_rank(&alone)) && isnan(position_gap(&alone)));
	cr_assert_eq(position_shorter_length(&alone), 1, "no more can be compared than both list");
	cr_assert_eq(position_jaccard(&alone, 1), 0);
}

Test(position, tokens_that_identify_nothing_are_mass_that_is_not_listed)
{
	struct entry p[] = {{"\xef\xbf\xbd", .6}, {"b", .3}}, r[] = {{"", .6}, {"b", .3}};
	struct position both = read_both(p, 2, r, 2);
	struct bounds b;
	cr_assert(both.n == 1 && both.n_base == 1 && both.n_test == 1);
	position_bounds(&both, 0, &b);
	cr_assert(b.tv_low < 1e-6 && b.tv_high > 0.69, "they may be the same or not");
}

/* One list with n logprobs: -step, -2 step and so on. */
static struct columns stepped(double step, size_t n)
{
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	columns_builder_token(b, span_of("a"), -1, (float)-step, 0);
	for (size_t i = 1; i <= n; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%zu", i);
		columns_builder_top(b, span_of(name), -1, (float)(-step * (double)i));
	}
	columns_builder_end(b, &c);
	return c;
}

Test(position, logprobs_with_at_most_four_decimals_are_taken_as_rounded)
{
	struct columns four = stepped(0.7003, 20), more = stepped(0.70031, 20);
	struct columns few = stepped(0.7003, 5);
	cr_assert_float_eq(listing_rounding(&four, &more), 5e-5, 1e-12, "one side is enough");
	cr_assert_float_eq(listing_rounding(&more, &four), 5e-5, 1e-12);
	cr_assert_eq(listing_rounding(&more, &more), 0);
	cr_assert_eq(listing_rounding(&few, &more), 0, "few logprobs may be so by chance");
	columns_finish(&four);
	columns_finish(&more);
	columns_finish(&few);
}

Test(position, of_long_lists_the_best_count_and_duplicates_once)
{
	struct entry list[32];
	char names[32][12];
	for (int i = 0; i < 32; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i == 31 ? 30 : i);
		list[i] = (struct entry){names[i], 0.5 / (1 << MIN(i, 20))};
	}
	struct position both = read_both(list, 32, list, 32);
	cr_assert_leq(both.n_base, POSITION_LIST_LIMIT);
	cr_assert_eq(both.n, both.n_base, "each token once");
	cr_assert_eq(position_jaccard(&both, position_shorter_length(&both)), 1);
}

/* Lists of a few tokens that are easily taken for one another; now and then one is not in order, has
 * lost bytes, comes twice, or has an id. */
static struct columns any_list(bool padded)
{
	static const char *const POOL[] = {"a", "functional", "b", " the", "12345678", " The", "c",
	        "functions", "\n", "d", "functio", "12345679", "e", "f", "function", "", "g", "h",
	        "\xef\xbf\xbd"};
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	size_t first = below(2) ? below(4) : below(ARRAY_LEN(POOL)), odd = below(12);
	bool ids = below(3) == 0;
	float lp = -0.25F;
	columns_builder_token(b, span_of(POOL[(first + below(2)) % ARRAY_LEN(POOL)]),
	        ids ? (int32_t)(first + below(9) / 8) : -1, -0.25F, below(9) ? 0 : TOKEN_MISSING);
	for (size_t i = 0; i < 5; i++) {
		size_t which = (first + i - (odd == 0 && i == 4)) % ARRAY_LEN(POOL);
		int32_t id = ids ? (int32_t)which + (below(20) == 0) : -1;
		lp += odd == 1 ? 0.125F : -0.25F * (float)below(4);
		columns_builder_top(b, span_of(POOL[which]), id, lp);
	}
	if (padded) {
		columns_builder_top(b, span_of("padding"), -1, NAN);
	}
	columns_builder_end(b, &c);
	return c;
}

static bool same_numbers(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(isnan(a[i]) && isnan(b[i])) && a[i] != b[i]) {
			return false;
		}
	}
	return true;
}

static void read_any(bool padded, uint64_t seed, struct position *ret)
{
	random_state = seed;
	struct columns base = any_list(padded), test = any_list(padded);
	struct listing b = listing_at(&base, 0), t = listing_at(&test, 0);
	position_read(&b, &t, ret);
	columns_finish(&base);
	columns_finish(&test);
}

Test(position, a_row_without_a_logprob_changes_nothing)
{
	static struct position plain, any;
	const struct position *p = &plain, *a = &any;
	for (uint64_t seed = 1; seed <= ROUNDS(20000); seed++) {
		read_any(false, seed, &plain);
		read_any(true, seed, &any);
		cr_assert(p->n == a->n && p->n_base == a->n_base && p->n_test == a->n_test);
		cr_assert(p->best_base == a->best_base && p->best_test == a->best_test);
		cr_assert(p->chosen_test == a->chosen_test);
		for (size_t k = 1; k <= position_shorter_length(p); k++) {
			cr_assert_eq(
			        position_jaccard(p, k), position_jaccard(a, k), "%d", (int)seed);
		}
		cr_assert(same_numbers(p->base, a->base, p->n));
		cr_assert(same_numbers(p->test, a->test, p->n));
		cr_assert(same_numbers(p->base_p, a->base_p, p->n));
		cr_assert(same_numbers(p->test_p, a->test_p, p->n));
	}
}
