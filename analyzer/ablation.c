#include "analyzer/ablation.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/ablation_parts.h"
#include "analyzer/compare/choice_hash.h"
#include "base/grow.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"
#include "answers/first_difference.h"

#define ROWS 4096

size_t ablation_main_figure(size_t factor, enum ablation_side side)
{
	return factor * 2 * N_ABLATION_SIDES + side;
}

size_t ablation_hazard_figure(size_t factor, enum ablation_side side)
{
	return factor * 2 * N_ABLATION_SIDES + N_ABLATION_SIDES + side;
}

size_t ablation_given_figure(
        const struct ablation *a, size_t factor, size_t other, bool on, enum ablation_side side)
{
	size_t pair = factor * a->n_factors + other;
	return a->n_factors * 2 * N_ABLATION_SIDES + (pair * 2 + on) * N_ABLATION_SIDES + side;
}

size_t ablation_floor_figure(const struct ablation *a, size_t cell)
{
	return a->n_factors * (2 + 2 * a->n_factors) * N_ABLATION_SIDES + cell;
}

struct ablation *ablation_create(size_t n_factors)
{
	expect(n_factors > 0 && n_factors <= ABLATION_FACTORS);
	struct ablation *a = xcalloc(1, sizeof(*a));
	a->n_factors = n_factors;
	size_t n_figures = ablation_floor_figure(a, (size_t)1 << n_factors);
	a->clusters = clusters_create_limited(n_figures, ROWS);
	return a;
}

void ablation_destroy(struct ablation *a)
{
	if (a) {
		clusters_destroy(a->clusters);
		free(a->prompts);
		free(a->text_numbers);
		free(a);
	}
}

/* Pairs of answers: the share of those that differ, and the mean of their tokens at risk. */
struct pairs {
	double differ, tokens;
	bool has_tokens, any;
};

/* The answers to one prompt, by cell, and their hashes. */
struct prompt_answers {
	const struct choice *choices[ABLATION_CELLS][ABLATION_REPEATS];
	uint8_t hashes[ABLATION_CELLS][ABLATION_REPEATS][CHOICE_HASH_SIZE];
	size_t n[ABLATION_CELLS];
	struct pairs within[ABLATION_CELLS];
};

/* Computes the tokens at risk of a pair: those up to and including the first difference. */
static bool at_risk(const struct choice *a, const struct choice *b, bool same, double *ret)
{
	struct first_difference p;
	if (same) {
		*ret = a->columns.n;
		return a->has_columns && b->has_columns;
	}
	first_difference_find(a, b, &p);
	*ret = p.comparable;
	return p.has_tokens;
}

static struct pairs compare_cells(const struct prompt_answers *all, size_t x, size_t y)
{
	struct pairs sum = {.has_tokens = true};
	double n = 0;
	for (size_t i = 0; i < all->n[x]; i++) {
		for (size_t k = x == y ? i + 1 : 0; k < all->n[y]; k++) {
			double tokens = 0;
			bool same =
			        memcmp(all->hashes[x][i], all->hashes[y][k], CHOICE_HASH_SIZE) == 0;
			sum.has_tokens &=
			        at_risk(all->choices[x][i], all->choices[y][k], same, &tokens);
			sum.differ += !same;
			sum.tokens += tokens;
			n++;
		}
	}
	sum.any = n > 0;
	sum.differ = n > 0 ? sum.differ / n : 0;
	sum.tokens = n > 0 ? sum.tokens / n : 0;
	return sum;
}

/* Sums over the settings of the other switches. */
struct mean {
	double differ[N_ABLATION_SIDES], tokens[N_ABLATION_SIDES], n;
	bool has_tokens;
};

static void add_edge(struct mean *m, const struct pairs sides[N_ABLATION_SIDES])
{
	for (size_t i = 0; i < N_ABLATION_SIDES; i++) {
		m->differ[i] += sides[i].differ;
		m->tokens[i] += sides[i].tokens;
		m->has_tokens &= sides[i].has_tokens;
	}
	m->n++;
}

static void add_main(struct ablation *a, uint32_t row, size_t f, const struct mean *m)
{
	for (enum ablation_side i = 0; i < N_ABLATION_SIDES && m->n > 0; i++) {
		size_t hazard = ablation_hazard_figure(f, i);
		clusters_add(a->clusters, row, ablation_main_figure(f, i), m->differ[i] / m->n, 1);
		if (m->has_tokens && m->tokens[i] > 0) {
			clusters_add(
			        a->clusters, row, hazard, m->differ[i] / m->n, m->tokens[i] / m->n);
		}
	}
}

static void add_given(
        struct ablation *a, uint32_t row, size_t f, size_t other, const struct mean m[2])
{
	for (size_t on = 0; on < 2 && m[0].n > 0 && m[1].n > 0; on++) {
		for (enum ablation_side i = 0; i < N_ABLATION_SIDES; i++) {
			clusters_add(a->clusters, row, ablation_given_figure(a, f, other, on, i),
			        m[on].differ[i] / m[on].n, 1);
		}
	}
}

