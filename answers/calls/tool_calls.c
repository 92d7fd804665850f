#include "answers/calls/tool_calls.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "answers/json_key.h"
#include "answers/members.h"
#include "answers/quoted_integer.h"

/* False: not one of a call's own members; j is unchanged. */
static bool read_call_member(struct call_piece *p, struct json *j, const struct json_token *key,
        const struct json_token *v)
{
	if (KEY_IS(key, "name")) {
		p->name = *v;
		json_skip(j, v);
	} else if (KEY_IS(key, "arguments") || KEY_IS(key, "input")) {
		p->is_text = KEY_IS(key, "input");
		p->arguments = *v;
		p->arguments_span = json_skip(j, v);
	} else if (KEY_IS(key, "index")) { /* Ollama's native routes have it here */
		p->has_index = quoted_integer(v, &p->index);
		json_skip(j, v);
	} else {
		return false;
	}
	return true;
}

/* "function": {name, arguments}, or "custom": {name, input}. */
static void read_function(
        struct draft *d, struct json *j, const struct json_token *first, struct call_piece *p)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_OBJECT) {
		members_add_unread(d, MEMBER_OF_CALL, "function", json_skip(j, first));
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (!read_call_member(p, j, &t, &v)) {
			members_skip(d, MEMBER_OF_CALL, j, &t, &v);
		}
	}
}

static void read_piece(struct draft *d, struct json *j, struct call_piece *p)
{
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "function") || KEY_IS(&t, "custom")) {
			read_function(d, j, &v, p);
		} else if (KEY_IS(&t, "id")) {
			p->id = v;
			json_skip(j, &v);
		} else if (!read_call_member(p, j, &t, &v)) {
			members_skip(d, MEMBER_OF_CALL, j, &t, &v);
		}
	}
}

static struct span text_of(struct draft *d, const struct json_token *t)
{
	buf_clear(&d->scratch);
	if (t->type == JSON_TOKEN_STRING) {
		json_token_unescape(t, &d->scratch);
	}
	return buf_span(&d->scratch);
}

static void append(struct draft *d, struct buf *to, struct span s)
{
	if (s.len && draft_reserve(d, s.len)) {
		buf_append_span(to, s);
		d->has_content = true;
	}
}

static bool is_whole(const struct json_token *t)
{
	return t->type == JSON_TOKEN_OBJECT || t->type == JSON_TOKEN_ARRAY;
}

static void track_brace(struct draft_call *call, char c)
{
	bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
	bool is_text = call->braces.in_string;
	call->braces.overrun |= call->braces.closed && !is_blank;
	if (call->braces.escaped) {
		call->braces.escaped = false;
	} else if (c == '"') {
		call->braces.in_string = !is_text;
	} else if (c == '\\') {
		call->braces.escaped = is_text;
	} else if (!is_text && (c == '{' || c == '[')) {
		call->braces.depth++;
	} else if (!is_text && (c == '}' || c == ']')) {
		call->braces.closed |= call->braces.depth <= 1;
		call->braces.depth -= call->braces.depth > 0;
	}
}

/* Whether the braces of the arguments are closed and nothing follows them. Each byte is examined
 * once. */
static bool is_closed(struct draft_call *call)
{
	while (call->braces.at < call->arguments.len) {
		track_brace(call, call->arguments.data[call->braces.at++]);
	}
	return call->braces.closed && !call->braces.overrun;
}

/* Whether the arguments so far end where JSON has a value. */
static bool awaits_value(struct draft_call *call)
{
	struct span known = span_trim(buf_span(&call->arguments));
	char last = known.len ? known.data[known.len - 1] : 0;
	(void)is_closed(call); /* examines all bytes, for in_string */
	return !call->braces.in_string && (last == ':' || last == ',' || last == '[');
}

/* The length of the arguments so far if the piece has all of them again, else 0. A JSON object has
 * its beginning twice only where a value may be an object like it: then nobody knows. */
