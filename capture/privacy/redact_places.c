#include "capture/privacy/redact_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "capture/privacy/redact_form.h"

#define NONE REDACT_NO_NODE

static uint64_t mix(uint64_t a, uint64_t b)
{
	return XXH3_64bits_withSeed(&b, sizeof(b), a);
}

static uint64_t hash_of(struct span s)
{
	return XXH3_64bits(s.data, s.len);
}

/* Which choice the node belongs to. */
static uint64_t choice_of(const struct redact_places *p, const struct redact_node *n)
{
	uint64_t choice = 1;
	while ((n = redact_tree_parent(&p->tree, n))) {
		choice = n->mark ? mix(choice, n->mark) : choice;
	}
	return choice;
}

/* Marks a tool call: by its index; else by its id, if another call had its place in the list; else
 * by this place. A piece without both belongs to the call that was continued last at its place. */
static void mark_call(struct redact_places *p, struct redact_node *n, uint64_t place)
{
	uint64_t choice = choice_of(p, n), id = n->hash;
	struct redact_call found = {choice, id, 0, n->index};
	size_t at = p->n_calls;
	bool is_taken = false;
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct redact_call *c = &p->calls[i];
		if (c->choice == choice) {
			at = (id ? c->id == id : c->index == n->index) ? i : at;
			is_taken |= c->mark == place;
		}
	}
	if (at < p->n_calls) {
		found.id = p->calls[at].id;
		found.mark = p->calls[at].mark;
		size_t n_after = --p->n_calls - at;
		memmove(&p->calls[at], &p->calls[at + 1], n_after * sizeof(found));
	}
	if (n->mark == 0) {
		n->mark = found.mark ? found.mark : id && is_taken ? id : place;
	}
	found.mark = found.mark ? found.mark : n->mark;
	if (found.id && p->n_calls < REDACT_CALLS_LIMIT) {
		p->calls[p->n_calls++] = found;
	}
}

/* Marks a choice or a tool call without an index by its place in the list, which then counts. */
static void mark_place(struct redact_places *p, struct redact_node *n)
{
	const struct redact_node *list = redact_tree_parent(&p->tree, n);
	if (n->kind != REDACT_OBJECT || !list || list->kind != REDACT_ARRAY) {
		return;
	}
	struct span name = redact_tree_name(&p->tree, list);
	char index[16];
	snprintf(index, sizeof(index), "%" PRIu32, n->index);
	uint64_t place = mix(hash_of(SPAN("index")), hash_of(span_of(index)));
	if (span_is(name, "tool_calls")) {
		mark_call(p, n, place);
	} else if (n->mark == 0 && span_is(name, "choices")) {
		n->mark = place;
	}
}

/* Marks each object with the members that tell which of several texts it belongs to. */
static void mark_parents(struct redact_places *p)
{
	static const char *const DISTINGUISHING[] = {
	        "index", "output_index", "content_index", "item_id", NULL};
	for (size_t i = 0; i < p->tree.n; i++) {
		struct redact_node *n = &p->tree.items[i];
		if (n->key == NONE || n->kind <= REDACT_ARRAY || n->kind == REDACT_WORD) {
			continue;
		}
		struct redact_node *parent = &p->tree.items[n->parent];
		struct span name = redact_tree_name(&p->tree, n);
		bool root = parent->parent == NONE;
		if (span_is_one_of(name, DISTINGUISHING) || (root && span_is(name, "type"))) {
			parent->mark += mix(hash_of(name), hash_of(redact_tree_raw(&p->tree, n)));
		} else if (span_is(name, "id") && n->len) {
			parent->hash = hash_of(redact_tree_raw(&p->tree, n)); /* for mark_call() */
		}
	}
	for (size_t i = 0; i < p->tree.n; i++) {
		mark_place(p, &p->tree.items[i]);
	}
}

/* names: those of a member's path, the innermost first. Elements of arrays have no name. */
static bool is_member(struct redact_places *p, const struct redact_node *n, char *const *names)
{
	for (; *names; names++) {
		while (n && n->key == NONE) {
			n = redact_tree_parent(&p->tree, n);
		}
		if (!n || (strcmp(*names, "*") != 0 &&
		                  !span_is(redact_tree_name(&p->tree, n), *names))) {
			return false;
		}
		n = redact_tree_parent(&p->tree, n);
	}
	return true;
}

