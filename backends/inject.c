#include "backends/inject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* A member's last value in an object; type JSON_ERROR: the object has no such member. */
struct found {
	struct json_token value;
	struct span span;
};

/* Where members can be added to an object. */
struct tail {
	const char *at;
	bool comma;
};

struct rewrite {
	struct span body;
	struct edits *edits;
	const struct member_edit *members;
	size_t n;
	struct found *last; /* of each of members */
	struct found logprobs, top_logprobs, stream_options, echo;
	struct tail tail;
};

static void remove_piece(void *arg, const char *from, const char *to)
{
	struct rewrite *w = arg;
	edits_add(w->edits, (size_t)(from - w->body.data), (size_t)(to - from), SPAN(""));
}

static void replace(struct rewrite *w, struct span old, struct span text)
{
	edits_add(w->edits, (size_t)(old.data - w->body.data), old.len, text);
}

/* members: `"name":value` texts, joined by commas. */
static void insert(struct rewrite *w, const struct tail *tail, struct span members)
{
	struct buf text = {0};
	buf_append(&text, ",", tail->comma);
	buf_append_span(&text, members);
	edits_add(w->edits, (size_t)(tail->at - w->body.data), 0, buf_span(&text));
	buf_finish(&text);
}

/* The first of several edits of one name counts. */
static const struct member_edit *edit_of(const struct rewrite *w, const struct json_token *key)
{
	for (size_t i = 0; i < w->n; i++) {
		if (json_is_key(key, w->members[i].name)) {
			return &w->members[i];
		}
	}
	return NULL;
}

