#include "analyzer/forced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/names.h"
#include "base/mem.h"

size_t forced_leg_of(const struct capture_exchange *e, const struct leg_row *scorer)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (id_compare(e->legs[i].row.id, scorer->score_of) == 0 &&
		        !(e->legs[i].row.marks & LEG_SCORED)) {
			return i;
		}
	}
	return e->n_legs;
}

static struct forced_group *group_named(struct forced *f, const char *scorer_name,
        const char *of_name, enum role scorer_role, enum role of_role)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		struct forced_group *g = &f->groups[i];
		if (strcmp(g->scorer, scorer_name) == 0 && strcmp(g->of, of_name) == 0) {
			return g;
		}
	}
	if (f->n_groups == FORCED_GROUPS_LIMIT) {
		return NULL;
	}
	f->groups = xrealloc(f->groups, (f->n_groups + 1) * sizeof(*f->groups));
	struct forced_group *g = &f->groups[f->n_groups++];
	*g = (struct forced_group){
	        .scorer = xstrdup(scorer_name),
	        .of = xstrdup(of_name),
	        .scorer_role = scorer_role,
	        .of_role = of_role,
	};
	return g;
}

static struct forced_group *group_for(
        struct forced *f, const struct leg_row *scorer, const struct leg_row *of)
{
	return group_named(
	        f, names_of_backend(scorer), names_of_backend(of), scorer->role, of->role);
}

static const struct choice *first_choice(const struct reading *r)
{
	for (size_t i = 0; i < r->n_choices; i++) {
		if (r->choices[i].index == 0) {
			return &r->choices[i];
		}
	}
	return NULL;
}

static bool has_top(const struct columns *c, uint32_t i)
{
	return c->top_end[i] > (i ? c->top_end[i - 1] : 0);
}

static void add_position(struct forced_figures *f, struct moments *own, const struct columns *a,
        uint32_t i, const struct columns *s, uint32_t j)
{
	f->positions++;
	if (has_top(s, j) && !(s->flags[j] & TOKEN_MISSING)) {
		f->with_top++;
		f->top_equal += !(s->flags[j] & TOKEN_NOT_TOP);
	}
	if (isfinite(a->lp[i]) && isfinite(s->lp[j])) {
		double delta = (double)a->lp[i] - (double)s->lp[j];
		moments_add(&f->logprob, delta);
		moments_add(own, delta);
		f->answer_sum += (double)a->lp[i];
		f->score_sum += (double)s->lp[j];
	}
}

static void add_answer(struct forced_group *g, const struct reading *answer, const struct choice *c,
        const struct score_place *place, enum decoding decoding)
{
	const struct columns *a = &c->columns;
	uint32_t *number = xmalloc((a->n + 1) * sizeof(*number));
	if (score_match(answer, c, place, number) == 0) {
		g->unmatched++;
		free(number);
		return;
	}
	struct forced_figures *f = &g->by[decoding];
	struct moments own = {0};
	f->answers++;
	f->tokens += a->n;
	for (uint32_t i = 0; i < a->n; i++) {
		if (number[i] != SCORE_NONE) {
			add_position(f, &own, a, i, place->columns, number[i]);
		}
	}
	if (own.n > 0) {
		moments_add(&f->of_answers, moments_mean(&own));
	}
	free(number);
}

void forced_add(struct forced *f, const struct leg_row *of, const struct leg_row *scorer,
        const struct reading *answer, const struct reading *scored, enum decoding decoding)
{
	struct forced_group *g = group_for(f, scorer, of);
	if (!g) {
		f->ungrouped++;
		return;
	}
	g->legs++;
	struct score_place place;
	const struct choice *c = answer ? first_choice(answer) : NULL;
	if (!c || !scored || !score_columns(scored, &place)) {
		g->unreadable++;
		return;
	}
	place.at = scorer->score_at;
	if (!c->has_columns || c->columns.n == 0) {
		g->without++;
		return;
	}
	add_answer(g, answer, c, &place, decoding);
}

static void add_figures(struct forced_figures *to, const struct forced_figures *f)
{
	to->answers += f->answers;
	to->tokens += f->tokens;
	to->positions += f->positions;
	to->with_top += f->with_top;
	to->top_equal += f->top_equal;
	to->answer_sum += f->answer_sum;
	to->score_sum += f->score_sum;
	moments_merge(&to->logprob, &f->logprob);
	moments_merge(&to->of_answers, &f->of_answers);
}

struct forced_figures forced_total(const struct forced_group *g)
{
	struct forced_figures total = {0};
	for (size_t d = 0; d < N_DECODINGS; d++) {
		add_figures(&total, &g->by[d]);
	}
	return total;
}

double forced_perplexity(double sum, uint64_t n)
{
	return n ? exp(-sum / (double)n) : NAN;
}

void forced_merge(struct forced *f, const struct forced *other)
{
	for (size_t i = 0; i < other->n_groups; i++) {
		const struct forced_group *from = &other->groups[i];
		struct forced_group *to =
		        group_named(f, from->scorer, from->of, from->scorer_role, from->of_role);
		if (!to) {
			f->ungrouped += from->legs;
			continue;
		}
		to->legs += from->legs;
		to->without += from->without;
		to->unmatched += from->unmatched;
		to->unreadable += from->unreadable;
		for (size_t d = 0; d < N_DECODINGS; d++) {
			add_figures(&to->by[d], &from->by[d]);
		}
	}
	f->ungrouped += other->ungrouped;
	f->orphans += other->orphans;
}

void forced_finish(struct forced *f)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		free(f->groups[i].scorer);
		free(f->groups[i].of);
	}
	free(f->groups);
	*f = (struct forced){0};
}
