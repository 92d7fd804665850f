#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>

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
	document_put_points(&text, gold_score_shift(c), shift->ci);
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
