#include "analyzer/facet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/testing.h"
#include "base/check.h"
#include "base/mem.h"

#define ROWS 1024 /* of clusters, each */

struct facet_told {
	bool known;
	struct estimate by[N_FACET_FIGURES];
	size_t seeds;
};

const char *facet_kind_name(enum facet_kind k)
{
	static const char *const NAMES[] = {"category", "suite", "model", "endpoint", "streamed",
	        "prompt_length", "cache", "load", "replica", "stack", "time", "injection"};
	expect(k < N_FACETS);
	return NAMES[k];
}

static void copy_printable(char to[FACET_NAME_SIZE], const char *from)
{
	size_t n = 0;
	for (; *from && n < FACET_NAME_SIZE - 1; from++) {
		to[n++] = *from >= ' ' && *from <= '~' ? *from : '?';
	}
	to[n] = '\0';
}

size_t facets_count(const struct facets *f, enum facet_kind kind)
{
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++) {
		n += f->items[i].kind == kind;
	}
	return n;
}

/* NULL: no room. */
static struct facet *find(struct facets *f, enum facet_kind kind, const char *name, double level)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].kind == kind && strcmp(f->items[i].name, name) == 0) {
			return &f->items[i];
		}
	}
	if (facets_count(f, kind) == FACET_VALUES) {
		return NULL;
	}
	f->items = xrealloc(f->items, (f->n + 1) * sizeof(*f->items));
	struct facet *fresh = &f->items[f->n++];
	*fresh = (struct facet){.kind = kind, .level = level};
	memcpy(fresh->name, name, strlen(name) + 1);
	fresh->clusters = clusters_create_limited(N_FACET_FIGURES, ROWS);
	return fresh;
}

/* Where the sums of one answer go. */
struct place {
	struct facet *facet;
	uint32_t row;
	struct crossing_cell cell;
};

static void sum(const struct place *at, enum facet_figure f, double part, double whole)
{
	clusters_add(at->facet->clusters, at->row, f, part, whole);
	crossing_add(&at->facet->crossing, at->cell, f, part, whole);
}

static void add(struct facet *to, struct facet_source of, const struct tally_facts *facts)
{
	struct place at = {to, clusters_row(to->clusters, of.cluster), {0}};
	if (of.seed) {
		at.cell = crossing_note(&to->crossing, N_FACET_FIGURES, of.cluster, *of.seed);
	}
	to->pairs++;
	to->differ += facts->differ;
	sum(&at, FACET_DIFFER, facts->differ, 1);
	if (facts->decided) {
		sum(&at, FACET_ANSWER_CHANGED, facts->changed, 1);
	}
	gold_add(&to->gold, facts->base_gold, facts->test_gold);
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

void facets_add(struct facets *f, enum facet_kind kind, const char *name, double level,
        struct facet_source of, const struct tally_facts *facts)
{
	char printable[FACET_NAME_SIZE];
	copy_printable(printable, name);
	struct facet *to = find(f, kind, printable, level);
	if (to) {
		add(to, of, facts);
	} else {
		f->beyond[kind]++;
	}
}

bool facets_add_at(struct facets *f, enum facet_kind kind, double level, struct facet_source of,
        const struct tally_facts *facts)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].kind == kind && f->items[i].level == level) {
			add(&f->items[i], of, facts);
			return true;
		}
	}
	return false;
}

void facets_merge(struct facets *f, const struct facets *other)
{
	for (size_t i = 0; i < other->n; i++) {
		const struct facet *from = &other->items[i];
		struct facet *to = find(f, from->kind, from->name, from->level);
		if (!to) {
			f->beyond[from->kind] += from->pairs;
			continue;
		}
		to->pairs += from->pairs;
		to->differ += from->differ;
		gold_merge(&to->gold, &from->gold);
		clusters_merge(to->clusters, from->clusters);
		crossing_merge(&to->crossing, &from->crossing, N_FACET_FIGURES);
	}
	for (size_t i = 0; i < N_FACETS; i++) {
		f->beyond[i] += other->beyond[i];
	}
}

static int by_kind(const void *a, const void *b)
{
	const struct facet *x = a, *y = b;
	if (x->kind != y->kind) {
		return x->kind < y->kind ? -1 : 1;
	}
	if (x->level != y->level && !isnan(x->level) && !isnan(y->level)) {
		return x->level < y->level ? -1 : 1;
	}
	return strcmp(x->name, y->name);
}

/* The first that holds the same answers, which may be itself: often there is one model, one endpoint and one hour. */
static size_t find_equal(const struct facets *f, size_t of)
{
	const struct facet *own = &f->items[of];
	if (crossing_has_seeds(&own->crossing)) {
		return of;
	}
	size_t i = 0;
	while (i < of && (crossing_has_seeds(&f->items[i].crossing) ||
	                         !clusters_equal(f->items[i].clusters, own->clusters))) {
		i++;
	}
	return i;
}

