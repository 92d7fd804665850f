/*
 * A pair of backends.
 */
#include <math.h>
#include <stdio.h>

#include <jansson.h>

#include "analyzer/report/document/document_parts.h"
#include "analyzer/report/document/document_values.h"
#include "analyzer/report/document/document_verdict.h"
#include "analyzer/stats/proportion.h"

/* A rate whose interval treats the answers as independent. */
static json_t *rate(uint64_t hits, uint64_t n)
{
	return document_rate(hits, n, proportion_rate(hits, n));
}

static json_t *distribution(const struct histogram *h)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "n", document_integer(h->n), "mean",
	        node_real(h->n ? histogram_mean(h) : NAN), "p10", document_quantile(h, 0.1),
	        "median", document_quantile(h, 0.5), "p90", document_quantile(h, 0.9));
}

static json_t *lengths(const struct lengths *l)
{
	double n = l->n ? (double)l->n : NAN;
	double base = exact_sum_value(&l->base), test = exact_sum_value(&l->test);
	json_t *o = json_object();
	node_set_count(o, "n", l->n);
	node_set_number(o, "bias", exact_sum_value(&l->bias) / n);
	node_set_number(o, "magnitude", exact_sum_value(&l->magnitude) / n);
	node_set_number(o, "inflation", base > 0 ? test / base : NAN);
	return o;
}

/* The mean of a figure, and the root of the mean of its squares. */
static json_t *mean_and(double n, double sum, const char *name, double value)
{
	json_t *o = json_object();
	node_set_count(o, "n", (uint64_t)n);
	node_set_number(o, "mean", sum / n);
	if (name) {
		node_set_number(o, name, n > 0 ? value : NAN);
	}
	return o;
}

static json_t *mean_of_moments(const struct moments *m, const char *name, double value)
{
	return mean_and((double)m->n, exact_sum_value(&m->sum), name, value);
}

static json_t *finishes(const struct pair_sums *t)
{
	json_t *list = json_array();
	for (size_t i = 0; i < t->n_finishes; i++) {
		const struct finish_count *f = &t->finishes[i];
		json_array_append_new(
		        list, json_pack("{s:o, s:o, s:o}", "base", node_string(f->base), "test",
		                      node_string(f->test), "n", document_integer(f->n)));
	}
	return list;
}

static json_t *rate_of(struct ratio r, struct interval ci)
{
	return document_rate((uint64_t)r.part, (uint64_t)r.whole, ci);
}

/* Sets the rates and means over comparable positions. by, v: by enum figure, as below. */
static void set_of_positions(
        json_t *o, const struct pair_sums *t, const struct ratio *by, const struct figure_value *v)
{
	const struct ratio index = by[FIGURE_DIVERGENCE_INDEX], hazard = by[FIGURE_HAZARD];
	const struct ratio jaccard = by[FIGURE_JACCARD_5];
	const struct ratio chosen = by[FIGURE_DELTA_LP], squares = by[FIGURE_DELTA_LP_RMS];
	json_object_set_new(o, "first_differing_token", distribution(&t->first_token));
	json_object_set_new(o, "divergence_index", mean_and(index.whole, index.part, NULL, NAN));
	json_object_set_new(o, "hazard",
	        json_pack("{s:o, s:o, s:o, s:o}", "n", document_integer((uint64_t)hazard.whole),
	                "count", document_integer((uint64_t)hazard.part), "per_1000",
	                node_real(v[FIGURE_HAZARD].value), "ci95",
	                document_interval(v[FIGURE_HAZARD].ci)));
	node_set_count(o, "pairs_with_tokens", (uint64_t)index.whole);
	node_set_count(o, "comparable_positions", (uint64_t)hazard.whole);
	json_object_set_new(
	        o, "top1_agreement", rate_of(by[FIGURE_SAME_TOP], v[FIGURE_SAME_TOP].ci));
	json_object_set_new(o, "top1_logprob",
	        mean_of_moments(&t->top1_logprob, "rms", moments_rms(&t->top1_logprob)));
	node_set_count(o, "top1_unlisted", t->top1_unlisted);
	json_object_set_new(o, "top5_jaccard", mean_and(jaccard.whole, jaccard.part, NULL, NAN));
	node_set_count(o, "top5_short", t->top5_short);
	json_object_set_new(o, "chosen_logprob",
	        mean_and(chosen.whole, chosen.part, "rms", sqrt(squares.part / squares.whole)));
}

