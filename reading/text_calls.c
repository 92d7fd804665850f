#include "reading/text_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/letters.h"
#include "reading/fence.h"
#include "reading/keys.h"

/* Marks that lead to no call; a text of many is read no further. */
#define FAILURES_LIMIT 64

/* A text that is read from its front. */
struct cursor {
	const char *p, *end;
};

struct finding {
	struct buf calls;  /* struct tool_call */
	struct buf places; /* struct text_place */
	struct buf names;  /* scratch */
	size_t failures;
};

static bool accept(struct cursor *at, const char *literal)
{
	size_t n = strlen(literal);
	if ((size_t)(at->end - at->p) < n || memcmp(at->p, literal, n) != 0) {
		return false;
	}
	at->p += n;
	return true;
}

static void skip_blanks(struct cursor *at)
{
	while (at->p < at->end && is_space(*at->p)) {
		at->p++;
	}
}

/* What stands before the literal, which is read too. False: it does not come. */
static bool until(struct cursor *at, const char *literal, struct span *ret)
{
	size_t n = strlen(literal);
	const char *found = memmem(at->p, (size_t)(at->end - at->p), literal, n);
	if (!found) {
		return false;
	}
	*ret = (struct span){at->p, (size_t)(found - at->p)};
	at->p = found + n;
	return true;
}

/* One JSON value; what follows it is not looked at. False: the cursor stays where the value ought to be. */
static bool accept_value(struct cursor *at, struct json_token *ret_first, struct span *ret)
{
	struct json j;
	skip_blanks(at);
	json_init(&j, at->p, (size_t)(at->end - at->p));
	*ret_first = json_next(&j);
	if (ret_first->type != JSON_OBJECT && ret_first->type != JSON_ARRAY) {
		return false;
	}
	*ret = json_skip(&j, ret_first);
	at->p += ret->len;
	return ret->len > 0;
}

static bool add_call(struct finding *f, struct span id, struct span name, struct span arguments)
{
	name = span_trim(name);
	if (name.len == 0 || memchr(name.data, 0, name.len) ||
	        f->calls.len / sizeof(struct tool_call) == READING_CALLS_LIMIT) {
		return false;
	}
	struct tool_call call = {
	        .id = id.len ? span_dup(id) : NULL,
	        .name = span_dup(name),
	        .arguments = arguments.len ? span_dup(arguments) : NULL,
	        .in_text = true,
	};
	buf_append(&f->calls, &call, sizeof(call));
	return true;
}

static void drop_calls(struct finding *f, size_t kept)
{
	struct tool_call *calls = (struct tool_call *)(void *)f->calls.data;
	for (size_t i = kept; i < f->calls.len / sizeof(*calls); i++) {
		free(calls[i].id);
		free(calls[i].name);
		free(calls[i].arguments);
	}
	f->calls.len = kept * sizeof(*calls);
}

static void add_place(struct finding *f, const struct choice *c, const char *from, const char *to)
{
	struct text_place place = {(uint32_t)(from - c->text.data), (uint32_t)(to - c->text.data)};
	buf_append(&f->places, &place, sizeof(place));
}

/* {"name": ..., "arguments" or "parameters": ...}. strict: and nothing else. */
static bool add_object(struct finding *f, struct span object, bool strict)
{
	struct json j;
	struct json_token t, name = {0}, arguments = {0}, id = {0};
	struct span value = {0};
	json_init(&j, object.data, object.len);
	if (json_next(&j).type != JSON_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token v = json_next(&j);
		struct span whole = json_skip(&j, &v);
		if (KEY_IS(&t, "name")) {
			name = v;
		} else if (KEY_IS(&t, "arguments") || KEY_IS(&t, "parameters")) {
			arguments = v;
			value = whole;
		} else if (KEY_IS(&t, "id")) {
			id = v;
		} else if (strict && !KEY_IS(&t, "type")) {
			return false;
		}
	}
	bool has_arguments = arguments.type == JSON_OBJECT || arguments.type == JSON_STRING;
	if (name.type != JSON_STRING || (!has_arguments && (strict || value.len))) {
		return false;
	}
	struct buf *s = &f->names;
	buf_clear(s);
	json_unescape(&name, s);
	size_t name_end = s->len;
	if (id.type == JSON_STRING) {
		json_unescape(&id, s);
	}
	size_t id_end = s->len;
	if (arguments.type == JSON_STRING) {
		json_unescape(&arguments, s);
		value = buf_part(s, id_end, s->len);
	}
	return add_call(f, buf_part(s, name_end, id_end), buf_part(s, 0, name_end), value);
}

