#include "analyzer/report/document/exhibits.h"

#include "analyzer/report/document/exhibit_parts.h"
#include "analyzer/report/node.h"
#include "base/mem.h"

#define ESCAPED 6 /* bytes of \u003c */

static int add_cost(const char *bytes, size_t n, void *arg)
{
	size_t escaped = 0;
	for (size_t i = 0; i < n; i++) {
		escaped += bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&';
	}
	*(size_t *)arg += n + escaped * (ESCAPED - 1);
	return 0;
}

size_t exhibits_cost(const json_t *value)
{
	size_t cost = 0;
	json_dump_callback(value, add_cost, &cost, JSON_COMPACT | JSON_ENCODE_ANY);
	return cost;
}

struct shown {
	json_t *items;
	struct capture *capture;
	const struct analysis *analysis;
	struct meaning_room room;
	const struct pick **picks; /* that are shown */
	size_t n;
	uint64_t unread; /* pairs that could not be read again */
	bool floors;     /* there is nothing but floors */
};

static bool is_shown(const struct shown *s, const struct pick *pick)
{
	for (size_t i = 0; i < s->n; i++) {
		if (pick_is_same(s->picks[i], pick)) {
			return true;
		}
	}
	return false;
}

/* Returns false if there is no room for it. */
static bool show(
        struct shown *s, size_t group, const struct pick *pick, const char *by, size_t *budget)
{
	json_t *o = exhibit_make(s->capture, &s->analysis->groups[group], pick, &s->room);
	if (!o) {
		s->unread++;
		return true;
	}
	node_set_count(o, "group", group);
	node_set_text(o, "by", by);
	size_t cost = exhibits_cost(o);
	if (cost >= *budget) {
		json_decref(o);
		return false;
	}
	*budget -= cost + 1;
	json_array_append_new(s->items, o);
	s->picks[s->n++] = pick;
	return true;
}

/* The groups take turns, so that a very bad group does not displace the others. */
static size_t take_turns(struct shown *s, bool worst, size_t most, size_t budget)
{
	const struct analysis *a = s->analysis;
	size_t from = s->n;
	bool any = true, room = true;
	for (size_t turn = 0; any && room; turn++) {
		any = false;
		for (size_t g = 0; g < a->n_groups && room; g++) {
			const struct picks *picks = &a->groups[g].picks;
			const struct pick_list *l = worst ? &picks->worst : &picks->random;
			if (a->groups[g].is_floor != s->floors || turn >= l->n) {
				continue;
			}
			any = true;
			room = s->n - from < most &&
			       (is_shown(s, &l->items[turn]) ||
			               show(s, g, &l->items[turn], worst ? "worst" : "random",
			                       &budget));
		}
	}
	return s->n - from;
}

static uint64_t pairs_of(const struct analysis *a, bool floors)
{
	uint64_t pairs = 0;
	for (size_t g = 0; g < a->n_groups; g++) {
		pairs += a->groups[g].is_floor == floors ? group_pairs(&a->groups[g]) : 0;
	}
	return pairs;
}

void exhibits_add(
        json_t *document, struct capture *c, const struct analysis *a, size_t most, size_t limit)
{
	struct shown s = {
	        .items = json_array(),
	        .capture = c,
	        .analysis = a,
	        .picks = xcalloc(most + 1, sizeof(*s.picks)),
	        .floors = !analysis_has_trials(a),
	};
	size_t cost = exhibits_cost(document);
	size_t budget = cost < limit ? limit - cost : 0;
	size_t of_worst = (most * 3 + 4) / 5;
	size_t worst = take_turns(&s, true, of_worst, budget / 10 * 7);
	size_t random = take_turns(&s, false, most - worst, budget / 10 * 3);
	uint64_t pairs = pairs_of(a, s.floors);
	json_t *o = json_object();
	node_set_count(o, "worst", worst);
	node_set_count(o, "random", random);
	node_set_count(o, "lot", random); /* former name */
	node_set_count(o, "left_out", pairs - s.n);
	node_set_count(o, "unreadable", s.unread);
	json_object_set_new(o, "items", s.items);
	json_object_set_new(document, "exhibits", o);
	meaning_room_finish(&s.room);
	free(s.picks);
}

static bool has_examples(const json_t *group)
{
	NODE_MEMBERS(example, json_object_get(group, "examples")) {
		if (json_is_object(example.value)) {
			return true;
		}
	}
	return false;
}

static bool has_rerun_tokens(const json_t *document)
{
	NODE_EACH(prompt, node_at(document, "reruns.worst")) {
		if (json_is_string(json_object_get(prompt, "mode_token"))) {
			return true;
		}
	}
	return false;
}

bool exhibits_any(const json_t *document)
{
	NODE_EACH(group, json_object_get(document, "groups")) {
		if (has_examples(group)) {
			return true;
		}
	}
	return json_is_object(json_object_get(document, "exhibits")) || has_rerun_tokens(document);
}

/* A copy of a group whose examples are all null. */
static json_t *without_examples(json_t *group)
{
	json_t *copy = json_copy(group), *none = json_object();
	NODE_MEMBERS(example, json_object_get(group, "examples")) {
		json_object_set_new(none, example.key, json_null());
	}
	json_object_set_new(copy, "examples", none);
	return copy;
}

/* A copy of the repeated prompts without the tokens at which their answers differ. */
static json_t *without_tokens(json_t *reruns)
{
	json_t *copy = json_deep_copy(reruns);
	NODE_EACH(prompt, json_object_get(copy, "worst")) {
		json_object_set_new(prompt, "mode_token", json_null());
		json_object_set_new(prompt, "other_token", json_null());
	}
	return copy;
}

json_t *exhibits_drop(const json_t *document)
{
	json_t *copy = json_copy((json_t *)document), *stripped = json_array();
	NODE_EACH(group, json_object_get(document, "groups")) {
		json_array_append_new(stripped, without_examples(group));
	}
	json_object_set_new(copy, "groups", stripped);
	json_object_set_new(copy, "exhibits", json_null());
	json_t *reruns = json_object_get(document, "reruns");
	if (json_is_object(reruns)) {
		json_object_set_new(copy, "reruns", without_tokens(reruns));
	}
	return copy;
}
