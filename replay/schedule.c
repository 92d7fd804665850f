#include "replay/schedule.h"

#include <math.h>
#include <string.h>

#include "base/conf.h"
#include "base/enum_names.h"

void schedule_init(
        struct schedule *s, double rate, enum arrivals arrivals, double burstiness, uint64_t seed)
{
	expect(rate > 0 && burstiness > 0);
	*s = (struct schedule){
	        .rate = rate, .arrivals = arrivals, .burstiness = burstiness, .rng = {seed}};
}

/* Draws a gamma variate with mean = shape, after Marsaglia and Tsang. A shape below 1 is derived
 * from shape + 1. */
static double gamma_draw(struct rng *d, double shape)
{
	if (shape < 1) {
		double share = rng_unit(d);
		return gamma_draw(d, shape + 1) * pow(share, 1 / shape);
	}
	double a = shape - 1.0 / 3, c = 1 / sqrt(9 * a);
	while (true) {
		double x = rng_normal(d), v = 1 + c * x;
		if (v <= 0) {
			continue;
		}
		v = v * v * v;
		if (log(rng_unit(d)) < 0.5 * x * x + a - a * v + a * log(v)) {
			return a * v;
		}
	}
}

void schedule_ramp(struct schedule *s, double to, double over)
{
	expect(to > 0 && over > 0 && s->n == 0);
	s->to = to;
	s->over = over;
}

/* Seconds until `count` requests are due. A ramp's count is quadratic in time. Its root is
 * computed in the form that loses no digits. */
static double seconds_until(const struct schedule *s, double count)
{
	if (s->over <= 0) {
		return count / s->rate;
	}
	double on_ramp = (s->rate + s->to) / 2 * s->over;
	if (count >= on_ramp) {
		return s->over + (count - on_ramp) / s->to;
	}
	double rise = (s->to - s->rate) / s->over;
	return 2 * count / (s->rate + sqrt(s->rate * s->rate + 2 * rise * count));
}

uint64_t schedule_next(struct schedule *s)
{
	uint64_t k = s->n++;
	switch (s->arrivals) {
	case ARRIVALS_CONSTANT:
		s->count = (double)k; /* computed without a running sum, so it does not drift */
		break;
	case ARRIVALS_POISSON:
		s->count += k ? -log(rng_unit(&s->rng)) : 0;
		break;
	case ARRIVALS_GAMMA:
		s->count += k ? gamma_draw(&s->rng, s->burstiness) / s->burstiness : 0;
		break;
	}
	s->latest = (uint64_t)(seconds_until(s, s->count) * 1e9);
	return s->latest;
}

uint64_t schedule_due(struct schedule *s, uint64_t ns)
{
	while (s->n == 0 || s->latest <= ns) {
		schedule_next(s);
	}
	return s->n - 1;
}

bool schedule_parse(const char *text, enum arrivals *ret, double *ret_burstiness)
{
	if (strcmp(text, "constant") == 0) {
		*ret = ARRIVALS_CONSTANT;
		return true;
	}
	if (strcmp(text, "poisson") == 0) {
		*ret = ARRIVALS_POISSON;
		return true;
	}
	if (strncmp(text, "gamma:", 6) != 0) {
		return false;
	}
	double b;
	if (!conf_parse_decimal(text + 6, &b) || b < 0.01 || b > 1e6) {
		return false;
	}
	*ret = ARRIVALS_GAMMA;
	*ret_burstiness = b;
	return true;
}

ENUM_NAMES(schedule_name, enum arrivals, "constant", "poisson", "gamma");
