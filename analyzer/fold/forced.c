#include "analyzer/fold/forced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/shortlist.h"

static int compare_names(const void *a, const void *b)
{
	const struct forced_group *x = a, *y = b;
	int order = strcmp(x->scorer, y->scorer);
	return order ? order : strcmp(x->of, y->of);
}

static void finish_group(struct forced_group *g)
{
	for (size_t d = 0; d < N_DECODINGS; d++) {
		clusters_destroy(g->clusters[d]);
	}
	free(g->scorer);
	free(g->of);
}

static void drop_group(void *item, void *arg)
{
	struct forced *f = arg;
	struct forced_group *g = item;
	f->ungrouped += g->legs;
	finish_group(g);
}

static const struct shortlist GROUPS = {
        sizeof(struct forced_group), FORCED_GROUPS_LIMIT, compare_names, drop_group};

/* NULL: it has no place. like: names and roles. */
static struct forced_group *group_of(struct forced *f, const struct forced_group *like)
{
	size_t at;
	bool is_new;
	f->groups = shortlist_place(&GROUPS, f->groups, &f->n_groups, like, f, &at, &is_new);
	if (at == f->n_groups) {
		return NULL;
	}
	struct forced_group *g = &f->groups[at];
	if (is_new) {
		g->scorer = xstrdup(like->scorer);
		g->of = xstrdup(like->of);
	}
	g->scorer_role = MIN(g->scorer_role, like->scorer_role);
	g->of_role = MIN(g->of_role, like->of_role);
	return g;
}

static void add_answer(struct clusters **clusters, const struct score_row *row)
{
	struct clusters *c = clusters_of(clusters, N_FORCED_COLUMNS);
	uint32_t at = clusters_row(c, row->cluster);
	double n = (double)row->logprobs, delta = row->own - row->by_scorer;
	clusters_add(c, at, FORCED_ANSWERS, 0, 1);
	clusters_add(c, at, FORCED_POSITIONS, (double)row->positions, (double)row->tokens);
	clusters_add(c, at, FORCED_SAME_TOP, (double)row->tops_equal, (double)row->tops);
	if (row->logprobs > 0) {
		clusters_add(c, at, FORCED_LOGPROB, delta, n);
		clusters_add(c, at, FORCED_LOGPROB_SQUARE, row->delta_squares, n);
		clusters_add(c, at, FORCED_OF_ANSWERS, delta / n, 1);
		clusters_add(c, at, FORCED_OWN, row->own, n);
		clusters_add(c, at, FORCED_SCORER, row->by_scorer, n);
		clusters_add(c, at, FORCED_K3, row->k3, n);
	}
}

void forced_add(struct forced *f, const struct score_row *row)
{
	if (row->result == SCORE_ORPHAN) {
		f->orphans++;
		return;
	}
	const struct forced_group like = {
	        .scorer = (char *)(uintptr_t)row->scorer,
	        .of = (char *)(uintptr_t)row->of,
	        .scorer_role = row->scorer_role,
	        .of_role = row->of_role,
	};
	struct forced_group *g = group_of(f, &like);
	if (!g) {
		f->ungrouped++;
		return;
	}
	g->legs++;
	g->without += row->result == SCORE_WITHOUT;
	g->unmatched += row->result == SCORE_UNMATCHED;
	g->unreadable += row->result == SCORE_UNREADABLE;
	if (row->result == SCORE_COUNTS) {
		add_answer(&g->clusters[row->decoding], row);
	}
}

void forced_merge(struct forced *f, const struct forced *other)
{
	for (size_t i = 0; i < other->n_groups; i++) {
		const struct forced_group *from = &other->groups[i];
		const struct forced_group like = {
		        .scorer = from->scorer,
		        .of = from->of,
		        .scorer_role = from->scorer_role,
		        .of_role = from->of_role,
		};
		struct forced_group *to = group_of(f, &like);
		if (!to) {
			f->ungrouped += from->legs;
			continue;
		}
		to->legs += from->legs;
		to->without += from->without;
		to->unmatched += from->unmatched;
		to->unreadable += from->unreadable;
		for (size_t d = 0; d < N_DECODINGS; d++) {
			clusters_merge(&to->clusters[d], from->clusters[d]);
		}
	}
	f->ungrouped += other->ungrouped;
	f->orphans += other->orphans;
}

/* ret[N_FORCED] */
static void estimate(const struct clusters *c, struct estimate *ret)
{
	static const enum forced_figure RATES[] = {FORCED_POSITIONS, FORCED_SAME_TOP};
	clusters_estimate_each(c, N_FORCED, ret);
	for (size_t i = 0; i < ARRAY_LEN(RATES); i++) {
		clusters_estimate_positions(c, RATES[i], FORCED_ANSWERS, &ret[RATES[i]]);
	}
}

/* Of a figure whose parts are counts. */
static uint64_t part_of(const struct clusters *c, size_t column)
{
	double part, whole;
	clusters_total(c, column, &part, &whole);
	return (uint64_t)part;
}

static uint64_t whole_of(const struct clusters *c, size_t column)
{
	double part, whole;
	clusters_total(c, column, &part, &whole);
	return (uint64_t)whole;
}

static void settle(const struct clusters *c, struct forced_split *ret)
{
	estimate(c, ret->values);
	ret->answers = whole_of(c, FORCED_ANSWERS);
	ret->tokens = whole_of(c, FORCED_POSITIONS);
	ret->positions = part_of(c, FORCED_POSITIONS);
	ret->tops = whole_of(c, FORCED_SAME_TOP);
	ret->tops_equal = part_of(c, FORCED_SAME_TOP);
	ret->logprobs = whole_of(c, FORCED_LOGPROB);
	ret->means = whole_of(c, FORCED_OF_ANSWERS);
}

void forced_settle(struct forced *f)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		struct forced_group *g = &f->groups[i];
		struct clusters *all = NULL;
		for (size_t d = 0; d < N_DECODINGS; d++) {
			settle(g->clusters[d], &g->splits[d]);
			clusters_merge(&all, g->clusters[d]);
		}
		settle(all, &g->splits[N_DECODINGS]);
		clusters_destroy(all);
	}
}

void forced_finish(struct forced *f)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		finish_group(&f->groups[i]);
	}
	free(f->groups);
	*f = (struct forced){0};
}
