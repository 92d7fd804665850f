#include "analyzer/stats/testing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/adjust.h"
#include "base/check.h"

double testing_normal_below(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Of functions that rise from low to high, to the last digits of a double. */
static double bisect(double (*f)(const double *arg, double x), const double *arg, double target,
        double low, double high)
{
	for (int i = 0; i < 200 && high - low > 1e-15 * fmax(fabs(low), fabs(high)); i++) {
		double middle = low + (high - low) / 2;
		if (f(arg, middle) < target) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return low + (high - low) / 2;
}

static double normal_rises(const double *arg, double x)
{
	return testing_normal_below(x);
}

double testing_normal_quantile(double p)
{
	return bisect(normal_rises, NULL, p, -40, 40);
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double testing_mcnemar(uint64_t b, uint64_t c)
{
	double n = (double)(b + c), sum = 0;
	for (uint64_t i = 0; i <= MIN(b, c); i++) {
		sum += exp(log_choose(n, (double)i) - n * M_LN2);
	}
	return fmin(1, 2 * sum);
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

/* The regularised incomplete beta function; arg: a, b. */
static double beta_below(const double *arg, double x)
{
	double a = arg[0], b = arg[1];
	if (x <= 0 || x >= 1) {
		return x <= 0 ? 0 : 1;
	}
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2)) {
		return front * beta_fraction(a, b, x) / a;
	}
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double testing_binomial_above(double hits, double n, double q)
{
	const double arg[] = {hits, n - hits + 1};
	return hits <= 0 ? 1 : hits > n ? 0 : beta_below(arg, q);
}

double testing_student_below(double t, double freedom)
{
	double arg[] = {freedom / 2, 0.5};
	double tail = beta_below(arg, freedom / (freedom + t * t)) / 2;
	return t > 0 ? 1 - tail : tail;
}

static double student_rises(const double *arg, double x)
{
	return testing_student_below(x, *arg);
}

double testing_student_quantile(double p, double freedom)
{
	/* Beyond that the two are the same to five digits, and the fraction needs long. */
	return freedom > 1e5 ? testing_normal_quantile(p)
	                     : bisect(student_rises, &freedom, p, -1e4, 1e4);
}

struct interval testing_clopper_pearson(uint64_t hits, uint64_t n, double alpha)
{
	double h = (double)hits, all = (double)n;
	double low[] = {h, all - h + 1}, high[] = {h + 1, all - h};
	return (struct interval){
	        h <= 0 ? 0 : bisect(beta_below, low, alpha / 2, 0, 1),
	        h >= all ? 1 : bisect(beta_below, high, 1 - alpha / 2, 0, 1),
	};
}

/* P(X > hits) + P(X = hits) / 2 of hits among n, each with chance x. */
static double mid_p_rises(const double *arg, double x)
{
	double hits = arg[0], n = arg[1];
	double more[] = {hits + 1, n - hits}, as_many[] = {hits, n - hits + 1};
	double above = hits < n ? beta_below(more, x) : 0;
	return (above + (hits > 0 ? beta_below(as_many, x) : 1)) / 2;
}

struct interval testing_mid_p(double hits, double n, double alpha)
{
	double arg[] = {fmin(fmax(hits, 0), n), n};
	return (struct interval){
	        hits <= 0 ? 0 : bisect(mid_p_rises, arg, alpha / 2, 0, 1),
	        hits >= n ? 1 : bisect(mid_p_rises, arg, 1 - alpha / 2, 0, 1),
	};
}

void testing_holm(double *p, size_t n)
{
	adjust_holm(p, n);
}

void testing_false_discovery(double *p, size_t n)
{
	adjust_false_discovery(p, n);
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
