#include "analyzer/report/policy/policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/did_you_mean.h"

#define RULES_LIMIT 256
#define N_LIMIT 1000000000

const char *const POLICY_CONFIDENCES[] = {"beyond", "estimate", "within", NULL};
const char *const POLICY_UNDECIDED[] = {"not-enough", "pass", "fail", NULL};
const char *const POLICY_JUDGED[] = {"ignore", "count", NULL};
static const char *const ON_ALARM[] = {"tell", "fail", NULL};
static const char *const SPLITS[] = {"greedy", "sampled", "unlike", "unknown", NULL};
/* Slices by their names in the document. */
static const char *const SLICES[] = {"category", "suite", "model", "endpoint", "streamed",
        "prompt_length", "cache", "load", "replica", "stack", "time", "injection", NULL};
static const char *const SLICED[] = {"differ", "answer_changed", "hazard", NULL};

/* Reads the settings that apply to all rules unless a rule overrides them. */
static void read_shared(struct conf *y, const struct conf_node *map, struct policy_rule *r)
{
	const struct conf_node *split = conf_get(y, map, "split");
	r->split = split ? SPLITS[conf_choice(y, split, SPLITS, 0)] : r->split;
	r->minimum_n = (double)conf_int(
	        y, conf_get(y, map, "minimum_n"), 1, N_LIMIT, (int64_t)r->minimum_n);
	r->undecided = (enum policy_undecided)conf_choice(
	        y, conf_get(y, map, "undecided"), POLICY_UNDECIDED, (int)r->undecided);
	r->judged = (enum policy_judged)conf_choice(
	        y, conf_get(y, map, "judged"), POLICY_JUDGED, (int)r->judged);
}

static void read_metric(struct conf *y, const struct conf_node *map, struct policy_rule *r)
{
	const struct conf_node *n = conf_get(y, map, "metric");
	const char *name = conf_string(y, n, NULL);
	r->metric = name ? metric_find(name) : NULL;
	if (name && !r->metric) {
		const char *near = metric_nearest(name);
		conf_fail(y, n, "\"%.60s\" is not a known metric%s", name,
		        did_you_mean("", near).text);
	}
}

/* A limit, or the size of an effect, in the metric's unit. */
static double read_amount(
        struct conf *y, const struct conf_node *n, const struct metric *m, double fallback)
{
	double amount = conf_number(y, n, fallback);
	const char *text = conf_string(y, n, "");
	bool percent = strchr(text, '%');
	if (m && m->unit == METRIC_SHARE && fabs(amount) > 1) {
		conf_fail(y, n, "%s is a share: write 5%% or 0.05, not %.20s", m->name, text);
	} else if (m && m->unit != METRIC_SHARE && m->unit != METRIC_POINTS && percent) {
		conf_fail(y, n, "%s is not a share, so its limit has no %%", m->name);
	}
	/* -2% of a score means -2 points */
	return m && m->unit == METRIC_POINTS && percent ? 100 * amount : amount;
}

static double read_effect(
        struct conf *y, const struct conf_node *n, const struct metric *m, double fallback)
{
	double effect = read_amount(y, n, m, fallback);
	if (effect < 0) {
		conf_fail(y, n, "must be 0 or more");
	}
	return effect;
}

/* The node of least_effect, or of its old name. */
static const struct conf_node *effect_node(struct conf *y, const struct conf_node *map)
{
	const struct conf_node *old = conf_get(y, map, "min_effect");
	const struct conf_node *n = conf_get(y, map, "least_effect");
	if (n && old) {
		conf_fail(y, old, "is the old name of least_effect: give one of them");
	} else if (old) {
		fprintf(stderr,
		        "plumbline: the policy's key min_effect (line %d) is the old name of "
		        "least_effect\n",
		        conf_line(old));
	}
	return n ? n : old;
}

/* least_effect: 1%, of all shares; or {default: 1%, hazard: 0.5}. */
static void read_effects(struct conf *y, const struct conf_node *root, struct policy *p)
{
	const struct conf_node *n = effect_node(y, root);
	bool each = n && conf_kind(n) == CONF_MAP;
	double shares = conf_share(y, each ? conf_get(y, n, "default") : n, 0);
	p->least_effects = xcalloc(metric_count(), sizeof(*p->least_effects));
	for (size_t i = 0; i < metric_count(); i++) {
		const struct metric *m = metric_at(i);
		double usual = m->unit == METRIC_SHARE    ? shares
		               : m->unit == METRIC_POINTS ? 100 * shares
		                                          : 0;
		const struct conf_node *own = each ? conf_get(y, n, m->name) : NULL;
		p->least_effects[i] = read_effect(y, own, m, usual);
	}
	if (each) {
		conf_check_keys(y, n);
	}
}

