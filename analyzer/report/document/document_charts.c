#include "analyzer/report/document/document_parts.h"

#include <math.h>

#include "analyzer/report/document/document_values.h"
#include "analyzer/stats/proportion.h"

#define ECDF_STEPS 100

static json_t *short_real(double value, double scale)
{
	return isfinite(value) ? json_real(round(value * scale) / scale) : json_null();
}

static json_t *over_time(const struct timeline *t)
{
	json_t *list = json_array();
	for (size_t i = 0; i < t->n; i++) {
		const struct timeline_bin *s = &t->bins[i];
		json_array_append_new(
		        list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "from",
		                      document_integer(s->number << t->shift), "n",
		                      document_integer(s->n), "differ", document_integer(s->differ),
		                      "changed", document_integer(s->changed), "rate",
		                      node_real((double)s->differ / (double)s->n), "ci95",
		                      document_interval(proportion_rate(s->differ, s->n))));
	}
	return json_pack("{s:o, s:o}", "width_s", document_integer(UINT64_C(1) << t->shift),
	        "stretches", list);
}

/* The values at 0, 1/100, ... 1 of the distribution. */
static json_t *quantiles(const struct signed_histogram *h)
{
	json_t *list = json_array();
	for (size_t i = 0; i <= ECDF_STEPS && signed_histogram_count(h) > 0; i++) {
		double value = signed_histogram_quantile(h, (double)i / ECDF_STEPS);
		json_array_append_new(list, short_real(value, 1e6));
	}
	return list;
}

static json_t *gaps(const struct analysis_group *g, const struct scatter *s)
{
	const struct first_scale scale = {g->sigma, g->first_verdict.threshold};
	json_t *list = json_array();
	for (size_t i = 0; i < s->kept; i++) {
		const struct scatter_point *p = &s->points[i];
		char id[ID_TEXT_SIZE];
		json_array_append_new(
		        list, json_pack("{s:o, s:o, s:b, s:b, s:s, s:s}", "base",
		                      short_real((double)p->x, 1e4), "test",
		                      short_real((double)p->y, 1e4), "base_censored",
		                      (p->marks & CHART_BASE_CENSORED) != 0, "test_censored",
		                      (p->marks & CHART_TEST_CENSORED) != 0, "verdict",
		                      first_verdict_name(charts_verdict(p, &scale)), "exchange",
		                      id_format(p->exchange, id)));
	}
	return json_pack("{s:o, s:o}", "n", document_integer(s->n), "points", list);
}

static json_t *lengths(const struct scatter *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->kept; i++) {
		const struct scatter_point *p = &s->points[i];
		char id[ID_TEXT_SIZE];
		json_array_append_new(list,
		        json_pack("{s:o, s:o, s:b, s:s}", "base", document_integer((uint64_t)p->x),
		                "test", document_integer((uint64_t)p->y), "differ",
		                (p->marks & CHART_DIFFER) != 0, "exchange",
		                id_format(p->exchange, id)));
	}
	return json_pack("{s:o, s:o}", "n", document_integer(s->n), "points", list);
}

json_t *document_charts(const struct analysis_group *g, enum decoding d)
{
	const struct charts *c = &g->charts[d];
	return json_pack("{s:o, s:o, s:o, s:o}", "over_time", over_time(&c->timeline), "delta_lp",
	        quantiles(&g->sums[d].delta_lp), "gaps", gaps(g, &c->gaps), "lengths",
	        lengths(&c->lengths));
}
