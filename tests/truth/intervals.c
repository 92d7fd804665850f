/*
 * coverage - do the analyzer's 95 % intervals cover the truth? Draws captures of which every figure is
 * known and counts how many intervals hold it.
 *
 *	coverage [--captures N] [--quick]     a line a setting; then captures without a difference
 *
 * Ends with 1 when a promise is broken by more than the chance of so many captures explains.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "tests/truth/setting.h"

#define LEAST 0.93
#define MOST 0.97
#define MANY 20 /* expected events from which intervals must not be too wide */

static const struct setting SETTINGS[] = {
#define RATES(n, sizes, together)                                                                  \
	{0.01, n, sizes, together, 0.25}, {0.05, n, sizes, together, 0.25},                        \
	        {0.2, n, sizes, together, 0.25},                                                   \
	{                                                                                          \
		0.6, n, sizes, together, 0.25                                                      \
	}
        RATES(50, SIZES_ONE, false),
        RATES(50, SIZES_FIVE, true),
        RATES(50, SIZES_HEAVY, true),
        RATES(200, SIZES_ONE, false),
        RATES(200, SIZES_FIVE, false),
        RATES(200, SIZES_FIVE, true),
        RATES(200, SIZES_HEAVY, false),
        RATES(200, SIZES_HEAVY, true),
        RATES(1000, SIZES_ONE, false),
        RATES(1000, SIZES_FIVE, true),
        RATES(1000, SIZES_HEAVY, true),
#undef RATES
};

struct counts {
	unsigned n[N_WHAT], covered[N_WHAT];
	double width[N_WHAT], clusters;
};

static void count(const double *truth, const struct findings *o, struct counts *to)
{
	to->clusters += (double)o->clusters;
	for (size_t w = 0; w < N_WHAT; w++) {
		if (isnan(o->ci[w].low)) {
			continue;
		}
		double slack = 1e-12 * fabs(truth[w]);
		to->n[w]++;
		to->covered[w] +=
		        o->ci[w].low <= truth[w] + slack && truth[w] - slack <= o->ci[w].high;
		to->width[w] += o->ci[w].high - o->ci[w].low;
	}
}

/* How far a share of so many captures is off by chance, in one of a thousand settings. */
static double slack_of(double share, unsigned n)
{
	return 3.1 * sqrt(share * (1 - share) / n);
}

static unsigned show(const struct setting *s, const struct counts *c, unsigned captures)
{
	static const char *const SIZES[] = {"1", "5", "heavy"};
	unsigned broken = 0;
	printf("%4.0f%% %5zu %-5s %-8s %5.0f", 100 * s->rate, s->n, SIZES[s->sizes],
	        s->together ? "together" : "apart", c->clusters / captures);
	for (size_t w = 0; w < N_WHAT; w++) {
		double share = (double)c->covered[w] / c->n[w];
		bool low = share < LEAST - slack_of(LEAST, c->n[w]);
		bool high = s->rate * (double)s->n > MANY && share > MOST + slack_of(MOST, c->n[w]);
		broken += low || high;
		printf(" %8.1f%s", 100 * share, low ? "-" : high ? "+" : " ");
	}
	printf("\n");
	fflush(stdout);
	return broken;
}

static unsigned cover(const struct setting *s, const struct pool *p, unsigned captures)
{
	uint64_t random = 1;
	struct counts counts = {0};
	double truth[N_WHAT];
	setting_truth(s, p, truth);
	for (unsigned i = 0; i < captures; i++) {
		struct findings o;
		setting_draw(s, p, &random, &o);
		count(truth, &o, &counts);
	}
	return show(s, &counts, captures);
}

int main(int argc, char **argv)
{
	unsigned captures = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000, broken = 0;
	struct pool *p = pool_create(7);
	printf("rate     n sizes sessions  n    ");
	for (size_t w = 0; w < N_WHAT; w++) {
		printf(" %8s ", what_name((enum what)w));
	}
	printf("\n");
	for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
		if (argc > 2 && SETTINGS[i].n != strtoul(argv[2], NULL, 10)) {
			continue;
		}
		broken += cover(&SETTINGS[i], p, captures);
	}
	printf("%u broken\n", broken);
	pool_destroy(p);
	return broken > 0;
}
