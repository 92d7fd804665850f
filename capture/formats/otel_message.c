#include "capture/formats/otel_message.h"

#include <string.h>

#include "capture/formats/otel_attributes.h"

static const char NO_IDS[] = "it does not say which result belongs to which tool call";
static const char NO_MESSAGES[] = "its messages are not a list of messages";

static bool has(const json_t *object, const char *name)
{
	return json_object_get(object, name);
}

static bool is_message_like(const json_t *object)
{
	return has(object, "role") || has(object, "content") || has(object, "parts");
}

static bool is_part(const json_t *object)
{
	return json_is_string(json_object_get(object, "type"));
}

/* Whether it is a list of objects that all fit. */
static bool is_list_of(const json_t *list, bool (*fits)(const json_t *object))
{
	json_t *element;
	size_t i;
	json_array_foreach(list, i, element) {
		if (!fits(element)) {
			return false;
		}
	}
	return json_is_array(list);
}

static bool is_messages(const json_t *list)
{
	return is_list_of(list, is_message_like);
}

static bool is_message(const json_t *object)
{
	return has(object, "role") && (has(object, "content") || has(object, "parts"));
}

static bool is_parts(const json_t *list)
{
	return json_array_size(list) > 0 && is_list_of(list, is_part);
}

bool otel_calls_tools(const json_t *message)
{
	return json_is_object(json_object_get(message, "function_call")) ||
	       json_array_size(json_object_get(message, "tool_calls")) > 0;
}

/* A chat has arguments and results as texts: a string stays as it is, any other value becomes its
 * JSON. */
static json_t *as_text(json_t *value)
{
	struct buf json = {0};
	if (json_is_string(value)) {
		return json_incref(value);
	}
	otel_value_put(&json, NULL, value);
	json_t *text = json_stringn(json.data, json.len);
	buf_finish(&json);
	return text;
}

static bool take_call(struct otel_content *c, const json_t *part)
{
	json_t *name = json_object_get(part, "name"), *id = json_object_get(part, "id"),
	       *arguments = json_object_get(part, "arguments");
	if (!json_is_string(name)) {
		return false;
	}
	c->nameless |= !json_is_string(id);
	json_array_append_new(
	        c->calls, json_pack("{s:O*,s:s,s:{s:O,s:o}}", "id", json_is_string(id) ? id : NULL,
	                          "type", "function", "function", "name", name, "arguments",
	                          arguments && !json_is_null(arguments) ? as_text(arguments)
	                                                                : json_string("")));
	return true;
}

static bool take_result(struct otel_content *c, const json_t *part)
{
	/* The conventions' schema has one name, their examples the other. */
	json_t *id = json_object_get(part, "id"), *response = json_object_get(part, "response");
	response = response ? response : json_object_get(part, "result");
	if (!json_is_string(id) || !response) {
		return false;
	}
	json_array_append_new(c->results, json_pack("{s:s,s:O,s:o}", "role", "tool", "tool_call_id",
	                                          id, "content", as_text(response)));
	return true;
}

/* Reads a part by its type. False: its type is unknown, or the part is malformed. */
static bool take_part(struct otel_content *c, const json_t *part)
{
	struct span type = otel_text(json_object_get(part, "type"));
	if (span_is(type, "tool_call")) {
		return take_call(c, part);
	}
	if (span_is(type, "tool_call_response")) {
		return take_result(c, part);
	}
	/* As the conventions name it, or as a chat does. */
	const json_t *content = json_object_get(part, "content");
	content = json_is_string(content) ? content : json_object_get(part, "text");
	bool is_reasoning = span_is(type, "reasoning");
	if ((!is_reasoning && !span_is(type, "text")) || !json_is_string(content)) {
		return false;
	}
	c->has_text |= !is_reasoning;
	buf_append_span(is_reasoning ? &c->reasoning : &c->text, otel_text(content));
	return true;
}

static bool take_parts(struct otel_content *c, const json_t *list)
{
	json_t *part;
	size_t i;
	json_array_foreach(list, i, part) {
		if (!take_part(c, part)) {
			return false;
		}
	}
	return json_is_array(list);
}

/* Reads a message in the chat's form: calls are beside the content, which may then be null. */
static bool take_chat_message(struct otel_content *c, const json_t *message)
{
	const json_t *calls = json_object_get(message, "tool_calls"),
	             *content = json_object_get(message, "content");
	json_t *call;
	size_t i;
	if (otel_calls_tools(message) && !json_is_array(calls)) {
		return false;
	}
	json_array_foreach(calls, i, call) {
		const json_t *function = json_object_get(call, "function");
		if (!json_is_string(json_object_get(function, "name"))) {
			return false;
		}
		json_array_append(c->calls, call);
	}
	if (!content || json_is_null(content)) {
		return otel_calls_tools(message);
	}
	if (json_is_string(content)) {
		c->has_text = true;
		buf_append_span(&c->text, otel_text(content));
		return true;
	}
	return take_parts(c, content);
}

