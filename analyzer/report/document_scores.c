#include "analyzer/report/document_scores.h"

#include <math.h>
#include <stdio.h>

#include "analyzer/report/document_values.h"

static json_t *mean(uint64_t n, const struct estimate *e)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(n));
	json_object_set_new(o, "mean", report_number(e->value));
	json_object_set_new(o, "ci95", report_interval(e->ci));
	json_object_set_new(o, "clusters", report_integer(e->clusters));
	return o;
}

static json_t *logprob(uint64_t n, const struct estimate *v)
{
	json_t *o = mean(n, &v[SCORE_LOGPROB]);
	struct interval squares = v[SCORE_LOGPROB_SQUARE].ci;
	struct interval roots = {sqrt(fmax(0, squares.low)), sqrt(fmax(0, squares.high))};
	json_object_set_new(o, "rms", report_number(sqrt(v[SCORE_LOGPROB_SQUARE].value)));
	json_object_set_new(o, "rms_ci95", report_interval(isnan(squares.low) ? squares : roots));
	return o;
}

/* e^-mean of the logprobs: high where the mean is low. */
static void set_perplexity(json_t *o, const char *name, const struct estimate *e)
{
	char interval[64];
	snprintf(interval, sizeof(interval), "%s_ci95", name);
	json_object_set_new(o, name, report_number(exp(-e->value)));
	json_object_set_new(
	        o, interval, report_interval((struct interval){exp(-e->ci.high), exp(-e->ci.low)}));
}

static json_t *split(const struct score_split *s)
{
	json_t *o = json_object();
	const struct estimate *v = s->values;
	json_object_set_new(o, "answers", report_integer(s->answers));
	json_object_set_new(o, "tokens", report_integer(s->tokens));
	json_object_set_new(
	        o, "positions", report_rate(s->positions, s->tokens, v[SCORE_POSITIONS].ci));
	json_object_set_new(
	        o, "same_top", report_rate(s->tops_equal, s->tops, v[SCORE_SAME_TOP].ci));
	json_object_set_new(o, "logprob", logprob(s->logprobs, v));
	json_object_set_new(o, "logprob_of_answers", mean(s->means, &v[SCORE_OF_ANSWERS]));
	json_object_set_new(o, "k3_score", mean(s->aligned, &v[SCORE_K3]));
	set_perplexity(o, "perplexity", &v[SCORE_OWN]);
	set_perplexity(o, "scorer_perplexity", &v[SCORE_SCORER]);
	return o;
}

static json_t *group(const struct analysis_group *g)
{
	const struct scores *scores = &g->scores;
	json_t *o = json_object(), *by = json_object();
	json_object_set_new(o, "scorer", document_text(g->base));
	json_object_set_new(o, "of", document_text(g->test));
	json_object_set_new(o, "scorer_role", json_string(role_name(g->base_role)));
	json_object_set_new(o, "of_role", json_string(role_name(g->test_role)));
	json_object_set_new(o, "scored", report_integer(scores->legs));
	json_object_set_new(o, "all", split(&scores->splits[N_DECODINGS]));
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (scores->splits[d].answers > 0) {
			json_object_set_new(
			        by, decoding_name((enum decoding)d), split(&scores->splits[d]));
		}
	}
	json_object_set_new(o, "by_decoding", by);
	json_object_set_new(o, "without_logprobs", report_integer(scores->without));
	json_object_set_new(o, "unmatched", report_integer(scores->unmatched));
	json_object_set_new(o, "unreadable", report_integer(scores->unreadable));
	json_object_set_new(o, "processed", report_integer(scores->processed));
	return o;
}

json_t *report_scores_json(const struct analysis *a)
{
	json_t *list = json_array();
	for (size_t i = 0; i < a->n_groups; i++) {
		if (a->groups[i].scores.legs > 0) {
			json_array_append_new(list, group(&a->groups[i]));
		}
	}
	return list;
}

json_t *report_k3_json(const struct verdict_figure *f)
{
	if (f->value.n == 0) {
		return json_null();
	}
	json_t *o = report_figure_value(&f->value), *over = report_figure_value(&f->over);
	json_object_set(over, "n", json_object_get(o, "n"));
	json_object_set_new(o, "answers", report_number(f->answers));
	json_object_set_new(o, "clusters", report_integer(f->value.clusters));
	json_object_set_new(o, "floor", report_number(f->floor));
	json_object_set_new(o, "floor_is", json_string(verdict_floor_name(f->from)));
	json_object_set_new(o, "over_floor", over);
	json_object_set_new(o, "least_effect", json_real(f->least_effect));
	return o;
}
