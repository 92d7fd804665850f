#include "answers/calls/call_syntax.h"

#include "base/ascii.h"
#include "base/json.h"
#include "answers/json_key.h"
#include "answers/calls/notation.h"

#define NAME_LIMIT 512
#define ATTRIBUTES_LIMIT 200
/* Limit of values without a closing mark: the search for each may read the rest of the text. */
#define UNCLOSED_LIMIT 64

/* Arguments between tags that have the argument's name as an attribute. */
#define INVOKE(prefix)                                                                             \
	{                                                                                          \
		"<" prefix "invoke name=\"", "\"", ">", "<" prefix "parameter name=\"", "\"", ">", \
		        "</" prefix "parameter>", "</" prefix "invoke>"                            \
	}
/* A pair of tags for each argument's name and value. */
#define PAIRS(call, sep, prefix, end)                                                              \
	{                                                                                          \
		call, sep, "", "<" prefix "arg_key>", "</" prefix "arg_key>",                      \
		        "<" prefix "arg_value>", "</" prefix "arg_value>", end                     \
	}
#define MINIMAX "]<]minimax[>["
#define PLAMO(name) "<|plamo:" name ":plamo|>"

const struct call_syntax
        syntax_function = {"<function=", ">", "", "<parameter=", ">", "", "</parameter>",
                "</function>"},
        syntax_minicpm = {"<function name=\"", "\"", ">", "<param name=\"", "\"", ">", "</param>",
                "</function>"},
        syntax_invoke = INVOKE(""), syntax_dsml = INVOKE("｜DSML｜"),
        syntax_dsml41 = INVOKE("｜DSML｜ "), syntax_gcml = INVOKE("｜GCML｜"),
        syntax_atem = INVOKE("atem:"), syntax_glm = PAIRS("", NULL, "", ""),
        syntax_hunyuan = PAIRS("<tool_call>", "<tool_sep>", "", "</tool_call>"),
        syntax_hunyuan4 = PAIRS("<tool_call>", NULL, "", "</tool_call>"),
        syntax_longcat = PAIRS("", NULL, "longcat_", ""),
        syntax_ifm = PAIRS("<ifm|tool_call>", NULL, "ifm|", "</ifm|tool_call>"),
        syntax_ifm_json = {"<ifm|tool_call>", "", "", .end = "</ifm|tool_call>", .is_whole = true},
        syntax_minimax3 = {MINIMAX "<invoke name=\"", "\"", ">", MINIMAX "<", ">", "", MINIMAX "</",
                MINIMAX "</invoke>"},
        syntax_step_audio = {"function\n", "\n", "", .end = ""},
        syntax_deepseek3 = {"<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "```json", "",
                .end = "```<｜tool▁call▁end｜>"},
        syntax_deepseek31 = {"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "",
                .end = "<｜tool▁call▁end｜>"},
        syntax_step3 = {"<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"", "\"",
                ">", "<steptml:parameter name=\"", "\"", ">", "</steptml:parameter>",
                "</steptml:invoke><｜tool_call_end｜>"},
        syntax_kimi2 = {"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "",
                .end = "<|tool_call_end|>", .is_id = true},
        syntax_kimi3 = {"<|open|>call tool=\"", "\"", "<|sep|>", "<|open|>argument key=\"", "\"",
                "<|sep|>", "<|close|>argument<|sep|>", "<|close|>call<|sep|>"},
        syntax_solar = {"", NULL, "", "<|tool_arg:start|>", "<|tool_arg:value|>", "",
                "<|tool_arg:end|>", ""},
        syntax_plamo = {PLAMO("begin_tool_request") PLAMO("begin_tool_name"),
                PLAMO("end_tool_name") PLAMO("begin_tool_arguments"),
                "<|plamo:constrain|>json<|plamo:msg|>",
                .end = PLAMO("end_tool_arguments") PLAMO("end_tool_request")},
        syntax_inkling = {
                "", "<|content_invoke_tool_json|>", "", .end = "<|end_message|>", .is_whole = true};

/* One JSON value; what follows it is not examined. */
static bool take_value(struct cursor *at, struct json_token *ret_first, struct span *ret)
{
	struct json j;
	cursor_skip_blanks(at);
	json_init(&j, at->p, (size_t)(at->end - at->p));
	*ret_first = json_next(&j);
	if (ret_first->type != JSON_TOKEN_OBJECT && ret_first->type != JSON_TOKEN_ARRAY) {
		return false;
	}
	*ret = json_skip(&j, ret_first);
	at->p += ret->len;
	return ret->len > 0;
}

bool call_syntax_json(struct cursor *at, struct span *ret)
{
	struct json_token first;
	return take_value(at, &first, ret) && first.type == JSON_TOKEN_OBJECT;
}

/* The members of a call in an object. */
struct described {
	struct json_token id, name, arguments;
	struct span object; /* the arguments' whole value */
	bool more;          /* other members */
};

static bool is_one_of(const struct json_token *key, const char *const *names)
{
	for (; *names; names++) {
		if (json_token_is_key(key, *names)) {
			return true;
		}
	}
	return false;
}

static bool describe(struct span object, struct described *d, bool is_outer)
{
	static const char *const names[] = {"name", "tool_name", NULL};
	static const char *const arguments[] = {"arguments", "parameters", "args", NULL};
	static const char *const ids[] = {"id", "tool_call_id", NULL};
	struct json j;
	struct json_token t;
	if (json_begin(&j, object).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		struct span whole = json_skip(&j, &v);
		bool is_function = is_outer && KEY_IS(&t, "function");
		if (is_one_of(&t, names) || (is_function && v.type == JSON_TOKEN_STRING)) {
			d->name = v;
		} else if (is_one_of(&t, arguments)) {
			d->arguments = v;
			d->object = whole;
		} else if (is_one_of(&t, ids)) {
			d->id = v;
		} else if (is_function && v.type == JSON_TOKEN_OBJECT) {
			(void)describe(whole, d, false);
		} else {
			d->more |= !KEY_IS(&t, "type");
		}
	}
	return true;
}

static bool add_object(struct call_list *l, struct span object)
{
	struct described d = {0};
	bool ok = describe(object, &d, true) && d.name.type == JSON_TOKEN_STRING;
	bool has_arguments =
	        d.arguments.type == JSON_TOKEN_OBJECT || d.arguments.type == JSON_TOKEN_STRING;
	bool is_null = d.arguments.type == JSON_TOKEN_NULL;
	d.object.len = is_null ? 0 : d.object.len;
	if (!ok || (l->strict && (d.more || !has_arguments)) || (d.object.len && !has_arguments)) {
		return false;
	}
	struct buf *s = &l->scratch;
	buf_clear(s);
	json_token_unescape(&d.name, s);
	size_t name_end = s->len;
	if (d.id.type == JSON_TOKEN_STRING) {
		json_token_unescape(&d.id, s);
	}
	size_t id_end = s->len;
	if (d.arguments.type == JSON_TOKEN_STRING) {
		json_token_unescape(&d.arguments, s);
		d.object = buf_part(s, id_end, s->len);
	}
	return call_list_add(l, buf_part(s, name_end, id_end), buf_part(s, 0, name_end), d.object);
}

/* The only member of an object, if its name is that of a message's calls; else the value itself. */
static struct span without_wrapper(struct span value)
{
	static const char *const names[] = {"tool_calls", "tool_call", NULL};
	struct json j;
	struct json_member m, next;
	bool is_object = json_begin(&j, value).type == JSON_TOKEN_OBJECT;
	bool is_only = is_object && json_next_member(&j, &m) && !json_next_member(&j, &next);
	return is_only && is_one_of(&m.key, names) ? m.value : value;
}

bool call_syntax_read_json(struct call_list *l, struct cursor *at)
{
	struct json j;
	struct json_token first, t;
	struct span value;
	bool any = false;
	if (!take_value(at, &first, &value)) {
		return false;
	}
	value = without_wrapper(value);
	if (json_begin(&j, value).type != JSON_TOKEN_ARRAY) {
		return add_object(l, value);
	}
	while ((t = json_next(&j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		if (!add_object(l, json_skip(&j, &t))) {
			return false;
		}
		any = true;
	}
	return any;
}

bool call_syntax_read_keyed(struct call_list *l, struct cursor *at)
{
	struct json j;
	struct json_token first, t;
	struct span value;
	bool any = false, ok = take_value(at, &first, &value) && first.type == JSON_TOKEN_ARRAY;
	json_init(&j, ok ? value.data : "", ok ? value.len : 0);
	json_next(&j);
	while (ok && (t = json_next(&j)).type != JSON_TOKEN_ARRAY_END &&
	        t.type != JSON_TOKEN_ERROR) {
		ok = t.type == JSON_TOKEN_OBJECT;
		while (ok && (t = json_next(&j)).type == JSON_TOKEN_KEY) {
			struct json_token v = json_next(&j);
			struct span arguments = json_skip(&j, &v);
			buf_clear(&l->scratch);
			json_token_unescape(&t, &l->scratch);
			ok = v.type == JSON_TOKEN_OBJECT &&
			     call_list_add(l, (struct span){0}, buf_span(&l->scratch), arguments);
			any = true;
		}
	}
	return ok && any;
}

/* Reads attributes up to and including the tail. False: there is something else than attributes. */
static bool skip_attributes(struct cursor *at, const char *tail, struct span *ret)
{
	struct cursor window = {at->p, at->p + MIN(at->end - at->p, ATTRIBUTES_LIMIT)};
	if (!cursor_until(&window, tail, ret) || memchr(ret->data, '<', ret->len) ||
	        memchr(ret->data, '{', ret->len)) {
		return false;
	}
	at->p = window.p;
	return true;
}

static bool declares_string(struct span attributes)
{
	static const char *const forms[] = {"string=\"true\"", "type=\"string\""};
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (memmem(attributes.data, attributes.len, forms[i], strlen(forms[i]))) {
			return true;
		}
	}
	return false;
}

/* Removes one line end at either side, and the brackets of CDATA. */
static struct span without_frame(struct span s)
{
	struct cursor at = cursor_of(s);
	(void)cursor_accept(&at, "\n");
	at.end -= at.end > at.p && at.end[-1] == '\n';
	s = span_between(at.p, at.end);
	if (cursor_accept(&at, "<![CDATA[") && s.len >= 12 && span_ends(s, "]]>")) {
		s = (struct span){at.p, s.len - 12};
	}
	return s;
}

/* Reads a closing tag, which must have the name of the opening one. */
static bool closes(const struct call_syntax *s, struct cursor *at, struct span key)
{
	if (s->value_end[strlen(s->value_end) - 1] != '/') {
		return true;
	}
	struct span name;
	return cursor_until(at, ">", &name) && span_equal(name, key);
}

/* Reads the value of an argument and its closing mark. Models at times forget that of the last
 * argument: the end of the call then ends the value, too. A value that the next argument ends is
 * not read, because its closing mark would be that of the next argument. */
static bool read_value(const struct call_syntax *s, struct call_list *l, struct cursor *at,
        struct span key, struct span *ret)
{
	struct cursor value = *at;
	struct span before;
	if (l->unclosed == UNCLOSED_LIMIT) {
		return false;
	}
	bool closed = cursor_until(at, s->value_end, ret);
	value.end = closed ? ret->data + ret->len : value.end;
	struct cursor ahead = value;
	bool is_last = !cursor_until(&ahead, s->key, &before);
	if (closed && is_last) {
		return closes(s, at, key);
	}
	l->unclosed++;
	value.end = is_last ? value.end : before.data + before.len;
	bool ends = *s->end && cursor_until(&value, s->end, ret);
	at->p = ends ? ret->data + ret->len : at->p;
	return ends;
}

static bool read_argument(
        const struct call_syntax *s, struct call_list *l, struct cursor *at, struct buf *to)
{
	struct span key, value, attributes = {at->p, 0};
	if (!cursor_until(at, s->key_end, &key) ||
	        (*s->key_tail && !skip_attributes(at, s->key_tail, &attributes)) ||
	        !read_value(s, l, at, key, &value)) {
		return false;
	}
	notation_put_key(to, span_trim(key));
	if (declares_string(attributes)) {
		json_put_string(to, value);
	} else {
		notation_put_value(to, without_frame(value));
	}
	return true;
}

/* The arguments, each between its marks. */
static bool read_arguments(
        const struct call_syntax *s, struct call_list *l, struct cursor *at, struct buf *to)
{
	buf_append_char(to, '{');
	for (;;) {
		struct cursor ahead = *at;
		if ((*s->end && cursor_accept_next(&ahead, s->end)) ||
		        !cursor_accept_next(at, s->key)) {
			break;
		}
		if (!read_argument(s, l, at, to)) {
			return false;
		}
	}
	buf_append_char(to, '}');
	return true;
}

static bool read_name(const struct call_syntax *s, struct cursor *at, struct span *ret)
{
	struct span attributes;
	struct cursor window = {at->p, at->p + MIN(at->end - at->p, NAME_LIMIT)};
	if (!s->name_end) {
		while (window.p < window.end && *window.p != '<' && *window.p != '\n') {
			window.p++;
		}
		*ret = (struct span){at->p, (size_t)(window.p - at->p)};
	} else if (!cursor_until(&window, s->name_end, ret)) {
		return false;
	}
	at->p = window.p;
	*ret = span_trim(*ret);
	return !*s->name_tail || skip_attributes(at, s->name_tail, &attributes);
}

bool call_syntax_read(const struct call_syntax *s, struct call_list *l, struct cursor *at)
{
	struct span name, id = {0}, object;
	struct buf arguments = {0};
	if (!cursor_accept_next(at, s->call) || !read_name(s, at, &name)) {
		return false;
	}
	if (s->is_id) { /* The name is the part before the number. */
		const char *colon = memrchr(name.data, ':', name.len);
		id = name;
		name.len = colon ? (size_t)(colon - id.data) : id.len;
	}
	struct cursor ahead = *at;
	cursor_skip_blanks(&ahead);
	bool is_object = ahead.p < ahead.end && *ahead.p == '{', ok;
	if (is_object || !s->key) {
		ok = call_syntax_json(at, &object);
		buf_append_span(&arguments, ok ? object : (struct span){0});
	} else {
		ok = read_arguments(s, l, at, &arguments);
	}
	ok = ok && (!*s->end || cursor_accept_next(at, s->end));
	ok = ok && (s->is_whole ? add_object(l, buf_span(&arguments))
	                        : call_list_add(l, id, name, buf_span(&arguments)));
	buf_finish(&arguments);
	return ok;
}