static void add_factor(struct ablation *a, uint32_t row, const struct prompt_answers *all, size_t f)
{
	struct mean whole = {.has_tokens = true}, given[ABLATION_FACTORS][2] = {0};
	for (size_t off = 0; off < (size_t)1 << a->n_factors; off++) {
		size_t on = off | (size_t)1 << f;
		if (on == off || !all->within[off].any || !all->within[on].any) {
			continue;
		}
		const struct pairs sides[N_ABLATION_SIDES] = {
		        compare_cells(all, off, on), all->within[off], all->within[on]};
		add_edge(&whole, sides);
		for (size_t g = 0; g < a->n_factors; g++) {
			if (g != f) {
				add_edge(&given[g][off >> g & 1], sides);
			}
		}
	}
	add_main(a, row, f, &whole);
	for (size_t g = 0; g < a->n_factors; g++) {
		add_given(a, row, f, g, given[g]);
	}
}

static uint16_t text_number_of(
        const struct prompt_answers *all, const uint8_t hash[CHOICE_HASH_SIZE])
{
	uint16_t number = 0;
	for (size_t cell = 0; cell < ABLATION_CELLS; cell++) {
		for (size_t i = 0; i < all->n[cell]; i++, number++) {
			if (memcmp(all->hashes[cell][i], hash, CHOICE_HASH_SIZE) == 0) {
				return number;
			}
		}
	}
	never("an answer that is not among its own");
}

static void keep(struct ablation *a, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct prompt_answers *all)
{
	a->prompts = grow(a->prompts, a->n_prompts, &a->prompts_room, sizeof(*a->prompts));
	struct ablation_prompt *p = &a->prompts[a->n_prompts++];
	*p = (struct ablation_prompt){.from = a->n_text_numbers};
	memcpy(p->cluster, cluster, CLUSTERS_KEY_SIZE);
	if (a->text_numbers_room - a->n_text_numbers < (size_t)ABLATION_CELLS * ABLATION_REPEATS) {
		a->text_numbers_room =
		        2 * a->text_numbers_room + (size_t)ABLATION_CELLS * ABLATION_REPEATS;
		a->text_numbers =
		        xrealloc(a->text_numbers, a->text_numbers_room * sizeof(*a->text_numbers));
	}
	for (size_t cell = 0; cell < ABLATION_CELLS; cell++) {
		p->n[cell] = (uint8_t)all->n[cell];
		for (size_t i = 0; i < all->n[cell]; i++) {
			a->text_numbers[a->n_text_numbers++] =
			        text_number_of(all, all->hashes[cell][i]);
		}
	}
}

void ablation_add(struct ablation *a, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct ablation_answer *answers, size_t n)
{
	struct prompt_answers *all = xcalloc(1, sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		size_t cell = answers[i].cell, at = all->n[cell];
		if (at < ABLATION_REPEATS) {
			all->choices[cell][at] = answers[i].choice;
			choice_hash(answers[i].choice, all->hashes[cell][at]);
			all->n[cell]++;
		}
	}
	uint32_t row = clusters_row(a->clusters, cluster);
	for (size_t cell = 0; cell < (size_t)1 << a->n_factors; cell++) {
		all->within[cell] = compare_cells(all, cell, cell);
		if (all->within[cell].any) {
			clusters_add(a->clusters, row, ablation_floor_figure(a, cell),
			        all->within[cell].differ, 1);
		}
	}
	for (size_t f = 0; f < a->n_factors; f++) {
		add_factor(a, row, all, f);
	}
	keep(a, cluster, all);
	free(all);
}

static const struct ablation_where *find(
        const struct ablation_where *where, size_t n, const struct leg_row *leg)
{
	for (size_t i = 0; i < n; i++) {
		if (id_compare(leg->run, where[i].run) == 0 && leg->backend &&
		        strcmp(leg->backend, where[i].backend) == 0) {
			return &where[i];
		}
	}
	return NULL;
}

static void read_exchange(struct ablation *a, struct capture *c, const struct capture_exchange *e,
        const struct ablation_where *where, size_t n_where, uint32_t from)
{
	struct ablation_answer *answers = xcalloc(e->n_legs + 1, sizeof(*answers));
	struct reading **readings = xcalloc(e->n_legs + 1, sizeof(*readings));
	size_t n = 0, n_readings = 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		const struct ablation_where *at = find(where, n_where, leg);
		if (!at || leg->repeat < from || (leg->marks & LEG_SCORED)) {
			continue;
		}
		struct ablation_cell *cell = &a->cells[at->cell];
		struct reading *reading = leg_whole_reading(c, e, i);
		const struct choice *choice =
		        reading && !reading->unknown ? reading_choice(reading, 0) : NULL;
		readings[n_readings++] = reading;
		cell->answers += choice != NULL;
		cell->failed += !choice;
		cell->n_stated += choice && leg->usage.cached_tokens >= 0;
		cell->cached += choice && leg->usage.cached_tokens > 0;
		if (choice) {
			answers[n++] = (struct ablation_answer){choice, at->cell};
		}
	}
	if (n > 0) {
		ablation_add(a, clusters_key_of(&e->row), answers, n);
	}
	for (size_t i = 0; i < n_readings; i++) {
		reading_destroy(readings[i]);
	}
	free(readings);
	free(answers);
}

void ablation_read(struct ablation *a, struct capture *c, const struct ablation_where *where,
        size_t n_where, uint32_t from)
{
	struct capture_exchange e;
	capture_rewind(c);
	while (capture_next(c, &e) == 1) {
		read_exchange(a, c, &e, where, n_where, from);
		capture_exchange_finish(&e);
	}
}
