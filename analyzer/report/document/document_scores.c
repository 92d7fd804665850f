#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/causes/draws_text.h"
#include "analyzer/report/document/document_values.h"
#include "backends/scoring/scorer.h"
#include "base/buf.h"
#include "base/plural.h"

static json_t *mean(uint64_t n, const struct estimate *e)
{
	json_t *o = json_object();
	node_set_count(o, "n", n);
	node_set_number(o, "mean", e->value);
	json_object_set_new(o, "ci95", document_interval(e->ci));
	node_set_count(o, "clusters", e->clusters);
	return o;
}

static json_t *logprob(uint64_t n, const struct estimate *v)
{
	json_t *o = mean(n, &v[SCORE_LOGPROB]);
	struct interval squares = v[SCORE_LOGPROB_SQUARE].ci;
	struct interval roots = {sqrt(fmax(0, squares.low)), sqrt(fmax(0, squares.high))};
	node_set_number(o, "rms", sqrt(v[SCORE_LOGPROB_SQUARE].value));
	json_object_set_new(o, "rms_ci95", document_interval(isnan(squares.low) ? squares : roots));
	return o;
}

/* Perplexity is e^-mean of the logprobs, so its upper end comes from the mean's lower end. */
static void set_perplexity(json_t *o, const char *name, const struct estimate *e)
{
	char interval[64];
	snprintf(interval, sizeof(interval), "%s_ci95", name);
	node_set_number(o, name, exp(-e->value));
	json_object_set_new(o, interval,
	        document_interval((struct interval){exp(-e->ci.high), exp(-e->ci.low)}));
}

static json_t *split(const struct score_split *s)
{
	json_t *o = json_object();
	const struct estimate *v = s->values;
	node_set_count(o, "answers", s->answers);
	node_set_count(o, "tokens", s->tokens);
	json_object_set_new(
	        o, "positions", document_rate(s->positions, s->tokens, v[SCORE_POSITIONS].ci));
	json_object_set_new(
	        o, "same_top", document_rate(s->tops_equal, s->tops, v[SCORE_SAME_TOP].ci));
	json_object_set_new(o, "logprob", logprob(s->logprobs, v));
	json_object_set_new(o, "logprob_of_answers", mean(s->means, &v[SCORE_OF_ANSWERS]));
	json_object_set_new(o, "k3_score", mean(s->aligned, &v[SCORE_K3]));
	set_perplexity(o, "perplexity", &v[SCORE_OWN]);
	set_perplexity(o, "scorer_perplexity", &v[SCORE_SCORER]);
	return o;
}

static json_t *greedy_flips(const struct scores *s)
{
	struct score_flips f = scores_flips(s);
	json_t *o = json_object();
	node_set_count(o, "positions", log_histogram_count(&s->gaps));
	node_set_number(o, "sigma", f.sigma);
	node_set_number(o, "per_1000_tokens", f.per_tokens);
	node_set_number(o, "answers", f.answers);
	return o;
}

static json_t *cost(const struct score_cost *c)
{
	if (!c->answers) {
		return json_null();
	}
	json_t *o = json_object();
	node_set_count(o, "answers", c->answers);
	node_set_number(o, "scoring_seconds", (double)c->scorer_us / 1e6);
	node_set_number(o, "generating_seconds", (double)c->of_us / 1e6);
	node_set_number(o, "ratio", (double)c->scorer_us / (double)c->of_us);
	node_set_count(o, "tokens_generated", c->tokens);
	node_set_number(o, "tokens_read", c->n_stated ? (double)c->tokens_read : NAN);
	node_set_count(o, "tokens_read_of", c->n_stated);
	return o;
}

/* Whose tokens of the prompt stand before the scored answers. */
static const char *prompt_of(const struct scores *s)
{
	return s->given_prompt == 0         ? SCORE_PROMPT_WORDS[SCORE_PROMPT_OWN]
	       : s->given_prompt == s->legs ? SCORE_PROMPT_WORDS[SCORE_PROMPT_PRIMARY]
	                                    : "mixed";
}

