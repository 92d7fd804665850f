#include "backends/injection/inject.h"

#include <stdlib.h>
#include <string.h>

#include "backends/injection/asking.h"
#include "base/json.h"
#include "base/mem.h"

/* A member's last value in an object; type JSON_TOKEN_ERROR: the object has no such member. */
struct found {
	struct json_token value;
	struct span span;
};

/* Where members can be added to an object. */
struct tail {
	const char *at;
	bool comma;
};

#define WORDS_MAX 8

/* A member that requests logprobs. */
struct word {
	const struct member_edit *edit;
	struct found found;
	bool extra; /* not needed to get logprobs */
};

struct rewrite {
	struct span body;
	struct edits *edits;
	const struct member_edit *members;
	size_t n;
	struct found *last; /* of each of members */
	struct word words[WORDS_MAX];
	size_t n_words; /* 0: no logprobs are asked for */
	int top;
	struct found logprobs, top_logprobs, stream_options, echo, prompt;
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
		if (json_token_is_key(key, w->members[i].name)) {
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
	        {"prompt", offsetof(struct rewrite, prompt)},
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (json_token_is_key(key, names[i].name)) {
			*(struct found *)((char *)w + names[i].offset) = *found;
		}
	}
	for (size_t i = 0; i < w->n_words; i++) {
		if (json_token_is_key(key, w->words[i].edit->name)) {
			w->words[i].found = *found;
		}
	}
}

/* One pass over the body: finds what matters and removes what has to go. False: not a JSON object.
 */
static bool read_body(struct rewrite *w)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, w->body);
	struct members m;
	if (t.type != JSON_TOKEN_OBJECT) {
		return false;
	}
	members_open(&m, t.start, remove_piece, w);
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
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
	if (t.type != JSON_TOKEN_OBJECT_END) {
		return false;
	}
	members_close(&m, t.start);
	w->tail = (struct tail){m.kept ? m.end : t.start, m.kept};
	return json_next(&j).type == JSON_TOKEN_END;
}

/* Replaces the value if the member is there (as null or false), else notes it to be added. */
static void put_member(struct rewrite *w, const struct found *found, const char *name,
        const char *json, struct buf *added)
{
	if (found->value.type != JSON_TOKEN_ERROR) {
		replace(w, found->span, span_of(json));
	} else {
		buf_append(added, ",", added->len > 0);
		json_put_string(added, span_of(name));
		buf_append_char(added, ':');
		buf_append_str(added, json);
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
	return found->value.type == JSON_TOKEN_ERROR || found->value.type == JSON_TOKEN_NULL ||
	       found->value.type == JSON_TOKEN_FALSE;
}

static void gather_words(struct rewrite *w, const struct member_edit *words, bool extra)
{
	for (; words && words->name; words++) {
		expect(w->n_words < WORDS_MAX);
		w->words[w->n_words++] = (struct word){.edit = words, .extra = extra};
	}
}

/* The name of the model as it is sent; the caller frees it. */
static char *model_of(
        const struct request_facts *facts, const struct member_edit *members, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(members[i].name, "model") != 0 || !members[i].json) {
			continue;
		}
		struct json j;
		json_init(&j, members[i].json, strlen(members[i].json));
		struct json_token t = json_next(&j);
		return t.type == JSON_TOKEN_STRING ? json_token_dup(&t) : NULL;
	}
	return xstrdup(facts->model);
}

/* Chooses the members that will request logprobs, before the body is read; none if logprobs will
 * not be requested. */
static void choose_words(struct rewrite *w, const struct dialect *d, const struct injectable *r,
        bool copy, const struct injection *want)
{
	struct asking asking;
	const struct request_facts *facts = r->facts;
	char *model = model_of(facts, w->members, w->n);
	if (!facts->has_logprobs &&
	        asking_logprobs(d, r->endpoint, facts, model, copy, want->top, &asking)) {
		gather_words(w, asking.words, false);
		if (copy || (want->token_ids && !facts->has_token_ids)) {
			gather_words(w, asking.extra, true);
		}
		w->top = asking.top;
	}
	free(model);
}

/* Whether the request asks for the prompt's text, as it will be sent. */
static bool has_echo(const struct rewrite *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (strcmp(w->members[i].name, "echo") == 0) {
			const char *json = w->members[i].json;
			return json && strcmp(json, "false") != 0 && strcmp(json, "null") != 0;
		}
	}
	return !is_unset(&w->echo);
}

/* Whether neither the client nor the configuration set these members, and no echo would return the
 * prompt's logprobs. */
