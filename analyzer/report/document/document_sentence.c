#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/causes/draws_text.h"
#include "analyzer/report/document/document_values.h"
#include "analyzer/report/document/document_verdict.h"
#include "analyzer/report/metric.h"
#include "base/mem.h"
#include "base/plural.h"

void document_put_count(struct buf *to, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0) {
			buf_append_char(to, ',');
		}
		buf_append_char(to, digits[i]);
	}
}

static bool is_trusted(const struct analysis_group *g)
{
	return (g->base_role == ROLE_REFERENCE && g->test_role != ROLE_REFERENCE) ||
	       (g->base_role == ROLE_PRIMARY && g->test_role == ROLE_CANDIDATE);
}

/* The subject of the sentence: the tested side if the other one is trusted, else both. */
static void put_subject(struct buf *to, const struct analysis_group *g)
{
	if (strcmp(g->test, g->base) == 0) {
		buf_printf(to, "Repeated answers of %s", g->base);
	} else if (!is_trusted(g)) {
		buf_printf(to, "The answers of %s and %s", g->test, g->base);
	} else {
		buf_printf(to, "The answers of %s", g->test);
	}
}

/* Whether the cause changes the probabilities of tokens, so that it explains differences of scores
 * and of sampled answers, too. */
static bool changes_probabilities(const struct cause *c)
{
	static const uint32_t kinds = 1u << CAUSE_BOS | 1u << CAUSE_TEMPLATE |
	                              1u << CAUSE_TRUNCATED | 1u << CAUSE_SYSTEM |
	                              1u << CAUSE_PROMPT_TOKENS | 1u << CAUSE_UNLIKE;
	return c->by_scores || kinds >> c->kind & 1;
}

/* Sampled texts differ by chance, so how many of them a cause explains does not matter. What the
 * scores show comes first, then the order of enum cause_kind. */
static const struct cause *main_cause_of_sampled(const struct cause_list *l)
{
	const struct cause *first = NULL;
	for (size_t i = 0; i < l->n; i++) {
		const struct cause *c = &l->items[i];
		bool better = !first || (c->by_scores && !first->by_scores) ||
		              (c->by_scores == first->by_scores && c->kind < first->kind);
		if (changes_probabilities(c) && better) {
			first = c;
		}
	}
	return first;
}

/* The cause that explains most of the greedy answers that differ. */
static const struct cause *main_cause_of_greedy(const struct cause_list *l)
{
	const struct cause *most = NULL;
	for (size_t i = 0; i < l->n; i++) {
		const struct cause *c = &l->items[i];
		if (c->greedy_n > 0 && (!most || c->greedy_n > most->greedy_n)) {
			most = c;
		}
	}
	return most;
}

const struct cause *document_main_cause(const struct analysis_group *g, const struct verdict *v)
{
	bool sampled = v->decided_by == VERDICT_K3 || !group_has(g, DECODING_GREEDY);
	const struct cause *most = v->proven;
	if (!most && sampled && v->word != VERDICT_SAME) {
		most = main_cause_of_sampled(&g->found);
	}
	return most ? most : main_cause_of_greedy(&g->found);
}

/* One kind of pairs that were left out. */
static void put_kind(struct buf *to, uint64_t n, const char *what, const char *name)
{
	if (n > 0) {
		buf_printf(to, "%s%" PRIu64 " %s%s", to->len ? ", " : "", n, what, name);
	}
}

