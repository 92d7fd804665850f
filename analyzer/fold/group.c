#include "analyzer/fold/group.h"

#include <stdlib.h>

/* Within an exchange, floors come last, and candidates come after primaries. */
static int compare_first(const struct group_first *a, const struct group_first *b)
{
	int order = (int)a->is_score - (int)b->is_score;
	order = order ? order : id_compare(a->exchange, b->exchange);
	order = order ? order : (int)a->is_floor - (int)b->is_floor;
	order = order ? order : (int)a->test_role - (int)b->test_role;
	order = order ? order : id_compare(a->base, b->base);
	return order ? order : id_compare(a->test, b->test);
}

int group_compare(const void *a, const void *b)
{
	const struct analysis_group *x = a, *y = b;
	int order = (int)y->is_judged - (int)x->is_judged;
	return order ? order : compare_first(&x->first, &y->first);
}

void group_add_pair(struct analysis_group *g, const struct group_first *pair)
{
	bool is_known = !id_is_zero(g->first.exchange);
	if (id_is_zero(pair->exchange)) {
		return;
	}
	if (is_known && pair->is_score == g->first.is_score) {
		g->is_floor &= pair->is_floor;
	} else if (!is_known || g->first.is_score) {
		g->is_floor = pair->is_floor;
	}
	if (!is_known || compare_first(pair, &g->first) < 0) {
		g->first = *pair;
		g->base_role = pair->base_role;
		g->test_role = pair->test_role;
	}
}

/* An end token that only one side counts is no difference in length. */
static void leave_end_token(struct analysis_group *g, enum decoding d)
{
	enum end_token end = end_tokens_judge(&g->ends);
	struct pair_sums *t = &g->sums[d];
	figures_subtract_end_token(t->clusters, &t->crossing, end, g->values[d]);
	charts_subtract_end_token(&g->charts[d], end);
	if (end != END_TOKEN_ALIKE) {
		t->tokens = end == END_TOKEN_OF_BASE ? t->less_base_end : t->less_test_end;
	}
}

static int sides_known(enum excess_ground g)
{
	return g == EXCESS_GROUND_BOTH ? 2 : g != EXCESS_GROUND_NONE;
}

/* with fewer repeats, no test could raise an alarm */
#define REPEATS_LEAST 20

static bool is_enough(const struct excess *b)
{
	bool enough = b->pairs[EXCESS_BETWEEN] >= REPEATS_LEAST;
	for (size_t i = EXCESS_OF_BASE; i < N_EXCESS_PAIRS; i++) {
		enough &= b->pairs[i] == 0 || b->pairs[i] >= REPEATS_LEAST;
	}
	return enough && clusters_count(b->clusters) >= REPEATS_LEAST;
}

/* Takes the floor of repeated prompts if it measures more sides' difference from themselves than
 * the group's own floor does. */
static void take_floor_of_repeats(struct analysis_group *g)
{
	if (!is_enough(&g->excess_of_repeats) ||
	        sides_known(excess_ground(&g->excess_of_repeats)) <=
	                sides_known(excess_ground(&g->excess))) {
		return;
	}
	struct excess own = g->excess;
	g->excess = g->excess_of_repeats;
	g->excess_of_repeats = own;
	for (size_t i = EXCESS_OF_BASE; i < N_EXCESS_PAIRS; i++) {
		g->excess.of_repeats[i] = g->excess.pairs[i] > 0 && own.pairs[i] == 0;
	}
	if (first_differences_total(&g->floor_firsts) == 0) {
		struct first_differences none = g->floor_firsts;
		g->floor_firsts = g->repeats_firsts;
		g->repeats_firsts = none;
	}
}

/* If too few pairs of answers show whether the prompts differ, scores may show it. */
static void take_prompts_of_scores(struct analysis_group *g)
{
	struct cause_prompt pairs, scores;
	cause_prompts_all(&g->causes.prompts, &pairs);
	cause_prompts_all(&g->scores.prompts, &scores);
	if (pairs.n < CAUSE_PROMPT_LEAST && scores.n >= CAUSE_PROMPT_LEAST) {
		g->causes.prompts = g->scores.prompts;
	}
}

static void settle_opinions(struct analysis_group *g)
{
	static const size_t COLUMNS[N_OPINION_COLUMNS] = {
	        [OPINION_CHANGED] = FIGURE_ANSWER_CHANGED,
	        [OPINION_MAY_CHANGE] = FIGURE_MAY_CHANGE,
	};
	const struct clusters *greedy = g->sums[DECODING_GREEDY].clusters;
	if (g->opinions.n > 0) {
		struct clusters *ladder = clusters_columns(greedy, COLUMNS, N_OPINION_COLUMNS);
		opinions_settle(&g->opinions, ladder);
		clusters_destroy(ladder);
	}
}

void group_settle(struct analysis_group *g)
{
	const struct pair_sums *greedy = &g->sums[DECODING_GREEDY];
	settle_opinions(g);
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (group_has(g, (enum decoding)d)) {
			const struct pair_sums *t = &g->sums[d];
			figures_estimate(t->clusters, &t->crossing, g->values[d]);
			leave_end_token(g, (enum decoding)d);
		}
	}
	scores_settle(&g->scores);
	facets_settle(&g->facets);
	facets_settle(&g->suites);
	openings_settle(&g->openings);
	take_floor_of_repeats(g);
	take_prompts_of_scores(g);
	g->sigma = first_sigma(&greedy->noise);
	first_differences_judge(&greedy->firsts, g->sigma, g->is_floor ? NULL : &g->floor_firsts,
	        &g->first_verdict);
	excess_judge(&g->excess, g->least_effects, g->excesses);
}

static const struct advice_engine *known_engine(
        const struct advice_engine *answered, const struct advice_engine *scored)
{
	return id_is_zero(answered->leg) ? scored : answered;
}

uint64_t group_pairs(const struct analysis_group *g)
{
	uint64_t n = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		n += g->sums[d].pairs;
	}
	return n;
}

const struct advice_engine *group_base_engine(const struct analysis_group *g)
{
	return known_engine(&g->causes.of[SIDE_BASE].engine, &g->scores.scorer);
}

const struct advice_engine *group_test_engine(const struct analysis_group *g)
{
	return known_engine(&g->causes.of[SIDE_TEST].engine, &g->scores.of);
}

void group_finish(struct analysis_group *g)
{
	free(g->base);
	free(g->test);
	for (size_t d = 0; d < N_DECODINGS; d++) {
		pair_sums_finish(&g->sums[d]);
		charts_finish(&g->charts[d]);
	}
	left_out_finish(&g->left_out);
	decoding_differences_finish(&g->decoding_differences);
	picks_finish(&g->picks);
	partial_content_finish(&g->partial_content);
	facets_finish(&g->facets);
	facets_finish(&g->suites);
	openings_finish(&g->openings);
	opinions_finish(&g->opinions);
	excess_finish(&g->excess);
	first_differences_finish(&g->floor_firsts);
	excess_finish(&g->excess_of_repeats);
	first_differences_finish(&g->repeats_firsts);
	causes_finish(&g->causes);
	scores_finish(&g->scores);
	cause_list_finish(&g->found);
}