static size_t repeated_length(struct draft *d, struct draft_call *call, struct span piece)
{
	struct span known = buf_span(&call->arguments);
	bool is_object = known.len && *known.data == '{' && piece.len > 1 &&
	                 (known.len > 1 || piece.data[1] == '"');
	if (!is_object || !span_has_prefix(piece, known)) {
		return 0;
	}
	if (awaits_value(call)) {
		members_add_unknown(d, MEMBER_OF_CALL, SPAN("arguments"));
		return 0;
	}
	return known.len;
}

static void add_arguments(struct draft *d, struct draft_call *call, const struct call_piece *p)
{
	bool is_string = p->arguments.type == JSON_TOKEN_STRING;
	if (!is_string && !is_whole(&p->arguments)) {
		struct span value = {p->arguments.start, p->arguments.len};
		members_add_unread(d, MEMBER_OF_CALL, "arguments", value);
		return;
	}
	if (!draft_reserve(d, p->arguments_span.len)) {
		return;
	}
	struct span text = text_of(d, &p->arguments);
	size_t known = is_string && !p->is_text ? repeated_length(d, call, text) : 0;
	call->has_arguments = true;
	if (known) {
		buf_append_span(&call->arguments, span_from(text, known));
	} else if (is_string) {
		call->lone_half |=
		        json_token_unescape_piece(&p->arguments, &call->half, &call->arguments);
	} else {
		buf_append_span(&call->arguments, p->arguments_span);
	}
	d->has_content |= call->arguments.len > 0;
}

static void add_piece(struct draft *d, struct draft_call *call, const struct call_piece *p)
{
	if (call->id.len == 0) {
		append(d, &call->id, text_of(d, &p->id));
	}
	/* Most engines give the name once, some repeat it in every piece, and Gemini gives it in
	 * parts. */
	struct span name = text_of(d, &p->name);
	if (p->name.type != JSON_TOKEN_STRING) {
		members_add_unread(
		        d, MEMBER_OF_CALL, "name", (struct span){p->name.start, p->name.len});
	}
	if (!span_equal(name, buf_span(&call->name))) {
		append(d, &call->name, name);
	}
	add_arguments(d, call, p);
}

/* Is the text one JSON object, and nothing after it? */
static bool is_object(struct span text)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, text);
	return t.type == JSON_TOKEN_OBJECT && json_skip(&j, &t).len &&
	       json_next(&j).type == JSON_TOKEN_END;
}

/*
 * Whether the piece, whose id or index is that of the call, continues the call. It does not if the
 * arguments of the call are complete: given as a value, which another one follows; or an object,
 * which another object or another name follows.
 */
static bool continues_call(struct draft *d, struct draft_call *call, const struct call_piece *p)
{
	if (is_whole(&p->arguments) && call->has_arguments) {
		return false;
	}
	struct span name = text_of(d, &p->name);
	if (name.len == 0 || call->name.len == 0) {
		return true;
	}
	bool same_name = span_equal(name, buf_span(&call->name));
	if (!p->has_index && !same_name) {
		return false;
	}
	struct span more = text_of(d, &p->arguments);
	bool is_object_next = more.len > 0 && more.data[0] == '{';
	return (same_name && !is_object_next) || !is_closed(call) ||
	       !is_object(buf_span(&call->arguments));
}

/*
 * Returns the call that a piece continues; NULL: the piece begins a call. Some engines repeat id
 * and name in every piece; a different id at the same index begins a new call, unless the piece has
 * no name and the call is not complete (Poolside, LiteLLM). Without an index the id counts before
 * the position in the list, which is always 0 if whole calls are streamed: then a different name
 * begins a new call. If even the id is the same (transformers), or is missing (Gemini), the
 * arguments decide.
 */
