#include "analyzer/fold/rollout.h"

#include <math.h>

void rollout_add(struct rollout *r, const struct score_row *row)
{
	r->by_basis[row->basis]++;
	if (!score_basis_is_drawn(row->basis) || row->aligned == 0) {
		return;
	}
	r->tokens += row->aligned;
	r->outside += row->ratios_outside;
	r->delta_max = fmax(r->delta_max, row->delta_max);
	signed_histogram_merge(&r->log_ratios, &row->log_ratios);
	for (size_t i = 0; i < SCORE_SPANS; i++) {
		r->spans[i].n += row->sizes_at[i].n;
		exact_sum_add(&r->spans[i].sizes, row->sizes_at[i].sum);
		exact_sum_add(&r->spans[i].k3, row->k3_at[i].sum);
	}
	struct clusters *c = clusters_of(&r->clusters, N_ROLLOUT_COLUMNS);
	uint32_t at = clusters_row(c, row->exchange.cluster);
	double n = (double)row->aligned;
	clusters_add(c, at, ROLLOUT_DELTA, row->delta_sizes, n);
	clusters_add(c, at, ROLLOUT_K1, -row->delta, n);
	clusters_add(c, at, ROLLOUT_K3, row->k3, n);
	clusters_add(c, at, ROLLOUT_RATIO, row->ratios, n);
	clusters_add(c, at, ROLLOUT_RATIO_SQUARE, row->ratio_squares, n);
	double cut = SCORE_LOG_RATIO_LIMIT;
	double ratio = exp(fmax(-cut, fmin(row->delta, cut)));
	log_histogram_add(&r->answer_deltas, row->delta_sizes / n);
	signed_histogram_add(&r->answer_log_ratios, row->delta);
	exact_sum_add(&r->answer_ratios, ratio);
	exact_sum_add(&r->answer_ratio_squares, ratio * ratio);
}

void rollout_settle(struct rollout *r)
{
	clusters_estimate_each(r->clusters, N_ROLLOUT_FIGURES, r->values);
}

void rollout_finish(struct rollout *r)
{
	clusters_destroy(r->clusters);
}

/* (sum r)^2 / (n sum r^2) */
static double kish(double sum, double squares, double n)
{
	return n > 0 && squares > 0 ? sum * sum / (n * squares) : NAN;
}

double rollout_sample_size(const struct rollout *r)
{
	struct ratio ratios = clusters_total(r->clusters, ROLLOUT_RATIO);
	double squares = clusters_total(r->clusters, ROLLOUT_RATIO_SQUARE).part;
	return kish(ratios.part, squares, ratios.whole);
}

double rollout_sample_size_of_answers(const struct rollout *r)
{
	return kish(exact_sum_value(&r->answer_ratios), exact_sum_value(&r->answer_ratio_squares),
	        (double)log_histogram_count(&r->answer_deltas));
}
