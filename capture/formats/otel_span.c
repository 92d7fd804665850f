#include "capture/formats/otel_span.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "answers/finish.h"
#include "base/json_text.h"
#include "capture/formats/otel_attributes.h"
#include "capture/formats/otel_message.h"
#include "capture/formats/otel_value.h"

static const char UNSUPPORTED_REQUEST[] =
        "its messages have parts that are not supported: images, or tool "
        "calls outside of a list of messages";
static const char UNSUPPORTED_ANSWER[] =
        "its answer has parts that are not supported: images, or tool "
        "calls outside of a list of messages";
static const char NO_IDS[] = "it does not say which result belongs to which tool call";
static const char NO_CALLS[] = "it ends with tool calls that were not recorded";
static const char NO_MESSAGES[] = "its messages are not a list of messages";
static const char NO_CHAT[] = "the span has no messages";
static const char NO_MODEL[] = "the span is of an agent or a tool, not of a model";

/* A span that is being read. */
struct reader {
	struct otel_span *s;
	struct otel_attributes attributes;
	json_t *messages; /* of the request */
	json_t *finish;   /* the finish reason; NULL: not stated */
};

static json_t *value_of(const struct reader *r, const char *name)
{
	return json_object_get(r->attributes.values, name);
}

/* A text, or the joined texts of a list of parts. NULL: the value is neither. New reference. */
static json_t *content_text(json_t *value)
{
	json_t *document = otel_value_document(value);
	json_t *text = otel_is_parts(document) ? otel_only_text(document)
	               : json_is_string(value) ? json_incref(value)
	                                       : NULL;
	json_decref(document);
	return text;
}

static void add_text(struct reader *r, const char *role, json_t *text)
{
	json_array_append_new(r->messages, json_pack("{s:s,s:O}", "role", role, "content", text));
}

/* Adds a message in the chat's form with all of its members. */
static const char *add_chat_message(struct reader *r, json_t *message)
{
	const json_t *content = json_object_get(message, "content");
	bool good =
	        content ? json_is_string(content) || json_is_array(content) || json_is_null(content)
	                : otel_calls_tools(message);
	if (good) {
		json_array_append(r->messages, message);
	}
	return good ? NULL : NO_MESSAGES;
}

/* Adds the content of a message with parts as one or more chat messages. Returns NULL, or why it
 * cannot be sent. */
static const char *add_content(struct reader *r, const struct otel_content *c, const char *role)
{
	size_t results = json_array_size(c->results), calls = json_array_size(c->calls);
	bool by_tool = strcmp(role, "tool") == 0;
	if (c->reasoning.len || (calls && (results || strcmp(role, "assistant") != 0))) {
		return UNSUPPORTED_REQUEST;
	}
	/* The span does not tell which call a tool's text belongs to. */
	if (c->nameless || (by_tool && (!results || c->text.len))) {
		return NO_IDS;
	}
	json_array_extend(r->messages, c->results);
	json_t *text = json_stringn(buf_span(&c->text).data, c->text.len);
	if (calls) {
		json_array_append_new(
		        r->messages, json_pack("{s:s,s:O?,s:O}", "role", role, "content",
		                             c->has_text ? text : NULL, "tool_calls", c->calls));
	} else if (c->text.len || !results) {
		add_text(r, role, text);
	}
	json_decref(text);
	return NULL;
}

/* Adds a message that has parts or the chat's form. Returns NULL, or why it cannot be sent. */
static const char *add_message(struct reader *r, json_t *message)
{
	const char *role = json_string_value(json_object_get(message, "role"));
	if (!role) {
		return NO_MESSAGES;
	}
	if (!json_object_get(message, "parts")) {
		return add_chat_message(r, message);
	}
	struct otel_content c;
	bool good = otel_content_read(&c, message);
	const char *why = good ? add_content(r, &c, role) : UNSUPPORTED_REQUEST;
	otel_content_finish(&c);
	return why;
}

static const char *add_messages(struct reader *r, const json_t *list)
{
	json_t *message;
	size_t i;
	json_array_foreach(list, i, message) {
		const char *why = add_message(r, message);
		if (why) {
			return why;
		}
	}
	return NULL;
}

/* The text of a message that has attributes or an event of its own. NULL: it has no text, or more
 * than a text. New reference. */
