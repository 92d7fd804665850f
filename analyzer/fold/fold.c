#include "analyzer/fold/fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/counts.h"
#include "base/mem.h"

struct analysis_group *analysis_find_group(
        const struct analysis *a, const char *base, const char *test)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		struct analysis_group *g = &a->groups[i];
		if (strcmp(g->base, base) == 0 && strcmp(g->test, test) == 0) {
			return g;
		}
	}
	return NULL;
}

static int compare_names(const struct analysis_group *g, const char *base, const char *test)
{
	int order = strcmp(g->base, base);
	return order ? order : strcmp(g->test, test);
}

/* If there are too many groups, keeps those whose names sort first, so that the order of rows does
 * not matter. Returns NULL if the new group is left out. */
static struct analysis_group *make_room(struct analysis *a, const char *base, const char *test)
{
	struct analysis_group *last = &a->groups[0];
	for (size_t i = 1; i < a->n_groups; i++) {
		struct analysis_group *g = &a->groups[i];
		last = compare_names(g, last->base, last->test) > 0 ? g : last;
	}
	if (compare_names(last, base, test) < 0) {
		return NULL;
	}
	a->ungrouped += last->legs;
	a->ungrouped_scores += last->scores.legs;
	group_finish(last);
	return last;
}

/* Finds or adds the group with these names. Returns NULL if there are too many groups. */
static struct analysis_group *group_of(struct analysis *a, const char *base, const char *test)
{
	struct analysis_group *g = analysis_find_group(a, base, test);
	if (g) {
		return g;
	}
	if (a->n_groups == ANALYSIS_GROUPS_LIMIT) {
		g = make_room(a, base, test);
	} else {
		a->groups = xrealloc(a->groups, (a->n_groups + 1) * sizeof(*a->groups));
		g = &a->groups[a->n_groups++];
	}
	if (g) {
		*g = (struct analysis_group){.base = xstrdup(base), .test = xstrdup(test)};
	}
	return g;
}

static const struct dialect *dialect_of(const struct row_side *side)
{
	const struct dialect *d = dialect_find(side->dialect);
	return d ? d : &dialect_generic;
}

static void add_legs(struct analysis_group *g, const struct pair_row *row)
{
	g->legs++;
	g->partial_content.redacted += row->redacted;
	g->left_out.unlike_choices += row->unmatched_choices;
	if (row->has_embeddings) {
		embedding_figures_merge(&g->embeddings, &row->embeddings);
	}
	if (row->c.decoding == DECODING_UNLIKE) {
		decoding_differences_add(&g->decoding_differences, &row->unlike,
		        dialect_of(&row->base), dialect_of(&row->test));
	}
}

static struct pick pick_of(
        const struct pair_row *row, const struct pair_facts *facts, uint32_t traces)
{
	return (struct pick){
	        .exchange = row->exchange.id,
	        .base = row->base.leg,
	        .test = row->test.leg,
	        .choice = row->choice,
	        .decoding = row->c.decoding,
	        .traces = traces,
	        .rank = pick_rank(facts, &row->c.meaning, row->c.decoding == DECODING_GREEDY),
	        .hash = pair_row_key(row),
	};
}

static void add_sampled(
        struct analysis_group *g, const struct pair_row *row, const struct pair_facts *facts)
{
	if (row->exchange.suite) {
		facets_add(&g->suites, FACET_SUITE, row->exchange.suite, NAN,
		        (struct facet_source){
		                row->exchange.cluster, row->has_seed ? &row->seed : NULL},
		        facts);
	}
	if (row->c.has_opening) {
		openings_add(&g->openings, row->exchange.cluster, row->c.opening);
	}
}

