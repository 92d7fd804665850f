#include "analyzer/tokens/bounds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/stats/extremes.h"
#include "analyzer/tokens/logs.h"
#include "base/clones.h"
#include "base/mem.h"

#define TERMS_MOST 4
#define STRETCH 16 /* tokens whose logs are taken at once */

/* Masses that are known only as sums. */
struct sums {
	double p_only, r_only; /* listed by one side alone */
	double p_rest, r_rest; /* listed by none, as this side counts it */
};

/* x ln(x / y) of several pairs, whose logs are taken at once. */
struct terms {
	size_t n;
	double x[TERMS_MOST], ratio[TERMS_MOST];
};

/* 0 ln 0 = 0. */
static void terms_add(struct terms *t, double x, double y)
{
	if (x > 0) {
		t->x[t->n] = x;
		t->ratio[t->n++] = y > 0 ? x / y : INFINITY;
	}
}

static double terms_sum(struct terms *t)
{
	double logs[TERMS_MOST], sum = 0;
	logs_log(t->ratio, logs, t->n);
	for (size_t i = 0; i < t->n; i++) {
		sum += isinf(t->ratio[i]) ? INFINITY : t->x[i] * logs[i];
	}
	return sum;
}

/*
 * The least that x ln(x / y) can be when x and y are off by up to guard. It falls until x is y / e and
 * rises from there. What is known without a log is returned, the rest added to the terms.
 */
static double add_least(struct terms *t, double x, double y, double guard)
{
	double low = extremes_max(0, x - guard), high = x + guard, most = y + guard;
	double bottom = most / 2.718281828459045235;
	if (bottom > low && bottom < high) {
		return -bottom;
	}
	terms_add(t, bottom <= low ? low : high, most);
	return 0;
}

static void add_js(struct terms *t, double p, double r)
{
	double middle = 0.5 * (p + r);
	terms_add(t, p, middle);
	terms_add(t, r, middle);
}

static bool tells_apart(const struct sums *s)
{
	return s->p_only * s->r_only > s->p_rest * s->r_rest;
}

static double kl_of_sums(const struct sums *s, double guard)
{
	struct terms t = {0};
	double sum;
	if (tells_apart(s)) {
		sum = add_least(&t, s->p_only, s->r_rest, guard) +
		      add_least(&t, s->p_rest, s->r_only, guard);
	} else {
		sum = add_least(&t, s->p_only + s->p_rest, s->r_only + s->r_rest, guard);
	}
	return sum + terms_sum(&t);
}

static double js_of_sums(const struct sums *s)
{
	struct terms t = {0};
	if (tells_apart(s)) {
		add_js(&t, s->p_only, s->r_rest);
		add_js(&t, s->p_rest, s->r_only);
	} else {
		add_js(&t, s->p_only + s->p_rest, s->r_only + s->r_rest);
	}
	return 0.5 * terms_sum(&t);
}

/* x ln x of a number whose log is known; 0 ln 0 = 0. */
static double weighed(double x, double log_x)
{
	return x > 0 ? x * log_x : 0;
}

/* What tokens that both sides list add. */
struct shared {
	double kl, js;
	double apart, above, below, least;
};

static void add_shared(struct shared *to, const double *p, const double *r, const double *p_lp,
        const double *r_lp, size_t n)
{
	double middle[STRETCH], logs[STRETCH];
	for (size_t i = 0; i < n; i++) {
		middle[i] = 0.5 * (p[i] + r[i]);
	}
	logs_log(middle, logs, n);
	for (size_t i = 0; i < n; i++) {
		double d = p[i] - r[i];
		if (!(d == d) || d == 0) {
			continue; /* one side lists it, or both alike */
		}
		double of_p = weighed(p[i], p_lp[i]), of_r = weighed(r[i], r_lp[i]);
		to->kl += p[i] > 0 ? (r[i] > 0 ? p[i] * (p_lp[i] - r_lp[i]) : INFINITY) : 0;
		to->js += 0.5 * (of_p + of_r) - middle[i] * logs[i];
		to->apart += fabs(d);
		to->above += d > 0 ? d : 0;
		to->below += d < 0 ? -d : 0;
	}
}

