#include "analyzer/report/policy/policy_check.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/policy/accepted.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"

/* The check of one rule at one place of the document. */
struct check {
	const struct policy_rule *rule;
	const char *base, *test; /* NULL: the rule concerns the whole capture, or no group */
	const char *slice;       /* NULL: of no slice */
	bool known;              /* v is set */
	struct metric_value v;
	const char *lack;  /* why v is not known, if there is a better reason than "no data" */
	const char *judge; /* the judge whose verdicts are counted; NULL: no judge's */
	bool small;        /* beyond the limit, but by less than the least effect */
};

enum decision { PASSES, FAILS, UNDECIDED };

static const char *const RESULTS[] = {"pass", "fail", "not-enough"};

static bool beyond(const struct policy_rule *r, double low, double high)
{
	return low > r->max || high < r->min;
}

/* Beyond the limit, yet by too little to matter. */
static bool is_small(const struct policy_rule *r, double value)
{
	double far = value > r->max ? value - r->max : value < r->min ? r->min - value : 0;
	return far < r->least_effect;
}

static enum decision fail_unless_small(
        struct check *t, const struct metric_value *v, const char *how, char **ret_why)
{
	bool small = is_small(t->rule, v->value);
	struct buf why = {0};
	buf_append_str(&why, how);
	if (small) {
		buf_append_str(&why, ", but by less than the least effect of ");
		metric_put(&why, t->rule->metric->unit, t->rule->least_effect);
	}
	t->small |= small;
	*ret_why = buf_steal(&why);
	return small ? PASSES : FAILS;
}

static bool within(const struct policy_rule *r, double low, double high)
{
	return !(high > r->max) && !(low < r->min);
}

/* Checks one end of a range, or a figure that is no range. *ret_why: on the heap. */
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
	*ret_why = xstrdup("the interval contains the limit");
	return r->confidence == POLICY_BEYOND ? PASSES : UNDECIDED;
}

/* A range is decided if both of its ends give the same decision. *ret_why: on the heap. */
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
	*ret_why = xasprintf("its lower end: %s; its upper end: %s", why_least, why_most);
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
	bool all_accepted; /* every difference between greedy answers */
};

/* Whether every difference that the figure counts is accepted: the figure would be 0 without
 * differences between greedy answers. */
static bool is_accepted(const struct results *c, const struct metric *m)
{
	static const char *const NAMES[] = {
	        "differ", "text_differs", "answer_changed", "tool_calls_differ", "hazard", NULL};
	return c->all_accepted && span_is_one_of(span_of(m->name), NAMES);
}

/* Whether accepted differences alone keep the rule from passing. */
static bool is_excused(const struct results *c, const struct check *t)
{
	const struct policy_rule *r = t->rule;
	return is_accepted(c, r->metric) && !r->of_floors && strcmp(r->split, "greedy") == 0 &&
	       t->known && t->v.n >= r->minimum_n;
}

static void add_result(struct results *c, struct check *t)
{
	static const char *const DECISIONS[] = {"pass", "fail", "undecided"};
	const struct policy_rule *r = t->rule;
	char *why = NULL;
	t->small = false;
	enum decision d = decide(t, &why);
	enum policy_result as = counts_as(d, r);
	if (as != POLICY_RESULT_PASS && is_excused(c, t)) {
		char *alone = why;
		as = POLICY_RESULT_PASS;
		why = xasprintf("%s, but every difference is accepted", alone);
		free(alone);
	}
	json_t *o = json_object();
	node_set_text(o, "name", r->name);
	node_set_text(o, "metric", r->metric->name);
	node_set_text(o, "unit", metric_unit_name(r->metric->unit));
	node_set_flag(o, "excess", r->excess);
	node_set_text(o, "split", r->split);
	node_set_text(o, "base", t->base);
	node_set_text(o, "test", t->test);
	node_set_text(o, "slice_of", r->slice_of);
	node_set_text(o, "slice", t->slice);
	node_set_number(o, "min", r->min);
	node_set_number(o, "max", r->max);
	node_set_text(o, "confidence", POLICY_CONFIDENCES[r->confidence]);
	node_set_number(o, "minimum_n", r->minimum_n);
	node_set_text(o, "undecided", POLICY_UNDECIDED[r->undecided]);
	node_set_number(o, "min_effect", r->least_effect); /* its old name */
	node_set_flag(o, "small", t->small);
	node_set_text(o, "judged", POLICY_JUDGED[r->judged]);
	node_set_text(o, "judge", t->judge);
	node_set_number(o, "n", t->known ? t->v.n : NAN);
	node_set_number(o, "value", t->known ? t->v.value : NAN);
	json_object_set_new(o, "ci95", t->known ? node_interval(t->v.low, t->v.high) : json_null());
	if (t->known) {
		metric_set_ends(o, &t->v);
	}
	node_set_text(o, "result", DECISIONS[d]);
	node_set_text(o, "counts_as", RESULTS[as]);
	node_set_text(o, "why", why);
	json_array_append_new(c->results, o);
	/* A failure outweighs an undecided result. */
	if (as == POLICY_RESULT_FAIL || c->worst == POLICY_RESULT_PASS) {
		c->worst = as;
	}
	free(why);
}

