#include "analyzer/report/story.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/node.h"

#define BLAME_ALPHA 0.01 /* as the analyzer tests: docs/metrics.md */

static bool is_floor(const json_t *group)
{
	return json_is_true(json_object_get(group, "is_floor"));
}

void story_read(const json_t *document, struct story *ret)
{
	const json_t *groups = json_object_get(document, "groups");
	struct story s = {.n = 0};
	bool trials = false;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		trials |= !is_floor(json_array_get(groups, i));
	}
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i);
		if (trials && is_floor(g)) {
			continue;
		}
		if (s.n < STORY_GROUPS_LIMIT) {
			s.groups[s.n++] = g;
		} else {
			s.beyond++;
		}
	}
	*ret = s;
}

const json_t *story_greedy(const json_t *group)
{
	return node_at(group, "by_decoding.greedy");
}

const char *story_full_stop(const char *text)
{
	size_t n = strlen(text);
	return n == 0 || strchr(".!?:", text[n - 1]) ? "" : ".";
}

static bool read_figure(const json_t *group, const char *name, struct metric_value *ret)
{
	return metric_read(metric_find(name), story_greedy(group), ret);
}

enum story_verdict story_verdict_of(const json_t *group)
{
	struct metric_value differ;
	if (!read_figure(group, "differ", &differ)) {
		return STORY_NONE;
	}
	return differ.value > 0 ? STORY_DIFFERS : STORY_SAME;
}

/* Roles say which side is on trial; where neither is trusted, nobody is. */
static bool is_on_trial(const json_t *group)
{
	const char *base = node_text(group, "base_role"), *test = node_text(group, "test_role");
	return (strcmp(base, "reference") == 0 && strcmp(test, "reference") != 0) ||
	       (strcmp(base, "primary") == 0 && strcmp(test, "candidate") == 0);
}

void story_sides(const json_t *group, struct buf *to)
{
	buf_printf(to, "%s, %s %s", node_text(group, "test"),
	        is_on_trial(group) ? "on trial against" : "held against", node_text(group, "base"));
}

void story_sentence(const json_t *group, struct buf *to)
{
	struct metric_value v;
	if (*node_text(group, "sentence")) {
		buf_append_str(to, node_text(group, "sentence"));
		return;
	}
	story_sides(group, to);
	if (!read_figure(group, "differ", &v)) {
		buf_append_str(to, ": there is no verdict, for no answers were decoded greedily on "
		                   "both sides.");
		return;
	}
	buf_append_str(to, ": ");
	metric_put_value(to, METRIC_SHARE, &v);
	if (!isnan(v.n)) {
		buf_printf(to, " of %.0f greedy answers differ", v.n);
	} else {
		buf_append_str(to, " of the greedy answers differ");
	}
	if (v.value > 0 && read_figure(group, "answer_changed", &v)) {
		buf_append_str(to, "; the meaning changed in ");
		metric_put_value(to, METRIC_SHARE, &v);
	}
	buf_append_char(to, '.');
}

void story_floor(const json_t *group, struct buf *to)
{
	const json_t *blame = json_object_get(group, "blame");
	const json_t *differ = node_at(blame, "figures.differ");
	struct metric_value v;
	if (story_verdict_of(group) != STORY_DIFFERS || is_floor(group)) {
		return;
	}
	if (!metric_read_node(json_object_get(differ, "excess"), NULL, &v)) {
		buf_append_str(to, "There is no noise floor, so blame can't be laid; a second leg "
		                   "of either backend gives one.");
		return;
	}
	const char *found = node_text(blame, "finding");
	buf_append_str(to, "Over the noise floor ");
	metric_put_value(to, METRIC_SHARE, &v);
	buf_append_str(to, " of the answers are left: ");
	if (strcmp(found, "within") == 0) {
		buf_append_str(to, "within the noise.");
	} else if (strcmp(found, "alarm") != 0) {
		buf_append_str(to, "not shown to be more than noise");
		double p = node_number(differ, "p");
		if (p >= BLAME_ALPHA) {
			buf_printf(to,
			        " (p %.2g over all figures, of %.0f prompts; %.2g is the limit)", p,
			        v.clusters, BLAME_ALPHA);
		}
		buf_append_char(to, '.');
	} else if (strcmp(node_text(blame, "floors"), "both") == 0) {
		buf_append_str(to, "more than noise.");
	} else {
		buf_append_str(
		        to, "more than noise, but whose it is can't be said with one floor.");
	}
}