static json_t *turn_text(const json_t *turn)
{
	json_t *whole = json_object_get(turn, "whole");
	if (json_object_get(turn, "calls")) {
		return NULL;
	}
	if (!whole) {
		return content_text(json_object_get(turn, "content"));
	}
	json_t *message = otel_value_document(whole), *inner = json_object_get(message, "message");
	json_t *text = json_is_object(message) && !otel_calls_tools(message)
	                       ? otel_only_text(json_is_object(inner) ? inner : message)
	                       : NULL;
	json_decref(message);
	return text;
}

static const char *add_turns(struct reader *r)
{
	json_t *turn;
	size_t i;
	json_array_foreach(r->attributes.turns, i, turn) {
		const char *role = json_string_value(json_object_get(turn, "role"));
		role = role ? role : json_string_value(json_object_get(turn, "event_role"));
		json_t *text = role && strcmp(role, "tool") != 0 ? turn_text(turn) : NULL;
		if (!text) {
			return UNSUPPORTED_REQUEST;
		}
		add_text(r, role, text);
		json_decref(text);
	}
	return NULL;
}

static const char *add_system(struct reader *r)
{
	json_t *value = value_of(r, "gen_ai.system_instructions");
	json_t *document = otel_value_document(value), *text = content_text(value);
	bool none = !value || (json_is_array(document) && !json_array_size(document));
	if (!none && text) {
		add_text(r, "system", text);
	}
	const char *why = none || text ? NULL : UNSUPPORTED_REQUEST;
	json_decref(document);
	json_decref(text);
	return why;
}

/*
 * The messages of an attribute: a list of messages, one message, or a text, which becomes a message
 * of this role. any_text: a text may be any JSON. NULL: the value has none of these forms. New
 * reference.
 */
static json_t *messages_in(json_t *value, const char *role, bool any_text)
{
	json_t *document = otel_value_document(value), *list = NULL;
	if (otel_is_messages(document)) {
		return document;
	}
	if (otel_is_message(document)) {
		list = json_pack("[O]", document);
	} else if (json_is_string(value) && (any_text || json_is_string(document))) {
		list = json_pack("[{s:s,s:O}]", "role", role, "content", value);
	}
	json_decref(document);
	return list;
}

static const char *add_all_messages(struct reader *r)
{
	json_t *input = value_of(r, "gen_ai.input.messages");
	json_t *value = input ? input : value_of(r, "gen_ai.prompt");
	if (!value && !json_array_size(r->attributes.turns) && !r->attributes.too_many) {
		return NO_CHAT;
	}
	if (!value && r->attributes.too_many) {
		return "it has more than 4096 messages";
	}
	const char *why = add_system(r);
	if (why || !value) {
		return why ? why : add_turns(r);
	}
	json_t *list = messages_in(value, "user", !input);
	why = !list ? NO_MESSAGES : !json_array_size(list) ? NO_CHAT : add_messages(r, list);
	json_decref(list);
	return why;
}

/* A completion continues one text. */
static const char *put_messages(struct reader *r)
{
	struct span operation = otel_text(value_of(r, "gen_ai.operation.name"));
	json_t *first = json_object_get(json_array_get(r->messages, 0), "content");
	if (!span_is(operation, "text_completion")) {
		otel_value_put(&r->s->messages, r->messages);
		return NULL;
	}
	if (json_array_size(r->messages) != 1 || !json_is_string(first)) {
		return "the completion has more than one text";
	}
	otel_value_put(&r->s->prompt, first);
	return NULL;
}

/* A list of texts, or one text. */
static json_t *stop_of(json_t *value)
{
	json_t *document = otel_value_document(value), *text;
	size_t i;
	json_array_foreach(document, i, text) {
		if (!json_is_string(text)) {
			break;
		}
	}
	if (json_is_array(document) && i == json_array_size(document)) {
		return document;
	}
	json_decref(document);
	return json_is_string(value) ? json_incref(value) : NULL;
}

static json_t *tools_of(json_t *value)
{
	json_t *document = otel_value_document(value), *tools = otel_tools(document);
	json_decref(document);
	return tools;
}

