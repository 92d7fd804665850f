#include "analyzer/tokens/sheet.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/tokens/position.h"
#include "made_lists.h"

#define ROUNDS 300

struct two_sheets {
	struct sheet alike, unlike;
	struct position of_alike[SHEET_MOST], of_unlike[SHEET_MOST];
};

static bool is_near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fmax(1e-3, fmax(fabs(a), fabs(b)));
}

/* The gap of the two tokens that both together hold most probable. */
static void find_both(const struct position *p, double *ret_base, double *ret_test)
{
	size_t best = SIZE_MAX, next = SIZE_MAX;
	*ret_base = *ret_test = NAN;
	for (size_t i = 0; i < p->n; i++) {
		double sum = p->base[i] + p->test[i];
		if (isnan(sum)) {
			continue;
		}
		if (best == SIZE_MAX || sum > p->base[best] + p->test[best]) {
			next = best;
			best = i;
		} else if (next == SIZE_MAX || sum > p->base[next] + p->test[next]) {
			next = i;
		}
	}
	if (next != SIZE_MAX) {
		*ret_base = p->base[best] - p->base[next];
		*ret_test = p->test[best] - p->test[next];
	}
}

static void check_lists(const struct sheet *s, size_t i, const struct position *p)
{
	double base, test, chosen = p->test[p->chosen_test] - p->base[p->chosen_base];
	cr_assert_eq(s->same_top[i], p->best_base == p->best_test);
	cr_assert(is_near(s->top_change[i], p->test[p->best_base] - p->base[p->best_base]));
	cr_assert(is_near(s->gap[i], position_gap(p)));
	cr_assert_eq(s->rank[i], position_rank(p));
	cr_assert_eq(s->jaccard[i], position_jaccard(p));
	cr_assert_eq(s->change[i], chosen);
	cr_assert_eq(s->chosen[i], p->chosen_base);
	cr_assert(is_near(s->lp_change[i], chosen));
	cr_assert(is_near(s->k3[i], bounds_k3(p->test[p->chosen_test], p->base[p->chosen_test])));
	cr_assert(is_near(s->p_change[i], p->test_p[p->chosen_test] - p->base_p[p->chosen_test]));
	find_both(p, &base, &test);
	cr_assert(is_near(s->both_base[i], base) && is_near(s->both_test[i], test));
}

static void check(struct sheet *s, const struct position *positions)
{
	if (s->n == 0) {
		return;
	}
	sheet_reckon(s);
	for (size_t i = 0; i < s->n; i++) {
		const struct position *p = &positions[i];
		struct bounds b;
		position_bounds(p, &b);
		check_lists(s, i, p);
		cr_assert(is_near(s->kl_low[i], b.kl_low), "KL %.17g, not %.17g", s->kl_low[i],
		        b.kl_low);
		cr_assert(is_near(s->tv_low[i], b.tv_low));
		cr_assert(is_near(s->tv_high[i], b.tv_high));
		cr_assert(is_near(s->js_low[i], b.js_low));
		cr_assert(is_near(s->js_high[i], b.js_high));
		cr_assert(is_near(s->hidden[i], (b.p_hidden + b.r_hidden) / 2));
		cr_assert(is_near(s->renormalised[i], position_kl_renormalised(p)));
	}
	sheet_clear(s);
}

Test(sheet, says_what_positions_say_one_by_one)
{
	static struct two_sheets s;
	size_t alike = 0, unlike = 0;
	random_state = 1;
	sheet_begin(&s.alike, &s.unlike);
	for (size_t round = 0; round < ROUNDS; round++) {
		struct columns base, test;
		struct listing_walk w;
		make(1 + round % SHEET_MOST, &base, &test);
		listing_walk_begin(&w, &base, &test);
		while (listing_walk_next(&w)) {
			struct position p;
			position_read(&w.base, &w.test, &p);
			cr_assert(w.at.equal && p.plain);
			bool same = p.n == LISTING_PLAIN;
			size_t n = s.alike.n, others = s.unlike.n;
			struct sheet *to = sheet_take(&s.alike, &s.unlike, &w.base, &w.test);
			cr_assert(to == &s.unlike || (same && to == &s.alike));
			cr_assert_eq(to->at[to->n - 1], w.at.a);
			*(to == &s.alike ? &s.of_alike[n] : &s.of_unlike[others]) = p;
		}
		alike += s.alike.n;
		unlike += s.unlike.n;
		check(&s.alike, s.of_alike);
		check(&s.unlike, s.of_unlike);
		listing_walk_end(&w);
		columns_finish(&base);
		columns_finish(&test);
	}
	cr_assert(alike > 1000 && unlike > 1000, "%zu and %zu", alike, unlike);
}

