/*
 * Intervals of rates: exact ones for the effective number of answers.
 */
#include <math.h>

#include "analyzer/stats/clusters_inside.h"
#include "analyzer/stats/distribution.h"
#include "analyzer/stats/proportion.h"
#include "base/check.h"

/* iterations, starting at correlation 1, after which weights and correlation agree */
#define CORRELATED 3
/* The weight of an imaginary cluster of equal answers, in addition to the clusters from which the
 * correlation is estimated. */
#define PRIOR_WEIGHT 0.25

/* How correlated answers are within clusters of these sizes. */
struct likeness {
	double rho;           /* correlation of two answers of one cluster, 0..1 */
	double other_answers; /* other answers in an answer's cluster, on average */
	/* number of clusters of several answers with an event, or without one: the smaller one */
	double weight;
};

/*
 * Estimates the correlation from how much more clusters vary than single answers: off^2 = whole v
 * (1 + (answers - 1) rho). Each cluster has the weight that fits a correlation of rho.
 */
static double correlate(const struct clusters *c, const struct counted *of,
        const struct ratio *total, double v, double rho)
{
	double found = 0, most = 0, rate = total->part / total->whole;
	for (uint32_t row = 0; row < c->n; row++) {
		struct ratio r = clusters_at(c, row, of->figure);
		double other_answers = clusters_at(c, row, of->answers).whole - 1;
		if (r.whole > 0 && other_answers > 0) {
			double off = r.part - rate * r.whole,
			       weight = 1 / (1 + other_answers * rho);
			found += weight * (off * off - r.whole * v);
			most += weight * r.whole * other_answers * v;
		}
	}
	return most > 0 ? fmin(1, fmax(0, found / most)) : 0;
}

/* v: the variance of a single answer. */
static struct likeness likeness_of(
        const struct clusters *c, const struct counted *of, const struct ratio *total, double v)
{
	double other_answers = 0, some = 0, short_of = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		struct ratio r = clusters_at(c, row, of->figure);
		if (r.whole > 0) {
			double others = clusters_at(c, row, of->answers).whole - 1;
			other_answers += r.whole * others;
			some += r.part > 0 && others > 0;
			short_of += r.part < r.whole && others > 0;
		}
	}
	struct likeness l = {1, fmax(0, other_answers / total->whole), fmin(some, short_of)};
	if (of->several) {
		/* the error covers the variation between sessions; nothing shows the correlation
		 * within answers */
		l.rho = 0;
	}
	for (int i = 0; i < CORRELATED && l.other_answers > 0 && !of->several; i++) {
		l.rho = correlate(c, of, total, v, l.rho);
	}
	return l;
}

/* The variance of a single answer; a share varies less than a count. */
static double single(const struct clusters *c, const struct counted *of, const struct ratio *total)
{
	double rate = total->part / total->whole, v = rate * (1 - rate);
	return of->shares ? fmin(v, clusters_variance_of_one(c, of->figure, total)) : v;
}

/* If all clusters have the same result, nothing shows how correlated answers are: each cluster
 * counts once. */
static double without_event(const struct clusters *c, const struct counted *of,
        const struct ratio *total, size_t clusters)
{
	double all = of->several ? total->whole : clusters_total(c, of->answers).whole;
	return fmax(1, total->whole * fmin(1, (double)clusters / fmax(all, 1)));
}

/*
 * The effective number of answers: as many independent ones carry the same information. The smaller
 * of two estimates. The first uses the estimated error (Korn and Graubard 1998); it is too large if
 * few sessions have all events, because then a low rate comes with a small error. The second uses
 * the sizes of the sessions and the correlation of answers within them.
 */
static double effective(const struct clusters *c, const struct counted *of,
        const struct ratio *total, const struct estimate *e)
{
	double rate = e->value, variance = e->error * e->error, most = rate * (1 - rate);
	if (variance <= 0 || rate <= 0 || rate >= 1) {
		return without_event(c, of, total, e->clusters);
	}
	double v = single(c, of, total);
	struct likeness l = likeness_of(c, of, total, v);
	double rho = (l.weight * l.rho + PRIOR_WEIGHT) / (l.weight + PRIOR_WEIGHT);
	double alike = most / v * total->whole / (1 + rho * l.other_answers);
	double t = distribution_student_quantile(1 - CLUSTERS_ALPHA / 2, e->freedom);
	double z = distribution_normal_quantile(1 - CLUSTERS_ALPHA / 2);
	return fmax(1, fmin(most / variance * (z / t) * (z / t), alike));
}

void clusters_estimate_counted(
        const struct clusters *c, const struct counted *of, struct estimate *ret)
{
	const struct term one = {of->figure, 1};
	if (clusters_begin(c, &one, 1, ret)) {
		struct ratio total = clusters_total(c, of->figure);
		double n = effective(c, of, &total, ret);
		ret->effective_n = n;
		ret->ci = proportion_mid_p(ret->value * n, n, CLUSTERS_ALPHA);
	}
}

void clusters_estimate_rate(const struct clusters *c, size_t figure, struct estimate *ret)
{
	clusters_estimate_counted(c, &(struct counted){figure, figure, false, false}, ret);
}

void clusters_estimate_share(const struct clusters *c, size_t figure, struct estimate *ret)
{
	clusters_estimate_counted(c, &(struct counted){figure, figure, true, false}, ret);
}

/* The correlation of both ratios over clusters, -1..1; 0 if either does not vary. */
static double correlation(const struct clusters *c, size_t a, size_t b)
{
	struct ratio total_a = clusters_total(c, a), total_b = clusters_total(c, b);
	double aa = 0, bb = 0, ab = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		struct ratio own_a = clusters_at(c, row, a), own_b = clusters_at(c, row, b);
		double of_a = clusters_jackknife(&own_a, &total_a);
		double of_b = clusters_jackknife(&own_b, &total_b);
		aa += of_a * of_a;
		bb += of_b * of_b;
		ab += of_a * of_b;
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* How far the interval of the sum reaches to one side of its value, from how far each term's
 * interval reaches. */
static double reach_of(const struct clusters *c, const struct rate_term *terms,
        const struct estimate *of, size_t n, double direction)
{
	double sum = 0, reach[CLUSTERS_TERMS];
	for (size_t i = 0; i < n; i++) {
		double weight = direction * terms[i].weight;
		reach[i] = weight *
		           (weight > 0 ? of[i].value - of[i].ci.low : of[i].ci.high - of[i].value);
		sum += reach[i] * reach[i];
		for (size_t j = 0; j < i; j++) {
			sum += 2 * reach[i] * reach[j] *
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
		const struct counted one = {terms[i].figure, terms[i].answers, false, false};
		clusters_estimate_counted(c, &one, &of[i]);
		known &= !isnan(of[i].ci.low);
	}
	if (clusters_begin(c, plain, n, ret) && known) {
		ret->ci.low = ret->value - reach_of(c, terms, of, n, 1);
		ret->ci.high = ret->value + reach_of(c, terms, of, n, -1);
	}
}
