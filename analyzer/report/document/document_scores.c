#include "analyzer/report/document/document_parts.h"

#include <math.h>
#include <stdio.h>

#include "analyzer/report/document/document_values.h"
#include "backends/scoring/scorer.h"

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
