#include "analyzer/report/document/document_recipes.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/document/document_parts.h"
#include "analyzer/report/document/document_values.h"
#include "analyzer/report/document/document_verdict.h"
#include "analyzer/report/reruns_sentence.h"
#include "base/mem.h"
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
		json_object_set_new(o, FIGURES[i], document_estimate(&by[i]));
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
		json_object_set_new(o, PAIRS[i], document_estimate(&by[i]));
	}
	json_object_set_new(o, "gap_of_level", document_estimate(&gaps.level));
	json_object_set_new(o, "gap_of_cached", document_estimate(&gaps.cache));
	return o;
}

static json_t *first_json(const struct histogram *s)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "n", document_integer(s->n), "least",
	        document_quantile(s, 0), "median", document_quantile(s, 0.5), "p90",
	        document_quantile(s, 0.9));
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

json_t *document_reruns(
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

/* The noise floor as a figure: the share of pairs of answers to one prompt that differ. */
static struct verdict_figure floor_figure(const struct reruns *r, double least)
{
	struct estimate by[N_RERUN_FIGURES];
	reruns_estimate(&r->all, by);
	const struct estimate *agree = &by[RERUN_AGREE];
	const struct figure_value differ = {
	        .value = 1 - agree->value,
	        .ci = {1 - agree->ci.high, 1 - agree->ci.low},
	        .n = (double)r->all.answers,
	        .clusters = agree->clusters,
	};
	return (struct verdict_figure){
	        .value = differ,
	        .answers = differ.n,
	        .from = VERDICT_FLOOR_SELF,
	        .over = differ,
	        .least_effect = least,
	};
}

/* Appends why the floor leads to this verdict and no other. */
static void put_floor_reason(
        struct buf *to, enum verdict_word word, const struct verdict_figure *f, bool sampled)
{
	double least = 100 * f->least_effect;
	if (sampled) {
		buf_append_str(to, " The answers were sampled, so chance makes them differ.");
	} else if (word == VERDICT_SAME) {
		buf_printf(to, " That is less than the least effect of %.3g %%.", least);
	} else if (word == VERDICT_UNCLEAR && !isnan(verdict_needed(f, 1))) {
		buf_printf(to,
		        " These are too few prompts to tell whether the noise floor is "
		        "below %.3g %%.",
		        least);
	} else if (word == VERDICT_UNCLEAR) {
		buf_printf(to, " That is too close to %.3g %% to decide.", least);
	}
}

static json_t *reruns_next(const json_t *document, const struct reruns *r,
        const struct analysis_group *g, const struct verdict_figure *f, enum verdict_word word)
{
	json_t *next = json_array();
	if (word == VERDICT_UNCLEAR) {
		document_add_prompts_step(next, verdict_needed(f, (double)f->value.clusters),
		        r->all.prompts, g->place);
	}
	document_add_remedy_step(next, json_object_get(document, "cause"));
	if (r->n_worst > 0) {
		document_add_step(next,
		        xstrdup("To see the answers to the prompt with the most variants:"),
		        advice_show(g->place, r->worst[0].exchange));
	}
	return next;
}

/* Limits without the one on intervals: those of the reruns count each prompt once. */
static json_t *reruns_limits(const json_t *document)
{
	json_t *kept = json_array();
	NODE_EACH(limit, json_object_get(document, "limits")) {
		if (!node_is(limit, "key", "few_effective_clusters")) {
			json_array_append(kept, limit);
		}
	}
	return kept;
}

void document_reruns_verdict(
        json_t *document, const struct reruns *r, const struct analysis *a, bool sampled)
{
	static const char *const PARTS[] = {"verdict", "figures", "limits", "next"};
	const struct analysis_group *g = a->n_groups > 0 ? &a->groups[0] : NULL;
	struct buf sentence = {0};
	if (!g || r->all.prompts == 0) {
		return;
	}
	double least = g->least_effects ? g->least_effects[EXCESS_DIFFER]
	                                : least_effect_default(EXCESS_DIFFER);
	struct verdict_figure f = floor_figure(r, least);
	enum verdict_word word = sampled ? VERDICT_UNCLEAR : verdict_decide(&f, false);
	reruns_sentence(json_object_get(document, "reruns"), &sentence);
	put_floor_reason(&sentence, word, &f, sampled);
	json_t *verdict = json_object_get(document, "verdict");
	json_t *figures = json_pack("[o]", document_floor(&f));
	node_set_text(verdict, "word", verdict_word_name(word));
	node_set_text(verdict, "sentence", buf_cstr(&sentence));
	node_set_number(verdict, "n_needed", NAN);
	json_object_set_new(document, "figures", figures);
	json_object_set_new(document, "limits", reruns_limits(document));
	json_object_set_new(document, "next", reruns_next(document, r, g, &f, word));
	json_t *group = json_array_get(json_object_get(document, "groups"), 0);
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
		json_object_set_new(
		        group, PARTS[i], json_deep_copy(json_object_get(document, PARTS[i])));
	}
	buf_finish(&sentence);
}

static json_t *effect_json(const struct ablation_effect *e, const char *factor, const char *given)
{
	json_t *o = json_object();
	json_object_set_new(o, "factor", quoted(factor));
	json_object_set_new(o, "given", quoted(given));
	json_object_set_new(o, "flip", document_estimate(&e->flip));
	json_object_set_new(
	        o, "hazard", isnan(e->hazard.value) ? json_null() : document_estimate(&e->hazard));
	json_object_set_new(o, "off", given ? document_estimate(&e->off) : json_null());
	json_object_set_new(o, "on", given ? document_estimate(&e->on) : json_null());
	node_set_number(o, "p", e->p);
	node_set_number(o, "p_adjusted", e->adjusted);
	node_set_flag(o, "found", e->found);
	return o;
}

static json_t *effects_json(const struct ablation_result *r, const struct document_factor *factors)
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

static json_t *cells_json(const struct ablation_result *r, const struct document_factor *factors)
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
		node_set_count(o, "tell_cached", c->n_stated);
		node_set_count(o, "cached", c->cached);
		json_object_set_new(o, "floor", document_estimate(&r->floors[i]));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *document_ablation(const struct ablation_result *r, const struct document_factor *factors)
{
	json_t *o = json_object(), *list = json_array(), *carried_by = json_array();
	for (size_t f = 0; f < r->n_factors; f++) {
		json_array_append_new(
		        list, json_pack("{s:o, s:o, s:o}", "name", quoted(factors[f].name), "off",
		                      quoted(factors[f].off), "on", quoted(factors[f].on)));
		if (ablation_carries(r, f)) {
			json_array_append_new(carried_by, quoted(factors[f].name));
		}
	}
	json_object_set_new(o, "factors", list);
	node_set_count(o, "prompts", r->prompts);
	node_set_flag(o, "enough", r->enough);
	node_set_number(o, "alpha", ABLATION_ALPHA);
	json_object_set_new(o, "cells", cells_json(r, factors));
	json_object_set_new(o, "effects", effects_json(r, factors));
	json_object_set_new(o, "carried_by", carried_by);
	return o;
}
