#include "analyzer/report/policy/difference.h"

#include <math.h>

#include "analyzer/stats/distribution.h"

/* z: how many standard errors the change is away from 0. */
static double p_of(double z, double clusters)
{
	double p = erfc(z / sqrt(2));
	return isnan(clusters) || isnan(p) ? p : fmax(p, fmin(1, exp2(1 - clusters)));
}

static struct difference of_values(
        const struct metric_value *before, const struct metric_value *after)
{
	struct difference d = {
	        {.value = after->value - before->value, .low = NAN, .high = NAN}, .p = NAN};
	struct metric_value *c = &d.change;
	if (isnan(before->low) || isnan(after->low)) {
		return d;
	}
	/* An interval that does not contain its estimate, which a bootstrap may give, is
	 * extended to it. */
	double below =
	        hypot(fmax(0, after->value - after->low), fmax(0, before->high - before->value));
	double above =
	        hypot(fmax(0, after->high - after->value), fmax(0, before->value - before->low));
	c->low = c->value - below;
	c->high = c->value + above;
	double towards = c->value > 0 ? below : above;
	double z = c->value == 0 ? 0 : DISTRIBUTION_Z_95 * fabs(c->value) / towards;
	d.p = p_of(z, fmin(before->clusters, after->clusters));
	return d;
}

struct difference difference_of(const struct metric_value *before, const struct metric_value *after)
{
	struct metric_value b[2], a[2];
	metric_ends(before, b);
	metric_ends(after, a);
	struct difference least = of_values(&b[1], &a[0]), most = of_values(&b[0], &a[1]);
	if (!before->is_range && !after->is_range) {
		return least;
	}
	struct difference d = {.change = {
	                               .value = least.change.value,
	                               .low = least.change.low,
	                               .high = most.change.high,
	                               .is_range = true,
	                               .most = most.change.value,
	                               .least_high = least.change.high,
	                               .most_low = most.change.low,
	                       }};
	d.p = isnan(least.p)           ? NAN
	      : least.change.value > 0 ? least.p
	      : most.change.value < 0  ? most.p
	                               : 1;
	return d;
}
