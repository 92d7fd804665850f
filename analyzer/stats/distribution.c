#include "analyzer/stats/distribution.h"

#include <math.h>
#include <stddef.h>

double distribution_normal_below(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

#define ROOT_WIDTH 1e-15 /* relative */
#define ROOT_STEPS 200

struct point {
	double x, y; /* y: less the target */
};

/*
 * Returns where between a and b to look next, as a share of the way: at the root of a parabola
 * through these and c, the previous point, if it can be trusted there; else in the middle
 * (Chandrupatla 1997).
 */
static double next_step(struct point a, struct point b, struct point c)
{
	double place = (a.x - b.x) / (c.x - b.x), share = (a.y - b.y) / (c.y - b.y);
	if (!(share * share < place && (1 - share) * (1 - share) < 1 - place)) {
		return 0.5;
	}
	return a.y / (b.y - a.y) * c.y / (b.y - c.y) +
	       (c.x - a.x) / (b.x - a.x) * a.y / (c.y - a.y) * b.y / (c.y - b.y);
}

double distribution_root(rising_fn f, const void *arg, double target, double low, double high)
{
	struct point a = {high, f(arg, high) - target}, b = {low, f(arg, low) - target};
	double step = 0.5;
	if (!(b.y < 0 && a.y >= 0)) {
		return b.y < 0 ? high : low;
	}
	for (int i = 0; i < ROOT_STEPS; i++) {
		struct point p = {.x = a.x + step * (b.x - a.x)}, c = a;
		p.y = f(arg, p.x) - target;
		if ((p.y < 0) != (a.y < 0)) {
			c = b;
			b = a;
		}
		a = p;
		double least = ROOT_WIDTH * fmax(fabs(a.x), fabs(b.x)) / fabs(b.x - a.x);
		if (!(least < 0.5)) {
			break;
		}
		step = fmin(fmax(next_step(a, b, c), least), 1 - least);
	}
	return fabs(a.y) < fabs(b.y) ? a.x : b.x;
}

static double normal_rises(const void *arg, double x)
{
	return distribution_normal_below(x);
}

double distribution_normal_quantile(double p)
{
	return distribution_root(normal_rises, NULL, p, -40, 40);
}

double distribution_log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double before = h;
		for (int part = 0; part < 2; part++) {
			double step = part ? odd : even;
			d = 1 + step * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + step / c;
			c = fabs(c) < tiny ? tiny : c;
			h *= d * c;
		}
		if (fabs(h - before) < 1e-15 * fabs(h)) {
			break;
		}
	}
	return h;
}

struct beta distribution_beta(double a, double b)
{
	return (struct beta){a, b, lgamma(a + b) - lgamma(a) - lgamma(b)};
}

double distribution_beta_below(const struct beta *beta, double x)
{
	double a = beta->a, b = beta->b;
	if (x <= 0 || x >= 1) {
		return x <= 0 ? 0 : 1;
	}
	double front = exp(beta->scale + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2)) {
		return front * beta_fraction(a, b, x) / a;
	}
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double student_rises(const void *arg, double t)
{
	const struct beta *beta = arg; /* of half the degrees of freedom, and 1/2 */
	double freedom = 2 * beta->a;
	double tail = distribution_beta_below(beta, freedom / (freedom + t * t)) / 2;
	return t > 0 ? 1 - tail : tail;
}

double distribution_student_below(double t, double freedom)
{
	struct beta beta = distribution_beta(freedom / 2, 0.5);
	return student_rises(&beta, t);
}

double distribution_student_quantile(double p, double freedom)
{
	/* Beyond that, the normal distribution agrees to five digits, and the continued fraction
	 * converges slowly. */
	if (freedom > 1e5) {
		return distribution_normal_quantile(p);
	}
	struct beta beta = distribution_beta(freedom / 2, 0.5);
	return distribution_root(student_rises, &beta, p, -1e4, 1e4);
}
