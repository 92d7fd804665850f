#include "base/multiple_testing.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->p, y = ((const struct ranked *)b)->p;
	return (x > y) - (x < y);
}

void multiple_testing_holm(double *p, size_t n)
{
	struct ranked *r = xcalloc(n + 1, sizeof(*r));
	size_t tests = 0;
	double most = 0;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i])) {
			r[tests++] = (struct ranked){p[i], i};
		}
	}
	qsort(r, tests, sizeof(*r), by_p);
	for (size_t i = 0; i < tests; i++) {
		most = fmax(most, fmin(1, r[i].p * (double)(tests - i)));
		p[r[i].at] = most;
	}
	free(r);
}
