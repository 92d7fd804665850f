#include "analyzer/report/document/document_parts.h"

#include <math.h>

#include "analyzer/compare/tokens/flips.h"
#include "analyzer/fold/power.h"
#include "analyzer/report/document/document_values.h"
#include "analyzer/stats/proportion.h"
#include "base/check.h"

#define ECDF_STEPS 100

static json_t *figure(const struct figure_value *v, enum figure f)
{
	json_t *o = document_figure_value(v);
	node_set_count(o, "clusters", v->clusters);
	bool positions = figure_info(f)->of_positions;
	node_set_text(o, "rests_on", positions ? "comparable_positions" : "answers");
	if (v->seeds > 0) {
		json_object_set_new(o, "crossed_with_seeds",
		        json_pack("{s:o, s:o, s:o}", "n", document_integer(v->seeds),
		                "error_of_prompts", node_real(v->of_prompts), "error_of_seeds",
		                node_real(v->of_seeds)));
	}
	return o;
}

/* The same quantiles as in llama.cpp's perplexity tool. */
static json_t *distribution(const struct signed_histogram *h, double mean)
{
	static const struct {
		const char *name;
		double at;
	} STEPS[] = {{"min", 0}, {"p0_1", 0.001}, {"p1", 0.01}, {"p5", 0.05}, {"p10", 0.1},
	        {"p25", 0.25}, {"median", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95},
	        {"p99", 0.99}, {"p99_9", 0.999}, {"max", 1}};
	json_t *o = json_object();
	node_set_count(o, "n", signed_histogram_count(h));
	node_set_number(o, "mean", mean);
	for (size_t i = 0; i < ARRAY_LEN(STEPS); i++) {
		node_set_number(o, STEPS[i].name, signed_histogram_quantile(h, STEPS[i].at));
	}
	return o;
}

struct steps {
	json_t *list;
	uint64_t shown; /* the number of tokens last shown */
};

/* Shows one step for each twelfth of an octave, because there are many. */
static void add_step(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	struct steps *s = arg;
	if (s->shown > 16 && tokens < s->shown + s->shown / 16) {
		return;
	}
	s->shown = tokens;
	json_array_append_new(s->list, json_pack("{s:I, s:f, s:I}", "tokens", (json_int_t)tokens,
	                                       "share", share, "at_risk", (json_int_t)at_risk));
}

static json_t *survival(const struct survival *s)
{
	struct steps steps = {json_array(), 0};
	survival_steps(s, add_step, &steps);
	uint64_t median = survival_median(s);
	return json_pack("{s:o, s:o, s:o}", "n", document_integer(s->events.n + s->censored.n),
	        "median", median == UINT64_MAX ? json_null() : document_integer(median),
	        "still_identical", steps.list);
}

static json_t *meaning(const struct meaning_counts *m)
{
	json_t *classes = json_object(), *rungs = json_object();
	for (size_t i = 0; i < N_MEANING_CLASSES; i++) {
		node_set_count(classes, meaning_class_name((enum meaning_class)i), m->classes[i]);
	}
	for (size_t i = 0; i < N_RUNGS; i++) {
		node_set_count(rungs, rung_name((enum rung)i), m->rungs[i]);
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "n", document_integer(m->pairs), "classes",
	        classes, "one_cut", document_integer(m->one_cut), "rungs", rungs);
}

static json_t *first_difference(const struct analysis_group *g)
{
	const struct pair_sums *t = &g->sums[DECODING_GREEDY];
	const struct first_differences_verdict *v = &g->first_verdict;
	json_t *o = json_object();
	double expected = flips_expected(&t->gaps, g->sigma);
	uint64_t observed = t->survival.events.n;
	node_set_count(o, "n", first_differences_total(&t->firsts));
	for (size_t i = 0; i < N_FIRSTS; i++) {
		node_set_count(o, first_verdict_name((enum first_verdict)i), v->n[i]);
	}
	node_set_number(o, "sigma", g->sigma);
	node_set_count(o, "noise_positions", log_histogram_count(&t->noise));
	node_set_number(o, "threshold", v->threshold);
	node_set_count(o, "floor_n", v->floor_n);
	json_object_set_new(o, "flips",
	        json_pack("{s:o, s:o, s:o, s:o}", "positions",
	                document_integer(log_histogram_count(&t->gaps)), "expected",
	                node_real(expected), "observed", document_integer(observed), "ratio",
	                node_real((double)observed / expected)));
	return o;
}

