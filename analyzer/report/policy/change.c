#include "analyzer/report/policy/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/policy/difference.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy/policy_words.h"
#include "base/mem.h"
#include "base/multiple_testing.h"

#define GROUPS_LIMIT 128
#define ENTRIES_LIMIT 65536
#define SET_LIMIT 4096

static const char *const VERDICTS[] = {"none", "changed", "worse", "not-enough"};

/* A tested figure; it is kept until all p values are known. */
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

static json_t *side(const struct metric_value *v)
{
	json_t *o = json_pack("{s:o, s:o, s:o}", "n", node_real(v->n), "value", node_real(v->value),
	        "ci95", node_interval(v->low, v->high));
	metric_set_ends(o, v);
	return o;
}

/*
 * For two ranges that do not overlap, compares the ends that face each other, which gives the
 * smallest change. For overlapping ranges no change is shown, and p is 1.
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

/* tested: a verdict rests on this figure. */
static void add(struct change *c, json_t *list, const struct metric *m, bool excess, bool tested,
        const struct metric_value *before, const struct metric_value *after)
{
	struct difference d = difference_of(before, after);
	if (c->n == ENTRIES_LIMIT) {
		return;
	}
	json_t *o = json_object();
	node_set_text(o, "metric", m->name);
	node_set_text(o, "unit", metric_unit_name(m->unit));
	node_set_flag(o, "excess", excess);
	json_object_set_new(o, "before", side(before));
	json_object_set_new(o, "after", side(after));
	node_set_number(o, "change", d.change.value);
	json_object_set_new(o, "ci95", node_interval(d.change.low, d.change.high));
	metric_set_ends(o, &d.change);
	json_object_set_new(o, "p", json_null());
	node_set_text(o, "verdict", tested ? "not-enough" : "untested");
	json_array_append_new(list, o);
	if (tested) {
		c->entries[c->n++] = entry_of(o, m, before, after, d.p);
	}
}

static void add_excess(struct change *c, json_t *list, const json_t *before, const json_t *after)
{
	const json_t *b = node_at(before, "noise_floor.figures"),
	             *a = node_at(after, "noise_floor.figures");
	for (const char *const *name = metric_over_floor(); *name; name++) {
		struct metric_value x, y;
		if (metric_read_member(json_object_get(b, *name), "excess", &x) &&
		        metric_read_member(json_object_get(a, *name), "excess", &y)) {
			add(c, list, metric_find(*name), true, true, &x, &y);
		}
	}
}

/* Names below "seeds." are left out: the same figures have names of their own. */
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
	json_t *o = json_object();
	NODE_MEMBERS(split, json_object_get(before, "by_decoding")) {
		const json_t *then =
		        json_object_get(json_object_get(after, "by_decoding"), split.key);
		bool greedy = strcmp(split.key, "greedy") == 0;
		if (!then) {
			continue;
		}
		json_t *list = figures(c, METRIC_OF_SPLIT, greedy && !is_floor, split.value, then);
		if (greedy && !is_floor) {
			add_excess(c, list, before, after);
		}
		json_object_set_new(o, split.key, list);
	}
	return o;
}

static bool is_same_pair(const json_t *a, const json_t *b, const char *base, const char *test)
{
	return node_is(a, base, node_text(b, base)) && node_is(a, test, node_text(b, test));
}

