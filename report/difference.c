#include "report/difference.h"

#include <math.h>

#define Z_95 1.959963984540054

/* z: how many standard errors the change is away from 0. */
static double p_of(double z, double clusters)
{
	double p = erfc(z / sqrt(2));
	return isnan(clusters) || isnan(p) ? p : fmax(p, fmin(1, exp2(1 - clusters)));
}

struct difference difference_of(const struct metric_value *before, const struct metric_value *after)
{
	struct difference d = {after->value - before->value, NAN, NAN, NAN};
	if (isnan(before->low) || isnan(after->low)) {
		return d;
	}
	/* An interval that does not hold its estimate, as of a bootstrap, reaches to it at least. */
	double below =
	        hypot(fmax(0, after->value - after->low), fmax(0, before->high - before->value));
	double above =
	        hypot(fmax(0, after->high - after->value), fmax(0, before->value - before->low));
	d.low = d.change - below;
	d.high = d.change + above;
	double towards = d.change > 0 ? below : above;
	double z = d.change == 0 ? 0 : Z_95 * fabs(d.change) / towards;
	d.p = p_of(z, fmin(before->clusters, after->clusters));
	return d;
}
