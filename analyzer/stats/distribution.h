#pragma once
/*
 * distribution - the normal, Student's t and beta distributions, and their quantiles. Pure.
 */

double distribution_normal_below(double z);    /* P(Z <= z) of a standard normal Z */
double distribution_normal_quantile(double p); /* the z with P(Z <= z) = p; 0 < p < 1 */
#define DISTRIBUTION_Z_95 1.959963984540054    /* distribution_normal_quantile(0.975) */
/* P(T <= t) of Student's t distribution, and its quantile for 0 < p < 1. freedom: degrees of
 * freedom, above 0; need not be a whole number. */
double distribution_student_below(double t, double freedom);
double distribution_student_quantile(double p, double freedom);

double distribution_log_choose(double n, double k); /* ln(n! / (k! (n - k)!)) */

/* A beta distribution with the parameters a and b. scale: the logarithm of 1 / B(a, b), which
 * distribution_beta() computes once. */
struct beta {
	double a, b, scale;
};
struct beta distribution_beta(double a, double b);
double distribution_beta_below(const struct beta *beta, double x); /* P(X <= x) */

/* The x between low and high at which f(arg, x) reaches target. f must not fall. Returns low if f
 * is at least target everywhere, and high if f is below target everywhere. */
typedef double (*rising_fn)(const void *arg, double x);
double distribution_root(rising_fn f, const void *arg, double target, double low, double high);
