/*
 * Right answers, and the verdicts of judge models.
 */
#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyzer/report/document/document_values.h"
#include "analyzer/report/metric.h"
#include "base/buf.h"
#include "base/plural.h"

/* The pairs that nobody graded are also in the limitations. */
static void put_ungraded(struct buf *to, uint64_t n, uint64_t known)
{
	if (n > 0 && n <= known) {
		buf_printf(to, " (%" PRIu64 " of them %s to be graded)", n, plural(n, "is", "are"));
	}
	buf_append_char(to, '.');
}

char *document_gold_sentence(const struct analysis_group *g)
{
	const struct gold_counts *c = &g->sums[DECODING_GREEDY].meanings.gold;
	const struct figure_value *shift = &g->values[DECODING_GREEDY][FIGURE_SCORE_SHIFT];
	uint64_t known = gold_known(c), n = gold_judged(c);
	if (known == 0) {
		return NULL;
	}
	struct buf text = {0};
	if (n == 0) {
		buf_printf(&text,
		        "Right answers are known for %" PRIu64
		        " %s, but plumbline could not judge both answers of any pair",
		        known, plural(known, "pair", "pairs"));
		put_ungraded(&text, g->causes.counts.ungraded, known);
		return buf_steal(&text);
	}
	buf_printf(&text, "Right answers: %s ", g->base);
	metric_put(&text, METRIC_SHARE, (double)gold_base_right(c) / (double)n);
	buf_printf(&text, ", %s ", g->test);
	metric_put(&text, METRIC_SHARE, (double)gold_test_right(c) / (double)n);
	buf_printf(&text, " of %" PRIu64 ", ", n);
	document_put_change(&text, METRIC_POINTS, gold_score_shift(c), shift->ci);
	buf_printf(&text,
	        "; %" PRIu64 " broke, %" PRIu64 " were fixed, %" PRIu64 " are right and %" PRIu64
	        " wrong on both sides (McNemar p %.2g).",
	        gold_broke(c), gold_fixed(c), c->by[GOLD_RIGHT][GOLD_RIGHT],
	        c->by[GOLD_WRONG][GOLD_WRONG], gold_p(c));
	if (c->by_library > 0) {
		buf_printf(&text, " Math-Verify graded %" PRIu64 " of these pairs.", c->by_library);
	}
	if (known > n) {
		buf_printf(&text, " %" PRIu64 " more can't be judged.", known - n);
	}
	return buf_steal(&text);
}

json_t *document_gold(const struct gold_counts *c, struct interval shift)
{
	uint64_t n = gold_judged(c);
	double judged = n ? (double)n : NAN;
	json_t *o = json_object();
	node_set_count(o, "known", gold_known(c));
	node_set_count(o, "judged", n);
	node_set_count(o, "graded_by_math_verify", c->by_library);
	node_set_count(o, "both_right", c->by[GOLD_RIGHT][GOLD_RIGHT]);
	node_set_count(o, "both_wrong", c->by[GOLD_WRONG][GOLD_WRONG]);
	node_set_count(o, "broke", gold_broke(c));
	node_set_count(o, "fixed", gold_fixed(c));
	node_set_number(o, "base_score", (double)gold_base_right(c) / judged);
	node_set_number(o, "test_score", (double)gold_test_right(c) / judged);
	node_set_number(o, "score_shift", gold_score_shift(c));
	json_object_set_new(o, "score_shift_ci95", document_interval(shift));
	node_set_number(o, "mcnemar_p", gold_p(c));
	return o;
}

static uint64_t sum(const uint64_t ends[N_OPINION_ENDS])
{
	uint64_t n = 0;
	for (size_t i = 0; i < N_OPINION_ENDS; i++) {
		n += ends[i];
	}
	return n;
}

static void set_counts(json_t *o, const uint64_t ends[N_OPINION_ENDS])
{
	for (size_t i = 0; i < N_OPINION_ENDS; i++) {
		node_set_count(o, opinion_end_name((enum opinion_end)i), ends[i]);
	}
}

