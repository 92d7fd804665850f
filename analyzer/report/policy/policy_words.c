#include "analyzer/report/policy/policy_words.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "analyzer/report/metric.h"
#include "base/plural.h"

static enum metric_unit unit_of(const json_t *verdict)
{
	return metric_unit_of(node_text(verdict, "metric"));
}

void policy_words_sides(const json_t *v, struct buf *to)
{
	const char *test = node_text(v, "test"), *base = node_text(v, "base");
	if (*test || *base) {
		buf_append_str(to, *test ? test : "any");
	}
	const struct metric *m = metric_find(node_text(v, "metric"));
	if ((*test || *base) && !(m && metric_is_one_sided(m))) {
		buf_printf(to, " against %s", *base ? base : "any");
	}
}

void policy_words_subject(const json_t *v, struct buf *to)
{
	buf_append_str(to, node_text(v, "metric"));
	if (node_flag(v, "excess")) {
		buf_append_str(to, " over the noise floor");
	}
	if (node_is(v, "judged", "count")) {
		const char *judge = node_text(v, "judge");
		buf_printf(to, "%s%s%s", *judge ? " with the verdicts of the judge model " : "",
		        judge, *judge ? "" : " (no judge model was asked)");
	}
	const struct metric *m = metric_find(node_text(v, "metric"));
	const char *split = node_text(v, "split");
	struct buf sides = {0};
	if ((!m || metric_is_per_decoding(m)) && strcmp(split, "greedy") != 0) {
		buf_printf(to, " (%s)", split);
	}
	policy_words_sides(v, &sides);
	if (sides.len > 0) {
		buf_printf(to, ", %s", buf_cstr(&sides));
	}
	buf_finish(&sides);
	if (*node_text(v, "slice_of")) {
		buf_printf(to, ", %s %s", node_text(v, "slice_of"), node_text(v, "slice"));
	}
}

void policy_words_measured(const json_t *v, struct buf *to)
{
	struct metric_value value;
	double min = node_number(v, "min"), max = node_number(v, "max");
	if (!metric_read_node(v, NULL, &value)) {
		buf_append_str(to, "not known");
		return;
	}
	/* A share near its limit has so many decimals that it does not look like the limit. */
	double off = fmin(fabs(value.value - (isnan(min) ? max : min)),
	        fabs(value.value - (isnan(max) ? min : max)));
	if (unit_of(v) != METRIC_SHARE || value.is_range || !(off > 1e-8 && off < 0.001)) {
		metric_put_value(to, unit_of(v), &value);
		return;
	}
	/* slightly above 100, so that a rounding error in `off` adds no decimal */
	int decimals = (int)ceil(-log10(100.1 * off));
	buf_printf(to, "%.*f %%", decimals, 100 * value.value);
	if (!isnan(value.low)) {
		buf_append_str(to, " [");
		metric_put_interval(to, METRIC_SHARE, &value);
		buf_append_char(to, ']');
	}
}

void policy_words_limit(const json_t *v, struct buf *to)
{
	double min = node_number(v, "min"), max = node_number(v, "max");
	if (!isnan(min) && !isnan(max)) {
		buf_append_str(to, "from ");
		metric_put(to, unit_of(v), min);
		buf_append_str(to, " to ");
		metric_put(to, unit_of(v), max);
	} else {
		buf_append_str(to, isnan(min) ? "at most " : "at least ");
		metric_put(to, unit_of(v), isnan(min) ? max : min);
	}
}

void policy_words_alarm(const json_t *alarm, struct buf *to)
{
	struct metric_value v;
	policy_words_sides(alarm, to);
	buf_printf(to, ": %s is ", node_text(alarm, "metric"));
	if (metric_read_node(alarm, NULL, &v)) {
		metric_put_value(to, unit_of(alarm), &v);
	}
	buf_append_str(to, " above the noise floor, more than chance explains");
	if (node_flag(alarm, "small")) {
		buf_append_str(to, ", but less than the least effect of ");
		metric_put(to, unit_of(alarm), node_number(alarm, "min_effect"));
	}
}

void policy_words_summary(const json_t *policy, struct buf *to)
{
	const json_t *rules = json_object_get(policy, "rules");
	size_t n = json_array_size(rules), fail = 0, short_of = 0, undecided = 0;
	size_t alarms = 0;
	NODE_EACH(each, json_object_get(policy, "alarms")) {
		alarms += node_is(each, "counts_as", "fail");
	}
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(rules, i);
		const char *as = node_text(v, "counts_as");
		undecided += node_is(v, "result", "undecided");
		fail += strcmp(as, "fail") == 0;
		short_of += strcmp(as, "not-enough") == 0;
	}
	if (fail > 0) {
		buf_printf(to, "fails in %zu of %zu checks", fail, n);
	} else if (alarms > 0) {
		buf_append_str(to, "fails");
	} else if (short_of == 0) {
		buf_printf(to,
		        undecided > 0 ? "fails in none of %zu %s"
		        : n > 1       ? "passes in all %zu %s"
		                      : "passes in %zu %s",
		        n, plural(n, "check", "checks"));
	} else {
		buf_printf(to, "is undecided in %zu of %zu checks", undecided, n);
		undecided = 0;
	}
	if (undecided > 0) {
		buf_printf(to, "; %zu %s undecided%s", undecided, plural(undecided, "is", "are"),
		        fail == 0 && alarms == 0 ? " and counted as passed" : "");
	}
	if (alarms > 0) {
		buf_printf(to, "; %zu alarm%s", alarms, plural(alarms, "", "s"));
	}
}
