#include "analyzer/fold/facet_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ROWS 1024 /* of clusters */

struct facet_sums *facet_sums_create(void)
{
	struct facet_sums *s = xcalloc(1, sizeof(*s));
	s->clusters = clusters_create_limited(N_FACET_FIGURES, ROWS);
	return s;
}

void facet_sums_destroy(struct facet_sums *s)
{
	if (s) {
		clusters_destroy(s->clusters);
		crossing_finish(&s->crossing);
		free(s);
	}
}

/* Where the sums of one answer go. */
struct place {
	struct facet_sums *sums;
	uint32_t row;
	struct crossing_cell cell;
};

static void sum(const struct place *at, enum facet_figure f, double part, double whole)
{
	clusters_add(at->sums->clusters, at->row, f, part, whole);
	crossing_add(&at->sums->crossing, at->cell, f, part, whole);
}

void facet_sums_add(struct facet_sums *s, struct facet_source of, const struct pair_facts *facts)
{
	struct place at = {s, clusters_row(s->clusters, of.cluster), {0}};
	if (of.seed) {
		at.cell = crossing_note(&s->crossing, N_FACET_FIGURES, of.cluster, *of.seed);
	}
	sum(&at, FACET_DIFFER, facts->differ, 1);
	sum(&at, FACET_ANSWER_CHANGED, facts->changed, 1);
	sum(&at, FACET_MAY_CHANGE, facts->changed || !facts->decided, 1);
	if (gold_is_told(facts->base_gold) && gold_is_told(facts->test_gold)) {
		double shift = (facts->test_gold == GOLD_RIGHT) - (facts->base_gold == GOLD_RIGHT);
		sum(&at, FACET_SCORE_SHIFT, 100 * shift, 1);
		sum(&at, FACET_BROKE, shift < 0, 1);
		sum(&at, FACET_FIXED, shift > 0, 1);
	}
	if (facts->at_risk > 0) {
		sum(&at, FACET_HAZARD, facts->parted, (double)facts->at_risk);
		sum(&at, FACET_DIVERGENCE_INDEX, facts->divergence_index, 1);
	}
}

void facet_sums_merge(struct facet_sums *s, const struct facet_sums *other)
{
	clusters_merge(&s->clusters, other->clusters);
	crossing_merge(&s->crossing, &other->crossing);
}

void facet_sums_settle(struct facet_sums *s)
{
	s->is_settled = true;
}

/* What it can be. */
static struct interval figure_bounds(enum facet_figure f)
{
	return f == FACET_SCORE_SHIFT ? (struct interval){-100, 100}
	                              : (struct interval){0, f == FACET_HAZARD ? INFINITY : 1};
}

/* Beside what the prompts bring; how many seeds, or 0. */
static size_t widen(const struct facet_sums *s, enum facet_figure figure, struct estimate *e)
{
	struct interval bounds = figure_bounds(figure);
	struct crossing_part part;
	if (isnan(e->ci.low) || !crossing_estimate(&s->crossing, s->clusters, figure, &part)) {
		return 0;
	}
	crossing_widen(e->value, &e->ci, part.reach);
	e->ci.low = fmin(fmax(e->ci.low, bounds.low), e->value);
	e->ci.high = fmax(fmin(e->ci.high, bounds.high), e->value);
	return part.seeds;
}

static size_t estimate(const struct facet_sums *s, struct estimate ret[N_FACET_FIGURES])
{
	static const struct rate_term SHIFT[] = {
	        {FACET_FIXED, FACET_FIXED, 100}, {FACET_BROKE, FACET_BROKE, -100}};
	clusters_estimate_rate(s->clusters, FACET_DIFFER, &ret[FACET_DIFFER]);
	clusters_estimate_rate(s->clusters, FACET_ANSWER_CHANGED, &ret[FACET_ANSWER_CHANGED]);
	clusters_estimate_rate(s->clusters, FACET_MAY_CHANGE, &ret[FACET_MAY_CHANGE]);
	clusters_estimate_rate(s->clusters, FACET_BROKE, &ret[FACET_BROKE]);
	clusters_estimate_rate(s->clusters, FACET_FIXED, &ret[FACET_FIXED]);
	clusters_estimate_rates(s->clusters, SHIFT, ARRAY_LEN(SHIFT), &ret[FACET_SCORE_SHIFT]);
	clusters_estimate_share(s->clusters, FACET_DIVERGENCE_INDEX, &ret[FACET_DIVERGENCE_INDEX]);
	clusters_estimate_events(s->clusters, FACET_HAZARD, FACET_DIFFER, &ret[FACET_HAZARD]);
	size_t seeds = 0;
	for (size_t i = 0; i < N_FACET_FIGURES; i++) {
		size_t crossed = widen(s, (enum facet_figure)i, &ret[i]);
		seeds = MAX(seeds, crossed);
	}
	return seeds;
}

size_t facet_sums_estimate(struct facet_sums *s, struct estimate ret[N_FACET_FIGURES])
{
	if (!s->is_settled) {
		return estimate(s, ret);
	}
	if (!s->is_told) {
		s->seeds = estimate(s, s->told);
		s->is_told = true;
	}
	memcpy(ret, s->told, sizeof(s->told));
	return s->seeds;
}