static struct draft_call *call_of(
        struct draft *d, struct draft_calls *calls, const struct call_piece *p)
{
	struct draft_call *by_id = NULL, *by_place = NULL;
	bool is_nameless = p->has_index && text_of(d, &p->name).len == 0;
	for (size_t i = calls->n; i-- > 0;) {
		struct draft_call *call = &calls->items[i];
		struct span id = text_of(d, &p->id);
		bool has_ids = id.len && call->id.len;
		bool same_id = has_ids && span_equal(id, buf_span(&call->id));
		bool same_index = call->index == p->index;
		if (same_id && same_index) {
			by_id = call;
			break;
		}
		by_id = same_id && !p->has_index && !by_id ? call : by_id;
		bool is_open = is_nameless && call->name.len && !is_closed(call);
		by_place = same_index && (!has_ids || is_open) && !by_place ? call : by_place;
	}
	struct draft_call *found = by_id ? by_id : by_place;
	return found && continues_call(d, found, p) ? found : NULL;
}

static struct draft_call *begin_call(struct draft *d, struct draft_calls *calls, int64_t index)
{
	if (calls->n == READING_CALLS_LIMIT || !draft_reserve(d, sizeof(struct draft_call))) {
		d->marks |= READING_TOO_LARGE;
		return NULL;
	}
	calls->items = xrealloc(calls->items, (calls->n + 1) * sizeof(*calls->items));
	calls->items[calls->n] = (struct draft_call){.index = index};
	return &calls->items[calls->n++];
}

/*
 * Returns the call begun or continued last for a piece that has neither id nor name. Its index may
 * be absent, may match no call, or may match a call whose arguments are complete.
 */
static struct draft_call *call_before(struct draft *d, struct draft_calls *calls,
        struct draft_call *call, const struct call_piece *p)
{
	bool has_id = text_of(d, &p->id).len > 0;
	if (calls->n == 0 || has_id || text_of(d, &p->name).len > 0) {
		return call;
	}
	struct draft_call *last = &calls->items[calls->last];
	bool is_whole = call && call != last && is_closed(call);
	return !call || !p->has_index || is_whole ? last : call;
}

/* Whether the piece is a whole call that was streamed in pieces before, with the same index, and
 * with the same id or none. */
static bool is_repeated(
        struct draft *d, const struct draft_calls *calls, const struct call_piece *p)
{
	for (size_t i = calls->n; p->has_index && i-- > 0;) {
		const struct draft_call *call = &calls->items[i];
		struct span id = text_of(d, &p->id);
		if (call->index != p->index || !call->id.len ||
		        (id.len && !span_equal(id, buf_span(&call->id)))) {
			continue;
		}
		struct span name = text_of(d, &p->name);
		bool same = name.len && span_equal(name, buf_span(&call->name));
		struct span arguments = text_of(d, &p->arguments);
		return same && is_object(arguments) &&
		       span_equal(arguments, buf_span(&call->arguments));
	}
	return false;
}

void tool_calls_add(struct draft *d, struct draft_choice *c, const struct call_piece *p)
{
	if (is_repeated(d, &c->calls, p)) {
		return;
	}
	struct draft_call *call = call_before(d, &c->calls, call_of(d, &c->calls, p), p);
	if (!call) {
		call = begin_call(d, &c->calls, p->index);
	}
	if (call) {
		c->calls.last = (size_t)(call - c->calls.items);
		add_piece(d, call, p);
	}
}

/* One element of the list, or TGI's piece of a stream. position: where it is in the list. */
static void read_element(struct draft *d, struct draft_choice *c, struct json *j, int64_t position)
{
	struct call_piece p = {0};
	read_piece(d, j, &p);
	if (!p.has_index) {
		p.index = position;
	}
	tool_calls_add(d, c, &p);
}

void tool_calls_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type == JSON_TOKEN_OBJECT) {
		read_element(d, c, j, 0);
		return;
	}
	if (first->type != JSON_TOKEN_ARRAY) {
		members_add_unread(d, MEMBER_OF_MESSAGE, "tool_calls", json_skip(j, first));
		return;
	}
	for (int64_t i = 0;
	        (t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR;
	        i++) {
		if (t.type == JSON_TOKEN_OBJECT) {
			read_element(d, c, j, i);
		} else {
			members_add_unread(d, MEMBER_OF_MESSAGE, "tool_calls", json_skip(j, &t));
		}
	}
}

void tool_calls_read_legacy(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct call_piece p = {0};
	read_function(d, j, first, &p);
	add_piece(d, &c->legacy, &p);
}