void facets_settle(struct facets *f)
{
	if (f->n == 0) {
		return;
	}
	qsort(f->items, f->n, sizeof(*f->items), by_kind);
	f->told = xcalloc(f->n, sizeof(*f->told));
	for (size_t i = 0; i < f->n; i++) {
		f->items[i].told = &f->told[find_equal(f, i)];
	}
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].told == &f->told[i]) {
			clusters_settle(f->items[i].clusters);
		}
	}
}

void facets_finish(struct facets *f)
{
	for (size_t i = 0; i < f->n; i++) {
		clusters_destroy(f->items[i].clusters);
		crossing_finish(&f->items[i].crossing);
	}
	free(f->items);
	free(f->told);
	*f = (struct facets){0};
}

double facets_trend(const struct facets *f, enum facet_kind kind, double *ret_z)
{
	double scores[FACET_VALUES];
	uint64_t hits[FACET_VALUES], n[FACET_VALUES];
	size_t levels = 0;
	for (size_t i = 0; i < f->n; i++) {
		const struct facet *each = &f->items[i];
		if (each->kind == kind && !isnan(each->level)) {
			scores[levels] = each->level;
			hits[levels] = each->differ;
			n[levels++] = each->pairs;
		}
	}
	return testing_trend(scores, hits, n, levels, ret_z);
}

const struct facet *facets_cliff(const struct facets *f, enum facet_kind kind)
{
	const struct facet *before = NULL;
	for (size_t i = 0; i < f->n; i++) {
		const struct facet *each = &f->items[i];
		if (each->kind != kind) {
			continue;
		}
		double rate = (double)each->differ / (double)each->pairs;
		double last = before ? (double)before->differ / (double)before->pairs : NAN;
		if (before && rate > 2 * last) {
			return each;
		}
		before = each;
	}
	return NULL;
}

/* What it can be. */
static struct interval bounds_of(enum facet_figure f)
{
	return f == FACET_SCORE_SHIFT ? (struct interval){-100, 100}
	                              : (struct interval){0, f == FACET_HAZARD ? INFINITY : 1};
}

/* Beside what the prompts bring; how many seeds, or 0. */
static size_t widen(const struct facet *f, enum facet_figure figure, struct estimate *e)
{
	struct interval bounds = bounds_of(figure);
	struct crossing_part part;
	if (isnan(e->ci.low) || !crossing_estimate(&f->crossing, f->clusters, figure, &part)) {
		return 0;
	}
	crossing_widen(e->value, &e->ci, part.reach);
	e->ci.low = fmin(fmax(e->ci.low, bounds.low), e->value);
	e->ci.high = fmax(fmin(e->ci.high, bounds.high), e->value);
	return part.seeds;
}

static size_t estimate(const struct facet *f, struct estimate ret[N_FACET_FIGURES])
{
	static const struct rate_term SHIFT[] = {
	        {FACET_FIXED, FACET_FIXED, 100}, {FACET_BROKE, FACET_BROKE, -100}};
	clusters_estimate_rate(f->clusters, FACET_DIFFER, &ret[FACET_DIFFER]);
	clusters_estimate_rate(f->clusters, FACET_ANSWER_CHANGED, &ret[FACET_ANSWER_CHANGED]);
	clusters_estimate_rate(f->clusters, FACET_BROKE, &ret[FACET_BROKE]);
	clusters_estimate_rate(f->clusters, FACET_FIXED, &ret[FACET_FIXED]);
	clusters_estimate_rates(f->clusters, SHIFT, ARRAY_LEN(SHIFT), &ret[FACET_SCORE_SHIFT]);
	clusters_estimate_share(f->clusters, FACET_DIVERGENCE_INDEX, &ret[FACET_DIVERGENCE_INDEX]);
	clusters_estimate_events(f->clusters, FACET_HAZARD, FACET_DIFFER, &ret[FACET_HAZARD]);
	size_t seeds = 0;
	for (size_t i = 0; i < N_FACET_FIGURES; i++) {
		size_t crossed = widen(f, (enum facet_figure)i, &ret[i]);
		seeds = MAX(seeds, crossed);
	}
	return seeds;
}

size_t facet_estimate(const struct facet *f, struct estimate ret[N_FACET_FIGURES])
{
	struct facet_told *told = f->told;
	if (!told) {
		return estimate(f, ret);
	}
	if (!told->known) {
		told->seeds = estimate(f, told->by);
		told->known = true;
	}
	memcpy(ret, told->by, sizeof(told->by));
	return told->seeds;
}
