#include "capture/formats/otel_form.h"

#include "base/check.h"
#include "base/json.h"
#include "capture/formats/export_format.h"
#include "base/json_writer.h"

static void put_content(struct json_writer *w, const char *type, struct span content)
{
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "type", type);
	json_writer_string(w, "content", content);
	json_writer_close(w, "}");
}

/* Arguments are a text that should be a JSON object. If it is one, it is written as an object,
 * else as a string. */
static void put_call(struct json_writer *w, struct span id, struct span name, struct span arguments)
{
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "type", "tool_call");
	if (id.len) {
		json_writer_string(w, "id", id);
	}
	json_writer_string(w, "name", name);
	/* Written as an object, the text would lose blanks around it. */
	bool is_object = json_is_one_object(arguments) && arguments.data[0] == '{' &&
	                 arguments.data[arguments.len - 1] == '}';
	if (is_object) {
		json_writer_raw(w, "arguments", arguments);
	} else if (arguments.len) {
		json_writer_string(w, "arguments", arguments);
	}
	json_writer_close(w, "}");
}

bool otel_form_has_more(struct span object, const char *const known[], size_t n)
{
	struct json j;
	struct json_member m;
	json_begin_lenient(&j, object);
	while (json_next_member(&j, &m)) {
		bool is_known = m.first.type == JSON_TOKEN_NULL;
		for (size_t i = 0; i < n; i++) {
			is_known |= json_token_is_key(&m.key, known[i]);
		}
		if (!is_known) {
			return true;
		}
	}
	return false;
}

static bool call_has_more(struct span call)
{
	static const char *const OF_CALL[] = {"id", "type", "function"};
	static const char *const OF_FUNCTION[] = {"name", "arguments"};
	struct json_token t;
	struct span function;
	return otel_form_has_more(call, OF_CALL, ARRAY_LEN(OF_CALL)) ||
	       (json_find_member(call, "function", &t, &function) &&
	               otel_form_has_more(function, OF_FUNCTION, ARRAY_LEN(OF_FUNCTION)));
}

/* Writes the tool_calls of a message, if there are any. */
static const char *put_calls(struct span message, struct json_writer *w, bool *more)
{
	static const char *const NAME[] = {"function", "name"};
	static const char *const ARGUMENTS[] = {"function", "arguments"};
	struct buf id = {0}, name = {0}, arguments = {0};
	struct json_token t;
	struct span list, call;
	struct json j;
	const char *why = NULL;
	bool any = false;
	if (!json_find_member(message, "tool_calls", &t, &list) || t.type == JSON_TOKEN_NULL) {
		return NULL;
	}
	if (json_begin_lenient(&j, list).type != JSON_TOKEN_ARRAY) {
		return "the tool calls in it are not a list";
	}
	while (!why && json_next_element(&j, &t, &call)) {
		(void)!json_find_member_text(call, "id", &id);
		if (t.type != JSON_TOKEN_OBJECT) {
			why = "a tool call in it is not an object";
		} else if (json_find_text(call, NAME, 2, &name) &&
		           json_find_text(call, ARGUMENTS, 2, &arguments)) {
			put_call(w, buf_span(&id), buf_span(&name), buf_span(&arguments));
			*more |= call_has_more(call);
			any = true;
		} else {
			why = "a tool call in it is not a call of a function";
		}
	}
	*more |= !why && !any; /* an empty list of calls cannot be written */
	buf_finish(&id);
	buf_finish(&name);
	buf_finish(&arguments);
	return why;
}

/* Writes a tool's result: its content, which may consist of several texts. */
static const char *put_result(struct span message, struct span content, struct json_writer *w)
{
	struct buf id = {0};
	bool known = json_find_member_text(message, "tool_call_id", &id);
	if (known) {
		json_writer_open(w, NULL, '{');
		json_writer_text(w, "type", "tool_call_response");
		json_writer_string(w, "id", buf_span(&id));
		json_writer_string(w, "response", content);
		json_writer_close(w, "}");
	}
	buf_finish(&id);
	return known ? NULL : "the result of a tool belongs to no call";
}

/* Whether a content list has more than texts with a type and nothing else. */
static bool content_has_more(struct span content)
{
	static const char *const OF_PART[] = {"type", "text"};
	struct json j;
	struct json_token first, t = json_begin_lenient(&j, content);
	struct span part;
	bool more = false;
	while (!more && t.type == JSON_TOKEN_ARRAY && json_next_element(&j, &first, &part)) {
		more = otel_form_has_more(part, OF_PART, ARRAY_LEN(OF_PART));
	}
	return more;
}

