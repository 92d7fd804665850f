#include "analyzer/report/policy_check.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "analyzer/report/policy_alarms.h"

/* One rule at one place of the document. */
struct check {
	const struct policy_rule *rule;
	const char *base, *test; /* NULL: of the whole capture, or of no group */
	const char *slice;       /* NULL: of no slice */
	bool known;              /* v is set */
	struct metric_value v;
	const char *lack;  /* why it is not, if there is a reason better than "no data" */
	const char *judge; /* NULL: none's verdicts are counted */
	bool small;        /* beyond the limit, but by less than the minimum effect */
};

enum decision { PASSES, FAILS, UNDECIDED };

static const char *const RESULTS[] = {"pass", "fail", "not-enough"};

/* null also for what is not UTF-8. */
static json_t *text(const char *s)
{
	json_t *o = s ? json_string(s) : NULL;
	return o ? o : json_null();
}

static bool beyond(const struct policy_rule *r, double low, double high)
{
	return low > r->max || high < r->min;
}

/* Beyond the limit, yet by too little to matter. */
static bool is_small(const struct policy_rule *r, double value)
{
	double far = value > r->max ? value - r->max : value < r->min ? r->min - value : 0;
	return far < r->min_effect;
}

static char *why_small(const char *how, const struct policy_rule *r)
{
	struct buf why = {0};
	buf_printf(&why, "%s, but by less than the minimum effect of ", how);
	metric_put(&why, r->metric->unit, r->min_effect);
	return buf_steal(&why);
}

static enum decision fail_unless_small(
        struct check *t, const struct metric_value *v, const char *how, char **ret_why)
{
	bool small = is_small(t->rule, v->value);
	t->small |= small;
	*ret_why = small ? why_small(how, t->rule) : xstrdup(how);
	return small ? PASSES : FAILS;
}

static bool within(const struct policy_rule *r, double low, double high)
{
	return !(high > r->max) && !(low < r->min);
}

/* One end of the figure, or all of it. *ret_why: on the heap. */
static enum decision decide_end(struct check *t, const struct metric_value *v, char **ret_why)
{
	const struct policy_rule *r = t->rule;
	if (r->confidence == POLICY_ESTIMATE) {
		if (beyond(r, v->value, v->value)) {
			return fail_unless_small(t, v, "beyond the limit", ret_why);
		}
		*ret_why = xstrdup("within the limit");
		return PASSES;
	}
	if (isnan(v->low)) {
		*ret_why = xstrdup("too few for an interval");
		return UNDECIDED;
	}
	if (beyond(r, v->low, v->high)) {
		return fail_unless_small(t, v, "the whole interval is beyond the limit", ret_why);
	}
	if (within(r, v->low, v->high)) {
		*ret_why = xstrdup("the whole interval is within the limit");
		return PASSES;
	}
	*ret_why = xstrdup("the interval holds the limit");
	return r->confidence == POLICY_BEYOND ? PASSES : UNDECIDED;
}

/* A range is decided where both ends are decided alike. *ret_why: on the heap. */
static enum decision decide(struct check *t, char **ret_why)
{
	const struct policy_rule *r = t->rule;
	struct metric_value ends[2];
	if (!t->known) {
		*ret_why = xstrdup(t->lack ? t->lack : "the analysis has no data for it");
		return UNDECIDED;
	}
	if (t->v.n < r->minimum_n) {
		*ret_why = xasprintf("n is %.0f, fewer than %.0f", t->v.n, r->minimum_n);
		return UNDECIDED;
	}
	metric_ends(&t->v, ends);
	enum decision least = decide_end(t, &ends[0], ret_why);
	if (!t->v.is_range) {
		return least;
	}
	char *why_most = NULL;
	enum decision most = decide_end(t, &ends[1], &why_most);
	if (least == most) {
		free(why_most);
		return least;
	}
	t->small = false;
	char *why_least = *ret_why;
	*ret_why = xasprintf("at the least: %s; at the most: %s", why_least, why_most);
	free(why_least);
	free(why_most);
	return UNDECIDED;
}

static enum policy_result counts_as(enum decision d, const struct policy_rule *r)
{
	if (d == UNDECIDED) {
		return r->undecided == POLICY_PASS   ? POLICY_RESULT_PASS
		       : r->undecided == POLICY_FAIL ? POLICY_RESULT_FAIL
		                                     : POLICY_RESULT_NOT_ENOUGH;
	}
	return d == FAILS ? POLICY_RESULT_FAIL : POLICY_RESULT_PASS;
}

struct results {
	json_t *results;
	enum policy_result worst;
};

