#include "analyzer/fold/draws.h"

#include <stdlib.h>
#include <string.h>

#include "base/k_smallest.h"
#include "base/mem.h"

static int compare_cells(const void *a, const void *b)
{
	const struct draws_cell *x = a, *y = b;
	return (x->temperature > y->temperature) - (x->temperature < y->temperature);
}

static void drop_cell(void *item, void *arg)
{
	struct draws_group *g = arg;
	const struct draws_cell *c = item;
	g->other_temperatures += c->answers;
	g->answers -= c->answers;
}

static const struct k_smallest CELLS = {
        sizeof(struct draws_cell), DRAWS_TEMPERATURES, compare_cells, drop_cell};

static int compare_seeds(const void *a, const void *b)
{
	const struct draws_seed *x = a, *y = b;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static const struct k_smallest SEEDS = {
        sizeof(struct draws_seed), DRAWS_SEEDS_LIMIT, compare_seeds, NULL};

static int compare_groups(const void *a, const void *b)
{
	const struct draws_group *x = a, *y = b;
	int order = strcmp(x->backend, y->backend);
	order = order ? order : strcmp(x->model, y->model);
	order = order ? order : strcmp(x->replica, y->replica);
	return order ? order : id_compare(x->stack, y->stack);
}

static void finish_group(struct draws_group *g)
{
	free(g->backend);
	free(g->model);
	free(g->replica);
	free(g->cells);
	free(g->seeded);
	free(g->seeds);
}

static void drop_group(void *item, void *arg)
{
	struct draws *d = arg;
	struct draws_group *g = item;
	d->ungrouped += g->answers + g->other_temperatures;
	for (size_t e = 0; e < N_DRAWS_EXCLUSIONS; e++) {
		d->ungrouped += g->excluded[e];
	}
	finish_group(g);
}

static const struct k_smallest GROUPS = {
        sizeof(struct draws_group), DRAWS_GROUPS_LIMIT, compare_groups, drop_group};

/* Finds or adds the group with the names, role and stack of `like`. Returns NULL if there is no
 * room for it. */
static struct draws_group *group_of(struct draws *d, const struct draws_group *like)
{
	bool is_new;
	struct draws_group *g =
	        k_smallest_place(&GROUPS, &d->groups, &d->n_groups, like, d, &is_new);
	if (!g) {
		return NULL;
	}
	if (is_new) {
		*g = (struct draws_group){
		        .backend = xstrdup(like->backend),
		        .model = xstrdup(like->model),
		        .replica = xstrdup(like->replica),
		        .stack = like->stack,
		        .role = like->role,
		};
	}
	g->role = MIN(g->role, like->role);
	return g;
}

/* Finds or adds the cell of this temperature in one of the group's two lists. Returns NULL if
 * there is no room for it. */
static struct draws_cell *cell_of(
        struct draws_group *g, struct draws_cell **cells, size_t *n, double temperature)
{
	const struct draws_cell like = {.temperature = temperature};
	return k_smallest_place(&CELLS, cells, n, &like, g, NULL);
}

static void add_seed(struct draws_group *g, uint64_t hash)
{
	const struct draws_seed like = {.hash = hash};
	struct draws_seed *seed =
	        k_smallest_place(&SEEDS, &g->seeds, &g->n_seeds, &like, NULL, NULL);
	if (seed) {
		seed->answers++;
	}
}

static void add_stated(struct draws_stated *to, const struct draws_stated *from)
{
	to->temperature = MAX(to->temperature, from->temperature);
	to->top_k = MAX(to->top_k, from->top_k);
	to->top_p = MAX(to->top_p, from->top_p);
	to->min_p = MAX(to->min_p, from->min_p);
	to->penalty = MAX(to->penalty, from->penalty);
}

static void add_answer(struct draws_group *g, const struct draws_row *row)
{
	const double *sums = (const double *)(const void *)&row->sums;
	const uint64_t *counts = (const uint64_t *)(const void *)&row->counts;
	struct draws_cell *c = row->seed ? cell_of(g, &g->seeded, &g->n_seeded, row->temperature)
	                                 : cell_of(g, &g->cells, &g->n_cells, row->temperature);
	if (row->seed) {
		add_seed(g, row->seed);
	}
	g->at_one |= row->temperature == 1;
	g->lists |= UINT32_C(1) << row->lists;
	if (!c) {
		g->other_temperatures++;
		return;
	}
	g->answers++;
	c->answers++;
	for (size_t i = 0; i < DRAWS_SUMS; i++) {
		exact_sum_add(&c->sums[i], sums[i]);
	}
	for (size_t i = 0; i < DRAWS_TOTALS; i++) {
		c->counts[i] += counts[i];
	}
	g->longest = MAX(g->longest, row->longest);
	g->unasked |= row->unasked;
	add_stated(&g->stated, &row->stated);
}

static char *name(const char *text)
{
	return (char *)(uintptr_t)(text ? text : "");
}

void draws_add(struct draws *d, const struct draws_row *row)
{
	const struct draws_group like = {
	        .backend = name(row->backend),
	        .model = name(row->model),
	        .replica = name(row->replica),
	        .stack = row->stack,
	        .role = row->role,
	};
	struct draws_group *g = group_of(d, &like);
	if (!g) {
		d->ungrouped++;
		return;
	}
	exact_sum_add(&g->repeats_expected, (double)row->repeats_expected);
	g->repeats_pairs += row->counts.repeats_pairs;
	g->repeats_identical += row->counts.repeats_identical;
	if (row->excluded == DRAWS_COUNTS) {
		add_answer(g, row);
	} else {
		g->excluded[row->excluded]++;
	}
}

/* Merges cells into one of the group's two lists. */
static void merge_cells(struct draws_group *g, struct draws_cell **cells, size_t *n,
        const struct draws_cell *others, size_t n_others)
{
	for (size_t k = 0; k < n_others; k++) {
		const struct draws_cell *from = &others[k];
		struct draws_cell *to = cell_of(g, cells, n, from->temperature);
		if (!to) {
			g->other_temperatures += from->answers;
			continue;
		}
		g->answers += from->answers;
		to->answers += from->answers;
		for (size_t i = 0; i < DRAWS_SUMS; i++) {
			exact_sum_merge(&to->sums[i], &from->sums[i]);
		}
		for (size_t i = 0; i < DRAWS_TOTALS; i++) {
			to->counts[i] += from->counts[i];
		}
	}
}

static bool seeds_are_shared(const struct draws_group *g)
{
	double answers = 0;
	for (size_t i = 0; i < g->n_seeds; i++) {
		answers += (double)g->seeds[i].answers;
	}
	return answers > DRAWS_SEED_ANSWERS_MOST * (double)g->n_seeds;
}

static void settle_seeded(struct draws_group *g)
{
	uint64_t n = 0;
	for (size_t k = 0; k < g->n_seeded; k++) {
		n += g->seeded[k].answers;
	}
	g->answers -= n;
	if (seeds_are_shared(g)) {
		g->excluded[DRAWS_REPEATED] += n;
	} else {
		merge_cells(g, &g->cells, &g->n_cells, g->seeded, g->n_seeded);
	}
	free(g->seeded);
	g->seeded = NULL;
	g->n_seeded = 0;
}

void draws_settle(struct draws *d)
{
	for (size_t i = 0; i < d->n_groups; i++) {
		settle_seeded(&d->groups[i]);
	}
	draws_tests_make(d->groups, d->n_groups);
}

bool draws_may_be_scored(const struct draws *d, const char *backend)
{
	const uint32_t raw = UINT32_C(1) << LOGPROBS_RAW | UINT32_C(1) << LOGPROBS_RAW_BY_DEFAULT;
	bool any = false, may = false;
	for (size_t i = 0; d && i < d->n_groups; i++) {
		const struct draws_group *g = &d->groups[i];
		if (g->lists != 0 && strcmp(g->backend, backend) == 0) {
			any = true;
			may |= g->at_one || (g->lists & raw);
		}
	}
	return may || !any;
}

void draws_finish(struct draws *d)
{
	for (size_t i = 0; i < d->n_groups; i++) {
		finish_group(&d->groups[i]);
	}
	free(d->groups);
	*d = (struct draws){0};
}
