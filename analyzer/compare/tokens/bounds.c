#include "analyzer/compare/tokens/bounds.h"

#include <math.h>
#include <stdbool.h>

/* Probability masses. Only their sums are known. */
struct sums {
	double p_only, r_only; /* listed by one side alone */
	double p_rest, r_rest; /* outside of both lists, by each side's own probabilities */
};

/* x ln(x / y), with 0 ln 0 = 0. */
static double term(double x, double y)
{
	return x > 0 ? x * log(x / y) : 0;
}

/*
 * The minimum of x ln(x / y) when x and y are off by up to guard. As a function of x it falls until
 * x = y / e and rises from there.
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

/* The part of each sum that comes from tokens that both sides list. */
struct shared {
	double kl, js;
	double above, below; /* the excess of p over r, and of r over p */
	double least;
};

struct totals {
	struct sums only;
	struct shared both;
	double p, r; /* listed probabilities */
	double rounding;
};

/* x ln x, with 0 ln 0 = 0. */
static double weighed(double x, double log_x)
{
	return x > 0 ? x * log_x : 0;
}

/*
 * The minimum of p ln(p / r) when both logprobs are off by up to rounding. With p exp(a) in place
 * of p, it is a function of a that falls until ln(p / r) + a = -1 and rises from there.
 */
static double least_shared_term(double p, double p_lp, double r_lp, double rounding)
{
	double ratio = p_lp - r_lp - rounding;
	double a = fmin(fmax(-1 - ratio, -rounding), rounding);
	return p > 0 ? p * exp(a) * (ratio + a) : 0;
}

static void add_shared(
        struct shared *to, double p, double r, double p_lp, double r_lp, double rounding)
{
	double middle = 0.5 * (p + r);
	to->least += fmin(p, r);
	to->kl += least_shared_term(p, p_lp, r_lp, rounding);
	if (p == r) {
		return; /* no distance */
	}
	to->js += 0.5 * (weighed(p, p_lp) + weighed(r, r_lp)) - weighed(middle, log(middle));
	to->above += fmax(0, p - r);
	to->below += fmax(0, r - p);
}

static void add_token(struct totals *t, double p, double r, double p_lp, double r_lp)
{
	bool has_p = !isnan(p), has_r = !isnan(r);
	t->p += has_p ? p : 0;
	t->r += has_r ? r : 0;
	if (has_p && has_r) {
		add_shared(&t->both, p, r, p_lp, r_lp, t->rounding);
	} else {
		t->only.p_only += has_p ? p : 0;
		t->only.r_only += has_r ? r : 0;
	}
}

static void find_bounds(struct totals *t, double guard, struct bounds *ret)
{
	struct sums *s = &t->only;
	const struct shared *both = &t->both;
	s->p_rest = fmax(0, 1 - t->p);
	s->r_rest = fmax(0, 1 - t->r);
	ret->p_hidden = s->p_only + s->p_rest;
	ret->r_hidden = s->r_only + s->r_rest;
	ret->kl_low = fmax(0, both->kl + kl_of_sums(s, guard + t->rounding));
	ret->js_low = fmax(0, both->js + js_of_sums(s));
	ret->js_high = fmin(M_LN2, both->js + 0.5 * M_LN2 * (ret->p_hidden + ret->r_hidden));
	double outside = both->above + both->below;
	double folded = 0.5 * (outside + fabs(ret->p_hidden - ret->r_hidden));
	double above = both->above + fmax(0, s->p_only - s->r_rest);
	double below = both->below + fmax(0, s->r_only - s->p_rest);
	ret->tv_low = fmax(folded, fmax(above, below));
	ret->tv_high = fmax(ret->tv_low, 1 - both->least);
}

void bounds_of(const double *p, const double *r, const double *p_lp, const double *r_lp, size_t n,
        double guard, double rounding, struct bounds *ret)
{
	struct totals t = {.rounding = rounding};
	for (size_t i = 0; i < n; i++) {
		add_token(&t, p[i], r[i], p_lp[i], r_lp[i]);
	}
	find_bounds(&t, guard, ret);
}

#define K3_SMALL 0.125 /* nats */
#define K3_TERMS 12

/* d^2/2! + d^3/3! + ...: near 0 the series keeps the digits that a subtraction would lose. */
static double small_k3(double d)
{
	double sum = 0;
	for (int i = K3_TERMS; i >= 3; i--) {
		sum = (sum + 1) * d / i;
	}
	return (sum + 1) * d * d / 2;
}

double bounds_k3(double d)
{
	return fabs(d) < K3_SMALL ? small_k3(d) : expm1(d) - d;
}
