#include "analyzer/fold/power.h"

#include <math.h>

#include "analyzer/stats/distribution.h"

static double reach(double alpha)
{
	return distribution_normal_quantile(1 - alpha / 2) + distribution_normal_quantile(POWER);
}

double power_needed(double n, double error, double effect, double alpha)
{
	double errors = reach(alpha) * error / effect;
	double needed = ceil(n * errors * errors);
	return needed < 1 ? 1 : needed;
}

/* The variance of a share in n answers. Adds half a hit, because a share of 0 or 1 in few
 * answers may not stay so in more. */
static double variance_of(double hits, double n)
{
	double share = (hits + 0.5) / (n + 1);
	return share * (1 - share);
}

/* The variance of the share of differing answers, divided by that of independent answers. */
static double design_effect(const struct facet *f)
{
	double n = (double)f->pairs, share = (double)f->differ / n;
	double independent = share * (1 - share) / n;
	double error = f->values[FACET_DIFFER].error;
	return isnan(error) || !(independent > 0) ? 1 : fmax(1, error * error / independent);
}

double power_slice_needed(const struct facets *all, const struct facet *slice)
{
	double pairs = 0, differ = 0;
	const struct facet_list *of = &all->of[slice->kind];
	for (size_t i = 0; i < of->n; i++) {
		const struct facet *each = &of->items[i];
		if (each != slice) {
			pairs += (double)each->pairs;
			differ += (double)each->differ;
		}
	}
	double errors = POWER_SLICE_EFFECT / reach(POWER_SLICE_ALPHA / (double)facets_count(all));
	double here = (double)slice->pairs, hits = (double)slice->differ;
	double variance = variance_of(hits + differ, here + pairs);
	double left = errors * errors - (pairs > 0 ? variance / pairs : INFINITY);
	return left > 0 ? ceil(design_effect(slice) * variance / left) : NAN;
}
