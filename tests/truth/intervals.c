/*
 * intervals - do the analyzer's 95 % intervals contain the true value? Draws captures whose true
 * figures are known, and counts the intervals that contain them.
 *
 *	intervals              1,000 captures of each setting, then 1,000 captures without a difference
 *	intervals --quick      60 captures of the smallest settings
 *	intervals --captures N --equal N --exchanges N
 *
 * Each setting has one line: the percentage of intervals that contain the true value, per figure. It
 * is marked "-" if it is below 93 %, and "+" if it is above 97 % although more than 20 events are
 * expected, in both cases by more than chance explains. The program then exits with 1. It makes no
 * promise for means over fewer than 30 clusters.
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
#define MANY 20 /* from so many expected events on, intervals must not be too wide */
#define FEW 30  /* with fewer clusters, intervals of means may be too narrow */

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

struct options {
	unsigned captures, equal;
	unsigned exchanges; /* run only the settings with so many exchanges; 0: all */
};

static bool is_chosen(const struct options *o, const struct setting *s)
{
	return o->exchanges == 0 || s->n == o->exchanges;
}

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

/* The error of a share over so many captures that chance exceeds in one of a thousand settings. */
static double slack_of(double share, unsigned n)
{
	return 3.1 * sqrt(share * (1 - share) / n);
}

static bool is_mean(enum what w)
{
	return w == WHAT_KL || w == WHAT_FORCED || w == WHAT_FORCED_ANSWERS;
}

static unsigned show(
        const struct setting *s, const struct pool *p, const struct counts *c, unsigned captures)
{
	static const char *const SIZES[] = {"1", "5", "heavy"};
	unsigned broken = 0;
	double clusters = c->clusters / captures;
	printf("%3.0f%% %5zu %-5s %-8s %8.0f", 100 * s->rate, s->n, SIZES[s->sizes],
	        s->together ? "together" : "apart", clusters);
	for (size_t w = 0; w < N_WHAT; w++) {
		double share = (double)c->covered[w] / c->n[w];
		bool promised = clusters >= FEW || !is_mean((enum what)w);
		bool low = promised && share < LEAST - slack_of(LEAST, c->n[w]);
		bool high = promised && setting_events(s, p, (enum what)w) > MANY &&
		            share > MOST + slack_of(MOST, c->n[w]);
		broken += low || high;
		printf(" %8.1f%s", 100 * share, low ? "-" : high ? "+" : " ");
	}
	printf("\n");
	fflush(stdout);
	return broken;
}

static unsigned cover(const struct setting *s, const struct pool *p, unsigned captures)
{
	struct rng random = {1 + RNG_STEP};
	struct counts counts = {0};
	double truth[N_WHAT];
	setting_truth(s, p, truth);
	for (unsigned i = 0; i < captures; i++) {
		struct findings o;
		setting_draw(s, p, &random, &o);
		count(truth, &o, &counts);
	}
	return show(s, p, &counts, captures);
}

/* Captures whose sides differ from each other as often as from themselves. */
static unsigned equal(const struct pool *p, const struct options *o)
{
	struct rng random = {2 + RNG_STEP};
	unsigned alarms = 0, shifts = 0, judged = 0, taken = 0;
	for (unsigned i = 0; taken < o->equal; i++) {
		struct setting s = SETTINGS[i % ARRAY_LEN(SETTINGS)];
		struct findings found;
		if (!is_chosen(o, &s)) {
			continue;
		}
		s.floor = 1;
		setting_draw(&s, p, &random, &found);
		alarms += found.alarms > 0;
		judged += found.first_differences_judged;
		shifts += found.shifts > 0;
		taken++;
	}
	printf("%u captures without a difference: %u with an alarm; of %u whose first differences "
	       "could be judged, %u with a shift\n",
	        taken, alarms, judged, shifts);
	return alarms > fmax(1, 0.01 * taken);
}

static void headings(void)
{
	printf("rate     n sizes sessions clusters");
	for (size_t w = 0; w < N_WHAT; w++) {
		printf(" %9s", what_name((enum what)w));
	}
	printf("\n");
}

static int usage(void)
{
	fprintf(stderr, "usage: intervals [--captures N] [--equal N] [--exchanges N] [--quick]\n");
	return 2;
}

static bool read_options(int argc, char **argv, struct options *ret)
{
	for (int i = 1; i < argc; i++) {
		unsigned *to = strcmp(argv[i], "--captures") == 0    ? &ret->captures
		               : strcmp(argv[i], "--equal") == 0     ? &ret->equal
		               : strcmp(argv[i], "--exchanges") == 0 ? &ret->exchanges
		                                                     : NULL;
		if (strcmp(argv[i], "--quick") == 0) {
			*ret = (struct options){.captures = 60, .equal = 60, .exchanges = 50};
		} else if (to && i + 1 < argc) {
			*to = (unsigned)strtoul(argv[++i], NULL, 10);
		} else {
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options o = {.captures = 1000, .equal = 1000};
	if (!read_options(argc, argv, &o)) {
		return usage();
	}
	unsigned broken = 0;
	struct pool *p = pool_create(7);
	headings();
	for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
		if (is_chosen(&o, &SETTINGS[i]) && o.captures > 0) {
			broken += cover(&SETTINGS[i], p, o.captures);
		}
	}
	broken += o.equal > 0 && equal(p, &o);
	printf("%s\n", broken ? "promises broken" : "promises kept");
	pool_destroy(p);
	return broken > 0;
}
