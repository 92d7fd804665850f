#include "analyzer/report/document/document_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "base/mem.h"

json_t *document_full_sentence(char *text)
{
	size_t n = strlen(text);
	char *full = xasprintf("%s%s", text, n > 0 && text[n - 1] == '.' ? "" : ".");
	json_t *s = node_string(full);
	free(full);
	free(text);
	return s;
}

const char *document_p(double p, char text[DOCUMENT_P_SIZE])
{
	snprintf(text, DOCUMENT_P_SIZE, p < 1e-4 ? "p < 0.0001" : "p %.2g", p);
	return text;
}

double document_rounded(double n)
{
	double unit = n >= 100 ? pow(10, floor(log10(n)) - 1) : 1;
	return ceil(n / unit) * unit;
}

json_t *document_quantile(const struct histogram *h, double q)
{
	return h->n ? json_real((double)histogram_quantile(h, q)) : json_null();
}

json_t *document_integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

json_t *document_interval(struct interval i)
{
	return node_interval(i.low, i.high);
}

static json_t *end_of(double value, struct interval ci)
{
	return json_pack("{s:o, s:o}", "value", node_real(value), "ci95", document_interval(ci));
}

static void set_range(
        json_t *o, double least, struct interval least_ci, double most, struct interval most_ci)
{
	struct interval all = {least_ci.low, most_ci.high};
	json_object_set_new(o, "ci95", document_interval(all));
	json_object_set_new(o, "at_least", end_of(least, least_ci));
	json_object_set_new(o, "at_most", end_of(most, most_ci));
}

void document_set_most(json_t *o, const struct estimate *least, const struct estimate *most)
{
	set_range(o, least->value, least->ci, most->value, most->ci);
}

void document_put_value(struct buf *to, enum metric_unit unit, const struct figure_value *v)
{
	const struct metric_value shown = {.value = v->value,
	        .low = v->ci.low,
	        .high = v->ci.high,
	        .is_range = v->is_range,
	        .most = v->most};
	metric_put_value(to, unit, &shown);
}

void document_put_change(struct buf *to, enum metric_unit unit, double value, struct interval ci)
{
	const struct metric_value change = {.value = value, .low = ci.low, .high = ci.high};
	metric_put_change(to, unit, &change);
}

json_t *document_rate(uint64_t hits, uint64_t n, struct interval ci)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "n", document_integer(n), "count",
	        document_integer(hits), "rate",
	        n ? node_real((double)hits / (double)n) : json_null(), "ci95",
	        n ? document_interval(ci) : json_null());
}

json_t *document_figure_value(const struct figure_value *v)
{
	json_t *o = json_pack("{s:o, s:o, s:o}", "n", document_integer((uint64_t)v->n), "value",
	        node_real(v->value), "ci95", document_interval(v->ci));
	if (v->is_range) {
		set_range(o, v->value, v->least_ci, v->most, v->most_ci);
	}
	return o;
}

json_t *document_estimate(const struct estimate *e)
{
	return end_of(e->value, e->ci);
}

json_t *document_clustered(const struct estimate *e, double scale)
{
	json_t *o =
	        end_of(e->value * scale, (struct interval){e->ci.low * scale, e->ci.high * scale});
	node_set_count(o, "clusters", e->clusters);
	return o;
}

json_t *document_counted(const struct estimate *e, double scale, double n)
{
	json_t *o = document_clustered(e, scale);
	node_set_count(o, "n", (uint64_t)n);
	return o;
}

json_t *document_name_counts(const struct name_counts *c)
{
	json_t *o = json_object();
	for (size_t i = 0; i < c->n; i++) {
		node_set_count(o, c->items[i].name, c->items[i].n);
	}
	return o;
}