static json_t *agreement(const struct judge_opinions *j)
{
	const struct opinion_agreement *a = &j->agreement;
	json_t *o = json_object(), *same = json_object(), *changed = json_object();
	set_counts(same, j->checks[0]);
	set_counts(changed, j->checks[1]);
	node_set_count(o, "asked", sum(j->checks[0]) + sum(j->checks[1]));
	json_object_set_new(o, "ladder_same", same);
	json_object_set_new(o, "ladder_changed", changed);
	node_set_count(o, "n", a->n);
	node_set_count(o, "agree", a->agree);
	json_object_set_new(
	        o, "rate", a->n ? node_real((double)a->agree / (double)a->n) : json_null());
	json_object_set_new(o, "ci95", a->n ? document_interval(a->ci) : json_null());
	node_set_number(o, "kappa", a->kappa);
	json_object_set_new(o, "kappa_ci95", document_interval(a->kappa_ci));
	return o;
}

static json_t *judge(const struct judge_opinions *j)
{
	json_t *o = json_object(), *changed = document_figure_value(&j->with_judge);
	node_set_count(changed, "clusters", j->with_judge.clusters);
	node_set_text(changed, "rests_on", "answers");
	node_set_text(o, "name", j->name);
	node_set_text(o, "model", judge_opinions_model(j));
	node_set_count(o, "other_models", judge_opinions_other_models(j));
	node_set_count(o, "asked", sum(j->undecided));
	set_counts(o, j->undecided);
	node_set_count(o, "unfinished", j->unfinished);
	node_set_count(o, "unclear_replies", j->unclear);
	json_object_set_new(o, "answer_changed_with_judge", changed);
	json_object_set_new(o, "agreement_with_ladder", agreement(j));
	return o;
}

json_t *document_opinions(const struct opinions *o)
{
	json_t *list = json_array();
	for (size_t i = 0; i < o->n; i++) {
		json_array_append_new(list, judge(&o->judges[i]));
	}
	return list;
}

static void put_agreement(struct buf *to, const struct opinion_agreement *a)
{
	if (a->n == 0) {
		buf_append_str(to, "; whether it agrees with plumbline's rules was not checked");
		return;
	}
	buf_printf(to,
	        "; it agrees with plumbline's rules in %" PRIu64 " of %" PRIu64 " checked pairs",
	        a->agree, a->n);
	if (!isnan(a->kappa)) {
		buf_printf(to, ", kappa %.2f [%.2f to %.2f]", a->kappa, a->kappa_ci.low,
		        a->kappa_ci.high);
	}
}

char *document_opinions_sentence(const struct judge_opinions *j)
{
	const uint64_t *ends = j->undecided;
	const struct figure_value *v = &j->with_judge;
	struct buf to = {0};
	const char *model = judge_opinions_model(j);
	bool named = model && strcmp(model, j->name) != 0;
	buf_printf(&to, "A judge (%s%s%s", j->name, named ? ", " : "", named ? model : "");
	buf_printf(&to,
	        ") was asked about %" PRIu64 " of the undecided: %" PRIu64 " the same, %" PRIu64
	        " different, %" PRIu64 " it could not tell, %" PRIu64 " depended on the order",
	        sum(ends), ends[OPINION_END_SAME], ends[OPINION_END_DIFFERENT],
	        ends[OPINION_END_CANNOT_TELL], ends[OPINION_END_ORDER_DEPENDENT]);
	put_agreement(&to, &j->agreement);
	if (!isnan(v->value)) {
		buf_append_str(&to, ". With its verdicts the meaning changed in ");
		document_put_value(&to, METRIC_SHARE, v);
		buf_printf(&to, " of %.0f", v->n);
	}
	buf_append_char(&to, '.');
	return buf_steal(&to);
}
