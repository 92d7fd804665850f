#include "analyzer/tokens/bounds.h"

#include <math.h>
#include <stdbool.h>

/* Masses that are known only as sums. */
struct sums {
	double p_only, r_only; /* listed by one side alone */
	double p_rest, r_rest; /* listed by none, as this side counts it */
};

/* x ln(x / y), with 0 ln 0 = 0. */
static double term(double x, double y)
{
	return x > 0 ? x * log(x / y) : 0;
}

/*
 * The least that x ln(x / y) can be when x and y are off by up to guard. It falls until x is y / e
 * and rises from there.
 */
static double least_term(double x, double y, double guard)
{
	double low = fmax(0, x - guard), high = x + guard, most = y + guard;
	double bottom = most / M_E;
	return term(fmin(fmax(bottom, low), high), most);
}

static double js_term(double p, double r)
{
	double middle = 0.5 * (p + r);
	return 0.5 * (term(p, middle) + term(r, middle));
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

/* What tokens that both sides list add. */
struct shared {
	double kl, js;
	double above, below; /* of p over r, and of r over p */
	double least;
};

static void add_shared(struct shared *to, double p, double r)
{
	to->kl += term(p, r);
	to->js += js_term(p, r);
	to->above += fmax(0, p - r);
	to->below += fmax(0, r - p);
	to->least += fmin(p, r);
}

void bounds_of(const double *p, const double *r, size_t n, double guard, struct bounds *ret)
{
	struct sums s = {0};
	struct shared both = {0};
	double p_sum = 0, r_sum = 0;
	for (size_t i = 0; i < n; i++) {
		bool has_p = !isnan(p[i]), has_r = !isnan(r[i]);
		p_sum += has_p ? p[i] : 0;
		r_sum += has_r ? r[i] : 0;
		if (has_p && has_r) {
			add_shared(&both, p[i], r[i]);
		} else {
			s.p_only += has_p ? p[i] : 0;
			s.r_only += has_r ? r[i] : 0;
		}
	}
	s.p_rest = fmax(0, 1 - p_sum);
	s.r_rest = fmax(0, 1 - r_sum);
	ret->p_hidden = s.p_only + s.p_rest;
	ret->r_hidden = s.r_only + s.r_rest;
	ret->kl_low = fmax(0, both.kl + kl_of_sums(&s, guard));
	ret->js_low = fmax(0, both.js + js_of_sums(&s));
	ret->js_high = fmin(M_LN2, both.js + 0.5 * M_LN2 * (ret->p_hidden + ret->r_hidden));
	double apart = both.above + both.below;
	double folded = 0.5 * (apart + fabs(ret->p_hidden - ret->r_hidden));
	double above = both.above + fmax(0, s.p_only - s.r_rest);
	double below = both.below + fmax(0, s.r_only - s.p_rest);
	ret->tv_low = fmax(folded, fmax(above, below));
	ret->tv_high = fmax(ret->tv_low, 1 - both.least);
}

#define K3_SMALL 0.125 /* nats */
#define K3_TERMS 12

/* d^2/2! + d^3/3! + ...: near 0 the series keeps the digits that the difference loses. */
static double small_k3(double d)
{
	double sum = 0;
	for (int i = K3_TERMS; i >= 3; i--) {
		sum = (sum + 1) * d / i;
	}
	return (sum + 1) * d * d / 2;
}

double bounds_k3(double p_lp, double r_lp)
{
	double d = r_lp - p_lp;
	return fabs(d) < K3_SMALL ? small_k3(d) : expm1(d) - d;
}
