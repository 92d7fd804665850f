/*
 * The figures of prior work, "The Silent Hyperparameter" and infer-check, under their own names.
 */

#include "analyzer/report/document/document_parts.h"
#include "analyzer/report/document/document_values.h"
#include "base/check.h"

#define NONE N_FIGURES

struct prior_figure {
	const char *name;
	enum figure figure;
	enum figure beside; /* plumbline's figure to read in its place, or NONE */
	const char *note;
};

static const struct prior_figure PAPER[] = {
        {"output_disagreement_rate", FIGURE_ANSWER_CHANGED, FIGURE_TEXT_DIFFERS,
                "of extracted answers; the upper end also counts undecided ones; beside it: texts "
                "that differ in at least one byte"},
        {"output_length_bias", FIGURE_LENGTH_BIAS, NONE,
                "tokens, test - base; answers that reached max_tokens are cut, so the true bias "
                "may be larger"},
        {"output_length_magnitude", FIGURE_LENGTH_MAGNITUDE, NONE,
                "tokens; answers that differ also differ in length, even without a fault"},
        {"token_divergence_index", FIGURE_DIVERGENCE_INDEX, FIGURE_HAZARD,
                "a share of the answer's length, so it depends on the length; beside it: first "
                "differences per 1,000 compared tokens, which do not"},
        {"logprob_rmse", FIGURE_TOP1_RMSE, FIGURE_DELTA_P_RMS,
                "tokens that the test does not list are left out, and one improbable token "
                "outweighs a hundred probable ones; beside it: the root mean square change of "
                "probability"},
        {"benchmark_score_shift", FIGURE_SCORE_SHIFT, NONE,
                "percentage points, test - base, over pairs with both answers right or wrong; the "
                "paper counts unreadable answers as wrong"},
        {"top5_jaccard", FIGURE_JACCARD_5, FIGURE_TV_LOW,
                "the fifth place is often a tie, and the sizes of the probabilities do not count; "
                "beside it: a lower bound of the total variation distance"},
};

static const struct prior_figure INFER_CHECK[] = {
        {"flip_rate", FIGURE_ANSWER_CHANGED, FIGURE_UNDECIDED,
                "by answers extracted as numbers, code, JSON, dates, not by the last digits of a "
                "text; the upper end also counts undecided ones; beside it: the share of undecided "
                "answers"},
        {"mean_text_similarity", FIGURE_SIMILARITY, FIGURE_HAZARD,
                "of words; it falls with the length after the first difference, whatever the "
                "meaning; beside it: first differences per 1,000 tokens"},
        {"mean_kl_divergence", FIGURE_KL_RENORMALISED, FIGURE_KL_LOW,
                "lists scaled to the sum 1, with 1e-10 for missing tokens: mostly counts missing "
                "tokens; beside it: a lower bound of the divergence"},
};

static json_t *prior_figure(const struct prior_figure *s, const struct figure_value *values)
{
	json_t *o = document_figure_value(&values[s->figure]);
	if (s->beside != NONE) {
		json_t *beside = document_figure_value(&values[s->beside]);
		node_set_text(beside, "name", figure_info(s->beside)->name);
		json_object_set_new(o, "beside", beside);
	}
	node_set_text(o, "note", s->note);
	return o;
}

static json_t *tiers(const struct pair_sums *t)
{
	static const char *const NAMES[] = {"identical", "minor", "moderate", "severe"};
	json_t *o = json_object();
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		json_object_set_new(o, NAMES[i], json_integer((json_int_t)t->tiers[i]));
	}
	node_set_text(o, "note",
	        "by similarity of words: identical, 0.8, 0.5, below; a change of one digit is "
	        "minor here. meaning.classes says what changed");
	return o;
}

/* The share of equal answers, from the share of differing ones. */
static json_t *of_equal(double n, double differ, struct interval ci)
{
	const struct figure_value v = {n, 1 - differ, {1 - ci.high, 1 - ci.low}, 0};
	return document_figure_value(&v);
}

/* Determinism of the test side: its repeats, each compared with the first. */
static json_t *determinism(const struct analysis_group *g)
{
	const struct estimate *e = &g->excesses[EXCESS_DIFFER].by[EXCESS_OF_TEST];
	const struct figure_value *own = &g->values[DECODING_GREEDY][FIGURE_DIFFER];
	double n = (double)g->excess.pairs[EXCESS_OF_TEST];
	json_t *o =
	        g->is_floor ? of_equal(own->n, own->value, own->ci) : of_equal(n, e->value, e->ci);
	node_set_text(o, "note",
	        "of repeated answers of the test side, compared with the first; null where there "
	        "are none. Twenty repeats of one prompt describe one prompt");
	return o;
}

static json_t *consistency(const struct analysis_group *g)
{
	json_t *levels = json_array();
	for (size_t i = 0; i < g->facets.of[FACET_LOAD].n; i++) {
		const struct facet *f = &g->facets.of[FACET_LOAD].items[i];
		const struct estimate *d = &f->values[FACET_DIFFER];
		json_t *level = of_equal((double)f->pairs, d->value, d->ci);
		node_set_text(level, "in_flight", f->name);
		json_array_append_new(levels, level);
	}
	return json_pack("{s:o, s:s}", "levels", levels, "note",
	        "equal answers, by the requests in progress at the test's backend; compared with "
	        "the base, not with an unloaded run");
}

static json_t *cliff(const struct analysis_group *g)
{
	const struct facet *f = facets_cliff(&g->facets, FACET_LOAD);
	double z;
	double p = facets_trend(&g->facets, FACET_LOAD, &z);
	return json_pack("{s:s?, s:o, s:o, s:s}", "at_in_flight", f ? f->name : NULL, "trend_z",
	        node_real(z), "trend_p", node_real(p), "note",
	        "the first level with more than twice the differing share of the level before. "
	        "With few answers this happens by chance: use the trend's p");
}

/* Uses the suite's categories; without these, the kind of answer that the prompt asks for. */
static json_t *categories(const struct analysis_group *g)
{
	json_t *o = json_object();
	for (size_t i = 0; i < g->facets.of[FACET_CATEGORY].n; i++) {
		const struct facet *f = &g->facets.of[FACET_CATEGORY].items[i];
		json_object_set_new(o, f->name, document_facet(&g->facets, f));
	}
	return o;
}

json_t *document_prior(const struct analysis_group *g, enum decoding d)
{
	const struct figure_value *values = g->values[d];
	json_t *paper = json_object(), *check = json_object();
	for (size_t i = 0; i < ARRAY_LEN(PAPER); i++) {
		json_object_set_new(paper, PAPER[i].name, prior_figure(&PAPER[i], values));
	}
	for (size_t i = 0; i < ARRAY_LEN(INFER_CHECK); i++) {
		json_object_set_new(
		        check, INFER_CHECK[i].name, prior_figure(&INFER_CHECK[i], values));
	}
	json_object_set_new(check, "severity_tiers", tiers(&g->sums[d]));
	if (d == DECODING_GREEDY) {
		json_object_set_new(check, "per_category", categories(g));
		json_object_set_new(check, "determinism_score", determinism(g));
		json_object_set_new(check, "output_consistency", consistency(g));
		json_object_set_new(check, "degradation_cliff", cliff(g));
	}
	return json_pack("{s:o, s:o}", "paper", paper, "infer_check", check);
}