static bool may_ask(const struct rewrite *w)
{
	if (w->n_words == 0 || !is_unset(&w->logprobs) || !is_unset(&w->top_logprobs) ||
	        has_echo(w) || is_edited(w, "logprobs", w->n) ||
	        is_edited(w, "top_logprobs", w->n)) {
		return false;
	}
	for (size_t i = 0; i < w->n_words; i++) {
		const struct word *word = &w->words[i];
		if (!word->extra &&
		        (!is_unset(&word->found) || is_edited(w, word->edit->name, w->n))) {
			return false;
		}
	}
	return true;
}

static void add_logprobs(struct rewrite *w, struct buf *added, struct injection *ret)
{
	if (!may_ask(w)) {
		return;
	}
	struct buf json = {0};
	for (size_t i = 0; i < w->n_words; i++) {
		const struct word *word = &w->words[i];
		if (word->extra &&
		        (!is_unset(&word->found) || is_edited(w, word->edit->name, w->n))) {
			continue;
		}
		ret->token_ids |= word->extra;
		buf_clear(&json);
		asking_put_value(word->edit->json, w->top, &json);
		put_member(w, &word->found, word->edit->name, buf_cstr(&json), added);
	}
	buf_finish(&json);
	ret->logprobs = true;
	ret->top = w->top;
}

/*
 * Adds include_usage to the client's stream_options object. False: the object already sets it, or
 * requests usage in each event: then it is unknown which usage the engine sends without our request.
 */
static bool add_to_options(struct rewrite *w)
{
	struct json j;
	struct found include = {0};
	struct tail tail = {0};
	struct json_token t = json_begin_lenient(&j, w->stream_options.span);
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(&j);
		struct span span = json_skip(&j, &value);
		if (json_token_is_key(&t, "include_usage")) {
			include = (struct found){value, span};
		} else if (json_token_is_key(&t, "continuous_usage_stats") &&
		           value.type == JSON_TOKEN_TRUE) {
			return false;
		}
		tail = (struct tail){span.data + span.len, true};
	}
	if (!is_unset(&include)) {
		return false;
	}
	if (include.value.type != JSON_TOKEN_ERROR) {
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
	case JSON_TOKEN_ERROR:
	case JSON_TOKEN_NULL:
		put_member(
		        w, &w->stream_options, "stream_options", "{\"include_usage\":true}", added);
		return true;
	case JSON_TOKEN_OBJECT:
		return add_to_options(w);
	default:
		return false;
	}
}

/* Whether the answer will have one choice: not with n above 1 or several prompts. A list of
 * numbers is one prompt. */
static bool has_one_choice(const struct rewrite *w, const struct request_facts *facts)
{
	if (facts->n != 1 || w->prompt.value.type != JSON_TOKEN_ARRAY) {
		return facts->n == 1;
	}
	struct json j;
	json_begin_lenient(&j, w->prompt.span);
	return json_next(&j).type == JSON_TOKEN_NUMBER;
}

static bool edit(const struct injectable *r, bool copy, const struct injection *want,
        const struct member_edit *members, size_t n, struct edits *ret_edits, struct injection *ret)
{
	struct injection injection = {.top = want->top};
	struct edits edits = {0};
	struct rewrite w = {.body = r->body, .edits = &edits, .members = members, .n = n};
	struct buf added = {0};
	const struct dialect *d = r->dialect ? r->dialect : &dialect_generic;
	w.last = xcalloc(n + 1, sizeof(*w.last));
	if (want->logprobs) {
		choose_words(&w, d, r, copy, want);
	}
	bool ok = read_body(&w);
	if (ok) {
		put_members(&w, &added);
		add_logprobs(&w, &added, &injection);
		injection.usage = want->usage && (d->abilities & ABILITY_STREAM_USAGE) &&
		                  (copy || has_one_choice(&w, r->facts)) &&
		                  add_usage(&w, r->endpoint, r->facts, &added);
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

bool inject_copy(const struct injectable *r, const struct injection *want,
        const struct member_edit *members, size_t n, struct edits *ret_edits, struct injection *ret)
{
	return edit(r, true, want, members, n, ret_edits, ret);
}

bool inject_request(const struct injectable *r, const struct injection *want,
        struct edits *ret_edits, struct injection *ret)
{
	struct edits edits;
	struct injection injection, possible = *want;
	possible.usage = want->usage && r->facts->stream;
	if (!r->facts->is_json || (!possible.logprobs && !possible.usage) ||
	        !edit(r, false, &possible, NULL, 0, &edits, &injection)) {
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
	struct injection none = {0};
	const struct injectable r = {.endpoint = ENDPOINT_OTHER, .facts = &facts, .body = body};
	return inject_copy(&r, &none, members, n, ret, &none);
}

bool inject_status_refuses(int status)
{
	return status == 500 || status == 501 ||
	       (status >= 400 && status < 500 && status != 401 && status != 408 && status != 429);
}
