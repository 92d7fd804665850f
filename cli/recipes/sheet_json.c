/*
 * Sheets as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "capture/manifest.h"
#include "base/quoted.h"
#include "base/mem.h"
#include "cli/recipes/sheet.h"

static json_t *items_of(const struct sheet *s)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	json_t *items = json_array();
	for (size_t i = 0; i < n; i++) {
		struct sheet_item item;
		sheet_item(s, &names[i], &item);
		json_array_append_new(
		        items, json_pack("{s:s, s:s, s:s, s:b, s:s, s:o, s:o, s:s}", "name",
		                       names[i].name, "title", names[i].title, "section",
		                       names[i].section, "must", names[i].must, "status",
		                       item_status_name(item.status), "value", quoted(item.value),
		                       "source", quoted(item.source), "hint", names[i].hint));
		sheet_item_finish(&item);
	}
	return items;
}

/* The facts whose names begin with the prefix, under names without it. */
static json_t *facts_of(const struct manifest *m, const char *prefix)
{
	size_t len = strlen(prefix);
	json_t *facts = json_object();
	for (size_t i = 0; m && i < m->n_facts; i++) {
		const struct fact *f = &m->facts[i];
		if (strncmp(f->name, prefix, len) == 0) {
			json_object_set_new(facts, f->name + len, quoted(f->value));
		}
	}
	return facts;
}

static json_t *changes_of(const struct manifest *before, const struct manifest *m)
{
	json_t *changes = json_array();
	size_t n = 0;
	struct manifest_change *each = before && m ? manifest_diff(before, m, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(
		        changes, json_pack("{s:o, s:o, s:o}", "name", quoted(each[i].name), "was",
		                         quoted(each[i].was), "is", quoted(each[i].is)));
	}
	free(each);
	return changes;
}

static json_t *states_of(const struct sheet *s)
{
	json_t *states = json_array();
	const struct manifest *before = NULL;
	for (size_t i = 0; s->backend && i < s->n_states; i++) {
		const struct sheet_state *state = &s->states[i];
		char id[ID_TEXT_SIZE];
		bool known = !id_is_zero(state->id);
		json_array_append_new(states,
		        json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "id",
		                quoted(known ? id_format(state->id, id) : NULL), "learned_ns",
		                (json_int_t)(state->manifest ? state->manifest->wall_ns : 0),
		                "answers", (json_int_t)state->legs, "first_ns",
		                (json_int_t)state->first_ns, "last_ns", (json_int_t)state->last_ns,
		                "changes", changes_of(before, state->manifest)));
		before = state->manifest ? state->manifest : before;
	}
	return states;
}

static json_t *replicas_of(const struct sheet *s)
{
	json_t *replicas = json_array();
	for (size_t i = 0; i < s->n_replicas; i++) {
		json_array_append_new(
		        replicas, json_pack("{s:o, s:I}", "name", quoted(s->replicas[i].name),
		                          "answers", (json_int_t)s->replicas[i].legs));
	}
	return replicas;
}

static json_t *parameters_of(const struct sheet *s)
{
	json_t *all = json_object();
	for (size_t i = 0; s->legs && i < SHEET_PARAMETERS; i++) {
		const struct sheet_parameter *p = &s->parameters[i];
		json_object_set_new(all, p->name,
		        p->set ? json_pack("{s:I, s:f, s:f}", "set", (json_int_t)p->set, "low",
		                         p->low, "high", p->high)
		               : json_pack("{s:i, s:n, s:n}", "set", 0, "low", "high"));
	}
	return all;
}

static json_t *sheet_of(const struct sheet *s)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
	        "backend", quoted(s->backend), "url", quoted(s->url), "role",
	        quoted(s->backend ? role_name(s->role) : NULL), "dialect",
	        quoted(s->now ? s->now->dialect : NULL), "partial", s->now && s->now->partial,
	        "learned_ns", (json_int_t)(s->now ? s->now->wall_ns : 0), "answers",
	        (json_int_t)s->legs, "items", items_of(s), "flags", facts_of(s->now, "flag."),
	        "notes", facts_of(s->now, "note."), "requests", parameters_of(s), "states",
	        states_of(s), "replicas", replicas_of(s));
}

json_t *sheets_json(const struct sheets *s)
{
	json_t *stacks = json_array();
	for (size_t i = 0; i < s->n; i++) {
		json_array_append_new(stacks, sheet_of(&s->items[i]));
	}
	return json_pack("{s:i, s:o}", "plumbline_manifest", 1, "stacks", stacks);
}