double policy_least_effect(const struct policy *p, const struct metric *m)
{
	return p->least_effects[m - metric_at(0)];
}

static void read_limits(struct conf *y, const struct conf_node *map, struct policy_rule *r)
{
	r->max = read_amount(y, conf_get(y, map, "max"), r->metric, NAN);
	r->min = read_amount(y, conf_get(y, map, "min"), r->metric, NAN);
	if (r->min > r->max) {
		conf_fail(y, conf_get(y, map, "min"), "is above max");
	}
}

/* slice: {category: number}, or each: category. */
static void read_slice(struct conf *y, const struct conf_node *map, struct policy_rule *r)
{
	const struct conf_node *one = conf_get(y, map, "slice"), *each = conf_get(y, map, "each");
	if (one && each) {
		conf_fail(y, each, "give slice (one value) or each (all values), not both");
		return;
	}
	if (each) {
		r->slice_of = SLICES[conf_choice(y, each, SLICES, 0)];
	}
	if (!one) {
		return;
	}
	for (size_t i = 0; SLICES[i]; i++) {
		const struct conf_node *value = conf_get(y, one, SLICES[i]);
		if (value) {
			r->slice_of = SLICES[i];
			r->slice = conf_string(y, value, NULL);
		}
	}
	conf_check_keys(y, one);
	if (conf_kind(one) == CONF_MAP && conf_size(one) != 1) {
		conf_fail(y, one, "must be one property with its value, like category: number");
	}
}

/* Rejects members of a rule that contradict each other. */
static void check_rule(struct conf *y, const struct conf_node *map, const struct policy_rule *r)
{
	if (!r->metric) {
		return;
	}
	const struct conf_node *at = conf_get(y, map, "metric");
	const char *name = r->metric->name;
	if (r->excess && !span_is_one_of(span_of(name), metric_over_floor())) {
		conf_fail(y, at,
		        "has no excess over the floor; differ, answer_changed, hazard and "
		        "top_differs have one");
	} else if (r->slice_of && !span_is_one_of(span_of(name), SLICED)) {
		conf_fail(y, at, "has no slices; differ, answer_changed and hazard have them");
	} else if (r->slice_of && r->excess) {
		conf_fail(y, at, "the excess is known for all answers together, not for a slice");
	} else if ((r->slice_of || r->excess) && strcmp(r->split, "greedy") != 0) {
		const struct conf_node *split = conf_get(y, map, "split");
		conf_fail(y, split ? split : map, "%s of greedy answers only",
		        r->excess ? "the excess is" : "slices are");
	} else if (r->of_floors && (r->excess || r->metric->place >= METRIC_OF_SCORES)) {
		conf_fail(y, conf_get(y, map, "floor"), "a floor has no floor of its own");
	} else if (r->metric->place == METRIC_OF_DOCUMENT && (r->base || r->test)) {
		conf_fail(y, at, "is a figure of the whole capture, not of two backends");
	} else if (!metric_is_per_decoding(r->metric) && conf_get(y, map, "split")) {
		conf_fail(y, conf_get(y, map, "split"), "%s is a figure of all answers together",
		        name);
	} else if (metric_is_one_sided(r->metric) && r->base) {
		conf_fail(y, at, "is a figure of one backend: name it with test, without base");
	}
}

static void read_confidence(
        struct conf *y, const struct conf_node *map, int shared, struct policy_rule *r)
{
	const struct conf_node *n = conf_get(y, map, "confidence");
	bool has_interval = r->excess || !r->metric || r->metric->has_interval;
	r->confidence = (enum policy_confidence)conf_choice(y, n, POLICY_CONFIDENCES, shared);
	if (!has_interval && n && r->confidence != POLICY_ESTIMATE) {
		conf_fail(
		        y, n, "%s has no interval, so only estimate is possible", r->metric->name);
	}
	if (!has_interval) {
		r->confidence = POLICY_ESTIMATE;
	}
}

