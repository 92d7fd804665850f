/*
 * Intervals of rates: exact ones, on what the answers are worth.
 */
#include <math.h>

#include "analyzer/stats/clusters_inside.h"
#include "analyzer/stats/testing.h"
#include "base/check.h"

#define CORRELATED 3 /* times, from all alike on: then weights and correlation agree */
/* Of a cluster, unseen, whose answers are all alike: so much counts beside those that tell how alike they are. */
#define UNSEEN 0.25

/* What answers have in common in clusters of these sizes. */
struct likeness {
	double rho;   /* correlation of two answers of one cluster, 0..1 */
	double mates; /* other answers in an answer's cluster, on average */
	double told; /* clusters of several answers where something happened, or did not, if these are fewer */
};

/*
 * The correlation from what clusters stray beyond single answers, off^2 = whole v (1 + (answers - 1) rho), each
 * by the weight that it would have were the correlation rho.
 */
static double correlate(const struct clusters *c, const struct counted *of,
        const struct ratio *total, double v, double rho)
{
	double found = 0, most = 0, rate = total->part / total->whole;
	for (uint32_t row = 0; row < c->n; row++) {
		struct ratio r = clusters_at(c, row, of->figure);
		double mates = clusters_at(c, row, of->answers).whole - 1;
		if (r.whole > 0 && mates > 0) {
			double off = r.part - rate * r.whole, weight = 1 / (1 + mates * rho);
			found += weight * (off * off - r.whole * v);
			most += weight * r.whole * mates * v;
		}
	}
	return most > 0 ? fmin(1, fmax(0, found / most)) : 0;
}

/* v: the variance of a single answer. */
static struct likeness likeness_of(
        const struct clusters *c, const struct counted *of, const struct ratio *total, double v)
{
	double mates = 0, some = 0, short_of = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		struct ratio r = clusters_at(c, row, of->figure);
		if (r.whole > 0) {
			double others = clusters_at(c, row, of->answers).whole - 1;
			mates += r.whole * others;
			some += r.part > 0 && others > 0;
			short_of += r.part < r.whole && others > 0;
		}
	}
	struct likeness l = {1, fmax(0, mates / total->whole), fmin(some, short_of)};
	if (of->several) {
		l.rho = 0; /* what sessions stray is told by the error; how much of it is within answers, by nothing */
	}
	for (int i = 0; i < CORRELATED && l.mates > 0 && !of->several; i++) {
		l.rho = correlate(c, of, total, v, l.rho);
	}
	return l;
}

/* What a single answer may vary by: a share less than a count. */
static double single(const struct clusters *c, const struct counted *of, const struct ratio *total)
{
	double rate = total->part / total->whole, v = rate * (1 - rate);
	return of->shares ? fmin(v, clusters_variance_of_one(c, of->figure, total)) : v;
}

/* Where all clusters say the same nothing tells how alike answers are: each cluster counts once. */
static double without_event(const struct clusters *c, const struct counted *of,
        const struct ratio *total, size_t clusters)
{
	double all = of->several ? total->whole : clusters_total(c, of->answers).whole;
	return fmax(1, total->whole * fmin(1, (double)clusters / fmax(all, 1)));
}

/*
 * Answers that are worth as much if they were independent: the fewer by two ways. What the error that was found
 * says (Korn and Graubard 1998) says too much where few sessions hold all events: then a low rate comes with
 * a small error. There the other says what the sessions' sizes would do with answers that go together as these.
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
	double rho = (l.told * l.rho + UNSEEN) / (l.told + UNSEEN);
	double alike = most / v * total->whole / (1 + rho * l.mates);
	double t = testing_student_quantile(1 - CLUSTERS_ALPHA / 2, e->freedom);
	double z = testing_normal_quantile(1 - CLUSTERS_ALPHA / 2);
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
		ret->ci = testing_mid_p(ret->value * n, n, CLUSTERS_ALPHA);
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

/* How both ratios go together over clusters, -1..1; 0 where either stands still. */
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
		const struct counted one = {terms[i].figure, terms[i].answers, false, false};
		clusters_estimate_counted(c, &one, &of[i]);
		known &= !isnan(of[i].ci.low);
	}
	if (clusters_begin(c, plain, n, ret) && known) {
		ret->ci.low = ret->value - reach_of(c, terms, of, n, 1);
		ret->ci.high = ret->value + reach_of(c, terms, of, n, -1);
	}
}
