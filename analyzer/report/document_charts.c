#include "analyzer/report/document_charts.h"

#include <math.h>

#include "analyzer/report/document_values.h"

#define ECDF_STEPS 100

static json_t *short_real(double value, double scale)
{
	return isfinite(value) ? json_real(round(value * scale) / scale) : json_null();
}

static json_t *over_time(const struct timeline *t)
{
	json_t *o = json_object(), *list = json_array();
	for (size_t i = 0; i < t->n; i++) {
		const struct timeline_stretch *s = &t->stretches[i];
		json_t *each = json_object();
		json_object_set_new(each, "from", report_integer(s->number << t->log2_width));
		json_object_set_new(each, "n", report_integer(s->n));
		json_object_set_new(each, "differ", report_integer(s->differ));
		json_object_set_new(each, "changed", report_integer(s->changed));
		json_array_append_new(list, each);
	}
	json_object_set_new(o, "width_s", report_integer(timeline_width(t)));
	json_object_set_new(o, "stretches", list);
	return o;
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
	json_t *o = json_object(), *list = json_array();
	for (size_t i = 0; i < s->kept; i++) {
		const struct scatter_point *p = &s->points[i];
		char id[ID_TEXT_SIZE];
		json_t *each = json_object();
		json_object_set_new(each, "base", short_real((double)p->x, 1e4));
		json_object_set_new(each, "test", short_real((double)p->y, 1e4));
		json_object_set_new(
		        each, "base_censored", json_boolean(p->marks & CHART_BASE_CENSORED));
		json_object_set_new(
		        each, "test_censored", json_boolean(p->marks & CHART_TEST_CENSORED));
		json_object_set_new(each, "verdict",
		        json_string(first_verdict_name(charts_verdict(p, &scale))));
		json_object_set_new(each, "exchange", json_string(id_format(p->exchange, id)));
		json_array_append_new(list, each);
	}
	json_object_set_new(o, "n", report_integer(s->n));
	json_object_set_new(o, "points", list);
	return o;
}

static json_t *lengths(const struct scatter *s)
{
	json_t *o = json_object(), *list = json_array();
	for (size_t i = 0; i < s->kept; i++) {
		const struct scatter_point *p = &s->points[i];
		char id[ID_TEXT_SIZE];
		json_t *each = json_object();
		json_object_set_new(each, "base", report_integer((uint64_t)p->x));
		json_object_set_new(each, "test", report_integer((uint64_t)p->y));
		json_object_set_new(each, "differ", json_boolean(p->marks & CHART_DIFFER));
		json_object_set_new(each, "exchange", json_string(id_format(p->exchange, id)));
		json_array_append_new(list, each);
	}
	json_object_set_new(o, "n", report_integer(s->n));
	json_object_set_new(o, "points", list);
	return o;
}

json_t *report_charts_json(const struct analysis_group *g, enum decoding d)
{
	const struct charts *c = &g->charts[d];
	json_t *o = json_object();
	json_object_set_new(o, "over_time", over_time(&c->timeline));
	json_object_set_new(o, "delta_lp", quantiles(&g->tallies[d].delta_lp));
	json_object_set_new(o, "gaps", gaps(g, &c->gaps));
	json_object_set_new(o, "lengths", lengths(&c->lengths));
	return o;
}