static void content_init(struct otel_content *c)
{
	*c = (struct otel_content){.calls = json_array(), .results = json_array()};
}

bool otel_content_read(struct otel_content *ret, const json_t *message)
{
	const json_t *parts = json_object_get(message, "parts");
	content_init(ret);
	return parts ? !otel_calls_tools(message) && take_parts(ret, parts)
	             : take_chat_message(ret, message);
}

void otel_content_finish(struct otel_content *c)
{
	buf_finish(&c->text);
	buf_finish(&c->reasoning);
	json_decref(c->calls);
	json_decref(c->results);
}

json_t *otel_only_text(const json_t *message)
{
	struct otel_content c;
	bool good;
	if (json_is_array(message)) {
		content_init(&c);
		good = take_parts(&c, message);
	} else {
		good = otel_content_read(&c, message);
	}
	good = good && !c.reasoning.len && !json_array_size(c.calls) && !json_array_size(c.results);
	json_t *text = good ? json_stringn(buf_span(&c.text).data, c.text.len) : NULL;
	otel_content_finish(&c);
	return text;
}

json_t *otel_content_text(json_t *value)
{
	json_t *document = otel_value_document(value);
	json_t *text = is_parts(document)      ? otel_only_text(document)
	               : json_is_string(value) ? json_incref(value)
	                                       : NULL;
	json_decref(document);
	return text;
}

void otel_add_text(json_t *to, const char *role, json_t *text)
{
	json_array_append_new(to, json_pack("{s:s,s:O}", "role", role, "content", text));
}

/* Adds a message in the chat's form with all of its members. */
static const char *add_chat_message(json_t *to, json_t *message)
{
	const json_t *content = json_object_get(message, "content");
	bool good =
	        content ? json_is_string(content) || json_is_array(content) || json_is_null(content)
	                : otel_calls_tools(message);
	if (good) {
		json_array_append(to, message);
	}
	return good ? NULL : NO_MESSAGES;
}

/* Adds the content of a message with parts as one or more chat messages. Returns NULL, or why it
 * cannot be sent. */
static const char *add_content(json_t *to, const struct otel_content *c, const char *role)
{
	size_t results = json_array_size(c->results), calls = json_array_size(c->calls);
	bool by_tool = strcmp(role, "tool") == 0;
	if (c->reasoning.len || (calls && (results || strcmp(role, "assistant") != 0))) {
		return OTEL_UNSUPPORTED("messages have");
	}
	/* The span does not tell which call a tool's text belongs to. */
	if (c->nameless || (by_tool && (!results || c->text.len))) {
		return NO_IDS;
	}
	json_array_extend(to, c->results);
	json_t *text = json_stringn(buf_span(&c->text).data, c->text.len);
	if (calls) {
		json_array_append_new(
		        to, json_pack("{s:s,s:O?,s:O}", "role", role, "content",
		                    c->has_text ? text : NULL, "tool_calls", c->calls));
	} else if (c->text.len || !results) {
		otel_add_text(to, role, text);
	}
	json_decref(text);
	return NULL;
}

/* Adds a message that has parts or the chat's form. Returns NULL, or why it cannot be sent. */
static const char *add_message(json_t *to, json_t *message)
{
	const char *role = json_string_value(json_object_get(message, "role"));
	if (!role) {
		return NO_MESSAGES;
	}
	if (!json_object_get(message, "parts")) {
		return add_chat_message(to, message);
	}
	struct otel_content c;
	bool good = otel_content_read(&c, message);
	const char *why = good ? add_content(to, &c, role) : OTEL_UNSUPPORTED("messages have");
	otel_content_finish(&c);
	return why;
}

const char *otel_add_messages(json_t *to, const json_t *list)
{
	const char *why = list ? NULL : NO_MESSAGES;
	json_t *message;
	size_t i;
	json_array_foreach(list, i, message) {
		why = why ? why : add_message(to, message);
	}
	return why;
}

json_t *otel_messages(json_t *value, const char *role, bool any_text)
{
	json_t *document = otel_value_document(value), *list = NULL;
	if (is_messages(document)) {
		return document;
	}
	if (is_message(document)) {
		list = json_pack("[O]", document);
	} else if (json_is_string(value) && (any_text || json_is_string(document))) {
		list = json_pack("[{s:s,s:O}]", "role", role, "content", value);
	}
	json_decref(document);
	return list;
}

json_t *otel_tools(const json_t *definitions)
{
	json_t *tools = json_is_array(definitions) ? json_array() : NULL, *tool;
	size_t i;
	json_array_foreach(definitions, i, tool) {
		if (json_is_object(json_object_get(tool, "function"))) {
			json_array_append(tools, tool); /* already in the chat's form */
			continue;
		}
		/* All members but the type describe the function. */
		if (!json_is_string(json_object_get(tool, "name"))) {
			json_decref(tools);
			return NULL;
		}
		json_t *function = json_copy(tool);
		json_object_del(function, "type");
		json_array_append_new(
		        tools, json_pack("{s:s,s:o}", "type", "function", "function", function));
	}
	return tools;
}
