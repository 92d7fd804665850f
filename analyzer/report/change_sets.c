#include "analyzer/report/change_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy_words.h"

#define SET_LIMIT 4096

/* name -> item, for as long as the document lives. */
static json_t *set_of_causes(const json_t *group)
{
	const json_t *list = json_object_get(group, "causes");
	json_t *set = json_object();
	for (size_t i = 0; i < MIN(json_array_size(list), (size_t)SET_LIMIT); i++) {
		json_t *item = json_array_get(list, i);
		json_object_set(set, node_text(item, "key"), item);
	}
	return set;
}

static json_t *cause(const char *key, const json_t *item)
{
	const char *title = node_text(item, "title"), *text = node_text(item, "text");
	return json_pack("{s:s, s:s}", "key", key, "text", *title ? title : text);
}

/* By its name, where the document has it: ids say nothing to people. */
static json_t *name_of(const char *key, const json_t *item)
{
	const char *name = node_text(item, "name");
	return *name ? json_pack("{s:s, s:s}", "key", key, "text", name) : json_string(key);
}

typedef json_t *(*show_fn)(const char *key, const json_t *item);

/* What is in one set and not in the other. */
static json_t *without(json_t *set, const json_t *other, show_fn show)
{
	json_t *list = json_array(), *item;
	const char *key;
	json_object_foreach(set, key, item)
	{
		if (*key && !json_object_get(other, key)) {
			json_array_append_new(list, show(key, item));
		}
	}
	return list;
}

/* Takes over both. */
static json_t *came_and_went(json_t *before, json_t *after, show_fn show)
{
	json_t *o = json_object();
	json_object_set_new(o, "new", without(after, before, show));
	json_object_set_new(o, "gone", without(before, after, show));
	json_decref(before);
	json_decref(after);
	return o;
}

json_t *change_causes(const json_t *before, const json_t *after)
{
	return came_and_went(set_of_causes(before), set_of_causes(after), cause);
}

static json_t *set_of_stacks(const json_t *group)
{
	const json_t *values = node_at(group, "slices.stack.values");
	json_t *set = json_object();
	for (size_t i = 0; i < MIN(json_array_size(values), (size_t)SET_LIMIT); i++) {
		json_t *item = json_array_get(values, i);
		json_object_set(set, node_text(item, "value"), item);
	}
	return set;
}

json_t *change_stacks(const json_t *before, const json_t *after)
{
	return came_and_went(set_of_stacks(before), set_of_stacks(after), name_of);
}

/* What makes a rule at one place the same in both documents. */
static char *rule_key(const json_t *verdict)
{
	struct buf key = {0};
	buf_printf(&key, "%s|", node_text(verdict, "name"));
	policy_words_subject(verdict, &key);
	buf_append_char(&key, '|');
	policy_words_limit(verdict, &key);
	return buf_steal(&key);
}

static json_t *set_of_rules(const json_t *document)
{
	const json_t *rules = node_at(document, "policy.rules");
	json_t *set = json_object();
	for (size_t i = 0; i < MIN(json_array_size(rules), (size_t)SET_LIMIT); i++) {
		json_t *v = json_array_get(rules, i);
		char *key = rule_key(v);
		json_object_set(set, key, v);
		free(key);
	}
	return set;
}

static json_t *result_of(const json_t *document)
{
	const char *result = node_text(json_object_get(document, "policy"), "result");
	return *result ? json_string(result) : json_null();
}

json_t *change_policy(const json_t *before, const json_t *after)
{
	json_t *b = set_of_rules(before), *a = set_of_rules(after), *changed = json_array();
	const char *key;
	json_t *now;
	json_object_foreach(a, key, now)
	{
		const json_t *then = json_object_get(b, key);
		const char *was = node_text(then, "counts_as"), *is = node_text(now, "counts_as");
		if (then && strcmp(was, is) != 0) {
			json_t *o = json_object();
			json_object_set_new(o, "before", json_string(was));
			json_object_set_new(o, "after", json_string(is));
			json_object_set(o, "rule", now);
			json_array_append_new(changed, o);
		}
	}
	json_decref(a);
	json_decref(b);
	json_t *o = json_object();
	json_object_set_new(o, "before", result_of(before));
	json_object_set_new(o, "after", result_of(after));
	json_object_set_new(o, "changed", changed);
	return o;
}

bool change_policy_fails(const json_t *policy_change)
{
	const json_t *changed = json_object_get(policy_change, "changed");
	bool fails = false;
	for (size_t i = 0; i < json_array_size(changed); i++) {
		fails |= strcmp(node_text(json_array_get(changed, i), "after"), "fail") == 0;
	}
	return fails;
}