static void put_parameters(struct reader *r)
{
	static const struct {
		const char *attribute, *member;
		json_t *(*read)(json_t *value); /* NULL: the value is not valid */
	} PARAMETERS[] = {
	        {"gen_ai.request.temperature", "temperature", otel_value_number},
	        {"gen_ai.request.top_p", "top_p", otel_value_number},
	        {"gen_ai.request.max_tokens", "max_tokens", otel_value_number},
	        {"gen_ai.request.seed", "seed", otel_value_number},
	        {"gen_ai.request.frequency_penalty", "frequency_penalty", otel_value_number},
	        {"gen_ai.request.presence_penalty", "presence_penalty", otel_value_number},
	        {"gen_ai.request.stop_sequences", "stop", stop_of},
	        {"gen_ai.tool.definitions", "tools", tools_of},
	};
	for (size_t i = 0; i < ARRAY_LEN(PARAMETERS); i++) {
		json_t *value = value_of(r, PARAMETERS[i].attribute);
		json_t *parameter = value ? PARAMETERS[i].read(value) : NULL;
		r->s->parameter_dropped |= value && !parameter;
		if (parameter) {
			buf_printf(&r->s->parameters,
			        "%s\"%s\": ", r->s->parameters.len ? ", " : "",
			        PARAMETERS[i].member);
			otel_value_put(&r->s->parameters, parameter);
			json_decref(parameter);
		}
	}
}

static void take_finish(struct reader *r, json_t *finish)
{
	if (json_is_string(finish)) {
		json_decref(r->finish);
		r->finish = json_incref(finish);
	}
}

/* Reads an output message. Returns NULL, or why there is no text. */
static const char *take_message(struct reader *r, const json_t *message, json_t **ret_text)
{
	struct otel_content c;
	take_finish(r, json_object_get(message, "finish_reason"));
	bool good = otel_content_read(&c, message) && !json_array_size(c.results);
	if (good) {
		*ret_text = json_stringn(buf_span(&c.text).data, c.text.len);
	}
	if (good && c.reasoning.len) {
		json_put_string(&r->s->reasoning, buf_span(&c.reasoning));
	}
	if (good && json_array_size(c.calls)) {
		otel_value_put(&r->s->calls, c.calls);
	}
	otel_content_finish(&c);
	return good ? NULL : UNSUPPORTED_ANSWER;
}

/* Reads an answer that has attributes or an event of its own. */
static const char *take_answer_turn(struct reader *r, json_t **ret_text)
{
	if (!r->attributes.answer) {
		return "it has no answer, or its answer was not recorded";
	}
	json_t *whole = otel_value_document(json_object_get(r->attributes.answer, "whole"));
	take_finish(r, json_object_get(r->attributes.answer, "finish_reason"));
	take_finish(r, json_object_get(whole, "finish_reason"));
	json_decref(whole);
	*ret_text = turn_text(r->attributes.answer);
	return *ret_text ? NULL : UNSUPPORTED_ANSWER;
}

/* Reads the first of the output messages. */
static const char *take_output(
        struct reader *r, json_t *value, bool is_completion, json_t **ret_text)
{
	json_t *list = messages_in(value, "assistant", is_completion);
	const char *why = !list ? "its answer is not a list of messages"
	                  : !json_array_size(list)
	                          ? "it has no answer"
	                          : take_message(r, json_array_get(list, 0), ret_text);
	r->attributes.several |= json_array_size(list) > 1;
	json_decref(list);
	return why;
}

static const char *take_answer(struct reader *r)
{
	json_t *output = value_of(r, "gen_ai.output.messages"), *text = NULL;
	json_t *value = output ? output : value_of(r, "gen_ai.completion");
	const char *why =
	        value ? take_output(r, value, !output, &text) : take_answer_turn(r, &text);
	if (text && r->s->calls.len && !json_string_length(text)) {
		buf_append_str(&r->s->text, "null");
	} else if (text) {
		otel_value_put(&r->s->text, text);
	}
	json_decref(text);
	return why;
}

/* Writes the finish reason under its name in the chat format. */
static enum finish put_finish(struct reader *r)
{
	json_t *reasons = otel_value_document(value_of(r, "gen_ai.response.finish_reasons"));
	if (!r->finish) {
		take_finish(r, json_array_get(reasons, 0));
	}
	json_decref(reasons);
	if (span_is(otel_text(r->finish), "tool_call")) {
		buf_append_str(&r->s->finish, "\"tool_calls\"");
	} else if (r->finish) {
		otel_value_put(&r->s->finish, r->finish);
	}
	return finish_of_span(otel_text(r->finish));
}