/* A document from an earlier version lacks n; then n is the number of pairs. */
static double n_of(const json_t *figure, double pairs)
{
	double n = node_number(figure, "n");
	return isnan(n) ? pairs : n;
}

static void of_slices(struct results *c, struct check *t, const json_t *group)
{
	const struct policy_rule *r = t->rule;
	const json_t *kind = json_object_get(json_object_get(group, "slices"), r->slice_of);
	bool any = false;
	NODE_EACH(slice, json_object_get(kind, "values")) {
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
	t->known = metric_read_member(figure, "excess", &t->v);
	t->lack = "there is no noise floor to subtract";
	t->v.n = n_of(json_object_get(figure, "between"), node_number(floor, "pairs"));
}

/* Checks the rule with the verdicts of each judge separately; without a judge, the figure is the
 * ladder's alone. */
static void of_judges(struct results *c, struct check *t, const json_t *split)
{
	const json_t *judges = json_object_get(split, "judges");
	size_t n = json_array_size(judges);
	for (size_t i = 0; i < n; i++) {
		const json_t *judge = json_array_get(judges, i);
		t->judge = node_text(judge, "name");
		t->known = metric_read_member(judge, "answer_changed_with_judge", &t->v);
		add_result(c, t);
	}
	if (n == 0) {
		t->known = metric_read(t->rule->metric, split, &t->v);
		add_result(c, t);
	}
}

/* A list of the document: its items have figures, of two sides or one. */
struct figures_list {
	const char *list;
	const char *base, *base_role; /* members of the document; NULL: there is only one side */
	const char *test, *test_role;
	const char *lack; /* why a rule finds nothing there */
};

static const struct figures_list GROUPS = {"groups", "base", "base_role", "test", "test_role",
        "the analysis has no such pair of backends"};
static const struct figures_list SCORES = {"teacher_forced", "scorer", "scorer_role", "of",
        "of_role", "the analysis has no such pair of backends"};
static const struct figures_list TRAFFIC = {"traffic.backends", NULL, NULL, "backend", "role",
        "the analysis has no traffic of such a backend"};
static const struct figures_list DRAWS = {"sampling", NULL, NULL, "backend", "role",
        "the analysis has no sampled answers of such a backend"};

static const struct figures_list *list_of(const struct policy_rule *r)
{
	switch (r->metric->place) {
	case METRIC_OF_SCORES:
	case METRIC_OF_SCORER:
		return &SCORES;
	case METRIC_OF_TRAFFIC:
		return &TRAFFIC;
	case METRIC_OF_DRAWS:
		return &DRAWS;
	default:
		expect(r->metric->place != METRIC_OF_DOCUMENT);
		return &GROUPS;
	}
}

static void check_item(struct results *c, const struct policy_rule *r, const json_t *item)
{
	const struct figures_list *at = list_of(r);
	const json_t *split = json_object_get(json_object_get(item, "by_decoding"), r->split);
	struct check t = {
	        .rule = r,
	        .base = at->base ? node_text(item, at->base) : NULL,
	        .test = node_text(item, at->test),
	};
	if (r->slice_of) {
		of_slices(c, &t, item);
		return;
	}
	if (r->judged == POLICY_JUDGED_COUNT) {
		of_judges(c, &t, split);
		return;
	}
	if (r->excess) {
		read_excess(&t, item);
	} else if (metric_is_per_decoding(r->metric)) {
		t.known = metric_read(r->metric, split, &t.v);
		t.lack = split ? NULL : "no answers were decoded this way";
	} else {
		t.known = metric_read(r->metric, item, &t.v);
	}
	add_result(c, &t);
}

/* Whether the expected name, pattern or role fits. */
static bool matches(const char *expected, const char *name, const char *role)
{
	return !expected || strcmp(expected, name) == 0 || strcmp(expected, role) == 0 ||
	       fnmatch(expected, name, 0) == 0;
}

/* An engine's difference from itself is checked only if the rule asks for it, or if there is
 * nothing else. */
static bool is_of_rule(const struct policy_rule *r, const json_t *item, bool trials)
{
	const struct figures_list *at = list_of(r);
	bool kind = r->of_floors ? groups_is_floor(item) : !trials || !groups_is_floor(item);
	return kind &&
	       matches(r->test, node_text(item, at->test), node_text(item, at->test_role)) &&
	       (!at->base ||
	               matches(r->base, node_text(item, at->base), node_text(item, at->base_role)));
}

static void check_rule(struct results *c, const struct policy_rule *r, const json_t *document)
{
	const json_t *list = node_at(document, list_of(r)->list);
	bool trials = groups_have_trials(list), any = false;
	NODE_EACH(each, list) {
		if (is_of_rule(r, each, trials)) {
			check_item(c, r, each);
			any = true;
		}
	}
	if (!any) {
		struct check t = {.rule = r,
		        .base = r->base,
		        .test = r->test,
		        .slice = r->slice,
		        .lack = list_of(r)->lack};
		add_result(c, &t);
	}
}

/* Adds the analysis's alarm if the figure has one. Returns true if it fails the policy. */
static bool add_alarm(const struct policy *p, const json_t *group, const struct metric *m,
        const json_t *figure, bool is_excused, json_t *list)
{
	struct metric_value v;
	if (!node_flag(figure, "alarm") || !metric_read_member(figure, "excess", &v)) {
		return false;
	}
	double least = policy_least_effect(p, m);
	bool small = v.value < least;
	bool fails = !small && p->alarms_fail && !is_excused;
	json_t *o = json_object();
	node_set_text(o, "base", node_text(group, "base"));
	node_set_text(o, "test", node_text(group, "test"));
	node_set_text(o, "metric", m->name);
	node_set_number(o, "value", v.value);
	json_object_set_new(o, "ci95", node_interval(v.low, v.high));
	node_set_number(o, "p", node_number(figure, "p"));
	node_set_number(o, "min_effect", least); /* its old name */
	node_set_flag(o, "small", small);
	node_set_text(o, "counts_as", fails ? "fail" : "pass");
	json_array_append_new(list, o);
	return fails;
}

/* Sets the list of alarms. Returns true if one of them fails the policy. */
static bool set_alarms(
        json_t *o, const struct policy *p, const struct results *c, const json_t *document)
{
	json_t *list = json_array();
	bool fails = false;
	NODE_EACH(g, json_object_get(document, "groups")) {
		const json_t *figures = node_at(g, "noise_floor.figures");
		for (const char *const *name = metric_over_floor(); *name && !groups_is_floor(g);
		        name++) {
			const struct metric *m = metric_find(*name);
			fails |= add_alarm(
			        p, g, m, json_object_get(figures, *name), is_accepted(c, m), list);
		}
	}
	node_set_text(o, "on_alarm", p->alarms_fail ? "fail" : "tell");
	json_object_set_new(o, "alarms", list);
	return fails;
}

enum policy_result policy_check(const struct policy *p, json_t *document)
{
	struct results c = {json_array(), POLICY_RESULT_PASS, accepted_all(document)};
	for (size_t i = 0; i < p->n; i++) {
		const struct policy_rule *r = &p->rules[i];
		if (r->metric->place == METRIC_OF_DOCUMENT) {
			struct check t = {.rule = r};
			t.known = metric_read(r->metric, document, &t.v);
			add_result(&c, &t);
		} else {
			check_rule(&c, r, document);
		}
	}
	json_t *o = json_object();
	if (set_alarms(o, p, &c, document)) {
		c.worst = POLICY_RESULT_FAIL;
	}
	node_set_text(o, "file", p->name);
	node_set_text(o, "result", RESULTS[c.worst]);
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