static bool is_private(struct redact_places *p, const struct redact_node *n)
{
	for (size_t i = 0; i < p->policy->n_members; i++) {
		if (is_member(p, n, p->policy->members[i])) {
			return true;
		}
	}
	return false;
}

/* Locates an answer's tokens by box and by position within it. */
static void place(struct redact_places *p, uint32_t i)
{
	static const char *const LISTS[] = {"logprobs", "completion_probabilities", NULL};
	static const char *const HOLDERS[] = {"meta_info", "details", NULL};
	static const char *const OTHERS[] = {"top_logprobs", "top_tokens", "probs", "top_probs",
	        "candidates", "output_top_logprobs", "output_token_ids_logprobs", NULL};
	static const char *const PROMPTS[] = {"prompt_logprobs", "prefill", "input_token_logprobs",
	        "input_top_logprobs", "input_token_ids_logprobs", "prompt_token_logprobs", NULL};
	struct redact_node *n = &p->tree.items[i];
	struct span name = redact_tree_name(&p->tree, n);
	const struct redact_node *parent = redact_tree_parent(&p->tree, n);
	bool object = n->kind == REDACT_OBJECT, array = n->kind == REDACT_ARRAY;
	if (object && (span_is(name, "logprobs") || span_is_one_of(name, HOLDERS))) {
		n->box = i;
		n->pos = NONE;
	} else if (array && span_is_one_of(name, LISTS)) {
		n->box = n->parent;
		n->pos = NONE;
	} else if (n->box == NONE &&
	           ((object && span_is(name, "token")) || span_is(name, "top_tokens"))) {
		n->box = n->parent;
		n->pos = 0;
	} else if (n->box != NONE && n->pos == NONE && parent && parent->kind == REDACT_ARRAY &&
	           n->kind != REDACT_KEY) {
		n->pos = n->index;
	}
	n->flags |= n->box != NONE && span_is_one_of(name, OTHERS) ? PLACE_ALTERNATIVE : 0;
	n->flags |= span_is_one_of(name, PROMPTS) ? PLACE_BLANK : 0;
}

/* Whether node k is in the array or object i, which precedes it. */
static bool is_inside(const struct redact_places *p, size_t i, size_t k)
{
	const struct redact_node *n = &p->tree.items[i];
	return k < p->tree.n && p->tree.items[k].at < n->at + n->len;
}

bool redact_place_has_ids(struct redact_places *p, size_t i)
{
	static const char *const NAMES[] = {"token_ids", "prompt_token_ids", "output_ids",
	        "input_ids", "output_token_ids", "context", "tokens", "prompt", "input", NULL};
	const struct redact_node *n = &p->tree.items[i];
	if (n->kind != REDACT_ARRAY || !span_is_one_of(redact_tree_name(&p->tree, n), NAMES)) {
		return false;
	}
	for (size_t k = i + 1; is_inside(p, i, k); k++) {
		const struct redact_node *in = &p->tree.items[k];
		const struct redact_node *list = &p->tree.items[in->parent];
		bool of_list = in->parent == i || (list->parent == i && list->kind == REDACT_ARRAY);
		if (of_list && in->kind == REDACT_NUMBER) {
			return true;
		}
	}
	return false;
}

bool redact_place_is_numeric(const struct redact_places *p, size_t i)
{
	for (size_t k = i + 1; is_inside(p, i, k); k++) {
		if (p->tree.items[k].kind != REDACT_ARRAY &&
		        p->tree.items[k].kind != REDACT_NUMBER) {
			return false;
		}
	}
	return true;
}

bool redact_place_is_id(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (!is_digit(name.data[i])) {
			return false;
		}
	}
	return name.len > 0;
}

static bool is_of_token(const struct redact_node *n)
{
	return n->box != NONE && n->pos != NONE;
}

uint64_t redact_place_slot(const struct redact_places *p, const struct redact_node *n)
{
	bool has = is_of_token(n) && !(n->flags & PLACE_BLANK);
	return has ? mix(mix(p->document, n->box), n->pos) | 1 : 0;
}

