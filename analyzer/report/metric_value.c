/*
 * The values of metrics: how they are read from a document, and how they are shown.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "base/percent.h"

#define PATH_LIMIT 96

static void read_interval(const json_t *ci, struct metric_value *ret)
{
	const json_t *low = json_array_get(ci, 0), *high = json_array_get(ci, 1);
	double end = json_is_null(high) ? INFINITY : json_number_value(high);
	if (json_array_size(ci) == 2 && json_is_number(low) &&
	        (json_is_number(high) || json_is_null(high)) && json_number_value(low) <= end) {
		ret->low = json_number_value(low);
		ret->high = end;
	}
}

static void read_range(const json_t *node, struct metric_value *v)
{
	struct metric_value low, high;
	if (metric_read_member(node, "at_least", &low) &&
	        metric_read_member(node, "at_most", &high) && low.value <= high.value) {
		v->is_range = true;
		v->value = low.value;
		v->most = high.value;
		v->least_high = low.high;
		v->most_low = high.low;
	}
}

bool metric_is_open(const struct metric_value *v)
{
	return v->is_range && v->most > v->value;
}

void metric_ends(const struct metric_value *v, struct metric_value ret[2])
{
	ret[0] = ret[1] = *v;
	if (v->is_range) {
		ret[0].is_range = ret[1].is_range = false;
		ret[0].high = v->least_high;
		ret[1].value = v->most;
		ret[1].low = v->most_low;
	}
}

void metric_set_ends(json_t *o, const struct metric_value *v)
{
	static const char *const NAMES[] = {"at_least", "at_most"};
	struct metric_value ends[2];
	metric_ends(v, ends);
	for (size_t i = 0; i < ARRAY_LEN(NAMES) && v->is_range; i++) {
		json_object_set_new(o, NAMES[i],
		        json_pack("{s:f, s:o}", "value", ends[i].value, "ci95",
		                node_interval(ends[i].low, ends[i].high)));
	}
}

bool metric_read_node(const json_t *node, const json_t *owner, struct metric_value *ret)
{
	static const char *const MAIN[] = {
	        "value", "rate", "per_1000", "mean", "ratio", "shift_nats"};
	struct metric_value v = {.value = NAN, .low = NAN, .high = NAN, .clusters = NAN};
	v.value = json_is_number(node) ? json_number_value(node) : NAN;
	v.n = node_number(owner, "n");
	for (size_t i = 0; json_is_object(node) && i < ARRAY_LEN(MAIN) && isnan(v.value); i++) {
		v.value = node_number(node, MAIN[i]);
	}
	if (json_is_object(node)) {
		v.n = node_number(node, "n");
		v.clusters = node_number(node, "clusters");
		v.n = isnan(v.n) ? v.clusters : v.n;
		read_interval(json_object_get(node, "ci95"), &v);
		read_range(node, &v);
	}
	if (isnan(v.value)) {
		return false;
	}
	*ret = v;
	return true;
}

bool metric_read_member(const json_t *owner, const char *name, struct metric_value *ret)
{
	return metric_read_node(json_object_get(owner, name), NULL, ret);
}

bool metric_read(const struct metric *m, const json_t *at, struct metric_value *ret)
{
	char owner[PATH_LIMIT];
	if (!m->path) {
		return metric_read_member(json_object_get(at, "figures"), m->name, ret);
	}
	const char *dot = strrchr(m->path, '.');
	snprintf(owner, sizeof(owner), "%.*s", dot ? (int)(dot - m->path) : 0, m->path);
	struct metric_value v;
	if (!metric_read_node(node_at(at, m->path), node_at(at, owner), &v)) {
		return false;
	}
	if (m->per) {
		v.n = node_number(at, m->per);
		if (!(v.n > 0)) {
			return false;
		}
		v.value /= v.n;
	}
	*ret = v;
	return true;
}

void metric_put_percents(struct buf *to, double low, const char *between, double high)
{
	int digits = MAX(percent_decimals(low), percent_decimals(high));
	buf_printf(to, "%.*f%s%.*f", digits, low, between, digits, high);
}

/* The number to show for a share or for points. */
static double percent_of(enum metric_unit unit, double value)
{
	return unit == METRIC_SHARE ? 100 * value : value;
}