static void add_choices(struct analysis_group *g, const struct pair_row *row, size_t exhibits)
{
	enum decoding decoding = row->c.decoding;
	struct pair_facts facts;
	pair_facts_of(&row->c, &facts);
	pair_sums_add(&g->sums[decoding], row, &facts);
	charts_add(&g->charts[decoding], row, &facts);
	if (row->c.tells_end) {
		end_tokens_add(&g->ends, row->c.end_longer);
	}
	placement_count(&g->places, row->c.base.place, row->c.test.place, row->c.placement_differs);
	const struct pick pick = pick_of(row, &facts, causes_add(&g->causes, row, &facts));
	picks_consider(&g->picks, exhibits, &pick);
	if (decoding == DECODING_GREEDY) {
		if (!row->is_floor) {
			excess_add(&g->excess, row->exchange.cluster, EXCESS_BETWEEN, &facts);
		}
		facets_add_row(&g->facets, row, &facts);
		widest_add(&g->widest, row);
	} else if (decoding == DECODING_SAMPLED) {
		add_sampled(g, row, &facts);
	}
}

static void add_engine(struct advice_engine *e, const struct row_side *side)
{
	advice_engine_add_leg(e, side->leg, side->url, row_side_backend(side), side->dialect);
}

static void add_sides(struct analysis_group *g, const struct row_exchange *exchange,
        const struct row_side *base, const struct row_side *test, bool is_floor)
{
	const struct group_first pair = {
	        .exchange = exchange->id,
	        .base = base->leg,
	        .test = test->leg,
	        .base_role = base->role,
	        .test_role = test->role,
	        .is_floor = is_floor,
	};
	group_add_pair(g, &pair);
	add_engine(&g->causes.of[SIDE_BASE].engine, base);
	add_engine(&g->causes.of[SIDE_TEST].engine, test);
}

static void add_pair(struct analysis *a, const struct pair_row *row, const struct pair_texts *texts)
{
	struct analysis_group *g = group_of(a, row->base.name, row->test.name);
	if (!g) {
		a->ungrouped += row->is_first;
		return;
	}
	if (row->is_first) {
		add_sides(g, &row->exchange, &row->base, &row->test, row->is_floor);
		add_legs(g, row);
		causes_add_legs(&g->causes, row);
	}
	if (row->has_choices) {
		add_choices(g, row, a->exhibits);
	}
	if (texts && row->c.decoding == DECODING_GREEDY && row->c.differ &&
	        !row->c.placement_differs) {
		struct first_difference difference;
		first_difference_find(texts->base, texts->test, &difference);
		examples_consider(
		        &g->examples, row->exchange.id, texts->base, texts->test, &difference);
	}
}

static void add_left_out(struct analysis *a, const struct left_out_row *row)
{
	struct analysis_group *g = group_of(a, row->base.name, row->test.name);
	if (!g) {
		a->ungrouped++;
		return;
	}
	add_sides(g, &row->exchange, &row->base, &row->test, row->is_floor);
	g->legs++;
	g->partial_content.redacted += row->redacted;
	if (row->has_metadata) {
		partial_content_add_metadata(
		        &g->partial_content, row->exchange.cluster, &row->metadata);
	}
	left_out_add(&g->left_out, &row->why);
	causes_add_left_out(&g->causes, row->exchange.id, row->failed);
}

/* A row FLOOR_OF_PAIR is no floor: it is the difference with which the floors are compared. */
static void add_floor(struct analysis *a, const struct floor_row *row)
{
	static const enum excess_pair OF[N_FLOORS] = {[FLOOR_OF_PAIR] = EXCESS_BETWEEN,
	        [FLOOR_OF_BASE] = EXCESS_OF_BASE,
	        [FLOOR_OF_TEST] = EXCESS_OF_TEST};
	struct analysis_group *g = group_of(a, row->base, row->test);
	if (!g) {
		return; /* counted with its pairs */
	}
	bool is_floor = row->of != FLOOR_OF_PAIR;
	excess_add(row->of_repeats ? &g->excess_of_repeats : &g->excess, row->cluster, OF[row->of],
	        &row->facts);
	if (is_floor && row->facts.has_first) {
		first_differences_add(
		        row->of_repeats ? &g->repeats_firsts : &g->floor_firsts, &row->facts.first);
	}
	if (is_floor && !row->of_repeats) {
		enum side side = row->of == FLOOR_OF_BASE ? SIDE_BASE : SIDE_TEST;
		causes_add_floor(&g->causes, row->cluster, side, row->noise, row->noise_n);
	}
}

