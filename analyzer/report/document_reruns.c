#include "analyzer/report/document_reruns.h"

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