/* The rates, means and lengths of one decoding. */
static json_t *sums_json(const struct pair_sums *t, const struct figure_value *v)
{
	struct ratio by[N_FIGURES];
	for (enum figure f = 0; f < N_FIGURES; f++) {
		by[f] = pair_sums_total(t, f);
	}
	const struct ratio finish = by[FIGURE_FINISH_DIFFERS];
	const struct ratio agrees = {finish.whole - finish.part, finish.whole};
	const struct interval differs = v[FIGURE_FINISH_DIFFERS].ci;
	const struct interval rest = {1 - differs.high, 1 - differs.low};
	json_t *o = json_object();
	node_set_count(o, "pairs", t->pairs);
	json_object_set_new(o, "differ", rate_of(by[FIGURE_DIFFER], v[FIGURE_DIFFER].ci));
	json_object_set_new(
	        o, "text_differs", rate_of(by[FIGURE_TEXT_DIFFERS], v[FIGURE_TEXT_DIFFERS].ci));
	json_object_set_new(
	        o, "tool_calls_differ", rate(t->with_calls - t->calls_equal, t->with_calls));
	json_object_set_new(o, "reasoning_differs",
	        rate(t->with_reasoning - t->reasoning_equal, t->with_reasoning));
	json_object_set_new(o, "first_differing_byte", distribution(&t->first_byte));
	json_object_set_new(o, "length_bytes", lengths(&t->bytes));
	json_object_set_new(o, "length_tokens", lengths(&t->tokens));
	json_object_set_new(o, "length_reasoning_bytes", lengths(&t->reasoning_bytes));
	json_object_set_new(o, "finish_agreement", rate_of(agrees, rest));
	json_object_set_new(o, "finish_reasons", finishes(t));
	node_set_count(o, "finish_reasons_beyond", t->finishes_beyond);
	set_of_positions(o, t, by, v);
	return o;
}

static json_t *cuts(const uint64_t counts[N_OUTCOMES])
{
	json_t *o = json_object();
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		if (counts[i] > 0) {
			node_set_count(o, i ? outcome_name((enum outcome)i) : "unknown", counts[i]);
		}
	}
	return o;
}

static json_t *left_out(const struct left_out *l)
{
	json_t *o = json_object();
	node_set_count(o, "pairs", left_out_total(l));
	json_object_set_new(o, "base_cut", cuts(l->cuts[SIDE_BASE]));
	json_object_set_new(o, "test_cut", cuts(l->cuts[SIDE_TEST]));
	node_set_count(o, "unfinished", left_out_pairs(l, LEFT_OUT_UNFINISHED));
	node_set_count(o, "base_error", l->pairs[LEFT_OUT_ERROR][SIDE_BASE]);
	node_set_count(o, "test_error", l->pairs[LEFT_OUT_ERROR][SIDE_TEST]);
	json_object_set_new(o, "base_reasons", document_name_counts(&l->why[SIDE_BASE]));
	json_object_set_new(o, "test_reasons", document_name_counts(&l->why[SIDE_TEST]));
	node_set_count(o, "unreadable", left_out_pairs(l, LEFT_OUT_UNREADABLE));
	node_set_count(o, "unread", left_out_pairs(l, LEFT_OUT_UNREAD));
	json_object_set_new(o, "unread_members", document_name_counts(&l->unread_members));
	node_set_count(o, "unrecorded", left_out_pairs(l, LEFT_OUT_UNRECORDED));
	node_set_count(o, "metadata", left_out_pairs(l, LEFT_OUT_METADATA));
	node_set_count(o, "unlike_choices", l->unlike_choices);
	return o;
}

