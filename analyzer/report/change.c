#include "analyzer/report/groups.h"
#include "analyzer/report/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/adjust.h"
#include "base/mem.h"
#include "analyzer/report/change_sets.h"
#include "analyzer/report/difference.h"
#include "analyzer/report/node.h"

#define GROUPS_LIMIT 128
#define ENTRIES_LIMIT 65536

static const char *const VERDICTS[] = {"none", "changed", "worse", "not-enough"};

/* A figure that is tested, until all p values are there. */
struct entry {
	json_t *figure;
	enum metric_worse worse;
	double before, after;
	double p; /* NaN: too few for a test */
};

struct change {
	struct entry *entries;
	size_t n;
};

static json_t *interval(double low, double high)
{
	return isfinite(low) && isfinite(high) ? json_pack("[f, f]", low, high) : json_null();
}

static json_t *side(const struct metric_value *v)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", node_real(v->n));
	json_object_set_new(o, "value", node_real(v->value));
	json_object_set_new(o, "ci95", interval(v->low, v->high));
	metric_set_ends(o, v);
	return o;
}

/*
 * Of ranges that lie apart the ends that face each other are compared, for these make the change the
 * least; where they overlap nothing is shown, and p is 1.
 */
static struct entry entry_of(json_t *figure, const struct metric *m,
        const struct metric_value *before, const struct metric_value *after, double p)
{
	struct metric_value b[2], a[2];
	metric_ends(before, b);
	metric_ends(after, a);
	bool up = a[0].value >= b[1].value;
	return (struct entry){figure, m->worse, b[up].value, a[!up].value, p};
}

/* tested: it belongs to those that a verdict rests on. */
static void add(struct change *c, json_t *list, const struct metric *m, bool excess, bool tested,
        const struct metric_value *before, const struct metric_value *after)
{
	struct difference d = difference_of(before, after);
	if (c->n == ENTRIES_LIMIT) {
		return;
	}
	json_t *o = json_object();
	json_object_set_new(o, "metric", json_string(m->name));
	json_object_set_new(o, "unit", json_string(metric_unit_name(m->unit)));
	json_object_set_new(o, "excess", json_boolean(excess));
	json_object_set_new(o, "before", side(before));
	json_object_set_new(o, "after", side(after));
	const struct metric_value v = {.value = d.change,
	        .low = d.low,
	        .high = d.high,
	        .is_range = before->is_range || after->is_range,
	        .most = d.most,
	        .least_high = d.least_high,
	        .most_low = d.most_low};
	json_object_set_new(o, "change", node_real(d.change));
	json_object_set_new(o, "ci95", interval(d.low, d.high));
	metric_set_ends(o, &v);
	json_object_set_new(o, "p", json_null());
	json_object_set_new(o, "verdict", json_string(tested ? "not-enough" : "untested"));
	json_array_append_new(list, o);
	if (tested) {
		c->entries[c->n++] = entry_of(o, m, before, after, d.p);
	}
}

static void add_excess(struct change *c, json_t *list, const json_t *before, const json_t *after)
{
	static const char *const NAMES[] = {"differ", "answer_changed", "hazard", "top_differs"};
	const json_t *b = node_at(before, "noise_floor.figures"),
	             *a = node_at(after, "noise_floor.figures");
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		struct metric_value x, y;
		const json_t *of_b = json_object_get(json_object_get(b, NAMES[i]), "excess");
		const json_t *of_a = json_object_get(json_object_get(a, NAMES[i]), "excess");
		if (metric_read_node(of_b, NULL, &x) && metric_read_node(of_a, NULL, &y)) {
			add(c, list, metric_find(NAMES[i]), true, true, &x, &y);
		}
	}
}

/* The seeds' names are of figures that have names of their own. */
static bool is_compared(const struct metric *m, enum metric_place place)
{
	bool seed = m->path && strncmp(m->path, "seeds.", 6) == 0;
	return m->place == place && m->has_interval && !seed;
}