/* A default applies only to rules that it fits. */
static void settle_judged(struct conf *y, const struct conf_node *map, struct policy_rule *r)
{
	const struct conf_node *n = conf_get(y, map, "judged");
	bool fits = r->metric && strcmp(r->metric->name, "answer_changed") == 0 &&
	            strcmp(r->split, "greedy") == 0 && !r->excess && !r->slice_of && !r->of_floors;
	if (n && r->metric && r->judged == POLICY_JUDGED_COUNT && !fits) {
		conf_fail(y, n,
		        "judges decide only answer_changed of all greedy answers, without excess");
	}
	r->judged = fits ? r->judged : POLICY_JUDGED_IGNORE;
}

static void read_rule(struct conf *y, const struct conf_node *map, const struct policy *p,
        const struct policy_rule *shared, struct policy_rule *ret)
{
	struct policy_rule r = *shared;
	read_metric(y, map, &r);
	read_shared(y, map, &r);
	r.name = conf_string(y, conf_get(y, map, "name"), NULL);
	r.base = conf_string(y, conf_get(y, map, "base"), NULL);
	r.test = conf_string(y, conf_get(y, map, "test"), NULL);
	r.excess = conf_bool(y, conf_get(y, map, "excess"), false);
	r.of_floors = conf_bool(y, conf_get(y, map, "floor"), false);
	read_slice(y, map, &r);
	read_limits(y, map, &r);
	read_confidence(y, map, (int)shared->confidence, &r);
	if (r.metric) {
		r.least_effect = read_effect(
		        y, effect_node(y, map), r.metric, policy_least_effect(p, r.metric));
	}
	settle_judged(y, map, &r);
	check_rule(y, map, &r);
	/* A misspelt key is the likely reason why another one is missing, so it is named first. */
	conf_check_keys(y, map);
	if (!conf_get(y, map, "metric")) {
		conf_fail(y, map, "a rule needs a metric");
	} else if (isnan(r.max) && isnan(r.min)) {
		conf_fail(y, map, "a rule needs max, min or both");
	}
	*ret = r;
}

static void read_file(struct conf *y, struct policy *p)
{
	const struct conf_node *root = conf_root(y), *defaults = conf_get(y, root, "defaults");
	struct policy_rule shared = {.minimum_n = 1, .split = SPLITS[0]};
	if (defaults) {
		read_shared(y, defaults, &shared);
		shared.confidence = (enum policy_confidence)conf_choice(
		        y, conf_get(y, defaults, "confidence"), POLICY_CONFIDENCES, POLICY_BEYOND);
		conf_check_keys(y, defaults);
	}
	read_effects(y, root, p);
	p->alarms_fail = conf_choice(y, conf_get(y, root, "on_alarm"), ON_ALARM, 0) == 1;
	const struct conf_node *rules = conf_get(y, root, "rules");
	conf_check_keys(y, root);
	if (!rules || conf_kind(rules) != CONF_LIST || conf_size(rules) == 0) {
		conf_fail(y, rules ? rules : root, "rules must be a list of at least one rule");
		return;
	}
	if (conf_size(rules) > RULES_LIMIT) {
		conf_fail(y, rules, "has more than %d rules", RULES_LIMIT);
		return;
	}
	p->rules = xcalloc(conf_size(rules), sizeof(*p->rules));
	for (size_t i = 0; i < conf_size(rules) && !conf_error(y); i++) {
		read_rule(y, conf_item(rules, i), p, &shared, &p->rules[p->n++]);
	}
}

/* Takes ownership of y. Returns NULL if it could not be read, with the reason in *ret_error. */
static struct policy *policy_of(struct conf *y, const char *name, char **ret_error)
{
	if (!y) {
		return NULL;
	}
	struct policy *p = xcalloc(1, sizeof(*p));
	*p = (struct policy){.file = y, .name = xstrdup(name)};
	read_file(y, p);
	if (conf_error(y)) {
		*ret_error = xstrdup(conf_error(y));
		policy_destroy(p);
		return NULL;
	}
	return p;
}

struct policy *policy_load(const char *path, char **ret_error)
{
	return policy_of(conf_load(path, ret_error), path, ret_error);
}

struct policy *policy_parse(const char *name, struct span text, char **ret_error)
{
	return policy_of(conf_parse(name, text, ret_error), name, ret_error);
}

void policy_destroy(struct policy *p)
{
	if (!p) {
		return;
	}
	conf_destroy(p->file);
	free(p->rules);
	free(p->least_effects);
	free(p->name);
	free(p);
}