/* What one side shows by itself. */
static void set_evidence_of_side(json_t *o, const char *side, const struct causes_of_side *of)
{
	const struct cause_lacks *n = &of->lacks;
	const struct {
		const char *name;
		uint64_t n;
	} COUNTS[] = {{"greedy_tokens", of->choices.tokens}, {"not_top", of->choices.not_top},
	        {"not_top_repeats", of->choices.repeats}, {"without_logprobs", n->without},
	        {"misspelt", n->misspelt}, {"contradictory_usage", n->contradictory},
	        {"refused", n->refused}};
	char name[48];
	for (size_t i = 0; i < ARRAY_LEN(COUNTS); i++) {
		snprintf(name, sizeof(name), "%s_%s", side, COUNTS[i].name);
		node_set_count(o, name, COUNTS[i].n);
	}
	snprintf(name, sizeof(name), "%s_invalid_logprobs", side);
	json_object_set_new(o, name,
	        json_pack("{s:o, s:o, s:o, s:o}", "positive", document_integer(n->positive),
	                "positive_positions", document_integer(n->positive_tokens), "unusable",
	                document_integer(n->unusable), "unusable_positions",
	                document_integer(n->unusable_tokens)));
}

static json_t *evidence(const struct causes *c)
{
	struct cause_prompt all;
	json_t *o = json_object();
	cause_prompts_all(&c->prompts, &all);
	node_set_count(o, "prompt_pairs", all.n);
	node_set_count(o, "prompt_differ", all.unlike);
	json_object_set_new(
	        o, "prompt_delta_low", json_integer(all.unlike ? all.ranges[RANGE_DELTA].low : 0));
	json_object_set_new(o, "prompt_delta_high",
	        json_integer(all.unlike ? all.ranges[RANGE_DELTA].high : 0));
	set_evidence_of_side(o, "base", &c->of[SIDE_BASE]);
	set_evidence_of_side(o, "test", &c->of[SIDE_TEST]);
	return o;
}

/* These texts were sanitized, so they are UTF-8. */
static json_t *text_or_null(const char *text)
{
	return node_string(*text ? text : NULL);
}