/* All figures of one place that have intervals. */
static json_t *figures(struct change *c, enum metric_place place, bool tested, const json_t *before,
        const json_t *after)
{
	json_t *list = json_array();
	for (size_t i = 0; i < metric_count(); i++) {
		const struct metric *m = metric_at(i);
		struct metric_value x, y;
		if (is_compared(m, place) && metric_read(m, before, &x) &&
		        metric_read(m, after, &y)) {
			add(c, list, m, false, tested && m->is_main, &x, &y);
		}
	}
	return list;
}

static json_t *splits(struct change *c, bool is_floor, const json_t *before, const json_t *after)
{
	json_t *o = json_object(), *split;
	const char *name;
	json_object_foreach((json_t *)json_object_get(before, "by_decoding"), name, split)
	{
		const json_t *then = json_object_get(json_object_get(after, "by_decoding"), name);
		bool greedy = strcmp(name, "greedy") == 0;
		if (!then) {
			continue;
		}
		json_t *list = figures(c, METRIC_OF_SPLIT, greedy && !is_floor, split, then);
		if (greedy && !is_floor) {
			add_excess(c, list, before, after);
		}
		json_object_set_new(o, name, list);
	}
	return o;
}

static bool is_same_pair(const json_t *a, const json_t *b, const char *base, const char *test)
{
	return strcmp(node_text(a, base), node_text(b, base)) == 0 &&
	       strcmp(node_text(a, test), node_text(b, test)) == 0;
}

static const json_t *match(
        const json_t *list, const json_t *group, const char *base, const char *test)
{
	for (size_t i = 0; i < MIN(json_array_size(list), (size_t)GROUPS_LIMIT); i++) {
		const json_t *each = json_array_get(list, i);
		if (json_is_object(each) && is_same_pair(each, group, base, test)) {
			return each;
		}
	}
	return NULL;
}

static json_t *pair(const json_t *group, const char *base, const char *test)
{
	return json_pack(
	        "{s:s, s:s}", "base", node_text(group, base), "test", node_text(group, test));
}

static json_t *group(struct change *c, const json_t *before, const json_t *after)
{
	bool is_floor = json_is_true(json_object_get(after, "is_floor"));
	json_t *o = pair(after, "base", "test");
	json_object_set_new(o, "is_floor", json_boolean(is_floor));
	json_object_set_new(o, "verdicts",
	        json_pack("{s:s, s:s}", "before", groups_verdict(before), "after",
	                groups_verdict(after)));
	json_object_set_new(o, "by_decoding", splits(c, is_floor, before, after));
	json_object_set_new(o, "causes", change_causes(before, after));
	json_object_set_new(o, "stacks", change_stacks(before, after));
	return o;
}

static void set_groups(struct change *c, json_t *o, const json_t *before, const json_t *after)
{
	const json_t *b = json_object_get(before, "groups"), *a = json_object_get(after, "groups");
	json_t *both = json_array(), *fresh = json_array(), *gone = json_array();
	for (size_t i = 0; i < MIN(json_array_size(a), (size_t)GROUPS_LIMIT); i++) {
		const json_t *now = json_array_get(a, i), *then = match(b, now, "base", "test");
		json_array_append_new(then ? both : fresh,
		        then ? group(c, then, now) : pair(now, "base", "test"));
	}
	for (size_t i = 0; i < MIN(json_array_size(b), (size_t)GROUPS_LIMIT); i++) {
		const json_t *then = json_array_get(b, i);
		if (!match(a, then, "base", "test")) {
			json_array_append_new(gone, pair(then, "base", "test"));
		}
	}
	json_object_set_new(o, "groups", both);
	json_object_set_new(o, "groups_new", fresh);
	json_object_set_new(o, "groups_gone", gone);
}