static bool is_percent(enum metric_unit unit)
{
	return unit == METRIC_SHARE || unit == METRIC_POINTS;
}

static const char *suffix(enum metric_unit unit)
{
	return unit == METRIC_SHARE ? " %" : unit == METRIC_POINTS ? " points" : "";
}

void metric_put(struct buf *to, enum metric_unit unit, double value)
{
	double size = fabs(value);
	if (size >= 1e12) { /* a document may hold any number */
		buf_printf(to, "%.3g", value);
	} else if (is_percent(unit)) {
		double percent = percent_of(unit, value);
		buf_printf(to, "%.*f%s", percent_decimals(percent), percent, suffix(unit));
	} else if (unit == METRIC_COUNT) {
		buf_printf(to, "%.0f", value);
	} else if (unit == METRIC_MS) {
		buf_printf(to, size >= 100 ? "%.0f ms" : "%.3g ms", value);
	} else {
		buf_printf(to, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.3g", value);
	}
}

void metric_put_interval(struct buf *to, enum metric_unit unit, const struct metric_value *v)
{
	if (isnan(v->low)) {
		return;
	}
	if (is_percent(unit)) {
		metric_put_percents(
		        to, percent_of(unit, v->low), " to ", percent_of(unit, v->high));
	} else {
		metric_put(to, unit, v->low);
		buf_append_str(to, " to ");
		metric_put(to, unit, v->high);
	}
}

void metric_put_value(struct buf *to, enum metric_unit unit, const struct metric_value *v)
{
	if (metric_is_open(v) && is_percent(unit)) {
		metric_put_percents(
		        to, percent_of(unit, v->value), " to ", percent_of(unit, v->most));
		buf_append_str(to, suffix(unit));
	} else {
		metric_put(to, unit, v->value);
	}
	if (!isnan(v->low)) {
		buf_append_str(to, " [");
		metric_put_interval(to, unit, v);
		buf_append_char(to, ']');
	}
}

bool metric_put_node(struct buf *to, enum metric_unit unit, const json_t *node)
{
	struct metric_value v;
	bool known = metric_read_node(node, NULL, &v);
	if (known) {
		metric_put_value(to, unit, &v);
	} else {
		buf_append_char(to, '-');
	}
	return known;
}

/* beside: another number of the same text, which has as many decimals. */
static void put_signed(struct buf *to, enum metric_unit unit, double value, double beside)
{
	double size = fabs(value);
	if (is_percent(unit)) {
		double percent = percent_of(unit, value);
		int digits = percent_decimals(percent_of(unit, beside));
		buf_printf(to, "%+.*f", MAX(digits, percent_decimals(percent)), percent);
	} else {
		buf_printf(to,
		        size >= 1e6 || size < 10 ? "%+.2g"
		        : size >= 100            ? "%+.0f"
		                                 : "%+.1f",
		        value);
	}
}

void metric_put_change(struct buf *to, enum metric_unit unit, const struct metric_value *change)
{
	bool is_open = metric_is_open(change);
	put_signed(to, unit, change->value, is_open ? change->most : change->value);
	if (is_open) {
		buf_append_str(to, " to ");
		put_signed(to, unit, change->most, change->value);
	}
	buf_append_str(to, is_percent(unit) ? " points" : unit == METRIC_MS ? " ms" : "");
	if (!isnan(change->low)) {
		buf_append_str(to, " [");
		put_signed(to, unit, change->low, change->high);
		buf_append_str(to, " to ");
		put_signed(to, unit, change->high, change->low);
		buf_append_char(to, ']');
	}
}
