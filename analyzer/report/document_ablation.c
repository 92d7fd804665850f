#include "analyzer/report/document_ablation.h"

#include <math.h>

#include "analyzer/report/document_values.h"
#include "base/quoted.h"

static json_t *effect_json(const struct ablation_effect *e, const char *factor, const char *given)
{
	json_t *o = json_object();
	json_object_set_new(o, "factor", quoted(factor));
	json_object_set_new(o, "given", given ? quoted(given) : json_null());
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
