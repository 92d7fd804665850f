#include "analyzer/fold.h"

#include <math.h>

#include "analyzer/analysis.h"
#include "analyzer/facet_row.h"

static struct analysis_group *group_of(
        struct analysis *a, const struct row_side *base, const struct row_side *test, bool is_floor)
{
	const struct group_key key = {base->name, test->name, base->role, test->role, is_floor};
	return analysis_group(a, &key);
}

static void add_legs(struct analysis_group *g, const struct pair_row *row)
{
	g->legs++;
	g->kept.redacted += row->redacted;
	g->left_out.unlike_choices += row->unmatched_choices;
	if (row->has_embeddings) {
		embedding_figures_merge(&g->embeddings, &row->embeddings);
	}
	if (row->c.decoding == DECODING_UNLIKE) {
		unlike_add(&g->unlikes, &row->unlike, dialect_find(row->base.dialect),
		        dialect_find(row->test.dialect));
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
	        .badness = pick_badness(
	                facts, &row->c.meaning, row->c.decoding == DECODING_GREEDY, facts->differ),
	        .hash = pair_row_key(row),
	};
}

static void add_greedy(
        struct analysis_group *g, const struct pair_row *row, const struct pair_facts *facts)
{
	if (!g->is_floor) {
		blame_add(&g->blame, row->exchange.cluster, BLAME_TRIAL, facts);
	}
	facets_add_row(&g->facets, row, facts);
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
	metrics_add(&g->by[decoding], &row->c);
	tally_add(&g->tallies[decoding], row);
	charts_add(&g->charts[decoding], row, &facts);
	if (row->c.tells_end) {
		end_tokens_add(&g->ends, row->c.end_longer);
	}
	placement_count(&g->places, row->c.base.place, row->c.test.place, row->c.placement_differs);
	const struct pick pick = pick_of(row, &facts, causes_add(&g->causes, row));
	picks_consider(&g->picks, exhibits, &pick);
	if (decoding == DECODING_GREEDY) {
		add_greedy(g, row, &facts);
	} else if (decoding == DECODING_SAMPLED) {
		add_sampled(g, row, &facts);
	}
}

static void add_texts(
        struct analysis_group *g, const struct pair_row *row, const struct pair_texts *t)
{
	const struct capture_leg *legs = t->e->legs;
	const struct leg_row *base = &legs[t->pair.base].row, *test = &legs[t->pair.test].row;
	if (!pair_row_prompts_differ(row)) {
		causes_add_talk(&g->causes, row, t->request, base, t->base, test, t->test);
	}
	if (row->c.decoding != DECODING_GREEDY) {
		return;
	}
	if (!g->is_floor) {
		const struct opinion_source source = {t->e, t->arg, t->reading};
		opinions_note(&g->opinions, row->exchange.cluster, &source, &t->pair, row->choice,
		        &row->c.meaning);
	}
	if (row->c.differ && !row->c.placement_differs) {
		struct parting parting;
		parting_find(t->base, t->test, &parting);
		examples_consider(&g->examples, row->exchange.id, t->base, t->test, &parting);
	}
}

static void note_engine(struct advice_engine *e, const struct row_side *side)
{
	advice_engine_note(e, side->leg, side->url, side->backend, side->dialect);
}

void fold_pair(struct analysis *a, const struct pair_row *row, const struct pair_texts *texts,
        size_t exhibits)
{
	struct analysis_group *g = group_of(a, &row->base, &row->test, row->is_floor);
	if (!g) {
		a->ungrouped += row->is_first;
		return;
	}
	if (row->is_first) {
		add_legs(g, row);
		note_engine(&g->causes.base_engine, &row->base);
		note_engine(&g->causes.test_engine, &row->test);
	}
	evidence_add(&g->evidence, row);
	if (row->has_choices) {
		add_choices(g, row, exhibits);
	}
	if (texts) {
		add_texts(g, row, texts);
	}
}

void fold_left_out(struct analysis *a, const struct left_out_row *row)
{
	struct analysis_group *g = group_of(a, &row->base, &row->test, row->is_floor);
	if (!g) {
		a->ungrouped++;
		return;
	}
	g->legs++;
	g->kept.redacted += row->redacted;
	if (row->has_metadata) {
		kept_add_metadata(&g->kept, row->exchange.cluster, &row->metadata);
	}
	note_engine(&g->causes.base_engine, &row->base);
	note_engine(&g->causes.test_engine, &row->test);
	left_out_add(&g->left_out, &row->why);
	causes_add_left_out(&g->causes, row->exchange.id, row->base_failed, row->test_failed);
}

void fold_floor(struct analysis *a, const struct floor_row *row)
{
	static const enum blame_pair OF[N_FLOORS] = {BLAME_TRIAL, BLAME_OF_BASE, BLAME_OF_TEST};
	struct analysis_group *g = analysis_group_named(a, row->base, row->test);
	if (!g) {
		return; /* counted with its pairs */
	}
	bool is_floor = row->of != FLOOR_OF_PAIR;
	blame_add(row->of_repeats ? &g->blame_of_repeats : &g->blame, row->cluster, OF[row->of],
	        &row->facts);
	if (is_floor && row->facts.has_first) {
		firsts_add(
		        row->of_repeats ? &g->repeats_firsts : &g->floor_firsts, &row->facts.first);
	}
	if (is_floor && !row->of_repeats) {
		causes_add_floor(&g->causes, row->cluster, row->of == FLOOR_OF_BASE, row->noise,
		        row->noise_n);
	}
}

void fold_leg(struct analysis *a, const struct leg_summary *row)
{
	traffic_add(&a->traffic, row);
}

void fold_times(struct analysis *a, const struct times_row *row)
{
	traffic_add_times(&a->traffic, row);
}
