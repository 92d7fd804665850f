#include "analyzer/sheet.h"

#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

/* Both sides' lists of the same five tokens, of which the greater part of the mass or little is listed. */
static void make(struct position *p, bool equal)
{
	*p = (struct position){.n = POSITION_PLAIN, .plain = true};
	double left = drand48() < 0.5 ? 1 : drand48();
	for (size_t i = 0; i < POSITION_PLAIN; i++) {
		double share = left * drand48();
		left -= share;
		p->base[i] = (double)(float)log(share + 1e-9);
		double noise = drand48() < 0.9 ? 0.05 * (drand48() - 0.5) : drand48() - 0.5;
		p->test[i] = equal ? p->base[i] : (double)(float)fmin(0, p->base[i] * (1 + noise));
	}
	p->n_base = p->n_test = p->k = p->shared = POSITION_PLAIN;
	position_weigh(p);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1e-3, fmax(fabs(a), fabs(b)));
}

Test(sheet, says_what_positions_say_one_by_one)
{
	static struct sheet s;
	struct position p[SHEET_MOST];
	srand48(1);
	for (size_t round = 0; round < 200; round++) {
		size_t n = 1 + round % SHEET_MOST;
		for (size_t i = 0; i < n; i++) {
			make(&p[i], i % 9 == 0);
			cr_assert(sheet_fits(&p[i]));
			sheet_add(&s, &p[i], i, 0);
		}
		sheet_reckon(&s);
		for (size_t i = 0; i < n; i++) {
			struct bounds b;
			position_bounds(&p[i], &b);
			cr_assert(is_near(s.kl_low[i], b.kl_low), "KL %.17g, not %.17g",
			        s.kl_low[i], b.kl_low);
			cr_assert(is_near(s.tv_low[i], b.tv_low));
			cr_assert(is_near(s.tv_high[i], b.tv_high));
			cr_assert(is_near(s.js_low[i], b.js_low));
			cr_assert(is_near(s.js_high[i], b.js_high));
			cr_assert(is_near(s.hidden[i], (b.p_hidden + b.r_hidden) / 2));
			cr_assert(is_near(s.renormalised[i], position_kl_renormalised(&p[i])));
			cr_assert(is_near(s.test_p[3][i], p[i].test_p[3]));
			cr_assert_eq(s.hash[i], i);
		}
		s.n = 0;
	}
}

Test(sheet, of_the_same_lists_nothing_lies_apart)
{
	static struct sheet s;
	struct position p;
	make(&p, true);
	sheet_add(&s, &p, 0, 0);
	sheet_reckon(&s);
	cr_assert_eq(s.kl_low[0], 0);
	cr_assert_eq(s.js_low[0], 0);
	cr_assert_eq(s.tv_low[0], 0);
}

Test(sheet, takes_only_lists_of_the_same_tokens_that_have_a_probability)
{
	struct position p;
	make(&p, false);
	p.n = POSITION_PLAIN + 1;
	cr_assert_not(sheet_fits(&p));
	make(&p, false);
	p.test[4] = -800;
	cr_assert_not(sheet_fits(&p), "so little that its exponential vanishes");
	make(&p, false);
	p.plain = false;
	cr_assert_not(sheet_fits(&p));
}
