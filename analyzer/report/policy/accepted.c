#include "analyzer/report/policy/accepted.h"

#include <string.h>

#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/saved.h"
#include "base/ascii.h"
#include "base/mem.h"

#define VERSION 1
#define NEW_LISTED 20
#define PROMPT_DIGITS 32

json_t *accepted_new(void)
{
	return json_pack("{s:i, s:{}}", "plumbline_accepted", VERSION, "accepted");
}

/* Whether it begins with a prompt's hash; a key that no difference has does no harm. */
static bool is_key(const char *key)
{
	return strspn(key, HEX_DIGITS) == PROMPT_DIGITS && key[PROMPT_DIGITS] == '-';
}

/* Returns what is wrong with the file, or NULL. The caller frees it. */
static char *problem_of(const json_t *o)
{
	json_t *entries = json_object_get(o, "accepted");
	if (json_integer_value(json_object_get(o, "plumbline_accepted")) != VERSION) {
		return xasprintf("plumbline_accepted: is not %d, the version of a file of accepted "
		                 "differences",
		        VERSION);
	}
	if (!json_is_object(entries)) {
		return xstrdup("accepted: is not an object");
	}
	NODE_MEMBERS(reason, entries) {
		if (!is_key(reason.key) || !json_is_string(reason.value)) {
			return xasprintf("accepted.%.80s: is not the key of a difference with a "
			                 "reason, a string",
			        reason.key);
		}
	}
	return NULL;
}

json_t *accepted_load(const char *path, char **ret_error)
{
	return saved_load_checked(path, problem_of, ret_error);
}

size_t accepted_add(json_t *accepted, const json_t *differences, const char *reason)
{
	json_t *entries = json_object_get(accepted, "accepted");
	size_t before = json_object_size(entries);
	NODE_MEMBERS(difference, differences) {
		if (!json_object_get(entries, difference.key)) {
			json_object_set_new(entries, difference.key, json_string(reason));
		}
	}
	return json_object_size(entries) - before;
}

/* Marks the quoted pairs that differ in the accepted way, and those that do not. */
static void mark_exhibits(const json_t *entries, const json_t *document)
{
	json_t *items = json_object_get(json_object_get(document, "exhibits"), "items");
	NODE_EACH(item, items) {
		const char *key = node_text(item, "difference");
		if (*key) {
			node_set_flag(item, "accepted", json_object_get(entries, key) != NULL);
		}
	}
}

void accepted_check(const json_t *accepted, const char *file, const json_t *differences,
        uint64_t without_key, json_t *document)
{
	const json_t *entries = json_object_get(accepted, "accepted");
	size_t known = 0, all = json_object_size(differences);
	json_t *o = json_object(), *fresh = json_array();
	NODE_MEMBERS(difference, differences) {
		if (json_object_get(entries, difference.key)) {
			known++;
		} else if (json_array_size(fresh) < NEW_LISTED) {
			json_t *item = json_copy(difference.value);
			node_set_text(item, "key", difference.key);
			json_array_append_new(fresh, item);
		}
	}
	node_set_text(o, "file", file);
	node_set_count(o, "differences", all + without_key);
	node_set_count(o, "accepted", known);
	node_set_count(o, "without_key", without_key);
	node_set_count(o, "not_found", json_object_size(entries) - known);
	json_object_set_new(o, "new", fresh);
	json_object_set_new(document, "accepted", o);
	mark_exhibits(entries, document);
}

static double count_of(const json_t *document, const char *name)
{
	double n = node_number(json_object_get(document, "accepted"), name);
	return n > 0 ? n : 0;
}

bool accepted_all(const json_t *document)
{
	double n = count_of(document, "accepted");
	return n > 0 && n == count_of(document, "differences");
}

/* Whether the group's verdict depends on greedy answers alone. */
static bool is_of_greedy(const json_t *group)
{
	bool greedy = false;
	NODE_EACH(figure, json_object_get(group, "figures")) {
		const char *name = node_text(figure, "name");
		if (strcmp(name, "k3") == 0) {
			return false;
		}
		greedy |= strcmp(name, "differ") == 0 && node_number(figure, "n") > 0;
	}
	return greedy;
}

bool accepted_excuses_verdict(const json_t *document)
{
	if (!accepted_all(document)) {
		return false;
	}
	NODE_EACH(draws, json_object_get(document, "sampling")) {
		if (node_number(draws, "n_findings") > 0) {
			return false;
		}
	}
	NODE_EACH(group, json_object_get(document, "groups")) {
		if (!groups_is_floor(group) && strcmp(groups_verdict(group), "SAME") != 0 &&
		        !is_of_greedy(group)) {
			return false;
		}
	}
	return true;
}

void accepted_words(const json_t *document, struct buf *to)
{
	const json_t *o = json_object_get(document, "accepted");
	const json_t *first = json_array_get(json_object_get(o, "new"), 0);
	double all = count_of(document, "differences"), known = count_of(document, "accepted");
	double absent = count_of(document, "not_found"), lost = count_of(document, "without_key");
	buf_printf(
	        to, "%.0f of %.0f differences are accepted (%s)", known, all, node_text(o, "file"));
	if (first) {
		buf_printf(to, ". New: %.0f, the first in exchange %s (%s, %s)", all - known - lost,
		        node_text(first, "exchange"), node_text(first, "base"),
		        node_text(first, "test"));
	}
	if (lost > 0) {
		buf_printf(to, ". Redacted or not recorded, so never accepted: %.0f", lost);
	}
	if (absent > 0) {
		buf_printf(to, ". Accepted, but no longer found: %.0f", absent);
	}
	if (!json_object_get(document, "policy") && accepted_excuses_verdict(document)) {
		buf_append_str(to, ". None is new, so the exit code is 0");
	}
	buf_append_char(to, '.');
}