static void add_score(struct analysis *a, const struct score_row *row)
{
	if (row->result == SCORE_ORPHAN) {
		a->orphan_scores++;
		return;
	}
	struct analysis_group *g = group_of(a, row->scorer.name, row->of.name);
	if (!g) {
		a->ungrouped_scores++;
		return;
	}
	const struct group_first pair = {
	        .is_score = true,
	        .exchange = row->exchange.id,
	        .base = row->scorer.leg,
	        .test = row->of.leg,
	        .base_role = row->scorer.role,
	        .test_role = row->of.role,
	        .is_floor = row->is_self,
	};
	group_add_pair(g, &pair);
	scores_add(&g->scores, row);
}

static void add_opinion(struct analysis *a, const struct opinion_row *row)
{
	struct analysis_group *g = group_of(a, row->base, row->test);
	if (g) {
		opinions_add(&g->opinions, row);
	}
}

static void add_samples(struct analysis *a, const struct samples_row *row)
{
	struct analysis_group *g = group_of(a, row->base, row->test);
	if (g) {
		two_sample_add_result(&g->sampled, &row->result);
	}
}

static void add_crosstalk(struct analysis *a, const struct crosstalk_row *row)
{
	struct analysis_group *g = group_of(a, row->base, row->test);
	if (g) {
		enum side side = row->of_base ? SIDE_BASE : SIDE_TEST;
		crosstalk_side_add(&g->causes.of[side].talk, row);
	}
}

void fold_counts(struct analysis *a, const struct exchange_counts *counts,
        const struct repeat_counts *repeats)
{
	COUNTS_ADD(&a->counts, counts);
	COUNTS_ADD(&a->repeated, repeats);
}

void fold_row(struct analysis *a, const struct row *row, const struct pair_texts *texts)
{
	switch (row->type) {
	case PAIR_ROW:
		add_pair(a, &row->pair, texts);
		break;
	case LEFT_OUT_ROW:
		add_left_out(a, &row->left_out);
		break;
	case FLOOR_ROW:
		add_floor(a, &row->floor);
		break;
	case SAMPLES_ROW:
		add_samples(a, &row->samples);
		break;
	case CROSSTALK_ROW:
		add_crosstalk(a, &row->crosstalk);
		break;
	case LEG_ROW:
		traffic_add(&a->traffic, &row->leg);
		break;
	case TIMES_ROW:
		traffic_add_times(&a->traffic, &row->times);
		break;
	case SCORE_ROW:
		add_score(a, &row->score);
		break;
	case DRAWS_ROW:
		draws_add(&a->draws, &row->draws);
		break;
	case OPINION_ROW:
		add_opinion(a, &row->opinion);
		break;
	case STACK_ROW:
		(void)stacks_add(&a->stacks, &row->stack);
		break;
	case PART_ROW:
	case END_ROW:
	case N_ROW_TYPES:
		never("a row that is not folded");
	}
}

void analysis_finish(struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		group_finish(&a->groups[i]);
	}
	free(a->groups);
	stacks_finish(&a->stacks);
	draws_finish(&a->draws);
	traffic_finish(&a->traffic);
	*a = (struct analysis){0};
}

/* Adds up the answers of one kind of decoding over the groups that count. */
static uint64_t sum(const struct analysis *a, enum decoding d, bool differing)
{
	bool trials = analysis_has_trials(a);
	uint64_t n = 0;
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct pair_sums *m = &a->groups[i].sums[d];
		bool counts = !trials || !a->groups[i].is_floor;
		n += counts ? m->pairs - (differing ? m->equal : 0) : 0;
	}
	return n;
}

bool analysis_has_trials(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		if (a->groups[i].is_judged && !a->groups[i].is_floor) {
			return true;
		}
	}
	return false;
}

uint64_t analysis_compared(const struct analysis *a)
{
	return sum(a, DECODING_GREEDY, false);
}

uint64_t analysis_differing(const struct analysis *a)
{
	return sum(a, DECODING_GREEDY, true);
}