static const json_t *match(
        const json_t *list, const json_t *group, const char *base, const char *test)
{
	NODE_SOME(each, list, GROUPS_LIMIT) {
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

/* name -> item, for as long as the document lives. */
static json_t *set_of(const json_t *list, const char *name)
{
	json_t *set = json_object();
	NODE_SOME(item, list, SET_LIMIT) {
		json_object_set(set, node_text(item, name), item);
	}
	return set;
}

/* Returns what is in `set` but not in `other`. text: the member that names an item to people; an
 * item without it is named by its key. */
static json_t *without(json_t *set, const json_t *other, const char *text)
{
	json_t *list = json_array();
	NODE_MEMBERS(item, set) {
		const char *shown = node_text(item.value, text);
		if (*item.key && !json_object_get(other, item.key)) {
			json_array_append_new(list,
			        *shown ? json_pack("{s:s, s:s}", "key", item.key, "text", shown)
			               : json_string(item.key));
		}
	}
	return list;
}

/* {new, gone} of two lists. */
static json_t *new_and_gone(
        const json_t *before, const json_t *after, const char *name, const char *text)
{
	json_t *b = set_of(before, name), *a = set_of(after, name);
	json_t *o =
	        json_pack("{s:o, s:o}", "new", without(a, b, text), "gone", without(b, a, text));
	json_decref(b);
	json_decref(a);
	return o;
}

static json_t *group(struct change *c, const json_t *before, const json_t *after)
{
	bool is_floor = groups_is_floor(after);
	json_t *o = pair(after, "base", "test");
	node_set_flag(o, "is_floor", is_floor);
	json_object_set_new(o, "verdicts",
	        json_pack("{s:s, s:s}", "before", groups_verdict(before), "after",
	                groups_verdict(after)));
	json_object_set_new(o, "by_decoding", splits(c, is_floor, before, after));
	json_object_set_new(o, "causes",
	        new_and_gone(json_object_get(before, "causes"), json_object_get(after, "causes"),
	                "key", "title"));
	json_object_set_new(o, "stacks",
	        new_and_gone(node_at(before, "slices.stack.values"),
	                node_at(after, "slices.stack.values"), "value", "name"));
	return o;
}

static void set_groups(struct change *c, json_t *o, const json_t *before, const json_t *after)
{
	const json_t *b = json_object_get(before, "groups"), *a = json_object_get(after, "groups");
	json_t *both = json_array(), *fresh = json_array(), *gone = json_array();
	NODE_SOME(now, a, GROUPS_LIMIT) {
		const json_t *then = match(b, now, "base", "test");
		json_array_append_new(then ? both : fresh,
		        then ? group(c, then, now) : pair(now, "base", "test"));
	}
	NODE_SOME(then, b, GROUPS_LIMIT) {
		if (!match(a, then, "base", "test")) {
			json_array_append_new(gone, pair(then, "base", "test"));
		}
	}
	json_object_set_new(o, "groups", both);
	json_object_set_new(o, "groups_new", fresh);
	json_object_set_new(o, "groups_gone", gone);
}

/* Compares k3, and k3 over its floor, of a pair that both documents have. */
static void add_k3(struct change *c, json_t *list, const json_t *pair, const json_t *before,
        const json_t *after)
{
	static const char *const NAMES[] = {"k3", "k3.over_floor"};
	const json_t *b = match(json_object_get(before, "groups"), pair, "base", "test");
	const json_t *a = match(json_object_get(after, "groups"), pair, "base", "test");
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		const struct metric *m = metric_find(NAMES[i]);
		struct metric_value x, y;
		if (metric_read(m, b, &x) && metric_read(m, a, &y)) {
			add(c, list, m, false, true, &x, &y);
		}
	}
}

static json_t *scores(struct change *c, const json_t *before, const json_t *after)
{
	const json_t *b = json_object_get(before, "teacher_forced");
	json_t *list = json_array();
	NODE_SOME(now, json_object_get(after, "teacher_forced"), GROUPS_LIMIT) {
		const json_t *then = match(b, now, "scorer", "of");
		if (then) {
			json_t *o = pair(now, "scorer", "of");
			json_t *own = figures(c, METRIC_OF_SCORES, true,
			        json_object_get(then, "all"), json_object_get(now, "all"));
			add_k3(c, own, o, before, after);
			json_object_set_new(o, "figures", own);
			json_array_append_new(list, o);
		}
	}
	return list;
}

static json_t *set_of_rules(const json_t *document)
{
	json_t *set = json_object();
	NODE_SOME(v, node_at(document, "policy.rules"), SET_LIMIT) {
		/* by which the rule is found again in the other document */
		struct buf key = {0};
		buf_printf(&key, "%s|", node_text(v, "name"));
		policy_words_subject(v, &key);
		buf_append_char(&key, '|');
		policy_words_limit(v, &key);
		json_object_set(set, buf_cstr(&key), v);
		buf_finish(&key);
	}
	return set;
}

static json_t *result_of(const json_t *document)
{
	const char *result = node_text(json_object_get(document, "policy"), "result");
	return *result ? json_string(result) : json_null();
}

/* Compares the policy's results and lists the rules whose results changed. *ret_fails: a rule
 * fails that did not fail before. */
static json_t *policy(const json_t *before, const json_t *after, bool *ret_fails)
{
	json_t *b = set_of_rules(before), *a = set_of_rules(after), *changed = json_array();
	NODE_MEMBERS(rule, a) {
		const json_t *then = json_object_get(b, rule.key);
		const char *was = node_text(then, "counts_as"),
		           *is = node_text(rule.value, "counts_as");
		if (then && strcmp(was, is) != 0) {
			*ret_fails |= strcmp(is, "fail") == 0;
			json_array_append_new(changed, json_pack("{s:s, s:s, s:O}", "before", was,
			                                       "after", is, "rule", rule.value));
		}
	}
	json_decref(a);
	json_decref(b);
	return json_pack("{s:o, s:o, s:o}", "before", result_of(before), "after", result_of(after),
	        "changed", changed);
}

static const char *direction(const struct entry *e)
{
	bool up = e->after > e->before, grows = fabs(e->after) > fabs(e->before);
	switch (e->worse) {
	case METRIC_WORSE_HIGHER:
		return up ? "worse" : "better";
	case METRIC_WORSE_LOWER:
		return up ? "better" : "worse";
	case METRIC_WORSE_AWAY:
		return grows ? "worse" : "better";
	default:
		return "changed";
	}
}

/* Called when all p values are known: adjusts them and derives the verdict. */
static enum change_verdict judge(struct change *c, json_t *o)
{
	double *p = xcalloc(c->n + 1, sizeof(double));
	size_t tested = 0, moved = 0, worse = 0;
	for (size_t i = 0; i < c->n; i++) {
		p[i] = c->entries[i].p;
		tested += !isnan(p[i]);
	}
	multiple_testing_holm(p, c->n);
	for (size_t i = 0; i < c->n; i++) {
		json_t *figure = c->entries[i].figure;
		const char *verdict = p[i] < CHANGE_ALPHA ? direction(&c->entries[i]) : "none";
		if (!isnan(p[i])) {
			node_set_number(figure, "p", p[i]);
			node_set_text(figure, "verdict", verdict);
			moved += p[i] < CHANGE_ALPHA;
			worse += strcmp(verdict, "worse") == 0;
		}
	}
	free(p);
	node_set_count(o, "figures_tested", tested);
	node_set_count(o, "figures_changed", moved);
	node_set_count(o, "figures_worse", worse);
	return worse > 0     ? CHANGE_WORSE
	       : tested == 0 ? CHANGE_NOT_ENOUGH
	       : moved > 0   ? CHANGE_SEEN
	                     : CHANGE_NONE;
}

static json_t *capture_of(const struct change_side *s)
{
	return json_pack("{s:o, s:o}", "file", node_string(s->name), "exchanges",
	        node_real(node_number(s->document, "exchanges")));
}

json_t *change_of(const struct change_side *before, const struct change_side *after)
{
	struct change c = {.entries = xcalloc(ENTRIES_LIMIT, sizeof(struct entry))};
	json_t *o = json_object();
	json_object_set_new(o, "plumbline_change", json_integer(1));
	json_object_set_new(o, "before", capture_of(before));
	json_object_set_new(o, "after", capture_of(after));
	node_set_number(o, "alpha", CHANGE_ALPHA);
	set_groups(&c, o, before->document, after->document);
	json_object_set_new(o, "teacher_forced", scores(&c, before->document, after->document));
	bool fails = false;
	json_object_set_new(o, "policy", policy(before->document, after->document, &fails));
	enum change_verdict verdict = judge(&c, o);
	verdict = fails ? CHANGE_WORSE : verdict;
	node_set_text(o, "verdict", VERDICTS[verdict]);
	free(c.entries);
	return o;
}

enum change_verdict change_verdict_of(const json_t *change)
{
	for (size_t i = 0; i < ARRAY_LEN(VERDICTS); i++) {
		if (node_is(change, "verdict", VERDICTS[i])) {
			return (enum change_verdict)i;
		}
	}
	return CHANGE_NOT_ENOUGH;
}
