#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/causes/draws_text.h"
#include "analyzer/report/document/document_values.h"
#include "base/buf.h"
#include "base/plural.h"

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
