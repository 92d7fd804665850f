#include <math.h>

#include "analyzer/report_forced.h"

#define INTERVAL_MIN 10 /* answers; of fewer the mean's spread tells nothing */

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *rate(uint64_t hits, uint64_t n)
{
	json_t *o = json_object();
	struct interval i = stats_wilson(hits, n);
	json_object_set_new(o, "n", integer(n));
	json_object_set_new(o, "count", integer(hits));
	json_object_set_new(o, "rate", n ? number((double)hits / (double)n) : json_null());
	json_object_set_new(o, "ci95", n ? json_pack("[f,f]", i.low, i.high) : json_null());
	return o;
}

static json_t *logprob(const struct moments *m)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", integer(m->n));
	json_object_set_new(o, "mean", number(moments_mean(m)));
	json_object_set_new(o, "rms", number(moments_rms(m)));
	return o;
}

/* The answers are independent of each other, their tokens are not. */
static json_t *of_answers(const struct moments *m)
{
	json_t *o = json_object();
	double n = (double)m->n, mean = moments_mean(m);
	json_object_set_new(o, "n", integer(m->n));
	json_object_set_new(o, "mean", number(mean));
	if (m->n >= INTERVAL_MIN) {
		double variance = fmax(0, (m->squares - n * mean * mean) / (n - 1));
		double half = 1.96 * sqrt(variance / n);
		json_object_set_new(o, "ci95", json_pack("[f,f]", mean - half, mean + half));
	} else {
		json_object_set_new(o, "ci95", json_null());
	}
	return o;
}

static json_t *figures(const struct forced_figures *f)
{
	json_t *o = json_object();
	json_object_set_new(o, "answers", integer(f->answers));
	json_object_set_new(o, "tokens", integer(f->tokens));
	json_object_set_new(o, "positions", rate(f->positions, f->tokens));
	json_object_set_new(o, "same_top", rate(f->top_equal, f->with_top));
	json_object_set_new(o, "logprob", logprob(&f->logprob));
	json_object_set_new(o, "logprob_of_answers", of_answers(&f->of_answers));
	json_object_set_new(
	        o, "perplexity", number(forced_perplexity(f->answer_sum, f->logprob.n)));
	json_object_set_new(
	        o, "scorer_perplexity", number(forced_perplexity(f->score_sum, f->logprob.n)));
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
	json_object_set_new(o, "scored", integer(g->legs));
	json_object_set_new(o, "all", figures(&all));
	for (size_t d = 0; d < N_DECODINGS; d++) {
		if (g->by[d].answers > 0) {
			json_object_set_new(
			        by, decoding_name((enum decoding)d), figures(&g->by[d]));
		}
	}
	json_object_set_new(o, "by_decoding", by);
	json_object_set_new(o, "without_logprobs", integer(g->without));
	json_object_set_new(o, "unmatched", integer(g->unmatched));
	json_object_set_new(o, "unreadable", integer(g->unreadable));
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
