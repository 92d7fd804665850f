#include "analyzer/report/groups.h"

#include <string.h>

#include "analyzer/report/node.h"
#include "base/check.h"

#define FILTERS_SHOWN 12

bool groups_is_floor(const json_t *group)
{
	return node_flag(group, "is_floor");
}

bool groups_have_trials(const json_t *groups)
{
	NODE_EACH(group, groups) {
		if (!groups_is_floor(group)) {
			return true;
		}
	}
	return false;
}

/* Returns whether one engine is the base of both groups: a floor compares their bases. */
static bool share_base(const json_t *all, const json_t *a, const json_t *b)
{
	const char *one = node_text(a, "base"), *other = node_text(b, "base");
	NODE_EACH(floor, all) {
		if (groups_is_floor(floor) &&
		        ((node_is(floor, "base", one) && node_is(floor, "test", other)) ||
		                (node_is(floor, "base", other) && node_is(floor, "test", one)))) {
			return true;
		}
	}
	return false;
}

static bool has_scores(const json_t *group)
{
	return json_is_object(json_object_get(group, "k3"));
}

bool groups_is_unscored_repeat(const json_t *all, const json_t *group)
{
	if (has_scores(group) || strcmp(groups_verdict(group), "UNCLEAR") != 0) {
		return false;
	}
	NODE_EACH(each, all) {
		if (has_scores(each) && node_is(each, "test", node_text(group, "test")) &&
		        share_base(all, each, group)) {
			return true;
		}
	}
	return false;
}

/* Returns whether an earlier group has the same test, the same engine as base, and the same
 * verdict. */
static bool is_repeated(const struct groups *earlier, const json_t *all, const json_t *group)
{
	for (size_t i = 0; i < earlier->n; i++) {
		const json_t *first = earlier->items[i];
		if (node_is(first, "test", node_text(group, "test")) &&
		        share_base(all, first, group) &&
		        strcmp(groups_verdict(first), groups_verdict(group)) == 0) {
			return true;
		}
	}
	return false;
}

/* The place of the group's test among a recipe's targets; 0 without a recipe. */
static size_t place_of(const json_t *document, const json_t *group)
{
	const json_t *rows = node_at(document, "standings.rows");
	size_t i = 0;
	while (i < json_array_size(rows) &&
	        !node_is(json_array_get(rows, i), "target", node_text(group, "test"))) {
		i++;
	}
	return i;
}

/* Adds the group after those of the same or an earlier place. */
static void add_group(struct groups *g, const json_t *document, const json_t *group)
{
	size_t at = g->n++;
	while (at > 0 && place_of(document, g->items[at - 1]) > place_of(document, group)) {
		g->items[at] = g->items[at - 1];
		at--;
	}
	g->items[at] = group;
}

void groups_read(const json_t *document, struct groups *ret)
{
	const json_t *all = json_object_get(document, "groups");
	struct groups g = {.n = 0};
	bool trials = groups_have_trials(all);
	NODE_EACH(group, all) {
		if (trials && (groups_is_floor(group) || is_repeated(&g, all, group) ||
		                      groups_is_unscored_repeat(all, group))) {
			continue;
		}
		if (g.n < GROUPS_SHOWN) {
			add_group(&g, document, group);
		} else {
			g.beyond++;
		}
	}
	*ret = g;
}

const char *groups_verdict(const json_t *of)
{
	static const char *const WORDS[] = {"SAME", "DIFFERENT"};
	const char *word = node_text(json_object_get(of, "verdict"), "word");
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
		if (strcmp(word, WORDS[i]) == 0) {
			return WORDS[i];
		}
	}
	return "UNCLEAR";
}

const char *groups_sentence(const json_t *of)
{
	return node_text(json_object_get(of, "verdict"), "sentence");
}

const json_t *groups_example(const json_t *group, size_t i, struct buf *title)
{
	static const struct {
		const char *name, *side, *title;
	} KINDS[] = {{"test_not_top", "test", " did not pick its own most probable token"},
	        {"base_not_top", "base", " did not pick its own most probable token"},
	        {"widest", "", "The largest difference"}};
	const json_t *examples = json_object_get(group, "examples");
	if (i >= ARRAY_LEN(KINDS)) {
		return NULL;
	}
	const json_t *e = json_object_get(examples, KINDS[i].name);
	for (size_t k = 0; k < i && e; k++) {
		const json_t *shown = json_object_get(examples, KINDS[k].name);
		bool same = node_is(shown, "exchange", node_text(e, "exchange"));
		e = json_is_object(shown) && same ? NULL : e;
	}
	buf_printf(title, "%s%s", node_text(group, KINDS[i].side), KINDS[i].title);
	return json_is_object(e) ? e : NULL;
}

void groups_selection(const json_t *document, struct buf *to)
{
	const json_t *selection = json_object_get(document, "selection");
	const json_t *where = json_object_get(selection, "where");
	const char *since = node_text(selection, "since"), *until = node_text(selection, "until");
	if (!json_is_object(selection)) {
		return;
	}
	buf_printf(to, "Only a selection was compared:%s%s%s%s", *since ? " since " : "", since,
	        *until ? " until " : "", until);
	for (size_t i = 0; i < MIN(json_array_size(where), (size_t)FILTERS_SHOWN); i++) {
		const char *each = json_string_value(json_array_get(where, i));
		buf_printf(to, "%s%s", i ? " and " : " where ", each ? each : "?");
	}
	buf_append_char(to, '.');
}
