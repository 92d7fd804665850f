#include "analyzer/fold/facet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/stats/proportion.h"
#include "base/ascii.h"
#include "base/check.h"
#include "base/k_smallest.h"
#include "base/enum_names.h"

#define CLUSTERS 1024

ENUM_NAMES(facet_kind_name, enum facet_kind, "category", "suite", "model", "endpoint", "streamed",
        "prompt_length", "cache", "load", "replica", "stack", "time", "injection");

static int compare(const void *a, const void *b)
{
	const struct facet *x = a, *y = b;
	if (x->level != y->level && !isnan(x->level) && !isnan(y->level)) {
		return x->level < y->level ? -1 : 1;
	}
	return strcmp(x->name, y->name);
}

static void finish(struct facet *f)
{
	clusters_destroy(f->clusters);
	crossing_finish(&f->crossing);
}

static void drop(void *item, void *arg)
{
	struct facet_list *l = arg;
	l->beyond += ((struct facet *)item)->pairs;
	finish(item);
}

static const struct k_smallest VALUES = {sizeof(struct facet), FACET_VALUES, compare, drop};

/* Finds or adds a value. Returns NULL if there is no room for it. */
static struct facet *value_of(
        struct facets *f, enum facet_kind kind, const char *name, double level)
{
	struct facet like = {.kind = kind, .level = level};
	struct facet_list *l = &f->of[kind];
	bool is_new;
	ascii_copy(like.name, sizeof(like.name), name);
	struct facet *value = k_smallest_place(&VALUES, &l->items, &l->n, &like, l, &is_new);
	if (is_new) {
		value->clusters = clusters_create_limited(N_FACET_FIGURES, CLUSTERS);
	}
	return value;
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

static void add_sums(struct facet *f, struct facet_source of, const struct pair_facts *facts)
{
	struct place at = {f, clusters_row(f->clusters, of.cluster), {0}};
	if (of.seed) {
		at.cell = crossing_cell_for(&f->crossing, N_FACET_FIGURES, of.cluster, *of.seed);
	}
	sum(&at, FACET_DIFFER, facts->differ, 1);
	sum(&at, FACET_ANSWER_CHANGED, facts->changed, 1);
	sum(&at, FACET_MAY_CHANGE, facts->changed || !facts->decided, 1);
	if (gold_is_decided(facts->base_gold) && gold_is_decided(facts->test_gold)) {
		double shift = (facts->test_gold == GOLD_RIGHT) - (facts->base_gold == GOLD_RIGHT);
		sum(&at, FACET_SCORE_SHIFT, 100 * shift, 1);
		sum(&at, FACET_BROKE, shift < 0, 1);
		sum(&at, FACET_FIXED, shift > 0, 1);
	}
	if (facts->at_risk > 0) {
		sum(&at, FACET_HAZARD, facts->tokens_differ, (double)facts->at_risk);
		sum(&at, FACET_DIVERGENCE_INDEX, facts->divergence_index, 1);
	}
}

void facets_add(struct facets *f, enum facet_kind kind, const char *name, double level,
        struct facet_source of, const struct pair_facts *facts)
{
	struct facet *item = value_of(f, kind, name, level);
	if (!item) {
		f->of[kind].beyond++;
		return;
	}
	item->pairs++;
	item->differ += facts->differ;
	gold_add(&item->gold, facts->base_gold, facts->test_gold);
	item->gold.by_library += facts->gold_by_library;
	add_sums(item, of, facts);
}

/* What it can be. */
static struct interval figure_bounds(enum facet_figure f)
{
	return f == FACET_SCORE_SHIFT ? (struct interval){-100, 100}
	                              : (struct interval){0, f == FACET_HAZARD ? INFINITY : 1};
}

/* Widens the interval over prompts by the variation over seeds. Returns the number of seeds; 0
 * if the interval stays as it was. */
static size_t widen(const struct facet *f, enum facet_figure figure, struct estimate *e)
{
	struct interval bounds = figure_bounds(figure);
	struct crossing_part part;
	if (isnan(e->ci.low) || !crossing_estimate(&f->crossing, f->clusters, figure, &part)) {
		return 0;
	}
	crossing_widen(e->value, &e->ci, part.reach);
	e->ci.low = fmin(fmax(e->ci.low, bounds.low), e->value);
	e->ci.high = fmax(fmin(e->ci.high, bounds.high), e->value);
	return part.seeds;
}

static void settle(struct facet *f)
{
	static const struct rate_term SHIFT[] = {
	        {FACET_FIXED, FACET_FIXED, 100}, {FACET_BROKE, FACET_BROKE, -100}};
	static const struct counted COUNTED[] = {
	        {FACET_DIVERGENCE_INDEX, FACET_DIVERGENCE_INDEX, .shares = true},
	        {FACET_HAZARD, FACET_DIFFER, false, false}};
	static const enum facet_figure RATES[] = {
	        FACET_DIFFER, FACET_ANSWER_CHANGED, FACET_MAY_CHANGE, FACET_BROKE, FACET_FIXED};
	struct estimate *ret = f->values;
	for (size_t i = 0; i < ARRAY_LEN(RATES); i++) {
		clusters_estimate_rate(f->clusters, RATES[i], &ret[RATES[i]]);
	}
	clusters_estimate_rates(f->clusters, SHIFT, ARRAY_LEN(SHIFT), &ret[FACET_SCORE_SHIFT]);
	for (size_t i = 0; i < ARRAY_LEN(COUNTED); i++) {
		clusters_estimate_counted(f->clusters, &COUNTED[i], &ret[COUNTED[i].figure]);
	}
	for (size_t i = 0; i < N_FACET_FIGURES; i++) {
		size_t crossed = widen(f, (enum facet_figure)i, &ret[i]);
		f->seeds = MAX(f->seeds, crossed);
	}
}

void facets_settle(struct facets *f)
{
	for (size_t k = 0; k < N_FACETS; k++) {
		for (size_t i = 0; i < f->of[k].n; i++) {
			settle(&f->of[k].items[i]);
		}
	}
}

void facets_finish(struct facets *f)
{
	for (size_t k = 0; k < N_FACETS; k++) {
		for (size_t i = 0; i < f->of[k].n; i++) {
			finish(&f->of[k].items[i]);
		}
		free(f->of[k].items);
	}
	*f = (struct facets){0};
}

size_t facets_count(const struct facets *f)
{
	size_t n = 0;
	for (size_t k = 0; k < N_FACETS; k++) {
		n += f->of[k].n;
	}
	return n;
}

double facets_trend(const struct facets *f, enum facet_kind kind, double *ret_z)
{
	double scores[FACET_VALUES];
	uint64_t hits[FACET_VALUES], n[FACET_VALUES];
	size_t levels = 0;
	for (size_t i = 0; i < f->of[kind].n; i++) {
		const struct facet *each = &f->of[kind].items[i];
		if (!isnan(each->level)) {
			scores[levels] = each->level;
			hits[levels] = each->differ;
			n[levels++] = each->pairs;
		}
	}
	return proportion_trend(scores, hits, n, levels, ret_z);
}

const struct facet *facets_cliff(const struct facets *f, enum facet_kind kind)
{
	const struct facet_list *l = &f->of[kind];
	for (size_t i = 1; i < l->n; i++) {
		const struct facet *before = &l->items[i - 1], *each = &l->items[i];
		double last = (double)before->differ / (double)before->pairs;
		if ((double)each->differ / (double)each->pairs > 2 * last) {
			return each;
		}
	}
	return NULL;
}

/* Where the answers of a row are added. */
struct target {
	struct facets *facets;
	struct facet_source of;
	const struct pair_facts *facts;
};

static void add_value(const struct target *t, enum facet_kind kind, const char *name, double level)
{
	facets_add(t->facets, kind, name, level, t->of, t->facts);
}

/* NULL: it has none. */
static void add_name(const struct target *t, enum facet_kind kind, const char *name)
{
	if (name) {
		add_value(t, kind, name, NAN);
	}
}

/* Adds a number by its range: ranges go from one power of a base to the next. */
static void add_range(
        const struct target *t, enum facet_kind kind, uint64_t value, uint64_t first, uint64_t by)
{
	uint64_t from = 0, until = first;
	char name[FACET_NAME_SIZE];
	while (value >= until && until < UINT64_MAX / by) {
		from = until;
		until *= by;
	}
	if (until - from == 1) {
		snprintf(name, sizeof(name), "%" PRIu64, from);
	} else {
		snprintf(name, sizeof(name), "%" PRIu64 "-%" PRIu64, from, until - 1);
	}
	add_value(t, kind, name, (double)from);
}

static void add_time(const struct target *t, uint64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm when;
	char name[FACET_NAME_SIZE];
	uint64_t hour = wall_ms / 3600000;
	if (gmtime_r(&seconds, &when) && strftime(name, sizeof(name), "%Y-%m-%d %H:00", &when)) {
		add_value(t, FACET_TIME, name, (double)hour);
	}
}

void facets_add_row(struct facets *f, const struct pair_row *row, const struct pair_facts *facts)
{
	const struct row_exchange *e = &row->exchange;
	const struct row_side *base = &row->base, *test = &row->test;
	const struct target t = {f, {e->cluster, NULL}, facts};
	add_name(&t, FACET_CATEGORY, e->category ? e->category : e->question);
	add_name(&t, FACET_SUITE, e->suite);
	if (!e->absent) {
		add_name(&t, FACET_ENDPOINT, endpoint_name(e->endpoint));
		add_name(&t, FACET_STREAMED, e->streamed ? "streamed" : "unary");
	}
	add_name(&t, FACET_MODEL, e->model);
	if (base->prompt_tokens >= 0) {
		add_range(&t, FACET_PROMPT_LENGTH, (uint64_t)base->prompt_tokens, 64, 4);
	}
	if (test->cached_tokens >= 0) {
		add_name(&t, FACET_CACHE, test->cached_tokens > 0 ? "cached" : "not cached");
	}
	if (test->in_flight > 0) {
		add_range(&t, FACET_LOAD, test->in_flight, 1, 2);
	}
	add_name(&t, FACET_REPLICA, test->replica);
	const struct row_side *side = test->role == ROLE_PRIMARY ? test : base;
	if (side->role == ROLE_PRIMARY) {
		add_name(&t, FACET_INJECTION, side->injected ? "injected" : "as asked");
	}
	if (!id_is_zero(test->stack)) {
		char id[ID_TEXT_SIZE];
		add_value(&t, FACET_STACK, id_format(test->stack, id), NAN);
	}
	add_time(&t, id_time_ms(e->id));
}