/* An object, or a list of objects. */
static bool add_value(struct finding *f, const struct json_token *first, struct span value)
{
	struct json j;
	struct json_token t;
	bool any = false;
	if (first->type == JSON_OBJECT) {
		return add_object(f, value, false);
	}
	json_init(&j, value.data, value.len);
	json_next(&j);
	while ((t = json_next(&j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		if (!add_object(f, json_skip(&j, &t), false)) {
			return false;
		}
		any = true;
	}
	return any;
}

/* A parameter that is written without quotation marks: JSON if it is, else a string. */
static void put_parameter(struct buf *to, struct span name, struct span value)
{
	struct json j;
	if (to->len > 1) {
		buf_append_char(to, ',');
	}
	json_put_string(to, name);
	buf_append_char(to, ':');
	json_init(&j, value.data, value.len);
	struct json_token t = json_next(&j);
	struct span whole = json_skip(&j, &t);
	if (t.type != JSON_STRING && whole.len && json_next(&j).type == JSON_END) {
		buf_append_span(to, whole);
	} else {
		json_put_string(to, value);
	}
}

/* Without the one line end that stands on either side. */
static struct span unframed(struct span s)
{
	if (s.len && s.data[0] == '\n') {
		s.data++;
		s.len--;
	}
	if (s.len && s.data[s.len - 1] == '\n') {
		s.len--;
	}
	return s;
}

/* Qwen3-Coder, after <function=: NAME>, <parameter=KEY>VALUE</parameter>..., </function>. */
static bool read_function(struct finding *f, struct cursor *at)
{
	struct span name, key, value;
	struct buf arguments = {0};
	bool ok = until(at, ">", &name);
	buf_append_char(&arguments, '{');
	for (skip_blanks(at); ok && accept(at, "<parameter="); skip_blanks(at)) {
		ok = until(at, ">", &key) && until(at, "</parameter>", &value);
		if (ok) {
			put_parameter(&arguments, key, unframed(value));
		}
	}
	buf_append_char(&arguments, '}');
	ok = ok && accept(at, "</function>") &&
	     add_call(f, (struct span){0}, name, buf_span(&arguments));
	buf_finish(&arguments);
	return ok;
}

/* GLM, after <tool_call>: NAME, <arg_key>KEY</arg_key><arg_value>VALUE</arg_value>... */
static bool read_pairs(struct finding *f, struct cursor *at)
{
	struct span name, key, value;
	struct buf arguments = {0};
	const char *begin = at->p;
	while (at->p < at->end && *at->p != '<' && *at->p != '\n') {
		at->p++;
	}
	name = (struct span){begin, (size_t)(at->p - begin)};
	bool ok = name.len > 0;
	buf_append_char(&arguments, '{');
	for (skip_blanks(at); ok && accept(at, "<arg_key>"); skip_blanks(at)) {
		ok = until(at, "</arg_key>", &key);
		skip_blanks(at);
		ok = ok && accept(at, "<arg_value>") && until(at, "</arg_value>", &value);
		if (ok) {
			put_parameter(&arguments, key, value);
		}
	}
	buf_append_char(&arguments, '}');
	struct cursor ahead = *at;
	ok = ok && accept(&ahead, "</tool_call>") &&
	     add_call(f, (struct span){0}, name, buf_span(&arguments));
	buf_finish(&arguments);
	return ok;
}

/* Hermes, Qwen, Granite, GLM: one call, or a list of them; what closes it may be cut off. */
static bool read_tagged(struct finding *f, struct cursor *at, const char *close)
{
	struct json_token first;
	struct span value;
	skip_blanks(at);
	if (at->p < at->end && (*at->p == '{' || *at->p == '[')) {
		if (!accept_value(at, &first, &value) || !add_value(f, &first, value)) {
			return false;
		}
	} else if (!(accept(at, "<function=") ? read_function(f, at) : read_pairs(f, at))) {
		return false;
	}
	struct cursor ahead = *at;
	skip_blanks(&ahead);
	if (accept(&ahead, close)) {
		*at = ahead;
		return true;
	}
	return ahead.p == ahead.end;
}

static bool read_tool_call(struct finding *f, struct cursor *at)
{
	return read_tagged(f, at, "</tool_call>");
}

static bool read_bar_tool_call(struct finding *f, struct cursor *at)
{
	return read_tagged(f, at, "<|/tool_call|>");
}

/* Mistral: a list; or NAME[ARGS]{...}, or NAME{...}. */
static bool read_mistral(struct finding *f, struct cursor *at)
{
	struct json_token first;
	struct span value, name;
	skip_blanks(at);
	if (at->p < at->end && *at->p == '[') {
		return accept_value(at, &first, &value) && add_value(f, &first, value);
	}
	const char *begin = at->p;
	while (at->p < at->end && *at->p != '[' && *at->p != '{' && !is_space(*at->p)) {
		at->p++;
	}
	name = (struct span){begin, (size_t)(at->p - begin)};
	(void)accept(at, "[ARGS]");
	return accept_value(at, &first, &value) && first.type == JSON_OBJECT &&
	       add_call(f, (struct span){0}, name, value);
}

/* Llama: objects with ";" between them; anything else is code for an interpreter. */
static bool read_llama(struct finding *f, struct cursor *at)
{
	struct json_token first;
	struct span value;
	do {
		if (!accept_value(at, &first, &value) || first.type != JSON_OBJECT ||
		        !add_object(f, value, false)) {
			return false;
		}
		(void)(accept(at, "<|eom_id|>") || accept(at, "<|eot_id|>"));
	} while (accept(at, ";"));
	return true;
}

/* DeepSeek: NAME, separator, {...} (V3.1), or function, separator, NAME and a code block (V3). */
static bool read_deepseek_call(struct finding *f, struct cursor *at)
{
	struct json_token first;
	struct span name, value;
	bool ok = until(at, "<｜tool▁sep｜>", &name);
	struct cursor ahead = *at;
	skip_blanks(&ahead);
	if (ok && (ahead.p == ahead.end || *ahead.p != '{')) {
		ok = until(at, "\n", &name) && (accept(at, "```json"), true);
	}
	ok = ok && accept_value(at, &first, &value) && first.type == JSON_OBJECT &&
	     add_call(f, (struct span){0}, name, value);
	skip_blanks(at);
	(void)accept(at, "```");
	return ok && accept(at, "<｜tool▁call▁end｜>");
}

static bool read_deepseek(struct finding *f, struct cursor *at)
{
	bool any = false;
	for (skip_blanks(at); accept(at, "<｜tool▁call▁begin｜>"); skip_blanks(at)) {
		if (!read_deepseek_call(f, at)) {
			return false;
		}
		any = true;
	}
	(void)accept(at, "<｜tool▁calls▁end｜>");
	return any;
}

/* Kimi: the id is functions.NAME:NUMBER. */
static bool read_kimi(struct finding *f, struct cursor *at)
{
	struct json_token first;
	struct span id, value;
	bool any = false;
	for (skip_blanks(at); accept(at, "<|tool_call_begin|>"); skip_blanks(at)) {
		if (!until(at, "<|tool_call_argument_begin|>", &id) ||
		        !accept_value(at, &first, &value) || first.type != JSON_OBJECT) {
			return false;
		}
		id = span_trim(id);
		struct cursor name = {id.data, id.data + id.len};
		(void)accept(&name, "functions.");
		const char *colon = memrchr(name.p, ':', (size_t)(name.end - name.p));
		struct span s = {name.p, (size_t)((colon ? colon : name.end) - name.p)};
		skip_blanks(at);
		if (!accept(at, "<|tool_call_end|>") || !add_call(f, id, s, value)) {
			return false;
		}
		any = true;
	}
	(void)accept(at, "<|tool_calls_section_end|>");
	return any;
}

static const struct form {
	const char *begin;
	bool (*read)(struct finding *f, struct cursor *at); /* from after begin */
	bool is_text; /* no token of its own: it counts at the beginning of a line only */
} forms[] = {
        {"<tool_call>", read_tool_call, true},
        {"<|tool_call|>", read_bar_tool_call, false},
        {"<function=", read_function, true},
        {"[TOOL_CALLS]", read_mistral, false},
        {"<|python_tag|>", read_llama, false},
        {"<｜tool▁calls▁begin｜>", read_deepseek, false},
        {"<|tool_calls_section_begin|>", read_kimi, false},
};

/* Only blanks between the line's beginning, or what was taken out before it, and p. */
static bool begins_line(const char *from, const char *p)
{
	while (p > from && (p[-1] == ' ' || p[-1] == '\t')) {
		p--;
	}
	return p == from || p[-1] == '\n';
}

/* The form whose mark stands at p, or NULL; *ret_after is behind the mark then. */
static const struct form *form_at(const char *p, const char *end, struct cursor *ret_after)
{
	for (size_t i = 0; i < ARRAY_LEN(forms) && (*p == '<' || *p == '['); i++) {
		*ret_after = (struct cursor){p, end};
		if (accept(ret_after, forms[i].begin)) {
			return &forms[i];
		}
	}
	return NULL;
}

/* Calls in a piece of the text between thoughts. *rest: there is something else too. */
static void find_in_piece(struct finding *f, const struct choice *c, struct span piece, bool *rest)
{
	const char *p = piece.data, *end = p + piece.len;
	const char *after = p; /* the last call */
	struct fence fence = {0};
	while (p < end && f->failures < FAILURES_LIMIT) {
		if (p == piece.data || p[-1] == '\n') {
			fence_line(&fence, p, end);
		}
		struct cursor at;
		const struct form *form = fence.open ? NULL : form_at(p, end, &at);
		if (form && (!form->is_text || begins_line(after, p))) {
			size_t kept = f->calls.len / sizeof(struct tool_call);
			if (form->read(f, &at)) {
				add_place(f, c, p, at.p);
				after = p = at.p;
				continue;
			}
			drop_calls(f, kept);
			f->failures++;
		}
		*rest |= !is_space(*p);
		p++;
	}
	*rest |= p < end;
}

/* The whole answer is one bare object, as Llama writes its calls. */
static void find_bare(struct finding *f, const struct choice *c)
{
	size_t from = c->n_thoughts ? c->thoughts[c->n_thoughts - 1].close : 0;
	struct span whole = span_trim(buf_part(&c->text, from, c->text.len));
	struct cursor at = {whole.data, whole.data + whole.len};
	struct json_token first;
	struct span value;
	if (whole.len && *whole.data == '{' && accept_value(&at, &first, &value) &&
	        at.p == at.end && add_object(f, value, true)) {
		add_place(f, c, whole.data, at.end);
	}
}

static void hand_over(struct buf *from, struct buf *to)
{
	if (to && from->len) {
		buf_append_span(to, buf_span(from));
		from->len = 0;
	}
}

size_t text_calls_find(
        const struct choice *c, bool offered, struct buf *ret_calls, struct buf *ret_places)
{
	struct finding f = {0};
	size_t from = 0;
	bool rest = false;
	for (size_t i = 0; i <= c->n_thoughts; i++) {
		size_t to = i < c->n_thoughts ? c->thoughts[i].open : c->text.len;
		if (from < to) {
			struct span piece = {c->text.data + from, to - from};
			find_in_piece(&f, c, piece, &rest);
		}
		from = i < c->n_thoughts ? c->thoughts[i].close : to;
	}
	if (rest && !offered) {
		drop_calls(&f, 0);
		buf_clear(&f.places);
	} else if (offered && f.calls.len == 0) {
		find_bare(&f, c);
	}
	size_t n = f.calls.len / sizeof(struct tool_call);
	hand_over(&f.calls, ret_calls);
	hand_over(&f.places, ret_places);
	drop_calls(&f, 0);
	buf_finish(&f.calls);
	buf_finish(&f.places);
	buf_finish(&f.names);
	return n;
}
