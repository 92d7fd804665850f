#include "analyzer/stats/testing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/check.h"

double testing_normal_below(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

typedef double (*rising_fn)(const double *arg, double x);

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

/* Where a function that rises from low to high reaches the target; the nearer end if it does not. */
static double root(rising_fn f, const double *arg, double target, double low, double high)
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

static double normal_rises(const double *arg, double x)
{
	return testing_normal_below(x);
}

double testing_normal_quantile(double p)
{
	return root(normal_rises, NULL, p, -40, 40);
}

double testing_log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double testing_mcnemar(uint64_t b, uint64_t c)
{
	double n = (double)(b + c), sum = 0;
	for (uint64_t i = 0; i <= MIN(b, c); i++) {
		sum += exp(testing_log_choose(n, (double)i) - n * M_LN2);
	}
	return fmin(1, 2 * sum);
}

double testing_fisher_above(uint64_t hits, uint64_t n, uint64_t other_hits, uint64_t others)
{
	double all = (double)(n + others), sum = 0;
	uint64_t wrong = hits + other_hits;
	for (uint64_t i = hits; i <= MIN(n, wrong); i++) {
		if (wrong - i <= others) {
			sum += exp(testing_log_choose((double)n, (double)i) +
			           testing_log_choose((double)others, (double)(wrong - i)) -
			           testing_log_choose(all, (double)wrong));
		}
	}
	return fmin(1, sum);
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

/* The regularised incomplete beta function; the part that does not depend on x is computed once. */
enum { BETA_A, BETA_B, BETA_SCALE, BETA_ARGS };

static void beta_of(double *arg, double a, double b)
{
	arg[BETA_A] = a;
	arg[BETA_B] = b;
	arg[BETA_SCALE] = lgamma(a + b) - lgamma(a) - lgamma(b);
}

static double beta_below(const double *arg, double x)
{
	double a = arg[BETA_A], b = arg[BETA_B];
	if (x <= 0 || x >= 1) {
		return x <= 0 ? 0 : 1;
	}
	double front = exp(arg[BETA_SCALE] + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2)) {
		return front * beta_fraction(a, b, x) / a;
	}
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double testing_binomial_above(double hits, double n, double q)
{
	double arg[BETA_ARGS];
	if (hits <= 0 || hits > n) {
		return hits <= 0 ? 1 : 0;
	}
	beta_of(arg, hits, n - hits + 1);
	return beta_below(arg, q);
}

static void student_of(double *arg, double freedom)
{
	beta_of(arg, freedom / 2, 0.5);
	arg[BETA_ARGS] = freedom;
}

/* arg: as student_of() makes it. */
static double student_rises(const double *arg, double t)
{
	double freedom = arg[BETA_ARGS];
	double tail = beta_below(arg, freedom / (freedom + t * t)) / 2;
	return t > 0 ? 1 - tail : tail;
}

double testing_student_below(double t, double freedom)
{
	double arg[BETA_ARGS + 1];
	student_of(arg, freedom);
	return student_rises(arg, t);
}

double testing_student_quantile(double p, double freedom)
{
	double arg[BETA_ARGS + 1];
	/* Beyond that, the normal distribution agrees to five digits, and the continued fraction
	 * converges slowly. */
	if (freedom > 1e5) {
		return testing_normal_quantile(p);
	}
	student_of(arg, freedom);
	return root(student_rises, arg, p, -1e4, 1e4);
}

/* P(X > hits) + P(X = hits) / 2 for a binomial count with probability x. arg: the beta functions
 * for more hits and for at least as many. */
static double mid_p_rises(const double *arg, double x)
{
	const double *more = arg, *as_many = arg + BETA_ARGS;
	double above = more[BETA_B] > 0 ? beta_below(more, x) : 0;
	return (above + (as_many[BETA_A] > 0 ? beta_below(as_many, x) : 1)) / 2;
}

struct interval testing_mid_p(double hits, double n, double alpha)
{
	double arg[2 * BETA_ARGS];
	hits = fmin(fmax(hits, 0), n);
	beta_of(arg, hits + 1, n - hits);
	beta_of(arg + BETA_ARGS, hits, n - hits + 1);
	return (struct interval){
	        hits <= 0 ? 0 : root(mid_p_rises, arg, alpha / 2, 0, 1),
	        hits >= n ? 1 : root(mid_p_rises, arg, 1 - alpha / 2, 0, 1),
	};
}

double testing_trend(
        const double *scores, const uint64_t *hits, const uint64_t *n, size_t levels, double *ret_z)
{
	double all = 0, all_hits = 0, mean = 0, statistic = 0, spread = 0;
	for (size_t i = 0; i < levels; i++) {
		all += (double)n[i];
		all_hits += (double)hits[i];
		mean += (double)n[i] * scores[i];
	}
	double rate = all > 0 ? all_hits / all : 0;
	mean = all > 0 ? mean / all : 0;
	for (size_t i = 0; i < levels; i++) {
		double away = scores[i] - mean;
		statistic += away * ((double)hits[i] - (double)n[i] * rate);
		spread += (double)n[i] * away * away;
	}
	double variance = rate * (1 - rate) * spread;
	*ret_z = variance > 0 ? statistic / sqrt(variance) : 0;
	return variance > 0 ? 2 * testing_normal_below(-fabs(*ret_z)) : 1;
}
