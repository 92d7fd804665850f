#include "analyzer/report/document_forced.h"

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
	json_t *o = mean(n, &v[FORCED_LOGPROB]);
	struct interval squares = v[FORCED_LOGPROB_SQUARE].ci;
	struct interval roots = {sqrt(fmax(0, squares.low)), sqrt(fmax(0, squares.high))};
	json_object_set_new(o, "rms", report_number(sqrt(v[FORCED_LOGPROB_SQUARE].value)));
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

static json_t *split(const struct forced_split *s)
{
	json_t *o = json_object();
	const struct estimate *v = s->values;
	json_object_set_new(o, "answers", report_integer(s->answers));
	json_object_set_new(o, "tokens", report_integer(s->tokens));
	json_object_set_new(
	        o, "positions", report_rate(s->positions, s->tokens, v[FORCED_POSITIONS].ci));
	json_object_set_new(
	        o, "same_top", report_rate(s->tops_equal, s->tops, v[FORCED_SAME_TOP].ci));
	json_object_set_new(o, "logprob", logprob(s->logprobs, v));
	json_object_set_new(o, "logprob_of_answers", mean(s->means, &v[FORCED_OF_ANSWERS]));
	json_object_set_new(o, "k3_score", mean(s->logprobs, &v[FORCED_K3]));
	set_perplexity(o, "perplexity", &v[FORCED_OWN]);
	set_perplexity(o, "scorer_perplexity", &v[FORCED_SCORER]);
	return o;
}

static json_t *group(const struct forced_group *g)
{
	json_t *o = json_object(), *by = json_object();
	json_object_set_new(o, "scorer", json_string(g->scorer));
	json_object_set_new(o, "of", json_string(g->of));
	json_object_set_new(o, "scorer_role", json_string(role_name(g->scorer_role)));
	json_object_set_new(o, "of_role", json_string(role_name(g->of_role)));
	json_object_set_new(o, "scored", report_integer(g->legs));
	json_object_set_new(o, "all", split(&g->splits[N_DECODINGS]));
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->splits[d].answers > 0) {
			json_object_set_new(
			        by, decoding_name((enum decoding)d), split(&g->splits[d]));
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