/* A count of tokens, by the attribute's name or its former one. -1: not stated. */
static json_int_t count_of(const struct reader *r, const char *name, const char *former)
{
	json_t *value = value_of(r, name);
	json_t *number = otel_value_number(value ? value : value_of(r, former));
	json_int_t n = json_is_integer(number) ? json_integer_value(number) : -1;
	json_decref(number);
	return n < INT32_MAX ? n : -1;
}

static void put_usage(struct reader *r)
{
	json_int_t prompt_tokens =
	                   count_of(r, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
	           completion_tokens = count_of(
	                   r, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens");
	if (prompt_tokens >= 0 && completion_tokens >= 0) {
		json_t *usage = json_pack("{s:I,s:I,s:I}", "prompt_tokens", prompt_tokens,
		        "completion_tokens", completion_tokens, "total_tokens",
		        prompt_tokens + completion_tokens);
		otel_value_put(&r->s->usage, usage);
		json_decref(usage);
	}
}

static void put_string(struct buf *to, const json_t *value)
{
	if (json_is_string(value)) {
		otel_value_put(to, value);
	}
}

static uint64_t time_of(const json_t *span, const char *name)
{
	const json_t *time = json_object_get(span, name);
	return json_is_string(time) ? strtoull(json_string_value(time), NULL, 10)
	                            : (uint64_t)json_integer_value(time);
}

static void put_times_and_id(struct otel_span *s, const json_t *span)
{
	uint64_t end = time_of(span, "endTimeUnixNano");
	s->start_ns = time_of(span, "startTimeUnixNano");
	s->took_us = s->start_ns && end >= s->start_ns ? (end - s->start_ns) / 1000 : UINT64_MAX;
	buf_append_span(&s->id, otel_text(json_object_get(span, "traceId")));
	buf_append_span(&s->id, otel_text(json_object_get(span, "spanId")));
}

/* Spans of agents and tools repeat messages of the chats within them. */
static bool is_of_a_model(const struct reader *r)
{
	static const char *const CALLS[] = {"chat", "text_completion", "generate_content", NULL};
	const json_t *operation = value_of(r, "gen_ai.operation.name");
	return !json_is_string(operation) || span_is_one_of(otel_text(operation), CALLS);
}

static const char *read_span(struct reader *r, const json_t *span, const char **ret_unanswered)
{
	if (!is_of_a_model(r)) {
		return NO_MODEL;
	}
	const char *why = add_all_messages(r);
	why = why ? why : put_messages(r);
	if (why) {
		return why;
	}
	put_string(&r->s->model, value_of(r, "gen_ai.request.model"));
	put_string(&r->s->named, value_of(r, "gen_ai.response.model"));
	put_parameters(r);
	put_times_and_id(r->s, span);
	put_usage(r);
	*ret_unanswered = take_answer(r);
	enum finish finish = put_finish(r);
	r->s->several = r->attributes.several;
	r->s->failed = value_of(r, "error.type") || finish == FINISH_ABORTED;
	/* This includes calls that were not recorded. */
	if (!*ret_unanswered && finish == FINISH_CALLS && !r->s->calls.len) {
		*ret_unanswered = NO_CALLS;
	}
	return NULL;
}

#define BUFS(s)                                                                                    \
	{                                                                                          \
		&(s)->messages, &(s)->prompt, &(s)->model, &(s)->parameters, &(s)->id, &(s)->text, \
		        &(s)->reasoning, &(s)->calls, &(s)->finish, &(s)->named, &(s)->usage       \
	}

const char *otel_span_read(
        struct otel_span *s, struct span span, bool *ret_bad, const char **ret_unanswered)
{
	struct buf *const all[] = BUFS(s);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_clear(all[i]);
	}
	s->parameter_dropped = false;
	json_t *json = json_loadb(span.data, span.len, JSON_ALLOW_NUL, NULL);
	*ret_bad = !json_is_object(json);
	if (*ret_bad) {
		json_decref(json);
		return "a span is not a JSON object";
	}
	struct reader r = {.s = s, .messages = json_array()};
	otel_attributes_read(&r.attributes, json);
	const char *why = read_span(&r, json, ret_unanswered);
	s->is_other = why == NO_CHAT || why == NO_MODEL;
	otel_attributes_finish(&r.attributes);
	json_decref(r.messages);
	json_decref(r.finish);
	json_decref(json);
	return why;
}

void otel_span_finish(struct otel_span *s)
{
	struct buf *const all[] = BUFS(s);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_finish(all[i]);
	}
}
