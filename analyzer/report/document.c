#include "analyzer/report/document.h"

#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "analyzer/report/document_causes.h"
#include "analyzer/report/document_charts.h"
#include "analyzer/report/document_embedding.h"
#include "analyzer/report/document_findings.h"
#include "analyzer/report/document_figures.h"
#include "analyzer/report/document_forced.h"
#include "analyzer/report/document_opinions.h"
#include "analyzer/report/document_partial_content.h"
#include "analyzer/report/document_sampled.h"
#include "analyzer/report/document_selection.h"
#include "analyzer/report/document_traffic.h"
#include "analyzer/report/document_values.h"
#include "analyzer/report/document_verdict.h"
#include "base/mem.h"

/* Of answers as if they were independent. */
static json_t *rate(uint64_t hits, uint64_t n)
{
	return report_rate(hits, n, stats_wilson(hits, n));
}

static struct interval others(struct interval i)
{
	return (struct interval){1 - i.high, 1 - i.low};
}

static json_t *distribution(const struct histogram *h)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(h->n));
	json_object_set_new(o, "mean", report_number(h->n ? histogram_mean(h) : NAN));
	json_object_set_new(o, "p10", report_quantile(h, 0.1));
	json_object_set_new(o, "median", report_quantile(h, 0.5));
	json_object_set_new(o, "p90", report_quantile(h, 0.9));
	return o;
}

static json_t *lengths(const struct lengths *l)
{
	double n = l->n ? (double)l->n : NAN;
	double base = exact_sum_value(&l->base), test = exact_sum_value(&l->test);
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(l->n));
	json_object_set_new(o, "bias", report_number(exact_sum_value(&l->bias) / n));
	json_object_set_new(o, "magnitude", report_number(exact_sum_value(&l->magnitude) / n));
	json_object_set_new(o, "inflation", report_number(base > 0 ? test / base : NAN));
	return o;
}

static json_t *mean(const struct moments *m)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(m->n));
	json_object_set_new(o, "mean", report_number(moments_mean(m)));
	return o;
}

static json_t *mean_and_rms(const struct moments *m)
{
	json_t *o = mean(m);
	json_object_set_new(o, "rms", report_number(moments_rms(m)));
	return o;
}

static json_t *hazard(const struct metrics *m, const struct figure_value *v)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(m->at_risk));
	json_object_set_new(o, "count", report_integer(m->diverged));
	json_object_set_new(o, "per_1000", report_number(v->value));
	json_object_set_new(o, "ci95", report_interval(v->ci));
	return o;
}

static json_t *finishes(const struct metrics *m)
{
	json_t *list = json_array();
	for (size_t i = 0; i < m->n_finishes; i++) {
		const struct finish_count *f = &m->finishes[i];
		json_t *o = json_object();
		/* They come from an engine: what is not UTF-8 gives null. */
		json_t *base = json_string(f->base), *test = json_string(f->test);
		json_object_set_new(o, "base", base ? base : json_null());
		json_object_set_new(o, "test", test ? test : json_null());
		json_object_set_new(o, "n", report_integer(f->n));
		json_array_append_new(list, o);
	}
	return list;
}

