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

static bool has_top(const struct columns *c, uint32_t i)
{
	return c->top_end[i] > (i ? c->top_end[i - 1] : 0);
}

/* What one answer adds up to; it goes to its cluster at once. */
struct sums {
	double part[N_FORCED], whole[N_FORCED];
};

static void sum(struct sums *s, enum forced_figure f, double value)
{
	s->part[f] += value;
	s->whole[f]++;
}

static void sum_logprobs(struct sums *s, double own, double scorer)
{
	double delta = own - scorer;
	sum(s, FORCED_LOGPROB, delta);
	sum(s, FORCED_LOGPROB_SQUARE, delta * delta);
	sum(s, FORCED_OWN, own);
	sum(s, FORCED_SCORER, scorer);
	sum(s, FORCED_K3, expm1(-delta) + delta);
}

static void add_position(struct forced_figures *f, struct sums *own, const struct columns *a,
        uint32_t i, const struct columns *s, uint32_t j)
{
	f->positions++;
	if (has_top(s, j) && !(s->flags[j] & TOKEN_MISSING)) {
		bool top = !(s->flags[j] & TOKEN_NOT_TOP);
		f->with_top++;
		f->top_equal += top;
		sum(own, FORCED_SAME_TOP, top);
	}
	if (isfinite(a->lp[i]) && isfinite(s->lp[j])) {
		moments_add(&f->logprob, (double)a->lp[i] - (double)s->lp[j]);
		exact_sum_add(&f->answer_sum, (double)a->lp[i], &f->logprob.losses);
		exact_sum_add(&f->score_sum, (double)s->lp[j], &f->logprob.losses);
		sum_logprobs(own, (double)a->lp[i], (double)s->lp[j]);
	}
}

static void add_to_cluster(
        struct clusters **clusters, const uint8_t *cluster, const struct sums *own)
{
	if (!*clusters) {
		*clusters = clusters_create(N_FORCED_COLUMNS);
	}
	uint32_t row = clusters_row(*clusters, cluster);
	for (size_t f = 0; f < N_FORCED; f++) {
		if (own->whole[f] > 0) {
			clusters_add(*clusters, row, f, own->part[f], own->whole[f]);
		}
	}
	clusters_add(*clusters, row, FORCED_ANSWERS, 0, 1);
}

static void add_answer(struct forced_group *g, const struct forced_pair *pair,
        const struct choice *c, const struct score_place *place)
{
	const struct columns *a = &c->columns;
	uint32_t *number = xmalloc((a->n + 1) * sizeof(*number));
	if (score_match(pair->answer, c, place, number) == 0) {
		g->unmatched++;
		free(number);
		return;
	}
	struct forced_figures *f = &g->by[pair->decoding];
	struct sums own = {0};
	f->answers++;
	f->tokens += a->n;
	for (uint32_t i = 0; i < a->n; i++) {
		bool counts = number[i] != SCORE_NONE;
		if (counts) {
			add_position(f, &own, a, i, place->columns, number[i]);
		}
		sum(&own, FORCED_POSITIONS, counts);
	}
	if (own.whole[FORCED_LOGPROB] > 0) {
		double mean = own.part[FORCED_LOGPROB] / own.whole[FORCED_LOGPROB];
		moments_add(&f->of_answers, mean);
		sum(&own, FORCED_OF_ANSWERS, mean);
	}
	add_to_cluster(&g->clusters[pair->decoding], pair->cluster, &own);
	free(number);
}

void forced_add(struct forced *f, const struct forced_pair *pair)
{
	struct forced_group *g = group_for(f, pair->scorer, pair->of);
	if (!g) {
		f->ungrouped++;
		return;
	}
	g->legs++;
	struct score_place place;
	const struct choice *c = pair->answer ? reading_choice(pair->answer, 0) : NULL;
	if (!c || !pair->scored || !score_columns(pair->scored, &place)) {
		g->unreadable++;
		return;
	}
	place.at = pair->scorer->score_at;
	if (!c->has_columns || c->columns.n == 0) {
		g->without++;
		return;
	}
	add_answer(g, pair, c, &place);
}

static void add_figures(struct forced_figures *to, const struct forced_figures *f)
{
	to->answers += f->answers;
	to->tokens += f->tokens;
	to->positions += f->positions;
	to->with_top += f->with_top;
	to->top_equal += f->top_equal;
	exact_sum_merge(&to->answer_sum, &f->answer_sum);
	exact_sum_merge(&to->score_sum, &f->score_sum);
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

double forced_perplexity(struct exact_sum sum, uint64_t n)
{
	return n ? exp(-exact_sum_value(&sum) / (double)n) : NAN;
}

static void merge_clusters(struct clusters **to, const struct clusters *from)
{
	if (from && !*to) {
		*to = clusters_create(N_FORCED_COLUMNS);
	}
	if (from) {
		clusters_merge(*to, from);
	}
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
			merge_clusters(&to->clusters[d], from->clusters[d]);
		}
	}
	f->ungrouped += other->ungrouped;
	f->orphans += other->orphans;
}

static const struct estimate NOTHING = {
        .value = NAN, .ci = {NAN, NAN}, .error = NAN, .freedom = NAN, .worth = NAN};

/* ret[N_FORCED] */
static void estimate(const struct clusters *c, struct estimate *ret)
{
	static const enum forced_figure RATES[] = {FORCED_POSITIONS, FORCED_SAME_TOP};
	struct estimate all[N_FORCED_COLUMNS];
	if (c) {
		clusters_estimate_each(c, all);
	}
	for (size_t f = 0; f < N_FORCED; f++) {
		ret[f] = c ? all[f] : NOTHING;
	}
	for (size_t i = 0; c && i < ARRAY_LEN(RATES); i++) {
		clusters_estimate_positions(c, RATES[i], FORCED_ANSWERS, &ret[RATES[i]]);
	}
}

void forced_settle(struct forced *f)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		struct forced_group *g = &f->groups[i];
		struct clusters *all = NULL;
		for (size_t d = 0; d < N_DECODINGS; d++) {
			estimate(g->clusters[d], g->values[d]);
			merge_clusters(&all, g->clusters[d]);
		}
		estimate(all, g->values[N_DECODINGS]);
		clusters_destroy(all);
	}
}

void forced_finish(struct forced *f)
{
	for (size_t i = 0; i < f->n_groups; i++) {
		for (size_t d = 0; d < N_DECODINGS; d++) {
			clusters_destroy(f->groups[i].clusters[d]);
		}
		free(f->groups[i].scorer);
		free(f->groups[i].of);
	}
	free(f->groups);
	*f = (struct forced){0};
}