static void add_result(struct results *c, struct check *t)
{
	static const char *const DECISIONS[] = {"pass", "fail", "undecided"};
	const struct policy_rule *r = t->rule;
	char *why = NULL;
	t->small = false;
	enum decision d = decide(t, &why);
	enum policy_result as = counts_as(d, r);
	bool has_ci = t->known && !isnan(t->v.low);
	json_t *o = json_object();
	json_object_set_new(o, "name", text(r->name));
	json_object_set_new(o, "metric", json_string(r->metric->name));
	json_object_set_new(o, "unit", json_string(metric_unit_name(r->metric->unit)));
	json_object_set_new(o, "excess", json_boolean(r->excess));
	json_object_set_new(o, "split", json_string(r->split));
	json_object_set_new(o, "base", text(t->base));
	json_object_set_new(o, "test", text(t->test));
	json_object_set_new(o, "slice_of", text(r->slice_of));
	json_object_set_new(o, "slice", text(t->slice));
	json_object_set_new(o, "min", node_real(r->min));
	json_object_set_new(o, "max", node_real(r->max));
	json_object_set_new(o, "confidence", text(policy_confidence_name(r->confidence)));
	json_object_set_new(o, "minimum_n", node_real(r->minimum_n));
	json_object_set_new(o, "undecided", text(policy_undecided_name(r->undecided)));
	json_object_set_new(o, "min_effect", node_real(r->min_effect));
	json_object_set_new(o, "small", json_boolean(t->small));
	json_object_set_new(o, "judged", text(policy_checkd_name(r->judged)));
	json_object_set_new(o, "judge", text(t->judge));
	json_object_set_new(o, "n", node_real(t->known ? t->v.n : NAN));
	json_object_set_new(o, "value", node_real(t->known ? t->v.value : NAN));
	json_object_set_new(
	        o, "ci95", has_ci ? json_pack("[f, f]", t->v.low, t->v.high) : json_null());
	if (t->known) {
		metric_set_ends(o, &t->v);
	}
	json_object_set_new(o, "result", json_string(DECISIONS[d]));
	json_object_set_new(o, "counts_as", json_string(RESULTS[as]));
	json_object_set_new(o, "why", text(why));
	json_array_append_new(c->results, o);
	/* A failure outweighs what is not known. */
	if (as == POLICY_RESULT_FAIL || c->worst == POLICY_RESULT_PASS) {
		c->worst = as;
	}
	free(why);
}

/* A document of an earlier program does not tell it; then all pairs are. */
static double n_of(const json_t *figure, double pairs)
{
	double n = node_number(figure, "n");
	return isnan(n) ? pairs : n;
}

static void of_slices(struct results *c, struct check *t, const json_t *group)
{
	const struct policy_rule *r = t->rule;
	const json_t *kind = json_object_get(json_object_get(group, "slices"), r->slice_of);
	const json_t *values = json_object_get(kind, "values");
	bool any = false;
	for (size_t i = 0; i < json_array_size(values); i++) {
		const json_t *slice = json_array_get(values, i);
		t->slice = node_text(slice, "value");
		if (r->slice && strcmp(r->slice, t->slice) != 0) {
			continue;
		}
		any = true;
		const json_t *figure = json_object_get(slice, r->metric->name);
		t->known = metric_read_node(figure, NULL, &t->v);
		t->v.n = n_of(figure, node_number(slice, "pairs"));
		add_result(c, t);
	}
	if (!any) {
		t->slice = r->slice;
		t->known = false;
		t->lack = "the analysis has no such slice";
		add_result(c, t);
	}
}

static void read_excess(struct check *t, const json_t *group)
{
	const json_t *floor = json_object_get(group, "noise_floor");
	const json_t *figure =
	        json_object_get(json_object_get(floor, "figures"), t->rule->metric->name);
	t->known = metric_read_node(json_object_get(figure, "excess"), NULL, &t->v);
	t->lack = "there is no noise floor to take off";
	t->v.n = n_of(json_object_get(figure, "between"), node_number(floor, "pairs"));
}

static const json_t *split_of(const json_t *at, const char *split)
{
	return json_object_get(json_object_get(at, "by_decoding"), split);
}

/* With the verdicts of each judge by itself; without a judge the figure is the ladder's alone. */
static void of_judges(struct results *c, struct check *t, const json_t *split)
{
	const json_t *judges = json_object_get(split, "judges");
	size_t n = json_array_size(judges);
	for (size_t i = 0; i < n; i++) {
		const json_t *judge = json_array_get(judges, i);
		t->judge = node_text(judge, "name");
		t->known = metric_read_node(
		        json_object_get(judge, "answer_changed_with_judge"), NULL, &t->v);
		add_result(c, t);
	}
	if (n == 0) {
		t->known = metric_read(t->rule->metric, split, &t->v);
		add_result(c, t);
	}
}