static json_t *scores(struct change *c, const json_t *before, const json_t *after)
{
	const json_t *b = json_object_get(before, "teacher_forced");
	const json_t *a = json_object_get(after, "teacher_forced");
	json_t *list = json_array();
	for (size_t i = 0; i < MIN(json_array_size(a), (size_t)GROUPS_LIMIT); i++) {
		const json_t *now = json_array_get(a, i), *then = match(b, now, "scorer", "of");
		if (then) {
			json_t *o = pair(now, "scorer", "of");
			json_object_set_new(o, "figures",
			        figures(c, METRIC_OF_SCORES, true, json_object_get(then, "all"),
			                json_object_get(now, "all")));
			json_array_append_new(list, o);
		}
	}
	return list;
}

static const char *direction(const struct entry *e)
{
	bool up = e->after > e->before, away = fabs(e->after) > fabs(e->before);
	switch (e->worse) {
	case METRIC_WORSE_HIGHER:
		return up ? "worse" : "better";
	case METRIC_WORSE_LOWER:
		return up ? "better" : "worse";
	case METRIC_WORSE_AWAY:
		return away ? "worse" : "better";
	default:
		return "changed";
	}
}

/* All p values are known: adjusts them, and says what they show. */
static enum change_verdict judge(struct change *c, json_t *o)
{
	double *p = xcalloc(c->n + 1, sizeof(double));
	size_t tested = 0, moved = 0, worse = 0;
	for (size_t i = 0; i < c->n; i++) {
		p[i] = c->entries[i].p;
		tested += !isnan(p[i]);
	}
	adjust_holm(p, c->n);
	for (size_t i = 0; i < c->n; i++) {
		json_t *figure = c->entries[i].figure;
		const char *verdict = p[i] < CHANGE_ALPHA ? direction(&c->entries[i]) : "none";
		if (!isnan(p[i])) {
			json_object_set_new(figure, "p", node_real(p[i]));
			json_object_set_new(figure, "verdict", json_string(verdict));
			moved += p[i] < CHANGE_ALPHA;
			worse += strcmp(verdict, "worse") == 0;
		}
	}
	free(p);
	json_object_set_new(o, "figures_tested", json_integer((json_int_t)tested));
	json_object_set_new(o, "figures_changed", json_integer((json_int_t)moved));
	json_object_set_new(o, "figures_worse", json_integer((json_int_t)worse));
	return worse > 0     ? CHANGE_WORSE
	       : tested == 0 ? CHANGE_NOT_ENOUGH
	       : moved > 0   ? CHANGE_SEEN
	                     : CHANGE_NONE;
}

static json_t *capture_of(const struct change_side *s)
{
	json_t *name = json_string(s->name), *o = json_object();
	json_object_set_new(o, "file", name ? name : json_null());
	json_object_set_new(o, "exchanges", node_real(node_number(s->document, "exchanges")));
	return o;
}

json_t *change_of(const struct change_side *before, const struct change_side *after)
{
	struct change c = {.entries = xcalloc(ENTRIES_LIMIT, sizeof(struct entry))};
	json_t *o = json_object();
	json_object_set_new(o, "plumbline_change", json_integer(1));
	json_object_set_new(o, "before", capture_of(before));
	json_object_set_new(o, "after", capture_of(after));
	json_object_set_new(o, "alpha", json_real(CHANGE_ALPHA));
	set_groups(&c, o, before->document, after->document);
	json_object_set_new(o, "teacher_forced", scores(&c, before->document, after->document));
	json_object_set_new(o, "policy", change_policy(before->document, after->document));
	enum change_verdict verdict = judge(&c, o);
	if (change_policy_fails(json_object_get(o, "policy"))) {
		verdict = CHANGE_WORSE;
	}
	json_object_set_new(o, "verdict", json_string(VERDICTS[verdict]));
	free(c.entries);
	return o;
}

enum change_verdict change_verdict_of(const json_t *change)
{
	for (size_t i = 0; i < ARRAY_LEN(VERDICTS); i++) {
		if (strcmp(node_text(change, "verdict"), VERDICTS[i]) == 0) {
			return (enum change_verdict)i;
		}
	}
	return CHANGE_NOT_ENOUGH;
}
