#include "analyzer/report/document_recipes.h"

#include <math.h>

#include "analyzer/report/document_values.h"
#include "base/quoted.h"

static const char *const FIGURES[N_RERUN_FIGURES] = {
        "all_alike", "determinism_score", "output_consistency", "as_the_first", "reasoning_alike"};
static const char *const PAIRS[N_RERUN_PAIRS] = {
        "same_level", "other_level", "same_cached", "other_cached"};

static json_t *level_json(const struct reruns_level *l)
{
	struct estimate by[N_RERUN_FIGURES];
	json_t *o = json_object();
	reruns_estimate(l, by);
	node_set_count(o, "prompts", l->prompts);
	node_set_count(o, "answers", l->answers);
	node_set_count(o, "failed", l->failed);
	for (size_t i = 0; i < N_RERUN_FIGURES; i++) {
		json_object_set_new(o, FIGURES[i], report_estimate(&by[i]));
	}
	return o;
}

static json_t *levels_json(const struct reruns *r, const unsigned *levels, size_t n)
{
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *o = level_json(&r->levels[i]);
		json_object_set_new(
		        o, "concurrency", levels[i] ? json_integer(levels[i]) : json_null());
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *pairs_json(const struct reruns *r)
{
	struct estimate by[N_RERUN_PAIRS];
	struct reruns_gaps gaps;
	json_t *o = json_object();
	reruns_estimate_pairs(r, by);
	reruns_estimate_gaps(r, &gaps);
	for (size_t i = 0; i < N_RERUN_PAIRS; i++) {
		json_object_set_new(o, PAIRS[i], report_estimate(&by[i]));
	}
	json_object_set_new(o, "gap_of_level", report_estimate(&gaps.level));
	json_object_set_new(o, "gap_of_cached", report_estimate(&gaps.cache));
	return o;
}

static json_t *first_json(const struct histogram *s)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "n", report_integer(s->n), "least",
	        report_quantile(s, 0), "median", report_quantile(s, 0.5), "p90",
	        report_quantile(s, 0.9));
}

static json_t *worst_json(const struct reruns *r)
{
	char id[ID_TEXT_SIZE];
	json_t *all = json_array();
	for (size_t i = 0; i < r->n_worst; i++) {
		const struct reruns_prompt *p = &r->worst[i];
		json_t *o = json_object();
		node_set_text(o, "exchange", id_format(p->exchange, id));
		json_object_set_new(o, "item", quoted(*p->item ? p->item : NULL));
		node_set_count(o, "answers", p->answers);
		node_set_count(o, "distinct", p->distinct);
		node_set_count(o, "of_mode", p->of_mode);
		node_set_count(o, "first", p->first);
		node_set_text(o, "unit", p->has_token ? "token" : "byte");
		json_object_set_new(o, "mode_token", quoted(p->has_token ? p->mode_token : NULL));
		json_object_set_new(o, "other_token", quoted(p->has_token ? p->other_token : NULL));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *report_reruns_json(
        const struct reruns *r, const char *backend, const unsigned *levels, size_t n)
{
	json_t *o = json_object();
	json_object_set_new(o, "backend", quoted(backend));
	json_object_set_new(o, "all", level_json(&r->all));
	json_object_set_new(o, "levels", levels_json(r, levels, n));
	json_object_set_new(o, "pairs", pairs_json(r));
	node_set_count(o, "distinct", r->distinct);
	node_set_count(o, "most_distinct", r->most_distinct);
	json_object_set_new(o, "first_token", first_json(&r->first_token));
	json_object_set_new(o, "first_byte", first_json(&r->first_byte));
	json_object_set_new(o, "worst", worst_json(r));
	return o;
}

static json_t *effect_json(const struct ablation_effect *e, const char *factor, const char *given)
{
	json_t *o = json_object();
	json_object_set_new(o, "factor", quoted(factor));
	json_object_set_new(o, "given", quoted(given));
	json_object_set_new(o, "flip", report_estimate(&e->flip));
	json_object_set_new(
	        o, "hazard", isnan(e->hazard.value) ? json_null() : report_estimate(&e->hazard));
	json_object_set_new(o, "off", given ? report_estimate(&e->off) : json_null());
	json_object_set_new(o, "on", given ? report_estimate(&e->on) : json_null());
	node_set_number(o, "p", e->p);
	node_set_number(o, "p_adjusted", e->adjusted);
	node_set_flag(o, "found", e->found);
	return o;
}

static json_t *effects_json(const struct ablation_result *r, const struct report_factor *factors)
{
	json_t *all = json_array();
	for (size_t f = 0; f < r->n_factors; f++) {
		json_array_append_new(all, effect_json(&r->mains[f], factors[f].name, NULL));
	}
	for (size_t f = 0; f < r->n_factors; f++) {
		for (size_t g = 0; g < r->n_factors; g++) {
			if (f != g) {
				json_array_append_new(
				        all, effect_json(&r->given[f][g], factors[f].name,
				                     factors[g].name));
			}
		}
	}
	return all;
}

static json_t *cells_json(const struct ablation_result *r, const struct report_factor *factors)
{
	json_t *all = json_array();
	for (size_t i = 0; i < (size_t)1 << r->n_factors; i++) {
		const struct ablation_cell *c = &r->cells[i];
		json_t *o = json_object(), *settings = json_object();
		for (size_t f = 0; f < r->n_factors; f++) {
			const char *setting = i >> f & 1 ? factors[f].on : factors[f].off;
			json_object_set_new(settings, factors[f].name, quoted(setting));
		}
		json_object_set_new(o, "settings", settings);
		node_set_count(o, "answers", c->answers);
		node_set_count(o, "failed", c->failed);
		node_set_count(o, "tell_cached", c->told);
		node_set_count(o, "cached", c->cached);
		json_object_set_new(o, "floor", report_estimate(&r->floors[i]));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *report_ablation_json(const struct ablation_result *r, const struct report_factor *factors)
{
	json_t *o = json_object(), *list = json_array(), *carried = json_array();
	for (size_t f = 0; f < r->n_factors; f++) {
		json_array_append_new(
		        list, json_pack("{s:o, s:o, s:o}", "name", quoted(factors[f].name), "off",
		                      quoted(factors[f].off), "on", quoted(factors[f].on)));
		if (ablation_carries(r, f)) {
			json_array_append_new(carried, quoted(factors[f].name));
		}
	}
	json_object_set_new(o, "factors", list);
	node_set_count(o, "prompts", r->prompts);
	node_set_flag(o, "enough", r->enough);
	node_set_number(o, "alpha", ABLATION_ALPHA);
	json_object_set_new(o, "cells", cells_json(r, factors));
	json_object_set_new(o, "effects", effects_json(r, factors));
	json_object_set_new(o, "carried_by", carried);
	return o;
}