static char *kinds_of(const struct analysis_group *g)
{
	const struct left_out *l = &g->left_out;
	const uint64_t *errors = l->pairs[LEFT_OUT_ERROR], *cuts = l->pairs[LEFT_OUT_CUT];
	struct buf text = {0};
	put_kind(&text, errors[SIDE_BASE], "with an error from ", g->base);
	put_kind(&text, errors[SIDE_TEST], "with an error from ", g->test);
	put_kind(&text, cuts[SIDE_BASE], "with an answer that was cut or failed, of ", g->base);
	put_kind(&text, cuts[SIDE_TEST], "with an answer that was cut or failed, of ", g->test);
	put_kind(
	        &text, left_out_pairs(l, LEFT_OUT_UNFINISHED), "without a known finish reason", "");
	put_kind(&text, left_out_pairs(l, LEFT_OUT_UNREADABLE), "that can't be read", "");
	put_kind(&text, left_out_pairs(l, LEFT_OUT_UNREAD),
	        "with content that plumbline does not read", "");
	put_kind(&text, left_out_pairs(l, LEFT_OUT_UNRECORDED), "without a recorded body", "");
	put_kind(&text, left_out_pairs(l, LEFT_OUT_METADATA), "without a recorded text", "");
	return buf_steal(&text);
}

static char *why_uncompared(const struct analysis_group *g)
{
	uint64_t n = group_pairs(g), out = left_out_total(&g->left_out);
	if (n == 0 && out == 0) {
		return xstrdup("no two answers could be compared");
	}
	char *kinds = kinds_of(g);
	struct buf text = {0};
	if (n == 0) {
		buf_printf(&text, "%s %" PRIu64 " %s left out (%s)", plural(out, "the", "all"), out,
		        plural(out, "pair was", "pairs were"), kinds);
	} else if (g->sums[DECODING_UNLIKE].pairs == n) {
		buf_printf(&text,
		        "the two sides decoded with different parameters (pairs: %" PRIu64 ")", n);
	} else if (g->sums[DECODING_UNKNOWN].pairs == n) {
		buf_printf(&text,
		        "%s %" PRIu64
		        " %s requested without a temperature, so the engines may draw tokens at "
		        "random",
		        plural(n, "the", "all"), n, plural(n, "answer was", "answers were"));
	} else {
		buf_printf(&text,
		        "no pair of %" PRIu64
		        " was decoded greedily with the same parameters on both sides",
		        n);
	}
	if (n > 0 && out > 0) {
		buf_printf(&text, ", and %" PRIu64 " more %s left out (%s)", out,
		        plural(out, "was", "were"), kinds);
	}
	free(kinds);
	return buf_steal(&text);
}

void document_put_own_draws(
        struct buf *to, const char *before, const struct draws *d, const char *backend)
{
	uint64_t draws = 0;
	bool enough = false;
	for (size_t i = 0; d && i < d->n_groups; i++) {
		const struct draws_group *g = &d->groups[i];
		if (strcmp(g->backend, backend) != 0) {
			continue;
		}
		for (size_t f = 0; f < N_DRAWS_FINDINGS; f++) {
			if (draws_finding_is_there(g, (enum draws_finding)f)) {
				return;
			}
		}
		draws += g->found.draws;
		enough |= g->found.tests[DRAWS_FINDING_CALIBRATION].state != DRAWS_TOO_FEW;
	}
	if (draws > 0) {
		buf_printf(to, "%s%s's own ", before, backend);
		document_put_count(to, draws);
		buf_append_str(to, enough ? " draws fit the probabilities that it states"
		                          : " draws are too few to show a fault");
	}
}

/* What one side's own answers prove; else what the test's draws show. */
static void put_own_answers(struct buf *to, const struct analysis_group *g, const struct verdict *v)
{
	const struct cause *c = v->proven;
	if (c) {
		buf_printf(to, "; %s's own answers show %s",
		        c->side == CAUSE_OF_BASE ? g->base : g->test, c->phrase);
	} else {
		document_put_own_draws(to, "; ", g->draws, g->test);
	}
}

/* The result for sampled answers: their meaning and scores count, with an interval over prompts
 * and seeds. That their texts differ means nothing. */
