#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <math.h>

#include "analyzer/report/document/document_values.h"
#include "base/buf.h"
#include "base/plural.h"

json_t *document_sampled(const struct analysis_group *g)
{
	const struct two_sample *t = &g->sampled;
	if (t->prompts + t->unpaired == 0) {
		return json_null();
	}
	double p = two_sample_p(t);
	json_t *o = json_object();
	node_set_text(o, "method", "mmd_hamming_words");
	node_set_count(o, "prompts", t->prompts);
	node_set_count(o, "prompts_with_too_few", t->unpaired);
	node_set_count(o, "base_answers", t->base_answers);
	node_set_count(o, "test_answers", t->test_answers);
	node_set_number(o, "mmd2", two_sample_distance(t));
	json_object_set_new(o, "permutations", json_integer(TWO_SAMPLE_PERMUTATIONS));
	node_set_number(o, "p", p);
	node_set_flag(o, "alarm", p < TWO_SAMPLE_ALPHA);
	return o;
}

json_t *document_openings(const struct analysis_group *g)
{
	const struct openings *found = &g->openings;
	if (found->n == 0) {
		return json_null();
	}
	json_t *o = json_object();
	node_set_count(o, "n", found->n);
	for (size_t f = 0; f < N_OPENINGS; f++) {
		json_object_set_new(o, opening_name((enum opening_figure)f),
		        document_clustered(&found->values[f], 1));
	}
	return o;
}

static void put_test(struct buf *text, const struct two_sample *t, size_t seeds)
{
	double p = two_sample_p(t);
	if (seeds > 0) {
		buf_printf(text, " both sides drew with the same seeds, so they can't be tested as "
		                 "two samples.");
		return;
	}
	if (isnan(p)) {
		buf_printf(text, " no prompt was answered twice by each side, so they can't be "
		                 "tested as a whole.");
		return;
	}
	buf_printf(text, " of %" PRIu64 " %s with several answers a side, ", t->prompts,
	        plural(t->prompts, "prompt", "prompts"));
	if (p < TWO_SAMPLE_ALPHA) {
		buf_printf(text, "the answers come from two distributions");
	} else {
		buf_printf(text, "nothing shows that the answers come from two distributions");
	}
	buf_printf(text, " (p %.2g by %d permutations of each).", p, TWO_SAMPLE_PERMUTATIONS);
}

static void put_seeds(struct buf *text, size_t seeds, const struct figure_value *differ)
{
	if (differ->seeds > 0) {
		buf_printf(text, " Intervals are over %zu %s and %zu %s.", differ->clusters,
		        plural(differ->clusters, "prompt", "prompts"), differ->seeds,
		        plural(differ->seeds, "seed", "seeds"));
	} else if (seeds > 0 && seeds < CROSSING_LEAST) {
		buf_printf(text,
		        " Intervals are over prompts alone: %zu seed%s too little about other "
		        "seeds.",
		        seeds, plural(seeds, " says", "s say"));
	}
}

char *document_sampled_sentence(const struct analysis_group *g)
{
	if (g->sums[DECODING_SAMPLED].pairs == 0) {
		return NULL;
	}
	struct buf text = {0};
	size_t seeds = clusters_count(g->sums[DECODING_SAMPLED].crossing.seeds);
	buf_printf(&text, "Sampled:");
	put_test(&text, &g->sampled, seeds);
	put_seeds(&text, seeds, &g->values[DECODING_SAMPLED][FIGURE_DIFFER]);
	const struct estimate *tv = g->openings.values, *high = tv + OPENING_TV_HIGH;
	tv += OPENING_TV_LOW;
	if (g->openings.n > 0 && !isnan(tv->value)) {
		buf_printf(&text,
		        " At the first token, where both engines read the same text, their "
		        "probabilities differ by %.3f to %.2f (total variation, mean of %" PRIu64
		        ").",
		        tv->value, high->value, g->openings.n);
	}
	return buf_steal(&text);
}
