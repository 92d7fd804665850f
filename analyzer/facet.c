#include "analyzer/facet.h"

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
	return fresh;
}

static void leave(struct facet *item)
{
	struct facet_sums *s = item->sums;
	item->sums = NULL;
	if (s && --s->facets == 0) {
		facet_sums_destroy(s);
	}
}

static void join(struct facet *item, struct facet_sums *s)
{
	leave(item);
	item->sums = s;
	s->facets++;
}

static void choose(struct facets_chosen *c, size_t item)
{
	expect(c->n < N_FACETS);
	for (size_t i = 0; i < c->n; i++) {
		expect(c->items[i] != item);
	}
	c->items[c->n++] = item;
}

/* Those of the chosen ones that have these sums get other ones. */
static void move_chosen(struct facets *f, const struct facets_chosen *c, struct facet_sums *from,
        struct facet_sums *to)
{
	for (size_t i = 0; i < c->n; i++) {
		struct facet *item = &f->items[c->items[i]];
		if (item->sums == from) {
			join(item, to);
		}
	}
}

/* What the chosen ones share with others is theirs alone from then on; new ones share one. */
static void set_apart(struct facets *f, const struct facets_chosen *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct facet_sums *s = f->items[c->items[i]].sums;
		if (s) {
			s->chosen++;
		}
	}
	for (size_t i = 0; i < c->n; i++) {
		struct facet_sums *s = f->items[c->items[i]].sums;
		if (!s) {
			move_chosen(f, c, NULL, facet_sums_create());
		} else if (s->chosen > 0 && s->chosen < s->facets) {
			s->chosen = 0;
			move_chosen(f, c, s, facet_sums_copy(s));
		}
	}
	for (size_t i = 0; i < c->n; i++) {
		f->items[c->items[i]].sums->chosen = 0;
	}
}

/* The sums that are the chosen ones' alone, which they are from then on, each once; their number. */
static size_t own_sums(
        struct facets *f, const struct facets_chosen *c, struct facet_sums *ret[static N_FACETS])
{
	size_t n = 0;
	set_apart(f, c);
	for (size_t i = 0; i < c->n; i++) {
		size_t k = 0;
		while (k < n && ret[k] != f->items[c->items[i]].sums) {
			k++;
		}
		ret[k] = f->items[c->items[i]].sums;
		n += k == n;
	}
	return n;
}

static void count(struct facet *item, const struct pair_facts *facts)
{
	item->pairs++;
	item->differ += facts->differ;
	gold_add(&item->gold, facts->base_gold, facts->test_gold);
}

void facets_choose(struct facets *f, enum facet_kind kind, const char *name, double level)
{
	char printable[FACET_NAME_SIZE];
	copy_printable(printable, name);
	struct facet *item = find(f, kind, printable, level);
	if (item) {
		choose(&f->chosen, (size_t)(item - f->items));
	} else {
		f->beyond[kind]++;
	}
}

bool facets_choose_at(struct facets *f, enum facet_kind kind, double level)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].kind == kind && f->items[i].level == level) {
			choose(&f->chosen, i);
			return true;
		}
	}
	return false;
}

void facets_add_chosen(struct facets *f, struct facet_source of, const struct pair_facts *facts)
{
	struct facet_sums *sums[N_FACETS];
	size_t n = own_sums(f, &f->chosen, sums);
	for (size_t i = 0; i < n; i++) {
		facet_sums_add(sums[i], of, facts);
	}
	for (size_t i = 0; i < f->chosen.n; i++) {
		count(&f->items[f->chosen.items[i]], facts);
	}
	f->chosen.n = 0;
}

void facets_add(struct facets *f, enum facet_kind kind, const char *name, double level,
        struct facet_source of, const struct pair_facts *facts)
{
	facets_choose(f, kind, name, level);
	facets_add_chosen(f, of, facts);
}

/* Counts alone; where the item is. SIZE_MAX: there is no room for it. */
static size_t merge_counts(struct facets *f, const struct facet *from)
{
	struct facet *to = find(f, from->kind, from->name, from->level);
	if (!to) {
		f->beyond[from->kind] += from->pairs;
		return SIZE_MAX;
	}
	to->pairs += from->pairs;
	to->differ += from->differ;
	gold_merge(&to->gold, &from->gold);
	return (size_t)(to - f->items);
}

/* To those of ours that go by what shares these sums there. places: of other's items here. */
static void merge_sums(struct facets *f, const struct facets *other, const size_t *places,
        const struct facet_sums *from)
{
	struct facets_chosen c = {.n = 0};
	struct facet_sums *sums[N_FACETS];
	for (size_t i = 0; i < other->n; i++) {
		if (other->items[i].sums == from && places[i] != SIZE_MAX) {
			choose(&c, places[i]);
		}
	}
	size_t n = own_sums(f, &c, sums);
	for (size_t i = 0; i < n; i++) {
		facet_sums_merge(sums[i], from);
	}
}

static bool is_first_with_its_sums(const struct facets *f, size_t item)
{
	size_t i = 0;
	while (f->items[i].sums != f->items[item].sums) {
		i++;
	}
	return i == item;
}

void facets_merge(struct facets *f, const struct facets *other)
{
	size_t *places = xcalloc(other->n + 1, sizeof(*places));
	for (size_t i = 0; i < other->n; i++) {
		places[i] = merge_counts(f, &other->items[i]);
	}
	for (size_t i = 0; i < other->n; i++) {
		if (is_first_with_its_sums(other, i)) {
			merge_sums(f, other, places, other->items[i].sums);
		}
	}
	for (size_t i = 0; i < N_FACETS; i++) {
		f->beyond[i] += other->beyond[i];
	}
	free(places);
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

void facets_settle(struct facets *f)
{
	if (f->n > 0) {
		qsort(f->items, f->n, sizeof(*f->items), by_kind);
	}
	for (size_t i = 0; i < f->n; i++) {
		facet_sums_settle(f->items[i].sums);
	}
}

void facets_finish(struct facets *f)
{
	for (size_t i = 0; i < f->n; i++) {
		leave(&f->items[i]);
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
