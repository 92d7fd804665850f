/*
 * crossed - do 95 % intervals over prompts and seeds contain the true value? Draws tables, prompts by
 * seeds, with a known true value: each prompt, each seed and each answer has a random normal effect.
 * It computes three figures: a mean (of the sums of the effects), a rate (with the logistic function
 * of the effects of prompt and seed as probability) and the shift of a score (from two such rates).
 *
 *	crossed [--captures N]    tables of each setting (1,000)
 *
 * Each setting has one line: the percentage of intervals over prompts and seeds that contain the true
 * value, and that of intervals over prompts alone. The first one is marked "-" if it is below 93 % by
 * more than chance explains. The program then exits with 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/fold/figure.h"
#include "base/mem.h"
#include "base/rng.h"

#define LEAST 0.93
#define POINTS 400 /* of the normal distribution, to compute true values */

static const struct setting {
	size_t prompts, seeds;
	double of_prompts, of_seeds; /* standard deviations; that of an answer is 1 */
} SETTINGS[] = {
        {20, 5, 1, 0},
        {20, 5, 1, 0.5},
        {20, 12, 1, 0},
        {20, 12, 1, 0.2},
        {20, 12, 1, 0.5},
        {20, 12, 1, 1},
        {50, 12, 0, 0},
        {50, 12, 0.5, 0.2},
        {50, 12, 2, 0.2},
        {50, 12, 0.5, 0.5},
        {200, 5, 1, 0.2},
        {200, 12, 1, 0},
        {200, 12, 1, 0.1},
        {200, 12, 1, 0.2},
        {200, 12, 1, 0.5},
};

static const enum figure FIGURES[] = {FIGURE_LENGTH_BIAS, FIGURE_DIFFER, FIGURE_SCORE_SHIFT};

static struct rng rng = {20260519};

static double normal(void)
{
	return sqrt(-2 * log(rng_unit(&rng))) * cos(2 * M_PI * rng_unit(&rng));
}

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

#define RATE -1.0 /* mean logit of the rate, and of a right answer on either side */
#define BASE 0.5
#define TEST 0.2

/* The mean of the logistic function of a normal variable, computed from its quantiles. */
static double mean_rate(double logit, double deviation)
{
	double sum = 0, weights = 0;
	for (int i = -POINTS; i <= POINTS; i++) {
		double z = 8.0 * i / POINTS, weight = exp(-z * z / 2);
		sum += weight * logistic(logit + deviation * z);
		weights += weight;
	}
	return sum / weights;
}

struct table {
	struct clusters *prompts;
	struct crossing seeds;
};

static void put(struct table *t, uint32_t row, struct crossing_cell at, size_t figure, double part)
{
	clusters_add(t->prompts, row, figure, part, 1);
	crossing_add(&t->seeds, at, figure, part, 1);
}

static void answer(struct table *t, uint64_t prompt, int64_t seed, double effect)
{
	uint8_t key[CLUSTERS_KEY_SIZE] = {0};
	memcpy(key + 8, &prompt, sizeof(prompt));
	uint32_t row = clusters_row(t->prompts, key);
	struct crossing_cell at = crossing_cell_for(&t->seeds, N_FIGURE_COLUMNS, key, seed);
	bool base = rng_unit(&rng) < logistic(BASE + effect);
	bool test = rng_unit(&rng) < logistic(TEST + effect);
	put(t, row, at, FIGURE_LENGTH_BIAS, effect + normal());
	put(t, row, at, FIGURE_DIFFER, rng_unit(&rng) < logistic(RATE + effect));
	put(t, row, at, FIGURE_SCORE_SHIFT, 100 * (test - base));
	put(t, row, at, FIGURE_BROKE, base && !test);
	put(t, row, at, FIGURE_FIXED, !base && test);
}

static void fill(struct table *t, const struct setting *s)
{
	double *of_seeds = xcalloc(s->seeds, sizeof(*of_seeds));
	for (size_t i = 0; i < s->seeds; i++) {
		of_seeds[i] = s->of_seeds * normal();
	}
	for (size_t p = 0; p < s->prompts; p++) {
		double of_prompt = s->of_prompts * normal();
		for (size_t i = 0; i < s->seeds; i++) {
			answer(t, p, (int64_t)i, of_prompt + of_seeds[i]);
		}
	}
	free(of_seeds);
}

static bool holds(const struct figure_value *v, double truth)
{
	return v->ci.low <= truth && truth <= v->ci.high;
}

/* Counts the intervals that cover: ret[figure][0] over prompts and seeds, [1] over prompts alone. */
static void cover(const struct setting *s, unsigned captures, unsigned ret[][2])
{
	static const struct crossing NONE;
	double deviation = hypot(s->of_prompts, s->of_seeds);
	const double truths[] = {0, mean_rate(RATE, deviation),
	        100 * (mean_rate(TEST, deviation) - mean_rate(BASE, deviation))};
	for (unsigned i = 0; i < captures; i++) {
		struct table t = {.prompts = clusters_create(N_FIGURE_COLUMNS)};
		struct figure_value both[N_FIGURES], alone[N_FIGURES];
		fill(&t, s);
		figures_estimate(t.prompts, &t.seeds, both);
		figures_estimate(t.prompts, &NONE, alone);
		for (size_t f = 0; f < ARRAY_LEN(FIGURES); f++) {
			ret[f][0] += holds(&both[FIGURES[f]], truths[f]);
			ret[f][1] += holds(&alone[FIGURES[f]], truths[f]);
		}
		clusters_destroy(t.prompts);
		crossing_finish(&t.seeds);
	}
}

static unsigned show(const struct setting *s, unsigned captures)
{
	unsigned counts[ARRAY_LEN(FIGURES)][2] = {0}, broken = 0;
	cover(s, captures, counts);
	printf("%7zu %5zu %7g %5g", s->prompts, s->seeds, s->of_prompts, s->of_seeds);
	for (size_t f = 0; f < ARRAY_LEN(FIGURES); f++) {
		double share = (double)counts[f][0] / captures;
		bool low = share < LEAST - 3.1 * sqrt(LEAST * (1 - LEAST) / captures);
		broken += low;
		printf("   %5.1f%s %5.1f", 100 * share, low ? "-" : " ",
		        100.0 * counts[f][1] / captures);
	}
	printf("\n");
	fflush(stdout);
	return broken;
}

int main(int argc, char **argv)
{
	unsigned captures = 1000, broken = 0;
	if (argc == 3 && strcmp(argv[1], "--captures") == 0) {
		captures = (unsigned)strtoul(argv[2], NULL, 10);
	} else if (argc != 1) {
		captures = 0;
	}
	if (captures == 0) {
		fprintf(stderr, "usage: crossed [--captures N]\n");
		return 2;
	}
	printf("        deviation of    mean: both, prompts alone; a rate; a score's shift\n");
	printf("prompts seeds prompts seeds\n");
	for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
		broken += show(&SETTINGS[i], captures);
	}
	printf("%s\n", broken ? "promises broken" : "promises kept");
	return broken > 0;
}