/* v: by enum figure. */
static json_t *metrics(const struct metrics *m, const struct figure_value *v)
{
	json_t *o = json_object();
	json_object_set_new(o, "pairs", report_integer(m->pairs));
	json_object_set_new(
	        o, "differ", report_rate(m->pairs - m->equal, m->pairs, v[FIGURE_DIFFER].ci));
	json_object_set_new(o, "text_differs",
	        report_rate(m->pairs - m->text_equal, m->pairs, v[FIGURE_TEXT_DIFFERS].ci));
	json_object_set_new(
	        o, "tool_calls_differ", rate(m->with_calls - m->calls_equal, m->with_calls));
	json_object_set_new(o, "reasoning_differs",
	        rate(m->with_reasoning - m->reasoning_equal, m->with_reasoning));
	json_object_set_new(o, "first_differing_byte", distribution(&m->first_byte));
	json_object_set_new(o, "first_differing_token", distribution(&m->first_token));
	json_object_set_new(o, "divergence_index", mean(&m->divergence_index));
	json_object_set_new(o, "hazard", hazard(m, &v[FIGURE_HAZARD]));
	json_object_set_new(o, "length_bytes", lengths(&m->bytes));
	json_object_set_new(o, "length_tokens", lengths(&m->tokens));
	json_object_set_new(o, "length_reasoning_bytes", lengths(&m->reasoning_bytes));
	json_object_set_new(o, "finish_agreement",
	        report_rate(m->finish_equal, m->with_finish, others(v[FIGURE_FINISH_DIFFERS].ci)));
	json_object_set_new(o, "finish_reasons", finishes(m));
	json_object_set_new(o, "finish_reasons_beyond", report_integer(m->finishes_beyond));
	json_object_set_new(o, "pairs_with_tokens", report_integer(m->with_tokens));
	json_object_set_new(o, "comparable_positions", report_integer(m->at_risk));
	json_object_set_new(o, "top1_agreement",
	        report_rate(m->top1_equal, m->with_top1, v[FIGURE_SAME_TOP].ci));
	json_object_set_new(o, "top1_logprob", mean_and_rms(&m->top1_logprob));
	json_object_set_new(o, "top1_unlisted", report_integer(m->top1_unlisted));
	json_object_set_new(o, "top5_jaccard", mean(&m->jaccard));
	json_object_set_new(o, "top5_short", report_integer(m->jaccard_short));
	json_object_set_new(o, "chosen_logprob", mean_and_rms(&m->chosen_logprob));
	return o;
}

static json_t *cuts(const uint64_t counts[N_OUTCOMES])
{
	json_t *o = json_object();
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		if (counts[i] > 0) {
			json_object_set_new(o, i ? outcome_name((enum outcome)i) : "unknown",
			        report_integer(counts[i]));
		}
	}
	return o;
}

static json_t *left_out(const struct left_out *l)
{
	json_t *o = json_object();
	json_object_set_new(o, "pairs", report_integer(left_out_total(l)));
	json_object_set_new(o, "base_cut", cuts(l->base_cut));
	json_object_set_new(o, "test_cut", cuts(l->test_cut));
	json_object_set_new(o, "unfinished", report_integer(l->unfinished));
	json_object_set_new(o, "base_error", report_integer(l->base_error));
	json_object_set_new(o, "test_error", report_integer(l->test_error));
	json_object_set_new(o, "base_reasons", report_name_counts(&l->base_why));
	json_object_set_new(o, "test_reasons", report_name_counts(&l->test_why));
	json_object_set_new(o, "unreadable", report_integer(l->unreadable));
	json_object_set_new(o, "unread", report_integer(l->unread));
	json_object_set_new(o, "unread_members", report_name_counts(&l->unread_members));
	json_object_set_new(o, "unrecorded", report_integer(l->unrecorded));
	json_object_set_new(o, "metadata", report_integer(l->metadata));
	json_object_set_new(o, "unlike_choices", report_integer(l->unlike_choices));
	return o;
}

static void put_numbers(json_t *o, const char *side, const struct evidence_numbers *n)
{
	char *invalid = xasprintf("%s_invalid_logprobs", side);
	json_t *counts = json_object();
	json_object_set_new(counts, "positive", report_integer(n->positive));
	json_object_set_new(counts, "positive_positions", report_integer(n->positive_tokens));
	json_object_set_new(counts, "unusable", report_integer(n->unusable));
	json_object_set_new(counts, "unusable_positions", report_integer(n->unusable_tokens));
	json_object_set_new(o, invalid, counts);
	free(invalid);
}

