#include "analyzer/report/document_forced.h"

#include <math.h>

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
	json_t *o = mean(n, &v[FORCED_LOGPROB]);
	struct interval squares = v[FORCED_LOGPROB_SQUARE].ci;
	struct interval roots = {sqrt(fmax(0, squares.low)), sqrt(fmax(0, squares.high))};
	json_object_set_new(o, "rms", report_number(sqrt(v[FORCED_LOGPROB_SQUARE].value)));
	json_object_set_new(o, "rms_ci95", report_interval(isnan(squares.low) ? squares : roots));
	return o;
}

/* e^-mean: high where the mean is low. */
static json_t *perplexity_interval(const struct estimate *e)
{
	return report_interval((struct interval){exp(-e->ci.high), exp(-e->ci.low)});
}

static json_t *figures(const struct forced_figures *f, const struct estimate *v)
{
	json_t *o = json_object();
	json_object_set_new(o, "answers", report_integer(f->answers));
	json_object_set_new(o, "tokens", report_integer(f->tokens));
	json_object_set_new(
	        o, "positions", report_rate(f->positions, f->tokens, v[FORCED_POSITIONS].ci));
	json_object_set_new(
	        o, "same_top", report_rate(f->top_equal, f->with_top, v[FORCED_SAME_TOP].ci));
	json_object_set_new(o, "logprob", logprob(f->logprob.n, v));
	json_object_set_new(o, "logprob_of_answers", mean(f->of_answers.n, &v[FORCED_OF_ANSWERS]));
	json_object_set_new(o, "k3_score", mean(f->logprob.n, &v[FORCED_K3]));
	json_object_set_new(
	        o, "perplexity", report_number(forced_perplexity(f->answer_sum, f->logprob.n)));
	json_object_set_new(o, "perplexity_ci95", perplexity_interval(&v[FORCED_OWN]));
	json_object_set_new(o, "scorer_perplexity",
	        report_number(forced_perplexity(f->score_sum, f->logprob.n)));
	json_object_set_new(o, "scorer_perplexity_ci95", perplexity_interval(&v[FORCED_SCORER]));
	return o;
}

static json_t *group(const struct forced_group *g)
{
	json_t *o = json_object(), *by = json_object();
	struct forced_figures all = forced_total(g);
	json_object_set_new(o, "scorer", json_string(g->scorer));
	json_object_set_new(o, "of", json_string(g->of));
	json_object_set_new(o, "scorer_role", json_string(role_name(g->scorer_role)));
	json_object_set_new(o, "of_role", json_string(role_name(g->of_role)));
	json_object_set_new(o, "scored", report_integer(g->legs));
	json_object_set_new(o, "all", figures(&all, g->values[N_DECODINGS]));
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->by[d].answers > 0) {
			json_object_set_new(by, decoding_name((enum decoding)d),
			        figures(&g->by[d], g->values[d]));
		}
	}
	json_object_set_new(o, "by_decoding", by);
	json_object_set_new(o, "without_logprobs", report_integer(g->without));
	json_object_set_new(o, "unmatched", report_integer(g->unmatched));
	json_object_set_new(o, "unreadable", report_integer(g->unreadable));
	return o;
}

json_t *report_forced_json(const struct forced *f)
{
	json_t *list = json_array();
	for (size_t i = 0; i < f->n_groups; i++) {
		json_array_append_new(list, group(&f->groups[i]));
	}
	return list;
}