static bool is_edited(const struct rewrite *w, const char *name, size_t before)
{
	for (size_t i = 0; i < before; i++) {
		if (strcmp(w->members[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

static void note(struct rewrite *w, const struct json_token *key, const struct found *found)
{
	static const struct {
		const char *name;
		size_t offset;
	} names[] = {
	        {"logprobs", offsetof(struct rewrite, logprobs)},
	        {"top_logprobs", offsetof(struct rewrite, top_logprobs)},
	        {"stream_options", offsetof(struct rewrite, stream_options)},
	        {"echo", offsetof(struct rewrite, echo)},
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (json_is_key(key, names[i].name)) {
			*(struct found *)((char *)w + names[i].offset) = *found;
		}
	}
}

/* One pass over the body: finds what matters and removes what has to go. False: not a JSON object.
 */
static bool read_body(struct rewrite *w)
{
	struct json j;
	json_init(&j, w->body.data, w->body.len);
	struct json_token t = json_next(&j);
	struct members m;
	if (t.type != JSON_OBJECT) {
		return false;
	}
	members_open(&m, t.start, remove_piece, w);
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct found found = {.value = json_next(&j)};
		found.span = json_skip(&j, &found.value);
		if (!found.span.data) {
			return false;
		}
		const char *end = found.span.data + found.span.len;
		const struct member_edit *edit = edit_of(w, &t);
		if (edit && !edit->json) {
			members_take(&m, t.start, end);
			continue;
		}
		members_keep(&m, t.start, end);
		if (edit) {
			w->last[edit - w->members] = found;
		}
		note(w, &t, &found);
	}
	if (t.type != JSON_OBJECT_END) {
		return false;
	}
	members_close(&m, t.start);
	w->tail = (struct tail){m.kept ? m.end : t.start, m.kept};
	return json_next(&j).type == JSON_END;
}

static void add_member(struct buf *added, const char *name, const char *json)
{
	buf_append(added, ",", added->len > 0);
	json_put_string(added, span_of(name));
	buf_append_char(added, ':');
	buf_append_str(added, json);
}

/* Replaces the value if the member is there (as null or false), else notes it to be added. */
static void put_member(struct rewrite *w, const struct found *found, const char *name,
        const char *json, struct buf *added)
{
	if (found->value.type != JSON_ERROR) {
		replace(w, found->span, span_of(json));
	} else {
		add_member(added, name, json);
	}
}

static void put_members(struct rewrite *w, struct buf *added)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct member_edit *edit = &w->members[i];
		if (edit->json && !is_edited(w, edit->name, i)) {
			put_member(w, &w->last[i], edit->name, edit->json, added);
		}
	}
}

/* Absent, null or false: nothing was asked for. */
static bool is_unset(const struct found *found)
{
	return found->value.type == JSON_ERROR || found->value.type == JSON_NULL ||
	       found->value.type == JSON_FALSE;
}

static bool add_logprobs(struct rewrite *w, enum endpoint endpoint,
        const struct request_facts *facts, int top, struct buf *added)
{
	if (!endpoint_is_openai(endpoint) || facts->has_logprobs ||
	        (facts->stream && facts->has_tools) || !is_unset(&w->logprobs) ||
	        !is_unset(&w->echo) || is_edited(w, "logprobs", w->n) ||
	        is_edited(w, "top_logprobs", w->n)) {
		return false;
	}
	char number[16];
	snprintf(number, sizeof(number), "%d", top);
	if (endpoint == ENDPOINT_COMPLETION) {
		put_member(w, &w->logprobs, "logprobs", number, added);
		return true;
	}
	if (!is_unset(&w->top_logprobs)) {
		return false;
	}
	put_member(w, &w->logprobs, "logprobs", "true", added);
	put_member(w, &w->top_logprobs, "top_logprobs", number, added);
	return true;
}

/* Into the client's own stream_options object. False: it says something already. */
static bool add_to_options(struct rewrite *w)
{
	struct json j;
	struct found include = {0};
	struct tail tail = {0};
	json_init(&j, w->stream_options.span.data, w->stream_options.span.len);
	struct json_token t = json_next(&j);
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token value = json_next(&j);
		struct span span = json_skip(&j, &value);
		if (json_is_key(&t, "include_usage")) {
			include = (struct found){value, span};
		}
		tail = (struct tail){span.data + span.len, true};
	}
	if (!is_unset(&include)) {
		return false;
	}
	if (include.value.type != JSON_ERROR) {
		replace(w, include.span, SPAN("true"));
		return true;
	}
	if (!tail.at) {
		tail.at = t.start;
	}
	insert(w, &tail, SPAN("\"include_usage\":true"));
	return true;
}

static bool add_usage(struct rewrite *w, enum endpoint endpoint, const struct request_facts *facts,
        struct buf *added)
{
	if (!endpoint_is_openai(endpoint) || !facts->stream || facts->include_usage ||
	        is_edited(w, "stream_options", w->n)) {
		return false;
	}
	switch (w->stream_options.value.type) {
	case JSON_ERROR:
	case JSON_NULL:
		put_member(
		        w, &w->stream_options, "stream_options", "{\"include_usage\":true}", added);
		return true;
	case JSON_OBJECT:
		return add_to_options(w);
	default:
		return false;
	}
}

bool inject_copy(enum endpoint endpoint, const struct request_facts *facts, struct span body,
        int top, bool want_logprobs, bool want_usage, const struct member_edit *members, size_t n,
        struct edits *ret_edits, struct injection *ret)
{
	struct edits edits = {0};
	struct rewrite w = {.body = body, .edits = &edits, .members = members, .n = n};
	struct injection injection = {.top = top};
	struct buf added = {0};
	w.last = xcalloc(n + 1, sizeof(*w.last));
	bool ok = read_body(&w);
	if (ok) {
		put_members(&w, &added);
		injection.logprobs =
		        want_logprobs && add_logprobs(&w, endpoint, facts, top, &added);
		injection.usage = want_usage && add_usage(&w, endpoint, facts, &added);
		if (added.len) {
			insert(&w, &w.tail, buf_span(&added));
		}
		edits_sort(&edits);
		*ret_edits = edits;
		*ret = injection;
	} else {
		edits_finish(&edits);
	}
	buf_finish(&added);
	free(w.last);
	return ok;
}

/* The answer will have one choice: not so with n, or with several prompts. A list of numbers is one
 * prompt. */
static bool has_one_choice(const struct request_facts *facts, struct span body)
{
	static const char *const path[] = {"prompt"};
	struct json_token prompt;
	struct span span;
	if (facts->n != 1) {
		return false;
	}
	if (!json_find(body, path, 1, &prompt, &span) || prompt.type != JSON_ARRAY) {
		return true;
	}
	struct json j;
	json_init(&j, span.data, span.len);
	json_next(&j);
	return json_next(&j).type == JSON_NUMBER;
}

bool inject_request(enum endpoint endpoint, const struct request_facts *facts, struct span body,
        int top, bool want_logprobs, bool want_usage, struct edits *ret_edits,
        struct injection *ret)
{
	struct edits edits;
	struct injection injection;
	want_usage = want_usage && facts->stream && has_one_choice(facts, body);
	if (!facts->is_json || (!want_logprobs && !want_usage) ||
	        !inject_copy(endpoint, facts, body, top, want_logprobs, want_usage, NULL, 0, &edits,
	                &injection)) {
		return false;
	}
	if (edits.n == 0) {
		edits_finish(&edits);
		return false;
	}
	*ret_edits = edits;
	*ret = injection;
	return true;
}

bool rewrite_request(
        struct span body, const struct member_edit *members, size_t n, struct edits *ret)
{
	struct request_facts facts = {0};
	struct injection none;
	return inject_copy(ENDPOINT_OTHER, &facts, body, 0, false, false, members, n, ret, &none);
}