static char *sampled_result(const struct analysis_group *g, const struct verdict *v)
{
	const struct figure_value *values = g->values[DECODING_SAMPLED];
	const struct figure_value *changed = &values[FIGURE_ANSWER_CHANGED],
	                          *shift = &values[FIGURE_SCORE_SHIFT];
	struct buf text = {0};
	put_subject(&text, g);
	buf_append_str(&text, " were sampled: in ");
	document_put_count(&text, g->sums[DECODING_SAMPLED].pairs);
	size_t prompts = values[FIGURE_DIFFER].clusters;
	buf_printf(&text, " %s over %zu %s",
	        plural(g->sums[DECODING_SAMPLED].pairs, "pair", "pairs"), prompts,
	        plural(prompts, "prompt", "prompts"));
	size_t seeds = clusters_count(g->sums[DECODING_SAMPLED].crossing.seeds);
	if (seeds > 0) {
		buf_printf(&text, ", with the same %zu %s on both sides,", seeds,
		        plural(seeds, "seed", "seeds"));
	}
	if (isnan(changed->value)) {
		buf_append_str(&text, " whether the meaning changed could not be decided");
	} else {
		buf_append_str(&text, " the meaning changed in ");
		document_put_value(&text, METRIC_SHARE, changed);
	}
	if (!isnan(shift->value)) {
		buf_append_str(&text, ", and right answers moved by ");
		document_put_change(&text, METRIC_POINTS, shift->value, shift->ci);
		if (!isnan(shift->ci.low)) {
			bool shown = shift->ci.low > 0 || shift->ci.high < 0;
			buf_append_str(&text, shown ? "" : ", not shown to be other than 0");
		}
	}
	buf_append_str(&text, "; chance has a part in this");
	if (!v->proven && g->scores.processed == 0 && draws_may_be_scored(g->draws, g->test)) {
		buf_append_str(&text, ", and scores of the tokens would decide");
	}
	put_own_answers(&text, g, v);
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

/* The sentence if one side's own draws decide and the other's do not show the same. */
static char *drawn_otherwise(const struct analysis_group *g, const struct cause *c)
{
	bool base = c->side == CAUSE_OF_BASE;
	if (g->is_floor) {
		return xasprintf("%s's own answers show %s.", g->test, c->phrase);
	}
	return xasprintf("%s's own answers show %s; those of %s do not.", base ? g->base : g->test,
	        c->phrase, base ? g->test : g->base);
}

/* The sentence if there are only scored tokens, and the stated logprobs are of other
 * probabilities than the scores. */
static char *scored_otherwise(const struct analysis_group *g, const struct verdict *v)
{
	struct buf text = {0};
	buf_printf(&text,
	        "The probabilities that %s states can't be compared with those of %s: they are, or "
	        "may be, after temperature, cuts or penalties",
	        g->test, g->base);
	put_own_answers(&text, g, v);
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

/* The sentence for pairs whose texts decide nothing; only scores of their tokens could. */
static char *uncompared(const struct analysis_group *g, const struct verdict *v)
{
	struct buf text = {0};
	if (v->proven && v->proven->by_draws) {
		return drawn_otherwise(g, v->proven);
	}
	char *reason = why_uncompared(g);
	put_subject(&text, g);
	buf_printf(&text,
	        group_pairs(g) > 0 ? " can't be compared yet: %s" : " can't be judged: %s", reason);
	free(reason);
	put_own_answers(&text, g, v);
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

static void put_floor(
        struct buf *to, const struct analysis_group *g, const struct verdict_figure *f)
{
	/* A floor from repeated prompts is compared only with answers to the same prompts. */
	uint64_t pairs = g->excess.pairs[EXCESS_BETWEEN];
	bool of_some = pairs > 0 && pairs < g->sums[DECODING_GREEDY].pairs;
	if (f->from == VERDICT_FLOOR_MEASURED && of_some) {
		buf_append_str(to, "; in the ");
		document_put_count(to, pairs);
		buf_append_str(to, " pairs with a noise floor, ");
		document_put_change(to, METRIC_SHARE, f->over.value, f->over.ci);
		buf_append_str(to, " over it");
	} else if (f->from == VERDICT_FLOOR_MEASURED) {
		buf_append_str(to, ", ");
		document_put_change(to, METRIC_SHARE, f->over.value, f->over.ci);
		buf_append_str(to, " over the noise floor");
	} else if (f->from == VERDICT_FLOOR_EXPECTED) {
		buf_append_str(to, "; rounding alone would change about ");
		metric_put(to, METRIC_SHARE, f->floor);
	}
}

/* Explains why the figure leads to this verdict and no other. */
static void put_reason(struct buf *to, const struct verdict *v, enum verdict_figure_kind kind)
{
	const struct verdict_figure *f = &v->figures[kind];
	bool k3 = kind == VERDICT_K3;
	double least = k3 ? f->least_effect : 100 * f->least_effect;
	const char *unit = k3 ? "" : " %";
	bool above = k3 ? !(f->value.ci.high < f->least_effect) : f->value.value > f->least_effect;
	bool few = (k3 && f->value.clusters < VERDICT_SCORE_CLUSTERS) ||
	           (f->from == VERDICT_FLOOR_UNKNOWN && !above && isnan(v->needed));
	if (v->word == VERDICT_SAME) {
		buf_printf(to, ": less than the least effect of %.3g%s", least, unit);
	} else if (v->word == VERDICT_DIFFERENT) {
		if (k3) {
			buf_printf(to, ", more than the least effect of %.3g", least);
		}
	} else if (f->from == VERDICT_FLOOR_UNKNOWN && above) {
		buf_append_str(to, "; without a noise floor this may be run-to-run noise");
	} else if (isnan(f->over.ci.low) || few) {
		buf_append_str(to, "; these are too few for a verdict");
	} else if (v->needed <= VERDICT_NEEDED_MOST) {
		buf_append_str(to, "; about ");
		document_put_count(to, (uint64_t)document_rounded(v->needed));
		buf_printf(to, " answers would show whether that is more than %.3g%s", least, unit);
	} else if (f->from == VERDICT_FLOOR_EXPECTED && f->over.value > 2 * f->least_effect) {
		buf_append_str(to, "; the estimate of the noise floor is too rough to decide");
	} else {
		buf_printf(to, "; that is too close to the least effect of %.3g%s to decide", least,
		        unit);
	}
}

/* " k3 0.0123 [0.01 to 0.015] nats per token over 6,826 tokens of 60 answers that trusted
 * scored" */
static void put_k3(struct buf *to, const struct analysis_group *g, const struct verdict *v)
{
	const struct verdict_figure *f = &v->figures[VERDICT_K3];
	buf_append_str(to, " k3 ");
	document_put_value(to, METRIC_NUMBER, &f->value);
	buf_append_str(to, " nats per token over ");
	document_put_count(to, (uint64_t)f->value.n);
	buf_printf(to, " token%s of ", plural((uint64_t)f->value.n, "", "s"));
	document_put_count(to, (uint64_t)f->answers);
	buf_printf(to, " answer%s that %s scored", plural(f->answers, "", "s"), g->base);
	if (f->from == VERDICT_FLOOR_MEASURED && f->over.value <= 0) {
		buf_append_str(to, ", not above the noise floor");
	} else if (f->from == VERDICT_FLOOR_MEASURED) {
		buf_append_str(to, ", ");
		document_put_value(to, METRIC_NUMBER, &f->over);
		buf_append_str(to, " over the noise floor");
	}
}

/* The sentence if a cause is proven and tokens were scored: a fault in drawing does not show in
 * the stated probabilities, nor the reverse. */
static char *proven_and_scored(const struct analysis_group *g, const struct verdict *v)
{
	const struct cause *c = v->proven;
	struct buf text = {0};
	buf_printf(&text, "%s's own answers show %s. The probabilities that %s states differ by",
	        c->side == CAUSE_OF_BASE ? g->base : g->test, c->phrase, g->test);
	put_k3(&text, g, v);
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

/* The result of scores, if greedy answers decided nothing or agree with it. */
static char *scored_result(const struct analysis_group *g, const struct verdict *v)
{
	struct buf text = {0};
	if (v->proven) {
		return proven_and_scored(g, v);
	}
	put_subject(&text, g);
	if (g->is_floor) {
		buf_append_str(&text, ", scored by their own engine, have");
	} else if (is_trusted(g)) {
		buf_printf(&text, " differ from the probabilities of %s by", g->base);
	} else {
		buf_append_str(&text, " differ by");
	}
	put_k3(&text, g, v);
	put_reason(&text, v, VERDICT_K3);
	for (size_t i = 0; i < g->found.n; i++) {
		if (g->found.items[i].by_scores) {
			buf_printf(&text, "; they show %s", g->found.items[i].phrase);
		}
	}
	buf_append_char(&text, '.');
	return buf_steal(&text);
}

/* Adds that the noise of one side alone explains an excess over the mean of both floors. */
static void put_noisy_side(struct buf *to, const struct analysis_group *g, const struct verdict *v)
{
	const struct estimate *by = g->excesses[EXCESS_DIFFER].by;
	enum excess_pair noisy = excess_noisy_side(&g->excess, g->excesses);
	bool of_base = noisy == EXCESS_OF_BASE;
	if (noisy == EXCESS_BETWEEN || v->word != VERDICT_DIFFERENT || v->proven) {
		return;
	}
	buf_printf(to, " %s differs from itself in ", of_base ? g->base : g->test);
	metric_put(to, METRIC_SHARE, by[noisy].value);
	buf_printf(to, ", %s in ", of_base ? g->test : g->base);
	metric_put(to, METRIC_SHARE, by[of_base ? EXCESS_OF_TEST : EXCESS_OF_BASE].value);
	buf_printf(to, ": the run-to-run noise of %s alone explains this difference.",
	        of_base ? g->base : g->test);
}

char *document_sentence(const struct analysis_group *g, const struct verdict *v)
{
	const struct pair_sums *m = &g->sums[DECODING_GREEDY];
	const struct interval *ci = &g->values[DECODING_GREEDY][FIGURE_DIFFER].ci;
	uint64_t differ = m->pairs - m->equal;
	struct buf text = {0};
	if (verdict_has(v, VERDICT_K3) && v->decided_by == VERDICT_K3) {
		return scored_result(g, v);
	}
	if (g->legs == 0 && g->scores.processed > 0) {
		return scored_otherwise(g, v);
	}
	if (m->pairs == 0) {
		return group_has(g, DECODING_SAMPLED) ? sampled_result(g, v) : uncompared(g, v);
	}
	put_subject(&text, g);
	buf_append_str(&text, " differ");
	if (is_trusted(g)) {
		buf_printf(&text, " from those of %s", g->base);
	} else if (strcmp(g->test, g->base) == 0) {
		buf_append_str(&text, " from the first ones");
	}
	const struct metric_value share = {
	        .value = (double)differ / (double)m->pairs, .low = ci->low, .high = ci->high};
	buf_append_str(&text, " in ");
	metric_put_value(&text, METRIC_SHARE, &share);
	buf_append_str(&text, " of ");
	document_put_count(&text, m->pairs);
	buf_printf(&text, " greedy answer%s", plural(m->pairs, "", "s"));
	if (differ > 0) {
		put_floor(&text, g, &v->figures[VERDICT_DIFFER]);
	}
	put_reason(&text, v, VERDICT_DIFFER);
	buf_append_char(&text, '.');
	put_noisy_side(&text, g, v);
	if (verdict_has(v, VERDICT_K3)) {
		buf_append_str(&text, " Sampled answers:");
		put_k3(&text, g, v);
		buf_append_char(&text, '.');
	}
	return buf_steal(&text);
}
