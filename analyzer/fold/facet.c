#include "analyzer/fold/facet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/testing.h"
#include "base/check.h"
#include "base/mem.h"

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

static int compare(const struct facet *x, const struct facet *y)
{
	if (x->kind != y->kind) {
		return x->kind < y->kind ? -1 : 1;
	}
	if (x->level != y->level && !isnan(x->level) && !isnan(y->level)) {
		return x->level < y->level ? -1 : 1;
	}
	return strcmp(x->name, y->name);
}

/* The first item of a later kind. */
static size_t end_of(const struct facets *f, enum facet_kind kind)
{
	size_t i = 0;
	while (i < f->n && f->items[i].kind <= kind) {
		i++;
	}
	return i;
}

static void drop(struct facets *f, size_t at)
{
	f->beyond[f->items[at].kind] += f->items[at].pairs;
	facet_sums_destroy(f->items[at].sums);
	f->n--;
	memmove(f->items + at, f->items + at + 1, (f->n - at) * sizeof(*f->items));
}

/*
 * NULL: no room. The values that are kept are the first ones of all that ever came. Whatever is kept in
 * the end was never dropped, so that its sums are whole.
 */
static struct facet *find(struct facets *f, enum facet_kind kind, const char *name, double level)
{
	struct facet like = {.kind = kind, .level = level};
	size_t at = 0, end = end_of(f, kind);
	copy_printable(like.name, name);
	while (at < f->n && compare(&f->items[at], &like) < 0) {
		at++;
	}
	if (at < f->n && compare(&f->items[at], &like) == 0) {
		return &f->items[at];
	}
	bool is_full = facets_count(f, kind) == FACET_VALUES;
	if (is_full && at == end) {
		return NULL;
	}
	if (is_full) {
		drop(f, end - 1);
	}
	f->items = xrealloc(f->items, (f->n + 1) * sizeof(*f->items));
	memmove(f->items + at + 1, f->items + at, (f->n - at) * sizeof(*f->items));
	f->items[at] = like;
	f->items[at].sums = facet_sums_create();
	f->n++;
	return &f->items[at];
}

void facets_add(struct facets *f, enum facet_kind kind, const char *name, double level,
        struct facet_source of, const struct pair_facts *facts)
{
	struct facet *item = find(f, kind, name, level);
	if (!item) {
		f->beyond[kind]++;
		return;
	}
	item->pairs++;
	item->differ += facts->differ;
	gold_add(&item->gold, facts->base_gold, facts->test_gold);
	facet_sums_add(item->sums, of, facts);
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
		facet_sums_merge(to->sums, from->sums);
	}
	for (size_t i = 0; i < N_FACETS; i++) {
		f->beyond[i] += other->beyond[i];
	}
}

void facets_settle(struct facets *f)
{
	for (size_t i = 0; i < f->n; i++) {
		facet_sums_settle(f->items[i].sums);
	}
}

void facets_finish(struct facets *f)
{
	for (size_t i = 0; i < f->n; i++) {
		facet_sums_destroy(f->items[i].sums);
	}
	free(f->items);
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

size_t facet_estimate(const struct facet *f, struct estimate ret[N_FACET_FIGURES])
{
	return facet_sums_estimate(f->sums, ret);
}