static json_t *evidence(const struct evidence *v)
{
	json_t *o = json_object();
	json_object_set_new(o, "prompt_pairs", report_integer(v->prompt_n));
	json_object_set_new(o, "prompt_differ", report_integer(v->prompt_differ));
	json_object_set_new(o, "prompt_delta_low", json_integer(v->prompt_low));
	json_object_set_new(o, "prompt_delta_high", json_integer(v->prompt_high));
	json_object_set_new(o, "base_greedy_tokens", report_integer(v->base_greedy_tokens));
	json_object_set_new(o, "base_not_top", report_integer(v->base_not_top));
	json_object_set_new(o, "test_greedy_tokens", report_integer(v->test_greedy_tokens));
	json_object_set_new(o, "test_not_top", report_integer(v->test_not_top));
	json_object_set_new(o, "base_not_top_repeats", report_integer(v->base_repeats));
	json_object_set_new(o, "test_not_top_repeats", report_integer(v->test_repeats));
	json_object_set_new(o, "base_without_logprobs", report_integer(v->base_without));
	json_object_set_new(o, "test_without_logprobs", report_integer(v->test_without));
	json_object_set_new(o, "base_misspelt", report_integer(v->base_misspelt));
	json_object_set_new(o, "test_misspelt", report_integer(v->test_misspelt));
	json_object_set_new(o, "base_contradictory_usage", report_integer(v->base_contradictory));
	json_object_set_new(o, "test_contradictory_usage", report_integer(v->test_contradictory));
	json_object_set_new(o, "base_refused", report_integer(v->base_refused));
	json_object_set_new(o, "test_refused", report_integer(v->test_refused));
	put_numbers(o, "base", &v->base_numbers);
	put_numbers(o, "test", &v->test_numbers);
	return o;
}

/* Texts are made fit for display, so they are UTF-8. */
static json_t *text_or_null(const char *text)
{
	json_t *s = *text ? json_string(text) : NULL;
	return s ? s : json_null();
}

static json_t *example_side(const struct example_side *s, bool has_tokens)
{
	json_t *o = json_object();
	json_object_set_new(o, "text", text_or_null(s->text));
	if (has_tokens) {
		json_object_set_new(o, "token", text_or_null(s->token));
		json_object_set_new(o, "logprob", report_number((double)s->logprob));
		json_object_set_new(o, "logprob_of_other", report_number((double)s->of_other));
		json_object_set_new(o, "has_other", json_boolean(s->has_other));
		json_object_set_new(o, "best", text_or_null(s->best));
		json_object_set_new(o, "best_logprob", report_number((double)s->best_logprob));
	}
	return o;
}

static json_t *example(const struct example *e)
{
	char id[ID_TEXT_SIZE];
	if (!e->known) {
		return json_null();
	}
	json_t *o = json_object();
	json_object_set_new(o, "exchange", json_string(id_format(e->exchange, id)));
	json_object_set_new(o, e->has_tokens ? "at_token" : "at_byte", report_integer(e->position));
	json_object_set_new(o, "before", text_or_null(e->before));
	json_object_set_new(o, "base", example_side(&e->base, e->has_tokens));
	json_object_set_new(o, "test", example_side(&e->test, e->has_tokens));
	return o;
}

static json_t *examples(const struct examples *e)
{
	json_t *o = json_object();
	json_object_set_new(o, "widest", example(&e->widest));
	json_object_set_new(o, "test_not_top", example(&e->test_not_best));
	json_object_set_new(o, "base_not_top", example(&e->base_not_best));
	return o;
}

