#include "analyzer/report/kit/scale.h"

#include <math.h>

void scale_include(struct scale *s, double value)
{
	s->low = fmin(s->low, value);
	s->high = fmax(s->high, value);
}

/* The distance of ticks: 1, 2 or 5 times a power of ten. */
static double step_of(const struct scale *s)
{
	double raw = (s->high - s->low) / 5, power = pow(10, floor(log10(raw)));
	return power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
}

void scale_settle(struct scale *s, double least, bool whole)
{
	if (!(s->high - s->low > 1e-9)) {
		s->high = s->low + least;
	}
	double step = step_of(s);
	if (whole) {
		s->low = floor(s->low / step + 1e-9) * step;
		s->high = ceil(s->high / step - 1e-9) * step;
	}
}

double scale_place(const struct scale *s, double value)
{
	return s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
}

size_t scale_ticks(const struct scale *s, double ret[SCALE_TICKS])
{
	double step = step_of(s), slack = step * 1e-9;
	size_t n = 0;
	for (double i = ceil((s->low - slack) / step);
	        n < SCALE_TICKS && i * step <= s->high + slack; i++) {
		ret[n++] = i * step;
	}
	return n;
}