/* Writes the message's parts. Returns NULL, or why the format cannot hold them. */
static const char *put_parts(
        struct span message, bool by_tool, struct buf *text, struct json_writer *w, bool *more)
{
	struct json_token t;
	struct span content = {0};
	bool calls = export_has(message, "tool_calls"), is_empty = !export_has(message, "content");
	buf_clear(text);
	if (export_has(message, "function_call")) {
		return "it has a function call in the form that preceded tools";
	}
	if (is_empty ? !calls
	             : !json_find_member(message, "content", &t, &content) ||
	                        !exporter_content(content, text)) {
		return "a message has content other than text";
	}
	const char *const known[] = {"role", "content", by_tool ? "tool_call_id" : "tool_calls"};
	*more |= content_has_more(content) || otel_form_has_more(message, known, ARRAY_LEN(known));
	if (by_tool) {
		return put_result(message, buf_span(text), w);
	}
	if (!is_empty) {
		put_content(w, "text", buf_span(text));
	}
	return put_calls(message, w, more);
}

static const char *put_message(
        struct span message, struct buf *text, struct json_writer *w, bool *more)
{
	struct json_token role;
	if (!json_find_member(message, "role", &role, NULL) || role.type != JSON_TOKEN_STRING) {
		return "a message has no role";
	}
	json_writer_open(w, NULL, '{');
	json_writer_raw(w, "role", (struct span){role.start, role.len});
	json_writer_open(w, "parts", '[');
	const char *why = put_parts(message, json_token_is_string(&role, "tool"), text, w, more);
	json_writer_close(w, "]}");
	return why;
}

const char *otel_form_messages(struct span body, struct buf *to, bool *ret_more)
{
	struct buf text = {0};
	struct json_token t;
	struct span list, message;
	struct json j;
	const char *why = NULL;
	*ret_more = false;
	if (!json_find_member(body, "messages", &t, &list) || t.type != JSON_TOKEN_ARRAY) {
		return "it is not a chat";
	}
	struct json_writer w = {.to = to};
	json_begin_lenient(&j, list);
	json_writer_open(&w, NULL, '[');
	while (!why && json_next_element(&j, &t, &message)) {
		why = t.type == JSON_TOKEN_OBJECT ? put_message(message, &text, &w, ret_more)
		                                  : "a message is not an object";
	}
	json_writer_close(&w, "]");
	buf_finish(&text);
	return why;
}

/* Writes {"type": "function", "function": {...}} with the function's members on the level of the
 * type. */
static const char *put_tool(struct span tool, struct json_writer *w, bool *more)
{
	static const char *const OF_TOOL[] = {"type", "function"};
	struct json_token t;
	struct span function;
	struct json j;
	struct json_member m;
	if (!json_find_member(tool, "function", &t, &function) || t.type != JSON_TOKEN_OBJECT) {
		return "it offers a tool that is not a function";
	}
	*more |= otel_form_has_more(tool, OF_TOOL, ARRAY_LEN(OF_TOOL));
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "type", "function");
	json_begin_lenient(&j, function);
	while (json_next_member(&j, &m)) {
		json_writer_raw(w, NULL, (struct span){m.key.start, m.key.len});
		buf_append_char(w->to, ':');
		buf_append_span(w->to, m.value);
	}
	json_writer_close(w, "}");
	return NULL;
}

const char *otel_form_tools(struct span body, struct buf *to, bool *ret_more)
{
	struct json_token t;
	struct span list, tool;
	struct json j;
	const char *why = NULL;
	*ret_more = false;
	if (!json_find_member(body, "tools", &t, &list) || t.type == JSON_TOKEN_NULL) {
		return NULL;
	}
	if (t.type != JSON_TOKEN_ARRAY) {
		return "the tools that it offers are not a list";
	}
	struct json_writer w = {.to = to};
	json_begin_lenient(&j, list);
	json_writer_open(&w, NULL, '[');
	while (!why && json_next_element(&j, &t, &tool)) {
		why = t.type == JSON_TOKEN_OBJECT ? put_tool(tool, &w, ret_more)
		                                  : "it offers a tool that is not an object";
	}
	json_writer_close(&w, "]");
	return why;
}

void otel_form_answer(const struct choice *c, struct buf *to)
{
	size_t separate = 0;
	for (size_t i = 0; i < c->n_calls; i++) {
		separate += !c->calls[i].in_text;
	}
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '[');
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "role", "assistant");
	json_writer_open(&w, "parts", '[');
	if (c->reasoning.len) {
		put_content(&w, "reasoning", buf_span(&c->reasoning));
	}
	if (c->text.len || !separate) {
		put_content(&w, "text", buf_span(&c->text));
	}
	for (size_t i = 0; i < c->n_calls; i++) {
		const struct tool_call *call = &c->calls[i];
		if (!call->in_text) { /* otherwise the text contains the call */
			put_call(&w, span_of(call->id), span_of(call->name),
			        span_of(call->arguments));
		}
	}
	json_writer_close(&w, "]");
	/* The conventions have another name for a chat's "tool_calls". */
	const char *finish = c->finish ? c->finish : "stop";
	bool calls = strcmp(finish, "tool_calls") == 0;
	json_writer_text(&w, "finish_reason", calls ? "tool_call" : finish);
	json_writer_close(&w, "}]");
}
