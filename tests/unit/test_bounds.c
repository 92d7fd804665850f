#include "analyzer/compare/tokens/bounds.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"

struct vector {
	double p[4], r[4]; /* probabilities of tokens a, b, c, d; 0: not listed */
	double kl, js_low, js_high, tv_low, tv_high;
};

static void find(const double *p, const double *r, size_t n, double guard, struct bounds *ret)
{
	double p_lp[64], r_lp[64];
	for (size_t i = 0; i < n; i++) {
		p_lp[i] = log(p[i]);
		r_lp[i] = log(r[i]);
	}
	bounds_of(p, r, p_lp, r_lp, n, guard, 0, ret);
}

static void compute(const double *p, const double *r, size_t n, double guard, struct bounds *ret)
{
	double listed_p[64], listed_r[64];
	for (size_t i = 0; i < n; i++) {
		listed_p[i] = p[i] > 0 ? p[i] : NAN;
		listed_r[i] = r[i] > 0 ? r[i] : NAN;
	}
	find(listed_p, listed_r, n, guard, ret);
}

Test(bounds, known_vectors)
{
	static const struct vector VECTORS[] = {
	        {{.6, .2, .1, 0}, {.5, .3, 0, .05}, 0.028300, 0.007310, 0.145939, 0.10, 0.30},
	        {{.15, .15}, {.3, .3}, 0.183787, 0.046201, 0.406716, 0.30, 0.70},
	        {{.9, .05}, {.05, .9}, 2.456816, 0.462607, 0.497265, 0.85, 0.90},
	        {{.9, .05, 0, 0}, {0, 0, .9, .05}, 2.649995, 0.494632, 0.693147, 0.90, 1.00},
	        {{.7, .2, 0}, {.7, 0, .2}, 0.069315, 0.016990, 0.207944, 0.10, 0.30},
	};
	for (size_t i = 0; i < ARRAY_LEN(VECTORS); i++) {
		const struct vector *v = &VECTORS[i];
		struct bounds b;
		compute(v->p, v->r, 4, 0, &b);
		cr_expect_float_eq(b.kl_low, v->kl, 1e-6, "%zu: KL %f", i, b.kl_low);
		cr_expect_float_eq(b.js_low, v->js_low, 1e-6, "%zu: JS low %f", i, b.js_low);
		cr_expect_float_eq(b.js_high, v->js_high, 1e-6, "%zu: JS high %f", i, b.js_high);
		cr_expect_float_eq(b.tv_low, v->tv_low, 1e-6, "%zu: TV low %f", i, b.tv_low);
		cr_expect_float_eq(b.tv_high, v->tv_high, 1e-6, "%zu: TV high %f", i, b.tv_high);
	}
}

Test(bounds, k3)
{
	cr_assert_float_eq(bounds_k3(-0.10 + 0.12), 0.000201340, 1e-9);
	cr_assert_float_eq(bounds_k3(1), 0.718282, 1e-6);
	cr_assert_float_eq(bounds_k3(-1), 0.367879, 1e-6);
	cr_assert_eq(bounds_k3(0), 0);
}

Test(bounds, lists_that_are_alike_are_not_told_apart)
{
	double p[] = {.5, .25, .125};
	struct bounds b;
	find(p, p, 3, BOUNDS_GUARD, &b);
	cr_assert_float_eq(b.kl_low, 0, 1e-12);
	cr_assert_float_eq(b.js_low, 0, 1e-12);
	cr_assert_float_eq(b.tv_low, 0, 1e-12);
	cr_assert_float_eq(b.tv_high, .125, 1e-12);
	find(p, p, 0, BOUNDS_GUARD, &b);
	cr_assert_eq(b.kl_low, 0, "nothing is known");
	cr_assert_eq(b.tv_high, 1);
}

static uint64_t state = 20260519;

static double unit(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) * 0x1p-53;
}

/* A random distribution, peaked or flat, some with a tiny tail. */
static void draw(double *p, size_t n)
{
	double sum = 0, sharpness = 0.2 + 12 * unit();
	for (size_t i = 0; i < n; i++) {
		p[i] = exp(sharpness * log(unit() + 1e-12));
		sum += p[i];
	}
	for (size_t i = 0; i < n; i++) {
		p[i] /= sum;
	}
}

/* The k largest of p, as an engine prints them: float32 logprobs of so many digits. */
static void list(const double *p, size_t n, size_t k, double *to)
{
	bool taken[40] = {false};
	for (size_t i = 0; i < n; i++) {
		to[i] = NAN;
	}
	for (size_t rank = 0; rank < k; rank++) {
		size_t best = n;
		for (size_t i = 0; i < n; i++) {
			best = !taken[i] && (best == n || p[i] > p[best]) ? i : best;
		}
		taken[best] = true;
		to[best] = exp((double)(float)log(p[best]));
	}
}

struct truth {
	double kl, js, tv;
};

static struct truth truth_of(const double *p, const double *r, size_t n)
{
	struct truth t = {0};
	for (size_t i = 0; i < n; i++) {
		double m = (p[i] + r[i]) / 2;
		t.kl += p[i] > 0 ? p[i] * log(p[i] / r[i]) : 0;
		t.js += (p[i] > 0 ? p[i] * log(p[i] / m) : 0) / 2 +
		        (r[i] > 0 ? r[i] * log(r[i] / m) : 0) / 2;
		t.tv += fabs(p[i] - r[i]) / 2;
	}
	return t;
}

Test(bounds, the_truth_lies_within_in_all_of_20000_cases)
{
	for (int i = 0; i < 20000; i++) {
		double p[40], r[40], top_p[40], top_r[40];
		size_t n = 6 + (size_t)(unit() * 34), k = 1 + (size_t)(unit() * 5);
		struct bounds b;
		draw(p, n);
		draw(r, n);
		for (size_t j = 0; unit() < 0.5 && j < n; j++) {
			r[j] = p[j];
		}
		double sum = 0;
		for (size_t j = 0; j < n; j++) {
			sum += r[j];
		}
		for (size_t j = 0; j < n; j++) {
			r[j] /= sum;
		}
		list(p, n, k, top_p);
		list(r, n, k, top_r);
		find(top_p, top_r, n, BOUNDS_GUARD, &b);
		struct truth t = truth_of(p, r, n);
		cr_assert(b.kl_low <= t.kl + 1e-9, "%d: KL %g over %g", i, b.kl_low, t.kl);
		cr_assert(b.js_low <= t.js + 1e-6 && t.js <= b.js_high + 1e-6,
		        "%d: JS %g not in %g..%g", i, t.js, b.js_low, b.js_high);
		cr_assert(b.tv_low <= t.tv + 1e-6 && t.tv <= b.tv_high + 1e-6,
		        "%d: TV %g not in %g..%g", i, t.tv, b.tv_low, b.tv_high);
	}
}