static void of_group(struct results *c, const struct policy_rule *r, const json_t *group)
{
	struct check t = {
	        .rule = r,
	        .base = node_text(group, "base"),
	        .test = node_text(group, "test"),
	};
	if (r->slice_of) {
		of_slices(c, &t, group);
		return;
	}
	if (r->judged == POLICY_JUDGED_COUNT) {
		of_judges(c, &t, split_of(group, r->split));
		return;
	}
	if (r->excess) {
		read_excess(&t, group);
	} else if (r->metric->place == METRIC_OF_GROUP) {
		t.known = metric_read(r->metric, group, &t.v);
	} else {
		const json_t *split = split_of(group, r->split);
		t.known = metric_read(r->metric, split, &t.v);
		t.lack = split ? NULL : "no answers were decoded so";
	}
	add_result(c, &t);
}

/* A name, a pattern of one, or a role. */
static bool is_meant(const char *wish, const char *name, const char *role)
{
	return !wish || strcmp(wish, name) == 0 || strcmp(wish, role) == 0 ||
	       fnmatch(wish, name, 0) == 0;
}

static bool is_floor(const json_t *group)
{
	return json_is_true(json_object_get(group, "is_floor"));
}

static void nothing_fits(struct results *c, const struct policy_rule *r, const char *lack)
{
	struct check t = {
	        .rule = r,
	        .base = r->base,
	        .test = r->test,
	        .slice = r->slice,
	        .lack = lack,
	};
	add_result(c, &t);
}

static void of_groups(struct results *c, const struct policy_rule *r, const json_t *document)
{
	const json_t *groups = json_object_get(document, "groups");
	bool trials = false, any = false;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		trials |= !is_floor(json_array_get(groups, i));
	}
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);
		/* What an engine differs from itself is checked only where there is nothing else. */
		bool kind = r->of_floors ? is_floor(g) : !trials || !is_floor(g);
		if (kind && is_meant(r->base, node_text(g, "base"), node_text(g, "base_role")) &&
		        is_meant(r->test, node_text(g, "test"), node_text(g, "test_role"))) {
			of_group(c, r, g);
			any = true;
		}
	}
	if (!any) {
		nothing_fits(c, r, "the analysis has no such pair of backends");
	}
}

static void of_scores(struct results *c, const struct policy_rule *r, const json_t *document)
{
	const json_t *groups = json_object_get(document, "teacher_forced");
	bool any = false;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);
		struct check t = {
		        .rule = r,
		        .base = node_text(g, "scorer"),
		        .test = node_text(g, "of"),
		};
		if (is_meant(r->base, t.base, node_text(g, "scorer_role")) &&
		        is_meant(r->test, t.test, node_text(g, "of_role"))) {
			t.known = metric_read(r->metric, split_of(g, r->split), &t.v);
			add_result(c, &t);
			any = true;
		}
	}
	if (!any) {
		nothing_fits(c, r, "the analysis has no such pair of backends");
	}
}

static void of_traffic(struct results *c, const struct policy_rule *r, const json_t *document)
{
	const json_t *backends = node_at(document, "traffic.backends");
	bool any = false;
	for (size_t i = 0; i < json_array_size(backends); i++) {
		const json_t *b = json_array_get(backends, i);
		struct check t = {.rule = r, .test = node_text(b, "backend")};
		if (is_meant(r->test, t.test, node_text(b, "role"))) {
			t.known = metric_read(r->metric, b, &t.v);
			add_result(c, &t);
			any = true;
		}
	}
	if (!any) {
		nothing_fits(c, r, "the analysis has no traffic of such a backend");
	}
}

enum policy_result policy_check(const struct policy *p, json_t *document)
{
	struct results c = {json_array(), POLICY_RESULT_PASS};
	for (size_t i = 0; i < policy_size(p); i++) {
		const struct policy_rule *r = policy_rule(p, i);
		if (r->metric->place == METRIC_OF_DOCUMENT) {
			struct check t = {.rule = r};
			t.known = metric_read(r->metric, document, &t.v);
			add_result(&c, &t);
		} else if (r->metric->place == METRIC_OF_SCORES) {
			of_scores(&c, r, document);
		} else if (r->metric->place == METRIC_OF_TRAFFIC) {
			of_traffic(&c, r, document);
		} else {
			of_groups(&c, r, document);
		}
	}
	json_t *o = json_object();
	if (policy_alarms_note(p, document, o)) {
		c.worst = POLICY_RESULT_FAIL;
	}
	json_object_set_new(o, "file", text(policy_name(p)));
	json_object_set_new(o, "result", json_string(RESULTS[c.worst]));
	json_object_set_new(o, "rules", c.results);
	json_object_set_new(document, "policy", o);
	return c.worst;
}

enum policy_result policy_result_of(const json_t *document)
{
	const json_t *policy = json_object_get(document, "policy");
	if (!policy) {
		return POLICY_RESULT_PASS;
	}
	const char *result = node_text(policy, "result");
	return strcmp(result, "pass") == 0   ? POLICY_RESULT_PASS
	       : strcmp(result, "fail") == 0 ? POLICY_RESULT_FAIL
	                                     : POLICY_RESULT_NOT_ENOUGH;
}
