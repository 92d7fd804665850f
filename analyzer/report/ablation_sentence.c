#include "analyzer/report/ablation_sentence.h"

#include <string.h>

#include "base/plural.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

static bool is_main(const json_t *effect)
{
	return !json_is_string(json_object_get(effect, "given"));
}

static const json_t *factor_of(const json_t *ablation, const char *name)
{
	return node_find(json_object_get(ablation, "factors"), "name", name);
}

/* Whether the effect's interval reaches down to 0. */
static bool holds_nothing(const json_t *effect, const char *member)
{
	struct metric_value v;
	return metric_read_member(effect, member, &v) && v.low <= 0;
}

/* "; only with cache warm (4 % [..]), not with cold" */
static void put_given(struct buf *to, const json_t *ablation, const json_t *effect)
{
	const json_t *other = factor_of(ablation, node_text(effect, "given"));
	bool rises = node_number(json_object_get(effect, "flip"), "value") > 0;
	const char *more = rises ? "on" : "off", *less = rises ? "off" : "on";
	buf_printf(to, "; %s with %s %s: ", holds_nothing(effect, less) ? "only" : "more",
	        node_text(effect, "given"), node_text(other, more));
	metric_put_node(to, METRIC_SHARE, json_object_get(effect, more));
	buf_printf(to, ", with %s ", node_text(other, less));
	metric_put_node(to, METRIC_SHARE, json_object_get(effect, less));
}

/* Whether the factor has an effect, in the mean over the other factors' settings or given one of
 * them. */
static bool is_carrier(const json_t *effects, const char *name)
{
	NODE_EACH(each, effects) {
		if (node_flag(each, "found") && node_is(each, "factor", name)) {
			return true;
		}
	}
	return false;
}

static void put_carrier(struct buf *to, const json_t *ablation, const json_t *main)
{
	const char *name = node_text(main, "factor");
	const json_t *factor = factor_of(ablation, name);
	buf_printf(to, "%s%s (%s to %s) causes a difference: above the noise floors, ",
	        to->len ? " " : "", name, node_text(factor, "off"), node_text(factor, "on"));
	metric_put_node(to, METRIC_SHARE, json_object_get(main, "flip"));
	buf_printf(to, " of answers change with it%s",
	        node_flag(main, "found") ? "" : ", on average over the other switches' settings");
	if (node_flag(main, "found") && holds_nothing(main, "flip")) {
		buf_printf(to, " (p %.2g; only %.0f prompts)", node_number(main, "p_adjusted"),
		        node_number(ablation, "prompts"));
	}
	NODE_EACH(each, json_object_get(ablation, "effects")) {
		if (!is_main(each) && node_flag(each, "found") && node_is(each, "factor", name)) {
			put_given(to, ablation, each);
		}
	}
	buf_append_char(to, '.');
}

/* States the largest effect that could have gone undetected. */
static void put_none(struct buf *to, const json_t *effects)
{
	const char *name = "";
	double most = -1;
	NODE_EACH(each, effects) {
		struct metric_value v;
		bool known = is_main(each) && metric_read_member(each, "flip", &v);
		if (known && v.high > most) {
			most = v.high;
			name = node_text(each, "factor");
		}
	}
	buf_append_str(to, "No switch is shown to cause a difference");
	if (most >= 0) {
		buf_printf(to, ", but %s may change up to ", name);
		metric_put(to, METRIC_SHARE, most);
		buf_append_str(to, " of the answers");
	}
	buf_append_char(to, '.');
}

void ablation_sentence(const json_t *ablation, struct buf *to)
{
	const json_t *effects = json_object_get(ablation, "effects");
	size_t before = to->len;
	if (json_array_size(effects) == 0) {
		return;
	}
	if (!node_flag(ablation, "enough")) {
		double prompts = node_number(ablation, "prompts");
		buf_printf(to,
		        "Only %.0f %s can be compared: too few to tell which switch causes a "
		        "difference.",
		        prompts, plural(prompts, "prompt", "prompts"));
		return;
	}
	NODE_EACH(each, effects) {
		if (is_main(each) && is_carrier(effects, node_text(each, "factor"))) {
			put_carrier(to, ablation, each);
		}
	}
	if (to->len == before) {
		put_none(to, effects);
	}
}