static void add_listed(
        struct sums *s, double *ret_p, double *ret_r, double *ret_shared, double p, double r)
{
	bool has_p = p == p, has_r = r == r;
	*ret_p += has_p ? p : 0;
	*ret_r += has_r ? r : 0;
	s->p_only += has_p && !has_r ? p : 0;
	s->r_only += has_r && !has_p ? r : 0;
	*ret_shared += has_p && has_r ? (p < r ? p : r) : 0;
}

void bounds_of_logs(const double *p, const double *r, const double *p_lp, const double *r_lp,
        size_t n, double guard, struct bounds *ret)
{
	struct sums s = {0};
	struct shared both = {0};
	double p_sum = 0, r_sum = 0, shared = 0;
	for (size_t i = 0; i < n; i += STRETCH) {
		add_shared(&both, p + i, r + i, p_lp + i, r_lp + i, MIN(n - i, (size_t)STRETCH));
	}
	for (size_t i = 0; i < n; i++) {
		add_listed(&s, &p_sum, &r_sum, &shared, p[i], r[i]);
	}
	s.p_rest = extremes_max(0, 1 - p_sum);
	s.r_rest = extremes_max(0, 1 - r_sum);
	ret->p_hidden = s.p_only + s.p_rest;
	ret->r_hidden = s.r_only + s.r_rest;
	ret->kl_low = extremes_max(0, both.kl + kl_of_sums(&s, guard));
	ret->js_low = extremes_max(0, both.js + js_of_sums(&s));
	ret->js_high = extremes_min(M_LN2, both.js + 0.5 * M_LN2 * (ret->p_hidden + ret->r_hidden));
	double folded = 0.5 * (both.apart + fabs(ret->p_hidden - ret->r_hidden));
	double above = both.above + extremes_max(0, s.p_only - s.r_rest);
	double below = both.below + extremes_max(0, s.r_only - s.p_rest);
	ret->tv_low = extremes_max(folded, extremes_max(above, below));
	ret->tv_high = extremes_max(ret->tv_low, 1 - shared);
}

void bounds_of(const double *p, const double *r, size_t n, double guard, struct bounds *ret)
{
	double *logs = xcalloc(2 * n + 1, sizeof(*logs));
	for (size_t i = 0; i < n; i++) {
		logs[i] = log(p[i]);
		logs[n + i] = log(r[i]);
	}
	bounds_of_logs(p, r, logs, logs + n, n, guard, ret);
	free(logs);
}

#define K3_NEAR 0.125 /* nats */

/* 1/2! + d/3! + ... d^10/12!: near 0 the series keeps the digits that the difference loses. */
static inline double k3_near(double d)
{
	double z = d * d;
	double even =
	        1.0 / 2 +
	        z * (1.0 / 24 + z * (1.0 / 720 + z * (1.0 / 40320 +
	                                                     z * (1.0 / 3628800 +
	                                                                 z * (1.0 / 479001600)))));
	double odd = 1.0 / 6 +
	             z * (1.0 / 120 + z * (1.0 / 5040 + z * (1.0 / 362880 + z * (1.0 / 39916800))));
	return z * (even + d * odd);
}

CLONED_PART bool is_near(double d)
{
	return fabs(d) < K3_NEAR;
}

double bounds_k3(double p_lp, double r_lp)
{
	double d = r_lp - p_lp;
	return is_near(d) ? k3_near(d) : expm1(d) - d;
}

/* False: some are not near. */
CLONED bool find_k3_near(
        const double *restrict p_lp, const double *restrict r_lp, double *restrict ret, size_t n)
{
	int64_t far = 0;
	for (size_t i = 0; i < n; i++) {
		double d = r_lp[i] - p_lp[i];
		ret[i] = k3_near(d);
		far |= !is_near(d);
	}
	return far == 0;
}

void bounds_k3_all(
        const double *restrict p_lp, const double *restrict r_lp, double *restrict ret, size_t n)
{
	if (find_k3_near(p_lp, r_lp, ret, n)) {
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_near(r_lp[i] - p_lp[i])) {
			ret[i] = bounds_k3(p_lp[i], r_lp[i]);
		}
	}
}