static json_t *group(const struct analysis_group *g)
{
	const struct scores *scores = &g->scores;
	json_t *o = json_object(), *by = json_object();
	node_set_text(o, "scorer", g->base);
	node_set_text(o, "of", g->test);
	node_set_text(o, "scorer_role", role_name(g->base_role));
	node_set_text(o, "of_role", role_name(g->test_role));
	node_set_count(o, "scored", scores->legs);
	node_set_text(o, "prompt", prompt_of(scores));
	json_object_set_new(o, "all", split(&scores->splits[N_DECODINGS]));
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (scores->splits[d].answers > 0) {
			json_object_set_new(
			        by, decoding_name((enum decoding)d), split(&scores->splits[d]));
		}
	}
	json_object_set_new(o, "by_decoding", by);
	node_set_count(o, "without_logprobs", scores->without);
	node_set_count(o, "unmatched", scores->unmatched);
	node_set_count(o, "unreadable", scores->unreadable);
	node_set_count(o, "processed", scores->processed);
	json_object_set_new(o, "greedy_flips", greedy_flips(scores));
	json_object_set_new(o, "cost", cost(&scores->cost));
	return o;
}

json_t *document_scores(const struct analysis *a)
{
	json_t *list = json_array();
	for (size_t i = 0; i < a->n_groups; i++) {
		if (a->groups[i].scores.legs > 0) {
			json_array_append_new(list, group(&a->groups[i]));
		}
	}
	return list;
}

json_t *document_k3(const struct verdict_figure *f)
{
	if (f->value.n == 0) {
		return json_null();
	}
	json_t *o = document_figure_value(&f->value), *over = document_figure_value(&f->over);
	json_object_set(over, "n", json_object_get(o, "n"));
	node_set_number(o, "answers", f->answers);
	node_set_count(o, "clusters", f->value.clusters);
	node_set_number(o, "floor", f->floor);
	node_set_text(o, "floor_is", verdict_floor_name(f->from));
	json_object_set_new(o, "over_floor", over);
	node_set_flag(o, "alarm", f->from == VERDICT_FLOOR_MEASURED && f->over.ci.low > 0);
	node_set_number(o, "least_effect", f->least_effect);
	return o;
}

static const char *const NOT_COUNTED[N_SCORE_BASES] = {
        [SCORE_GREEDY] = "were decoded greedily",
        [SCORE_TEMPERATURE] = "were drawn at another temperature than 1 and state raw logprobs",
        [SCORE_FILTERED] = "were drawn with top-k, top-p or min-p and state raw logprobs",
        [SCORE_PENALISED] = "were drawn with a penalty and state raw logprobs",
        [SCORE_MIXED] = "were not drawn at temperature 1 without filters, and their engine may "
                        "state logprobs before or after these",
};

/* Findings about draws that do not follow the stated probabilities. */
static const enum draws_finding DRAWN_OTHERWISE[] = {DRAWS_FINDING_TEMPERATURE, DRAWS_FINDING_TOP_K,
        DRAWS_FINDING_TOP_P, DRAWS_FINDING_MIN_P, DRAWS_FINDING_PENALTY, DRAWS_FINDING_CALIBRATION};

/* Appends how the test's draws differ from the probabilities that it states; nothing if no such
 * difference was found. */
static void put_drawn_otherwise(struct buf *to, const struct analysis_group *g)
{
	for (size_t i = 0; g->draws && i < g->draws->n_groups; i++) {
		const struct draws_group *of = &g->draws->groups[i];
		for (size_t k = 0; k < ARRAY_LEN(DRAWN_OTHERWISE) && to->len == 0; k++) {
			if (strcmp(of->backend, g->test) == 0 &&
			        draws_finding_is_there(of, DRAWN_OTHERWISE[k])) {
				buf_append_str(to, g->test);
				draws_text_put_replicas(to, g->draws, of, DRAWN_OTHERWISE[k]);
				buf_append_char(to, ' ');
				draws_text_put(to, of, DRAWN_OTHERWISE[k]);
			}
		}
	}
}

static uint64_t not_counted(const struct rollout *r)
{
	uint64_t n = 0;
	for (size_t b = 0; b < N_SCORE_BASES; b++) {
		n += score_basis_is_drawn(b) ? 0 : r->by_basis[b];
	}
	return n;
}

/* Explains why some answers do not count; NULL if all do. The caller frees it. drawn: answers that
 * were drawn from the stated probabilities, as far as requests show; otherwise: why they were not,
 * or "". */
