/*
 * Intervals of rates: exact ones, on what the answers are worth.
 */
#include <math.h>

#include "analyzer/stats/clusters_inside.h"
#include "analyzer/stats/testing.h"
#include "base/check.h"

/*
 * Answers that are worth as much if they were independent (Korn and Graubard 1998): what independent
 * answers would need for the error that was found, less for an error that few clusters tell. Where all
 * clusters say the same nothing tells how alike answers are: each cluster counts once. most: how many an
 * answer can be worth.
 */
static double effective(const struct clusters *c, const struct rate_term *term,
        const struct ratio *total, double most, const struct estimate *e)
{
	double rate = e->value, variance = e->error * e->error;
	if (variance <= 0 || rate <= 0 || rate >= 1) {
		double units = fmax(clusters_total_of(c, term->units).whole, 1);
		return fmax(1, total->whole * fmin(1, (double)e->clusters / units));
	}
	double t = testing_student_quantile(1 - CLUSTERS_ALPHA / 2, e->freedom);
	double z = testing_normal_quantile(1 - CLUSTERS_ALPHA / 2);
	double n = rate * (1 - rate) / variance * (z / t) * (z / t);
	return fmax(1, fmin(n, most * total->whole));
}

static bool estimate(
        const struct clusters *c, const struct rate_term *term, double most, struct estimate *ret)
{
	const struct term one = {term->figure, 1};
	if (!clusters_begin(c, &one, 1, ret)) {
		return false;
	}
	struct ratio total = clusters_total_of(c, term->figure);
	ret->worth = effective(c, term, &total, most, ret);
	ret->ci = testing_mid_p(ret->value * ret->worth, ret->worth, CLUSTERS_ALPHA);
	return true;
}

void clusters_estimate_rate(const struct clusters *c, size_t figure, struct estimate *ret)
{
	const struct rate_term term = {figure, figure, 1};
	estimate(c, &term, 1, ret);
}

void clusters_estimate_share(const struct clusters *c, size_t figure, struct estimate *ret)
{
	const struct rate_term term = {figure, figure, 1};
	estimate(c, &term, INFINITY, ret);
}

void clusters_estimate_events(
        const struct clusters *c, size_t figure, size_t pairs, struct estimate *ret)
{
	const struct rate_term term = {figure, pairs, 1};
	estimate(c, &term, 1, ret);
}

/* How both ratios go together over clusters, -1..1; 0 where either stands still. */
static double correlation(const struct clusters *c, size_t a, size_t b)
{
	struct ratio total_a = clusters_total_of(c, a), total_b = clusters_total_of(c, b);
	double aa = 0, bb = 0, ab = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		double of_a = clusters_jackknife(clusters_sums(c, row, a), &total_a);
		double of_b = clusters_jackknife(clusters_sums(c, row, b), &total_b);
		aa += of_a * of_a;
		bb += of_b * of_b;
		ab += of_a * of_b;
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* How far below the value the sum's interval begins, from how far each term's does. */
static double reach_of(const struct clusters *c, const struct rate_term *terms,
        const struct estimate *of, size_t n, double direction)
{
	double sum = 0, away[CLUSTERS_TERMS];
	for (size_t i = 0; i < n; i++) {
		double weight = direction * terms[i].weight;
		away[i] = weight *
		          (weight > 0 ? of[i].value - of[i].ci.low : of[i].ci.high - of[i].value);
		sum += away[i] * away[i];
		for (size_t j = 0; j < i; j++) {
			sum += 2 * away[i] * away[j] *
			       correlation(c, terms[i].figure, terms[j].figure);
		}
	}
	return sqrt(fmax(0, sum));
}

void clusters_estimate_rates(
        const struct clusters *c, const struct rate_term *terms, size_t n, struct estimate *ret)
{
	struct term plain[CLUSTERS_TERMS];
	struct estimate of[CLUSTERS_TERMS];
	bool known = true;
	expect(n <= CLUSTERS_TERMS);
	for (size_t i = 0; i < n; i++) {
		plain[i] = (struct term){terms[i].figure, terms[i].weight};
		known = estimate(c, &terms[i], 1, &of[i]) && known;
	}
	if (clusters_begin(c, plain, n, ret) && known) {
		ret->ci.low = ret->value - reach_of(c, terms, of, n, 1);
		ret->ci.high = ret->value + reach_of(c, terms, of, n, -1);
	}
}