void document_set_figures(json_t *split, const struct analysis_group *g, enum decoding d)
{
	const struct pair_sums *t = &g->sums[d];
	json_t *figures = json_object();
	for (size_t f = 0; f < N_FIGURES; f++) {
		json_object_set_new(figures, figure_info((enum figure)f)->name,
		        figure(&g->values[d][f], (enum figure)f));
	}
	json_object_set_new(split, "figures", figures);
	json_object_set_new(split, "survivor_biased", json_true());
	const struct figure_value *v = g->values[d];
	const struct signed_histogram kl_low = {.positive = t->kl_low};
	json_object_set_new(
	        split, "delta_lp", distribution(&t->delta_lp, v[FIGURE_DELTA_LP].value));
	json_object_set_new(
	        split, "delta_p", distribution(&t->delta_p, moments_mean(&t->p_change)));
	json_object_set_new(split, "kl_low", distribution(&kl_low, v[FIGURE_KL_LOW].value));
	node_set_count(split, "rank_unlisted", t->rank_unlisted);
	node_set_count(split, "missing_much", t->missing_much);
	json_object_set_new(split, "survival", survival(&t->survival));
	json_object_set_new(split, "meaning", meaning(&t->meanings));
	json_object_set_new(
	        split, "gold", document_gold(&t->meanings.gold, v[FIGURE_SCORE_SHIFT].ci));
	json_object_set_new(split, "seeds", document_prior(g, d));
	if (d == DECODING_GREEDY) {
		json_object_set_new(split, "first_difference", first_difference(g));
	}
}

static json_t *floor_source(const struct excess *b, enum excess_pair of)
{
	if (b->pairs[of] == 0) {
		return json_null();
	}
	return json_string(b->of_repeats[of] ? "repeats" : "second_legs");
}

json_t *document_noise_floor(const struct analysis_group *g)
{
	static const char *const PAIRS[] = {"between", "base_floor", "test_floor"};
	json_t *o = json_object(), *figures = json_object();
	node_set_text(o, "floors", excess_ground_name(excess_ground(&g->excess)));
	node_set_text(o, "finding", excess_finding_name(excess_finding(&g->excess, g->excesses)));
	json_object_set_new(o, "base_floor_from", floor_source(&g->excess, EXCESS_OF_BASE));
	json_object_set_new(o, "test_floor_from", floor_source(&g->excess, EXCESS_OF_TEST));
	node_set_count(o, "pairs", g->excess.pairs[EXCESS_BETWEEN]);
	node_set_count(o, "base_floor_pairs", g->excess.pairs[EXCESS_OF_BASE]);
	node_set_count(o, "test_floor_pairs", g->excess.pairs[EXCESS_OF_TEST]);
	for (size_t f = 0; f < N_EXCESSES; f++) {
		const struct excess_verdict *v = &g->excesses[f];
		double scale = f == EXCESS_HAZARD ? 1000 : 1;
		json_t *each = json_object();
		for (size_t i = 0; i < N_EXCESS_PAIRS; i++) {
			enum excess_pair of = (enum excess_pair)i;
			double n = excess_whole(&g->excess, (enum excess_figure)f, of);
			json_t *one = document_counted(&v->by[i], scale, n);
			if (v->is_range) {
				document_set_most(one, &v->by[i], &v->by_most[i]);
			}
			json_object_set_new(each, PAIRS[i], one);
		}
		json_t *excess = document_clustered(&v->excess, scale);
		if (v->is_range) {
			document_set_most(excess, &v->excess, &v->excess_most);
		}
		json_object_set_new(each, "excess", excess);
		node_set_number(each, "p", v->p);
		node_set_flag(each, "alarm", v->alarm);
		node_set_number(each, "least_effect", scale * v->least);
		node_set_number(each, "n_needed", v->needed);
		json_object_set_new(figures, excess_name((enum excess_figure)f), each);
	}
	json_object_set_new(o, "figures", figures);
	return o;
}

/* Fewer digits keep the document small; a chart can't show more. */
static double short_of(double value, double scale)
{
	return round(value * scale) / scale;
}

static json_t *over_time(const struct timeline *t)
{
	json_t *list = json_array();
	for (size_t i = 0; i < t->n; i++) {
		const struct timeline_bin *s = &t->bins[i];
		struct interval ci = proportion_rate(s->differ, s->n);
		json_t *o = json_object();
		node_set_count(o, "from", s->number << t->shift);
		node_set_count(o, "n", s->n);
		node_set_count(o, "differ", s->differ);
		node_set_count(o, "changed", s->changed);
		node_set_number(o, "rate", (double)s->differ / (double)s->n);
		json_object_set_new(o, "ci95", document_interval(ci));
		json_array_append_new(list, o);
	}
	return json_pack("{s:o, s:o}", "width_s", document_integer(UINT64_C(1) << t->shift),
	        "stretches", list);
}

/* The values at 0, 1/100, ... 1 of the distribution. */
static json_t *quantiles(const struct signed_histogram *h)
{
	json_t *list = json_array();
	for (size_t i = 0; i <= ECDF_STEPS && signed_histogram_count(h) > 0; i++) {
		double value = signed_histogram_quantile(h, (double)i / ECDF_STEPS);
		json_array_append_new(list, node_real(short_of(value, 1e6)));
	}
	return list;
}

