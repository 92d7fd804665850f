#include "backends/injection/slowdown.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"

#define Z99 2.5758293035489004 /* the normal quantile of 0.995 */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static struct slowdown_ratio ratio_of(const struct slowdown *s)
{
	static const size_t n = SLOWDOWN_SAMPLE, pairs = (size_t)SLOWDOWN_SAMPLE * SLOWDOWN_SAMPLE;
	double differences[SLOWDOWN_SAMPLE * SLOWDOWN_SAMPLE];
	for (size_t i = 0; i < pairs; i++) {
		differences[i] = (double)s->log_time[1][i % n] - (double)s->log_time[0][i / n];
	}
	qsort(differences, pairs, sizeof(differences[0]), compare);
	double spread = Z99 * sqrt((double)(pairs * (2 * n + 1)) / 12);
	size_t low = (size_t)floor((double)pairs / 2 - spread);
	return (struct slowdown_ratio){
	        .low = exp(differences[low - 1]),
	        .middle = exp((differences[pairs / 2 - 1] + differences[pairs / 2]) / 2),
	        .high = exp(differences[pairs - low]),
	};
}

bool slowdown_add(struct slowdown *s, bool injected, double time, struct slowdown_ratio *ret)
{
	uint64_t at = s->n[injected]++;
	if (at >= SLOWDOWN_SAMPLE) {
		at = rng_below(&s->rng, s->n[injected]);
	}
	if (at < SLOWDOWN_SAMPLE) {
		s->log_time[injected][at] = (float)log(time);
	}
	if (s->n[0] < SLOWDOWN_SAMPLE || s->n[1] < SLOWDOWN_SAMPLE) {
		return false;
	}
	*ret = ratio_of(s);
	s->n[0] = s->n[1] = 0;
	s->rounds++;
	return true;
}