void story_selection(const json_t *document, struct buf *to)
{
	const json_t *selection = json_object_get(document, "selection");
	const json_t *where = json_object_get(selection, "where");
	const char *since = node_text(selection, "since"), *until = node_text(selection, "until");
	if (!json_is_object(selection)) {
		return;
	}
	buf_printf(to, "Only what was chosen was judged:%s%s%s%s", *since ? " since " : "", since,
	        *until ? " until " : "", until);
	for (size_t i = 0; i < MIN(json_array_size(where), (size_t)STORY_CAUSES_LIMIT); i++) {
		const char *each = json_string_value(json_array_get(where, i));
		buf_printf(to, "%s%s", i ? " and " : " where ", each ? each : "?");
	}
	buf_append_char(to, '.');
}

static bool is_kind(const json_t *hint, const char *kind)
{
	return strcmp(node_text(hint, "kind"), kind) == 0 && *node_text(hint, "text");
}

static size_t read_causes(const json_t *list, struct story_cause *ret)
{
	size_t n = 0;
	for (size_t i = 0; i < json_array_size(list) && n < STORY_CAUSES_LIMIT; i++) {
		const json_t *o = json_array_get(list, i);
		struct story_cause c = {
		        .title = node_text(o, "title"),
		        .text = node_text(o, "text"),
		        .fix = node_text(o, "fix"),
		        .confirm = node_text(o, "confirm"),
		};
		c.has_explained =
		        metric_read_node(json_object_get(o, "explained"), NULL, &c.explained);
		if (json_is_object(o)) {
			ret[n++] = c;
		}
	}
	return n;
}

size_t story_causes(const json_t *group, struct story_cause ret[STORY_CAUSES_LIMIT])
{
	const json_t *hints = json_object_get(group, "hints");
	size_t n = read_causes(json_object_get(group, "causes"), ret);
	if (json_object_get(group, "causes")) {
		return n;
	}
	for (size_t i = 0; i < json_array_size(hints) && n < STORY_CAUSES_LIMIT; i++) {
		const json_t *hint = json_array_get(hints, i);
		if (is_kind(hint, "cause")) {
			ret[n++] = (struct story_cause){
			        .title = "",
			        .text = node_text(hint, "text"),
			        .fix = "",
			        .confirm = "",
			};
		}
	}
	return n;
}

size_t story_limits(const json_t *group, const char *ret[STORY_CAUSES_LIMIT])
{
	const json_t *hints = json_object_get(group, "hints");
	size_t n = 0;
	for (size_t i = 0; i < json_array_size(hints) && n < STORY_CAUSES_LIMIT; i++) {
		const json_t *hint = json_array_get(hints, i);
		if (is_kind(hint, "limit")) {
			ret[n++] = node_text(hint, "text");
		}
	}
	return n;
}

const json_t *story_example(const json_t *group, size_t i, const char **ret_title)
{
	static const struct {
		const char *name, *title;
	} KINDS[] = {{"test_not_top", "Chosen against its own list"},
	        {"base_not_top", "Chosen against its own list, by the base"},
	        {"widest", "The widest parting"}};
	const json_t *examples = json_object_get(group, "examples");
	if (i >= ARRAY_LEN(KINDS)) {
		return NULL;
	}
	const json_t *e = json_object_get(examples, KINDS[i].name);
	for (size_t k = 0; k < i && e; k++) {
		const json_t *told = json_object_get(examples, KINDS[k].name);
		bool same = strcmp(node_text(told, "exchange"), node_text(e, "exchange")) == 0;
		e = told && same ? NULL : e;
	}
	*ret_title = KINDS[i].title;
	return json_is_object(e) ? e : NULL;
}