static json_t *gaps(const struct analysis_group *g, const struct scatter *s)
{
	const struct first_scale scale = {g->sigma, g->first_verdict.threshold};
	json_t *list = json_array();
	for (size_t i = 0; i < s->kept; i++) {
		const struct scatter_point *p = &s->points[i];
		char id[ID_TEXT_SIZE];
		json_t *o = json_object();
		node_set_number(o, "base", short_of((double)p->x, 1e4));
		node_set_number(o, "test", short_of((double)p->y, 1e4));
		node_set_flag(o, "base_censored", p->marks & CHART_BASE_CENSORED);
		node_set_flag(o, "test_censored", p->marks & CHART_TEST_CENSORED);
		node_set_text(o, "verdict", first_verdict_name(charts_verdict(p, &scale)));
		node_set_text(o, "exchange", id_format(p->exchange, id));
		json_array_append_new(list, o);
	}
	return json_pack("{s:o, s:o}", "n", document_integer(s->n), "points", list);
}

static json_t *lengths(const struct scatter *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->kept; i++) {
		const struct scatter_point *p = &s->points[i];
		char id[ID_TEXT_SIZE];
		json_t *o = json_object();
		node_set_count(o, "base", (uint64_t)p->x);
		node_set_count(o, "test", (uint64_t)p->y);
		node_set_flag(o, "differ", p->marks & CHART_DIFFER);
		node_set_text(o, "exchange", id_format(p->exchange, id));
		json_array_append_new(list, o);
	}
	return json_pack("{s:o, s:o}", "n", document_integer(s->n), "points", list);
}

json_t *document_charts(const struct analysis_group *g, enum decoding d)
{
	const struct charts *c = &g->charts[d];
	return json_pack("{s:o, s:o, s:o, s:o}", "over_time", over_time(&c->timeline), "delta_lp",
	        quantiles(&g->sums[d].delta_lp), "gaps", gaps(g, &c->gaps), "lengths",
	        lengths(&c->lengths));
}

static json_t *facet(const struct facet *f)
{
	static const struct {
		const char *name;
		enum facet_figure figure;
		double scale;
	} SHOWN[] = {{"differ", FACET_DIFFER, 1}, {"answer_changed", FACET_ANSWER_CHANGED, 1},
	        {"hazard", FACET_HAZARD, 1000}, {"divergence_index", FACET_DIVERGENCE_INDEX, 1}};
	const struct estimate *by = f->values;
	json_t *o = json_object();
	node_set_text(o, "value", f->name);
	node_set_count(o, "pairs", f->pairs);
	for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
		double n = clusters_total(f->clusters, SHOWN[i].figure).whole;
		json_object_set_new(o, SHOWN[i].name,
		        document_counted(&by[SHOWN[i].figure], SHOWN[i].scale, n));
	}
	document_set_most(json_object_get(o, "answer_changed"), &by[FACET_ANSWER_CHANGED],
	        &by[FACET_MAY_CHANGE]);
	json_object_set_new(o, "gold", document_gold(&f->gold, by[FACET_SCORE_SHIFT].ci));
	return o;
}

json_t *document_facet(const struct facets *all, const struct facet *f)
{
	json_t *o = facet(f);
	node_set_number(o, "n_needed", power_slice_needed(all, f));
	return o;
}

json_t *document_suites(const struct analysis_group *g)
{
	json_t *list = json_array();
	const struct facet_list *suites = &g->suites.of[FACET_SUITE];
	for (size_t i = 0; i < suites->n; i++) {
		const struct facet *f = &suites->items[i];
		json_t *o = facet(f);
		node_set_count(o, "seeds", f->seeds);
		json_array_append_new(list, o);
	}
	return json_pack("{s:o, s:o}", "values", list, "beyond", document_integer(suites->beyond));
}

json_t *document_facets(const struct analysis_group *g)
{
	json_t *o = json_object();
	for (size_t k = 0; k < N_FACETS; k++) {
		enum facet_kind kind = (enum facet_kind)k;
		json_t *list = json_array();
		const struct facet_list *of = &g->facets.of[k];
		for (size_t i = 0; i < of->n; i++) {
			json_array_append_new(list, document_facet(&g->facets, &of->items[i]));
		}
		double z;
		double p = facets_trend(&g->facets, kind, &z);
		json_object_set_new(o, facet_kind_name(kind),
		        json_pack("{s:o, s:o, s:o, s:o}", "values", list, "beyond",
		                document_integer(of->beyond), "trend_z", node_real(z), "trend_p",
		                node_real(p)));
	}
	return o;
}