/* Does a sheet take the one position? If so it is reckoned in s. */
static struct sheet *take(struct two_sheets *s, const struct made *base, const struct made *test)
{
	struct columns_builder *b = columns_builder_create(), *t = columns_builder_create();
	struct columns of_base, of_test;
	struct listing_walk w;
	put(b, base, false);
	put(t, test, false);
	columns_builder_end(b, &of_base);
	columns_builder_end(t, &of_test);
	sheet_begin(&s->alike, &s->unlike);
	listing_walk_begin(&w, &of_base, &of_test);
	cr_assert(listing_walk_next(&w));
	struct sheet *taken = sheet_take(&s->alike, &s->unlike, &w.base, &w.test);
	if (taken) {
		sheet_reckon(taken);
	}
	listing_walk_end(&w);
	columns_finish(&of_base);
	columns_finish(&of_test);
	return taken;
}

Test(sheet, of_the_same_lists_nothing_lies_apart)
{
	static struct two_sheets s;
	struct made m;
	make_base(&m);
	struct sheet *taken = take(&s, &m, &m);
	cr_assert_eq(taken, &s.alike);
	cr_assert(taken->n == 1 && taken->at[0] == 0);
	cr_assert_eq(taken->kl_low[0], 0);
	cr_assert_eq(taken->js_low[0], 0);
	cr_assert_eq(taken->tv_low[0], 0);
	cr_assert_eq(taken->noise[0], 0);
}

Test(sheet, takes_only_plain_lists_that_have_a_probability)
{
	static struct two_sheets s;
	struct made base, test;
	make_base(&base);
	test = base;
	test.lps[4] = -800;
	cr_assert_null(take(&s, &base, &test), "so little that its exponential vanishes");
	test = base;
	test.lps[4] = NAN;
	cr_assert_null(take(&s, &base, &test));
	test = base;
	test.words[4] = test.words[3];
	cr_assert_null(take(&s, &base, &test), "a token comes twice");
	cr_assert_null(take(&s, &test, &base));
	cr_assert_not_null(take(&s, &base, &base));
}

Test(sheet, noise_is_that_of_the_bases_two_most_probable)
{
	static struct two_sheets s;
	struct made base = {.words = {0, 1, 2, 3, 4}, .lps = {-3, -0.5F, -4, -1, -5}, .chosen = 1};
	struct made test = base;
	test.lps[1] = -0.75F;
	struct sheet *taken = take(&s, &base, &test);
	cr_assert_eq(taken->gap[0], 0.5);
	cr_assert_eq(taken->noise[0], -0.25);
	test.words[3] = 9;
	taken = take(&s, &base, &test);
	cr_assert_eq(taken, &s.unlike);
	cr_assert(isnan(taken->noise[0]), "the test does not list the second");
	cr_assert_eq(taken->top_change[0], -0.25);
}

/* As a sheet is that was full before: nothing beyond the rows that are taken is to be looked at. */
static void dirty(struct sheet *s)
{
	memset(s, 0xff, sizeof(*s));
}

/* Nothing has to be sought in a list that falls, but the other may not fall. */
Test(sheet, a_base_that_falls_says_nothing_of_the_tests_order)
{
	static struct two_sheets s;
	const struct made base = {.words = {0, 1, 2, 3, 4}, .lps = {-0.5F, -1, -3, -4, -5}};
	struct made test = base;
	dirty(&s.alike);
	dirty(&s.unlike);
	struct sheet *taken = take(&s, &base, &test);
	cr_assert_eq(taken, &s.alike);
	cr_assert(taken->ordered && taken->same_top[0] == 1 && taken->rank[0] == 0);
	test.lps[0] = -2;
	test.lps[2] = -0.75F;
	taken = take(&s, &base, &test);
	cr_assert_eq(taken, &s.alike);
	cr_assert_not(taken->ordered);
	cr_assert_eq(taken->same_top[0], 0);
	cr_assert_eq(taken->gap[0], 0.5);
	cr_assert_eq(taken->noise[0], -1.5);
	cr_assert_eq(taken->top_change[0], -1.5);
	/* Of both together the second is the most probable, and then the first. */
	cr_assert_eq(taken->both_base[0], -0.5);
	cr_assert_eq(taken->both_test[0], 1);
}