static json_t *group(const struct analysis_group *g)
{
	json_t *o = json_object(), *by = json_object();
	json_t *base = json_string(g->base), *test = json_string(g->test);
	json_object_set_new(o, "base", base ? base : json_null());
	json_object_set_new(o, "test", test ? test : json_null());
	json_object_set_new(o, "base_role", json_string(role_name(g->base_role)));
	json_object_set_new(o, "test_role", json_string(role_name(g->test_role)));
	json_object_set_new(o, "pairs", report_integer(g->legs));
	report_verdict_of_group(o, g);
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (group_has(g, (enum decoding)d)) {
			json_t *split = metrics(&g->by[d], g->values[d]);
			report_figures_json(split, g, (enum decoding)d);
			json_object_set_new(
			        split, "charts", report_charts_json(g, (enum decoding)d));
			if (d == DECODING_SAMPLED && g->suites.n > 0) {
				json_object_set_new(split, "suites", report_suites_json(g));
			}
			if (d == DECODING_GREEDY && g->opinions.n > 0) {
				json_object_set_new(
				        split, "judges", report_opinions_json(&g->opinions));
			}
			json_object_set_new(by, decoding_name((enum decoding)d), split);
		}
	}
	json_object_set_new(o, "by_decoding", by);
	json_object_set_new(o, "is_floor", json_boolean(g->is_floor));
	json_object_set_new(o, "noise_floor", report_noise_floor_json(g));
	json_object_set_new(o, "slices", report_facets_json(g));
	json_object_set_new(o, "sampled_test", report_sampled_json(g));
	json_object_set_new(o, "first_positions", report_openings_json(g));
	json_object_set_new(o, "left_out", left_out(&g->left_out));
	json_object_set_new(o, "kept", report_partial_content_json(&g->partial_content));
	json_object_set_new(o, "evidence", evidence(&g->evidence));
	json_object_set_new(o, "reasoning_place", report_placement_json(&g->places));
	json_object_set_new(o, "embeddings", report_embedding_json(&g->embeddings));
	json_object_set_new(o, "examples", examples(&g->examples));
	json_object_set_new(o, "findings", report_findings_json(g));
	json_object_set_new(o, "causes", report_causes_json(g));
	return o;
}

static json_t *repeats(const struct analysis *a)
{
	const struct repeat_counts *f = &a->repeated;
	json_t *o = json_object();
	json_object_set_new(o, "prompts", report_integer(f->prompts));
	json_object_set_new(o, "pairs", report_integer(f->pairs));
	json_object_set_new(o, "unlike_requests", report_integer(f->unlike));
	json_object_set_new(o, "sampled", json_boolean(a->repeats_sampled));
	return o;
}

/* How many stacks of each backend the legs name. */
static json_t *stacks_of(const struct analysis *a)
{
	json_t *o = json_object();
	size_t n;
	for (size_t i = 0; i < a->stacks.n; i += n) {
		n = stacks_of_backend(&a->stacks, i);
		json_object_set_new(o, a->stacks.items[i].backend, report_integer(n));
	}
	return o;
}

static json_t *problems_json(const char *const *problems, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(list, document_text(problems[i]));
	}
	return list;
}

json_t *report_document(const struct analysis *a, const char *const *problems, size_t n_problems)
{
	json_t *o = json_object(), *groups = json_array();
	for (size_t i = 0; i < a->n_groups; i++) {
		json_array_append_new(groups, group(&a->groups[i]));
	}
	json_object_set_new(o, "plumbline_analysis", json_integer(2));
	report_verdict_of_document(o, groups, a);
	json_object_set_new(o, "exchanges", report_integer(a->counts.chosen));
	json_object_set_new(o, "selection", report_selection_json(a));
	json_object_set_new(o, "repeats", repeats(a));
	json_object_set_new(o, "stacks", stacks_of(a));
	json_object_set_new(o, "not_understood", report_integer(a->counts.not_understood));
	json_object_set_new(o, "not_read", report_integer(a->counts.not_read));
	json_object_set_new(o, "unpaired", report_integer(a->counts.unpaired));
	json_object_set_new(o, "absent", report_integer(a->counts.absent));
	json_object_set_new(o, "ungrouped_pairs", report_integer(a->ungrouped));
	json_object_set_new(o, "segments", report_integer(a->figures.segments));
	json_object_set_new(o, "refused_segments", report_integer(a->figures.refused));
	json_object_set_new(o, "damaged_rows", report_integer(a->figures.damaged_rows));
	json_object_set_new(o, "greedy_compared", report_integer(analysis_compared(a)));
	json_object_set_new(o, "greedy_differing", report_integer(analysis_differing(a)));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "traffic", report_traffic_json(&a->traffic));
	json_object_set_new(o, "teacher_forced", report_forced_json(&a->forced));
	json_object_set_new(o, "problems", problems_json(problems, n_problems));
	return o;
}