/* Whether this is a member of the answer itself, or of the answer object within an event. */
static bool is_at_top(const struct redact_places *p, const struct redact_node *n)
{
	const struct redact_node *object = &p->tree.items[n->parent];
	if (object->key == NONE) {
		return object->parent == NONE;
	}
	struct span name = redact_tree_raw(&p->tree, &p->tree.items[object->key]);
	return p->tree.items[object->parent].parent == NONE &&
	       (span_is(name, "response") || span_is(name, "message"));
}

bool redact_place_is_form(const struct redact_places *p, const struct redact_node *n)
{
	if (n->key == NONE || n->flags & PLACE_OF_USER || is_of_token(n)) {
		return false;
	}
	struct span name = redact_tree_raw(&p->tree, &p->tree.items[n->key]),
	            value = redact_tree_raw(&p->tree, n);
	if (span_is(name, "model") || span_is(name, "system_fingerprint")) {
		return is_at_top(p, n) && redact_form_is_label(value);
	}
	return redact_form_is_value(name, value);
}

/* Whether the member's name is a token or a token id. */
static bool is_token_name(
        const struct redact_places *p, const struct redact_node *object, struct span name)
{
	return (object->flags & PLACE_ALTERNATIVE && object->only_numbers) ||
	       (object->flags & PLACE_BLANK && redact_place_is_id(name));
}

/* Whether names, texts and numbers in the member were written by the user or the model: the
 * member is known to contain such data, or is unknown. */
static bool is_of_user(const struct redact_places *p, const struct redact_node *n)
{
	struct span name = redact_tree_raw(&p->tree, &p->tree.items[n->key]);
	if (is_token_name(p, &p->tree.items[n->parent], name)) {
		return false;
	}
	return !redact_form_has_name(name) ||
	       redact_form_is_of_user(name, n->kind == REDACT_OBJECT);
}

bool redact_place_is_measure(const struct redact_places *p, const struct redact_node *n)
{
	if (n->flags & PLACE_OF_USER) {
		return false;
	}
	while (n && n->key == NONE) {
		n = redact_tree_parent(&p->tree, n);
	}
	if (!n) {
		return false;
	}
	struct span name = redact_tree_raw(&p->tree, &p->tree.items[n->key]);
	return is_token_name(p, &p->tree.items[n->parent], name) || redact_form_is_measure(name);
}

/* Whether the node is the text of a content's part. Other events may have the content as a text,
 * which continues it. */
static bool is_part_text(struct redact_places *p, const struct redact_node *n)
{
	if (n->key == NONE || !span_is(redact_tree_name(&p->tree, n), "text")) {
		return false;
	}
	const struct redact_node *part = redact_tree_parent(&p->tree, n);
	const struct redact_node *list = redact_tree_parent(&p->tree, part);
	return part->mark == 0 && list && list->kind == REDACT_ARRAY &&
	       span_is(redact_tree_name(&p->tree, list), "content");
}

/* Sets the node's place from its parent, its name and its kind. */
static void set_place(struct redact_places *p, uint32_t i)
{
	struct redact_node *n = &p->tree.items[i];
	const struct redact_node *parent = redact_tree_parent(&p->tree, n);
	n->box = parent ? parent->box : NONE;
	n->pos = parent ? parent->pos : NONE;
	n->hash = parent ? parent->hash : 1;
	n->path = parent ? parent->path : 1;
	n->flags = parent ? parent->flags : 0;
	if (n->key != NONE) {
		n->flags |= is_private(p, n) ? PLACE_PRIVATE : 0;
		n->flags |= p->policy->everything && is_of_user(p, n) ? PLACE_OF_USER : 0;
		uint64_t name = hash_of(redact_tree_name(&p->tree, n));
		n->hash = mix(n->hash, name);
		n->path = mix(n->path, name);
	}
	if (n->mark) {
		n->hash = mix(n->hash, n->mark);
	}
	if (is_part_text(p, n)) {
		const struct redact_node *content = redact_tree_parent(&p->tree, parent);
		n->hash = content->hash;
		n->path = content->path;
	}
	place(p, i);
}

int64_t redact_places_read(struct redact_places *p, size_t at)
{
	int64_t end = redact_tree_read(&p->tree, at);
	if (end < 0) {
		return end;
	}
	p->document++;
	mark_parents(p);
	for (uint32_t i = 0; i < p->tree.n; i++) {
		set_place(p, i);
	}
	return p->tree.error ? p->tree.error : end;
}
