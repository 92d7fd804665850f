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

/* Returns the present p values in ascending order; the caller frees them. */
static struct ranked *rank(const double *p, size_t n, size_t *ret_n)
{
	struct ranked *r = xcalloc(n + 1, sizeof(*r));
	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i])) {
			r[(*ret_n)++] = (struct ranked){p[i], i};
		}
	}
	qsort(r, *ret_n, sizeof(*r), by_p);
	return r;
}

void multiple_testing_holm(double *p, size_t n)
{
	size_t tests;
	struct ranked *r = rank(p, n, &tests);
	double most = 0;
	for (size_t i = 0; i < tests; i++) {
		most = fmax(most, fmin(1, r[i].p * (double)(tests - i)));
		p[r[i].at] = most;
	}
	free(r);
}

void multiple_testing_false_discovery(double *p, size_t n)
{
	size_t tests;
	struct ranked *r = rank(p, n, &tests);
	double least = 1;
	for (size_t i = tests; i-- > 0;) {
		least = fmin(least, r[i].p * (double)tests / (double)(i + 1));
		p[r[i].at] = least;
	}
	free(r);
}
