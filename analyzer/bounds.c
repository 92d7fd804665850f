#include "analyzer/bounds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/extremes.h"
#include "base/mem.h"

/* Masses that are known only as sums. */
struct sums {
	double p_only, r_only; /* listed by one side alone */
	double p_rest, r_rest; /* listed by none, as this side counts it */
};

/* x ln(x / y) with 0 ln 0 = 0. */
static double term(double x, double y)
{
	if (x <= 0) {
		return 0;
	}
	return y > 0 ? x * log(x / y) : INFINITY;
}

/*
 * The least that the term can be when x and y are off by up to guard. It falls until x is y / e and
 * rises from there.
 */
static double least_term(double x, double y, double guard)
{
	double low = extremes_max(0, x - guard), high = x + guard, most = y + guard;
	double bottom = most / 2.718281828459045235;
	if (bottom <= low) {
		return term(low, most);
	}
	if (bottom >= high) {
		return term(high, most);
	}
	double least = extremes_min(term(low, most), term(high, most));
	return extremes_min(least, -bottom);
}

static double js_term(double p, double r)
{
	return 0.5 * (term(p, 0.5 * (p + r)) + term(r, 0.5 * (p + r)));
}

static bool tells_apart(const struct sums *s)
{
	return s->p_only * s->r_only > s->p_rest * s->r_rest;
}

static double kl_of_sums(const struct sums *s, double guard)
{
	if (tells_apart(s)) {
		return least_term(s->p_only, s->r_rest, guard) +
		       least_term(s->p_rest, s->r_only, guard);
	}
	return least_term(s->p_only + s->p_rest, s->r_only + s->r_rest, guard);
}

static double js_of_sums(const struct sums *s)
{
	if (tells_apart(s)) {
		return js_term(s->p_only, s->r_rest) + js_term(s->p_rest, s->r_only);
	}
	return js_term(s->p_only + s->p_rest, s->r_only + s->r_rest);
}

/* x ln x of a number whose log is known; 0 ln 0 = 0. */
static double weighed(double x, double log_x)
{
	return x > 0 ? x * log_x : 0;
}

/* What a token that both sides list adds. */
static double shared_kl(double p, double r, double p_lp, double r_lp)
{
	if (p <= 0) {
		return 0;
	}
	return r > 0 ? p * (p_lp - r_lp) : INFINITY;
}

static double shared_js(
        const double *p, const double *r, const double *p_lp, const double *r_lp, size_t n)
{
	double js = 0;
	for (size_t i = 0; i < n; i++) {
		if (isnan(p[i]) || isnan(r[i]) || p[i] == r[i]) {
			continue;
		}
		double middle = 0.5 * (p[i] + r[i]);
		double apart = weighed(p[i], p_lp[i]) + weighed(r[i], r_lp[i]);
		js += 0.5 * apart - middle * log(middle);
	}
	return js;
}

void bounds_of_logs(const double *p, const double *r, const double *p_lp, const double *r_lp,
        size_t n, double guard, struct bounds *ret)
{
	struct sums s = {0};
	double js = shared_js(p, r, p_lp, r_lp, n), kl = 0, apart = 0, above = 0, below = 0,
	       shared = 0;
	double p_sum = 0, r_sum = 0;
	for (size_t i = 0; i < n; i++) {
		bool has_p = !isnan(p[i]), has_r = !isnan(r[i]);
		if (has_p && has_r) {
			double d = p[i] - r[i];
			kl += shared_kl(p[i], r[i], p_lp[i], r_lp[i]);
			p_sum += p[i];
			r_sum += r[i];
			apart += fabs(d);
			above += d > 0 ? d : 0;
			below += -d > 0 ? -d : 0;
			shared += p[i] < r[i] ? p[i] : r[i];
		} else if (has_p) {
			p_sum += p[i];
			s.p_only += p[i];
		} else if (has_r) {
			r_sum += r[i];
			s.r_only += r[i];
		}
	}
	s.p_rest = extremes_max(0, 1 - p_sum);
	s.r_rest = extremes_max(0, 1 - r_sum);
	ret->p_hidden = s.p_only + s.p_rest;
	ret->r_hidden = s.r_only + s.r_rest;
	ret->kl_low = extremes_max(0, kl + kl_of_sums(&s, guard));
	ret->js_low = extremes_max(0, js + js_of_sums(&s));
	ret->js_high = extremes_min(M_LN2, js + 0.5 * M_LN2 * (ret->p_hidden + ret->r_hidden));
	double folded = 0.5 * (apart + fabs(ret->p_hidden - ret->r_hidden));
	above += extremes_max(0, s.p_only - s.r_rest);
	below += extremes_max(0, s.r_only - s.p_rest);
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

double bounds_k3(double p_lp, double r_lp)
{
	double d = r_lp - p_lp;
	return expm1(d) - d;
}