static json_t *example_side(const struct example_side *s, bool has_tokens)
{
	json_t *o = json_object();
	json_object_set_new(o, "text", text_or_null(s->text));
	if (has_tokens) {
		json_object_set_new(o, "token", text_or_null(s->token));
		node_set_number(o, "logprob", (double)s->logprob);
		node_set_number(o, "logprob_of_other", (double)s->of_other);
		node_set_flag(o, "has_other", s->has_other);
		json_object_set_new(o, "best", text_or_null(s->best));
		node_set_number(o, "best_logprob", (double)s->best_logprob);
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
	node_set_text(o, "exchange", id_format(e->exchange, id));
	node_set_count(o, e->has_tokens ? "at_token" : "at_byte", e->position);
	json_object_set_new(o, "before", text_or_null(e->before));
	json_object_set_new(o, "base", example_side(&e->base, e->has_tokens));
	json_object_set_new(o, "test", example_side(&e->test, e->has_tokens));
	return o;
}

static json_t *examples(const struct examples *e)
{
	return json_pack("{s:o, s:o, s:o}", "widest", example(&e->widest), "test_not_top",
	        example(&e->test_not_best), "base_not_top", example(&e->base_not_best));
}

static json_t *embeddings(const struct embedding_figures *f)
{
	if (f->answers == 0) {
		return json_null();
	}
	json_t *o = json_object();
	node_set_count(o, "answers", f->answers);
	node_set_count(o, "equal", f->equal);
	json_object_set_new(
	        o, "cosine_distance", mean_of_moments(&f->distance, "max", f->distance_max));
	json_object_set_new(
	        o, "largest_difference", mean_of_moments(&f->difference, "max", f->difference_max));
	node_set_count(o, "unlike_dimensions", f->unlike_lengths);
	node_set_count(o, "unusable", f->unusable);
	node_set_count(o, "unmatched", f->unmatched);
	return o;
}

static json_t *reasoning_places(const struct placements *p)
{
	json_t *pairs = json_array();
	for (enum reasoning_place b = 0; b < PLACES; b++) {
		for (enum reasoning_place t = 0; t < PLACES; t++) {
			if (p->n[b][t] > 0) {
				json_array_append_new(
				        pairs, json_pack("{s:s, s:s, s:o}", "base",
				                       reasoning_place_name(b), "test",
				                       reasoning_place_name(t), "n",
				                       document_integer(p->n[b][t])));
			}
		}
	}
	return json_pack("{s:o, s:o}", "pairs", pairs, "compared_by_answer",
	        document_integer(p->normalised));
}

static json_t *kept_rate(const struct partial_content *k, enum partial_content_figure f)
{
	struct partial_content_rate r;
	partial_content_estimate(k, f, &r);
	return document_rate(r.differ, r.n, r.estimate.ci);
}

static json_t *kept(const struct partial_content *k)
{
	if (!k->redacted && !k->metadata) {
		return json_null();
	}
	json_t *o = json_object();
	node_set_count(o, "redacted", k->redacted);
	node_set_count(o, "metadata", k->metadata);
	node_set_count(o, "unhashed", k->unhashed);
	json_object_set_new(o, "greedy_differs", kept_rate(k, PARTIAL_CONTENT_GREEDY));
	json_object_set_new(o, "other_differs", kept_rate(k, PARTIAL_CONTENT_OTHER));
	json_object_set_new(o, "finish_differs", kept_rate(k, PARTIAL_CONTENT_FINISH));
	node_set_count(o, "base_bytes", k->base_bytes);
	node_set_count(o, "test_bytes", k->test_bytes);
	return o;
}

static json_t *split(const struct analysis_group *g, enum decoding d)
{
	json_t *o = sums_json(&g->sums[d], g->values[d]);
	document_set_figures(o, g, d);
	json_object_set_new(o, "charts", document_charts(g, d));
	if (d == DECODING_SAMPLED && g->suites.of[FACET_SUITE].n > 0) {
		json_object_set_new(o, "suites", document_suites(g));
	}
	if (d == DECODING_GREEDY && g->opinions.n > 0) {
		json_object_set_new(o, "judges", document_opinions(&g->opinions));
	}
	return o;
}

json_t *document_group(const struct analysis_group *g)
{
	json_t *o = json_object(), *by = json_object();
	node_set_text(o, "base", g->base);
	node_set_text(o, "test", g->test);
	node_set_text(o, "base_role", role_name(g->base_role));
	node_set_text(o, "test_role", role_name(g->test_role));
	node_set_count(o, "pairs", g->legs);
	document_verdict_of_group(o, g);
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (group_has(g, (enum decoding)d)) {
			json_object_set_new(
			        by, decoding_name((enum decoding)d), split(g, (enum decoding)d));
		}
	}
	json_object_set_new(o, "by_decoding", by);
	node_set_flag(o, "is_floor", g->is_floor);
	json_object_set_new(o, "noise_floor", document_noise_floor(g));
	json_object_set_new(o, "slices", document_facets(g));
	json_object_set_new(o, "sampled_test", document_sampled(g));
	json_object_set_new(o, "first_positions", document_openings(g));
	json_object_set_new(o, "rollout", document_rollout(g));
	json_object_set_new(o, "left_out", left_out(&g->left_out));
	json_object_set_new(o, "kept", kept(&g->partial_content));
	json_object_set_new(o, "evidence", evidence(&g->causes));
	json_object_set_new(o, "reasoning_place", reasoning_places(&g->places));
	json_object_set_new(o, "embeddings", embeddings(&g->embeddings));
	json_object_set_new(o, "examples", examples(&g->examples));
	json_object_set_new(o, "findings",
	        document_findings(g, json_is_string(json_object_get(
	                                     json_object_get(o, "verdict"), "proven_by"))));
	json_object_set_new(o, "causes", document_causes(&g->found, json_object_get(o, "cause")));
	return o;
}
