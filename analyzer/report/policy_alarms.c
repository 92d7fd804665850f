#include "analyzer/report/policy_alarms.h"

#include "analyzer/report/node.h"

static json_t *text(const char *s)
{
	json_t *o = json_string(s);
	return o ? o : json_null();
}

/* Whether it fails the policy. */
static bool note(const struct policy *p, const json_t *group, const struct metric *m,
        const json_t *figure, json_t *list)
{
	struct metric_value v;
	if (!json_is_true(json_object_get(figure, "alarm")) ||
	        !metric_read_node(json_object_get(figure, "excess"), NULL, &v)) {
		return false;
	}
	double least = policy_min_effect(p, m), p_value = node_number(figure, "p");
	bool small = v.value < least, fails = !small && policy_alarms_fail(p);
	json_t *o = json_object();
	json_object_set_new(o, "base", text(node_text(group, "base")));
	json_object_set_new(o, "test", text(node_text(group, "test")));
	json_object_set_new(o, "metric", json_string(m->name));
	json_object_set_new(o, "value", json_real(v.value));
	json_object_set_new(
	        o, "ci95", v.low == v.low ? json_pack("[f, f]", v.low, v.high) : json_null());
	json_object_set_new(o, "p", p_value == p_value ? json_real(p_value) : json_null());
	json_object_set_new(o, "min_effect", json_real(least));
	json_object_set_new(o, "small", json_boolean(small));
	json_object_set_new(o, "counts_as", json_string(fails ? "fail" : "pass"));
	json_array_append_new(list, o);
	return fails;
}

bool policy_alarms_note(const struct policy *p, const json_t *document, json_t *policy)
{
	const json_t *groups = json_object_get(document, "groups");
	json_t *list = json_array();
	bool fails = false;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);
		const json_t *figures = node_at(g, "noise_floor.figures");
		bool floor = json_is_true(json_object_get(g, "is_floor"));
		for (const char *const *name = policy_floor_figures(); *name && !floor; name++) {
			fails |= note(
			        p, g, metric_find(*name), json_object_get(figures, *name), list);
		}
	}
	json_object_set_new(
	        policy, "on_alarm", json_string(policy_alarms_fail(p) ? "fail" : "tell"));
	json_object_set_new(policy, "alarms", list);
	return fails;
}