static char *why(const struct rollout *r, uint64_t drawn, const char *otherwise)
{
	struct buf text = {0};
	for (size_t b = 0; b < N_SCORE_BASES; b++) {
		if (r->by_basis[b] > 0 && !score_basis_is_drawn(b)) {
			buf_printf(&text, "%s%" PRIu64 " %s", text.len ? "; " : "", r->by_basis[b],
			        NOT_COUNTED[b]);
		}
	}
	if (text.len > 0) {
		buf_append_str(&text, ": their logprobs are not those that they were drawn from.");
	}
	if (drawn > 0 && *otherwise) {
		buf_printf(&text, "%s%" PRIu64 " %s not count because %s.", text.len ? " " : "",
		        drawn, plural(drawn, "does", "do"), otherwise);
	}
	return text.len ? buf_steal(&text) : NULL;
}

static json_t *figure(const struct rollout *r, enum rollout_figure f)
{
	const struct estimate *e = &r->values[f];
	json_t *o = document_estimate(e);
	node_set_count(o, "n", r->tokens);
	node_set_count(o, "clusters", e->clusters);
	return o;
}

static double quantile_of_ratio(const struct rollout *r, double q)
{
	return exp(signed_histogram_quantile(&r->log_ratios, q));
}

static json_t *ratio(const struct rollout *r)
{
	json_t *o = figure(r, ROLLOUT_RATIO);
	node_set_number(o, "p1", quantile_of_ratio(r, 0.01));
	node_set_number(o, "p99", quantile_of_ratio(r, 0.99));
	node_set_number(o, "outside", (double)r->outside / (double)r->tokens);
	return o;
}

static json_t *positions(const struct rollout *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < SCORE_SPANS; i++) {
		const struct rollout_span *s = &r->spans[i];
		double n = (double)s->n;
		if (s->n == 0) {
			continue;
		}
		json_t *o = json_object();
		node_set_count(o, "from", SCORE_SPAN_AT(i));
		node_set_count(o, "n", s->n);
		node_set_number(o, "delta", exact_sum_value(&s->sizes) / n);
		node_set_number(o, "k3", exact_sum_value(&s->k3) / n);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *answers(const struct rollout *r)
{
	const struct log_histogram *h = &r->answer_deltas;
	const struct signed_histogram *ratios = &r->answer_log_ratios;
	json_t *o = json_object();
	node_set_count(o, "n", log_histogram_count(h));
	node_set_number(o, "delta_median", log_histogram_quantile(h, 0.5));
	node_set_number(o, "delta_p90", log_histogram_quantile(h, 0.9));
	node_set_number(o, "delta_p99", log_histogram_quantile(h, 0.99));
	node_set_number(o, "log_ratio_p1", signed_histogram_quantile(ratios, 0.01));
	node_set_number(o, "log_ratio_p99", signed_histogram_quantile(ratios, 0.99));
	node_set_number(o, "sample_size", rollout_sample_size_of_answers(r));
	return o;
}

json_t *document_rollout(const struct analysis_group *g)
{
	static const struct rollout NONE;
	const struct rollout *r = &g->scores.rollout;
	uint64_t left_out = not_counted(r);
	uint64_t drawn = r->by_basis[SCORE_AS_DRAWN] + r->by_basis[SCORE_PROCESSED];
	if (drawn + left_out == 0) {
		return json_null();
	}
	json_t *o = json_object();
	struct buf otherwise = {0};
	put_drawn_otherwise(&otherwise, g);
	char *text = why(r, drawn, buf_cstr(&otherwise));
	if (otherwise.len > 0) {
		left_out += drawn;
		r = &NONE;
	}
	buf_finish(&otherwise);
	bool any = r->tokens > 0;
	node_set_count(o, "tokens", r->tokens);
	node_set_count(o, "answers_left_out", left_out);
	node_set_text(o, "why", text);
	json_object_set_new(o, "delta", any ? figure(r, ROLLOUT_DELTA) : json_null());
	json_object_set_new(o, "delta_max", any ? node_real(r->delta_max) : json_null());
	json_object_set_new(o, "k1", any ? figure(r, ROLLOUT_K1) : json_null());
	json_object_set_new(o, "k3", any ? figure(r, ROLLOUT_K3) : json_null());
	json_object_set_new(o, "ratio", any ? ratio(r) : json_null());
	node_set_number(o, "sample_size", rollout_sample_size(r));
	json_object_set_new(o, "positions", positions(r));
	json_object_set_new(o, "answers", any ? answers(r) : json_null());
	free(text);
	return o;
}
