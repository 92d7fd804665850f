/*
 * OpenTelemetry spans with the generative AI conventions, in OTLP's JSON: chats and their answers.
 *
 * The conventions changed over time, so messages are searched in all places that instrumentations
 * use: attributes with messages as JSON or as OTLP values (gen_ai.input.messages,
 * gen_ai.output.messages, gen_ai.system_instructions; gen_ai.prompt, gen_ai.completion), numbered
 * attributes (gen_ai.prompt.0.content), and the span's events.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "answers/finish.h"
#include "base/json_text.h"
#include "base/json_writer.h"
#include "capture/formats/otel_attributes.h"
#include "capture/formats/otel_message.h"
#include "capture/formats/input_format.h"

static const char NO_CHAT[] = "the span has no messages";
static const char NO_MODEL[] = "the span is of an agent or a tool, not of a model";

/* What a span states, as JSON; empty: not stated. */
enum part {
	MESSAGES, /* an array, as in a chat; empty: it is a completion */
	PROMPT,   /* for a completion: a string; empty: it is a chat */
	MODEL,
	PARAMETERS, /* further members, such as "\"seed\": 1, \"top_p\": 0.5" */
	ID,         /* plain text: the ids of trace and span */
	/* of the first choice: */
	TEXT, /* null if there are only calls */
	REASONING,
	CALLS, /* tool calls as in a chat: an array */
	FINISH,
	NAMED, /* the model that the answer names */
	USAGE, /* an object */
	N_PARTS
};

struct reader {
	const struct format_file *file;
	const struct format_sink *sink;
	struct buf body;
	/* The current span: */
	struct otel_attributes attributes;
	json_t *messages; /* of the request */
	json_t *finish;   /* the finish reason; NULL: not stated */
	struct buf parts[N_PARTS];
	uint64_t start_ns;      /* since 1970; 0: not stated */
	uint64_t took_us;       /* UINT64_MAX: not stated */
	bool failed;            /* the span ended with an error */
	bool parameter_dropped; /* a parameter has an invalid value and is left out */
};

static json_t *value_of(const struct reader *r, const char *name)
{
	return json_object_get(r->attributes.values, name);
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
		return otel_content_text(json_object_get(turn, "content"));
	}
	json_t *message = otel_value_document(whole), *inner = json_object_get(message, "message");
	json_t *text = json_is_object(message) && !otel_calls_tools(message)
	                       ? otel_only_text(json_is_object(inner) ? inner : message)
	                       : NULL;
	json_decref(message);
	return text;
}

/* The request. The functions return NULL, or why there is no chat or completion that can be
 * sent. */

static const char *add_turns(struct reader *r)
{
	json_t *turn;
	size_t i;
	json_array_foreach(r->attributes.turns, i, turn) {
		const char *role = json_string_value(json_object_get(turn, "role"));
		role = role ? role : json_string_value(json_object_get(turn, "event_role"));
		json_t *text = role && strcmp(role, "tool") != 0 ? turn_text(turn) : NULL;
		if (!text) {
			return OTEL_UNSUPPORTED("messages have");
		}
		otel_add_text(r->messages, role, text);
		json_decref(text);
	}
	return NULL;
}

static const char *add_system(struct reader *r)
{
	json_t *value = value_of(r, "gen_ai.system_instructions");
	json_t *document = otel_value_document(value), *text = otel_content_text(value);
	bool none = !value || (json_is_array(document) && !json_array_size(document));
	if (!none && text) {
		otel_add_text(r->messages, "system", text);
	}
	const char *why = none || text ? NULL : OTEL_UNSUPPORTED("messages have");
	json_decref(document);
	json_decref(text);
	return why;
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
	json_t *list = otel_messages(value, "user", !input);
	why = list && !json_array_size(list) ? NO_CHAT : otel_add_messages(r->messages, list);
	json_decref(list);
	return why;
}

/* A completion continues one text. */
static const char *put_messages(struct reader *r)
{
	struct span operation = otel_text(value_of(r, "gen_ai.operation.name"));
	json_t *first = json_object_get(json_array_get(r->messages, 0), "content");
	if (!span_is(operation, "text_completion")) {
		otel_value_put(&r->parts[MESSAGES], NULL, r->messages);
		return NULL;
	}
	if (json_array_size(r->messages) != 1 || !json_is_string(first)) {
		return "the completion has more than one text";
	}
	otel_value_put(&r->parts[PROMPT], NULL, first);
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

/* A count, which a convention may write as a fraction: 40.0. */
static json_t *whole_of(json_t *value)
{
	json_t *number = otel_value_number(value);
	double n = number ? json_number_value(number) : NAN;
	json_decref(number);
	/* Negated, so that NaN is refused too. */
	return !(fabs(n) <= INT32_MAX) || floor(n) != n ? NULL : json_integer((json_int_t)n);
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
	} PARAMETERS_OF[] = {
	        {"gen_ai.request.temperature", "temperature", otel_value_number},
	        {"gen_ai.request.top_p", "top_p", otel_value_number},
	        {"gen_ai.request.top_k", "top_k", whole_of},
	        {"gen_ai.request.choice.count", "n", whole_of},
	        {"gen_ai.request.max_tokens", "max_tokens", otel_value_number},
	        {"gen_ai.request.seed", "seed", otel_value_number},
	        {"gen_ai.request.frequency_penalty", "frequency_penalty", otel_value_number},
	        {"gen_ai.request.presence_penalty", "presence_penalty", otel_value_number},
	        {"gen_ai.request.stop_sequences", "stop", stop_of},
	        {"gen_ai.tool.definitions", "tools", tools_of},
	};
	for (size_t i = 0; i < ARRAY_LEN(PARAMETERS_OF); i++) {
		json_t *value = value_of(r, PARAMETERS_OF[i].attribute);
		json_t *parameter = value ? PARAMETERS_OF[i].read(value) : NULL;
		r->parameter_dropped |= value && !parameter;
		if (parameter) {
			otel_value_put(&r->parts[PARAMETERS], PARAMETERS_OF[i].member, parameter);
			json_decref(parameter);
		}
	}
}

static void put_string(struct reader *r, enum part to, const char *name)
{
	const json_t *value = value_of(r, name);
	if (json_is_string(value)) {
		otel_value_put(&r->parts[to], NULL, value);
	}
}

static uint64_t time_of(const json_t *span, const char *name)
{
	const json_t *time = json_object_get(span, name);
	return json_is_string(time) ? strtoull(json_string_value(time), NULL, 10)
	                            : (uint64_t)json_integer_value(time);
}

static const char *read_request(struct reader *r, const json_t *span)
{
	/* Spans of agents and tools repeat messages of the chats within them. */
	static const char *const CALLS_OF[] = {"chat", "text_completion", "generate_content", NULL};
	const json_t *operation = value_of(r, "gen_ai.operation.name");
	if (json_is_string(operation) && !span_is_one_of(otel_text(operation), CALLS_OF)) {
		return NO_MODEL;
	}
	const char *why = add_all_messages(r);
	why = why ? why : put_messages(r);
	if (why) {
		return why;
	}
	put_string(r, MODEL, "gen_ai.request.model");
	put_parameters(r);
	uint64_t end = time_of(span, "endTimeUnixNano");
	r->start_ns = time_of(span, "startTimeUnixNano");
	r->took_us = r->start_ns && end >= r->start_ns ? (end - r->start_ns) / 1000 : UINT64_MAX;
	buf_append_span(&r->parts[ID], otel_text(json_object_get(span, "traceId")));
	buf_append_span(&r->parts[ID], otel_text(json_object_get(span, "spanId")));
	return NULL;
}

/* The answer. The functions return NULL, or why there is none. */

static void take_finish(struct reader *r, json_t *finish)
{
	if (json_is_string(finish)) {
		json_decref(r->finish);
		r->finish = json_incref(finish);
	}
}

static const char *take_message(struct reader *r, const json_t *message, json_t **ret_text)
{
	struct otel_content c;
	take_finish(r, json_object_get(message, "finish_reason"));
	bool good = otel_content_read(&c, message) && !json_array_size(c.results);
	if (good) {
		*ret_text = json_stringn(buf_span(&c.text).data, c.text.len);
	}
	if (good && c.reasoning.len) {
		json_put_string(&r->parts[REASONING], buf_span(&c.reasoning));
	}
	if (good && json_array_size(c.calls)) {
		otel_value_put(&r->parts[CALLS], NULL, c.calls);
	}
	otel_content_finish(&c);
	return good ? NULL : OTEL_UNSUPPORTED("answer has");
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
	return *ret_text ? NULL : OTEL_UNSUPPORTED("answer has");
}

/* Reads the first of the output messages. */
static const char *take_output(
        struct reader *r, json_t *value, bool is_completion, json_t **ret_text)
{
	json_t *list = otel_messages(value, "assistant", is_completion);
	const char *why = !list ? "its answer is not a list of messages"
	                  : !json_array_size(list)
	                          ? "it has no answer"
	                          : take_message(r, json_array_get(list, 0), ret_text);
	r->attributes.several |= json_array_size(list) > 1;
	json_decref(list);
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
		buf_append_str(&r->parts[FINISH], "\"tool_calls\"");
	} else if (r->finish) {
		otel_value_put(&r->parts[FINISH], NULL, r->finish);
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
	json_int_t in = count_of(r, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
	           out = count_of(
	                   r, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens");
	struct json_writer w = {.to = &r->parts[USAGE], .style = JSON_STYLE_SPACED};
	if (in >= 0 && out >= 0) {
		json_writer_open(&w, NULL, '{');
		json_writer_integer(&w, "prompt_tokens", in);
		json_writer_integer(&w, "completion_tokens", out);
		json_writer_integer(&w, "total_tokens", in + out);
		json_writer_close(&w, "}");
	}
}

static const char *read_answer(struct reader *r)
{
	json_t *output = value_of(r, "gen_ai.output.messages"), *text = NULL;
	json_t *value = output ? output : value_of(r, "gen_ai.completion");
	const char *why =
	        value ? take_output(r, value, !output, &text) : take_answer_turn(r, &text);
	if (text && r->parts[CALLS].len && !json_string_length(text)) {
		buf_append_str(&r->parts[TEXT], "null");
	} else if (text) {
		otel_value_put(&r->parts[TEXT], NULL, text);
	}
	json_decref(text);
	put_string(r, NAMED, "gen_ai.response.model");
	put_usage(r);
	enum finish finish = put_finish(r);
	r->failed = value_of(r, "error.type") || finish == FINISH_ABORTED;
	/* This includes calls that were not recorded. */
	return !why && finish == FINISH_CALLS && !r->parts[CALLS].len
	               ? "it ends with tool calls that were not recorded"
	               : why;
}

/* Delivering. */

static struct span part(const struct reader *r, enum part which)
{
	return buf_span(&r->parts[which]);
}

static void deliver_request(struct reader *r, uint64_t line)
{
	struct json_writer w = {.to = &r->body};
	buf_clear(&r->body);
	json_writer_open(&w, NULL, '{');
	json_writer_raw(&w, "prompt", part(r, PROMPT));
	json_writer_raw(&w, "messages", part(r, MESSAGES));
	json_writer_raw(&w, "model", part(r, MODEL));
	json_writer_raw(&w, NULL, part(r, PARAMETERS)); /* members */
	json_writer_close(&w, "}");
	const struct request_found found = {
	        .body = buf_span(&r->body),
	        .target = part(r, PROMPT).len ? REQUEST_COMPLETION : REQUEST_CHAT,
	        .wall_ns = r->start_ns,
	        .line = line,
	};
	r->sink->request(r->sink->arg, &found);
}

static void deliver_answer(struct reader *r, struct span origin, uint64_t line)
{
	bool is_completion = part(r, PROMPT).len > 0;
	const struct imported_answer a = {
	        .prompt = part(r, is_completion ? PROMPT : MESSAGES),
	        .is_messages = !is_completion,
	        .is_completion = is_completion,
	        .backend = r->file->backend,
	        .role = r->file->role,
	        .model = part(r, MODEL),
	        .parameters = part(r, PARAMETERS),
	        .text = part(r, TEXT),
	        .reasoning = part(r, REASONING),
	        .calls = part(r, CALLS),
	        .finish = part(r, FINISH),
	        .usage = part(r, USAGE),
	        .named = part(r, NAMED),
	        .outcome = r->failed ? OUTCOME_BROKEN : OUTCOME_COMPLETE,
	        .start_ns = r->start_ns ? r->start_ns : r->file->time_ns,
	        .took_us = r->took_us,
	        .identity = r->parts[ID].len ? part(r, ID) : origin,
	        .format = "otel",
	        .file = r->file->name,
	        .line = line,
	        .origin = origin,
	};
	if (r->attributes.several) {
		format_note(r->sink, "it has several answers; only the first is imported");
	}
	if (r->parameter_dropped) {
		format_note(r->sink, "a parameter has an invalid value and is left out");
	}
	r->sink->answer(r->sink->arg, &a);
}

static void take_json(struct reader *r, const json_t *json, struct span span, uint64_t line)
{
	const char *why = read_request(r, json);
	const char *unanswered = why ? NULL : read_answer(r);
	/* A file has many spans that are no chat; they are not reported by line. */
	bool is_other = why == NO_CHAT || why == NO_MODEL;
	why = why || r->sink->request ? why : unanswered;
	if (why) {
		r->sink->unfit(r->sink->arg, is_other ? 0 : line, why);
	} else if (r->sink->request) {
		deliver_request(r, line);
	} else {
		deliver_answer(r, span, line);
	}
}

static const char *take_span(void *arg, struct span span, uint64_t line, bool *ret_bad)
{
	struct reader *r = arg;
	json_t *json = json_loadb(span.data, span.len, JSON_ALLOW_NUL, NULL);
	*ret_bad = !json_is_object(json);
	if (!*ret_bad) {
		for (size_t i = 0; i < N_PARTS; i++) {
			buf_clear(&r->parts[i]);
		}
		r->parameter_dropped = false;
		r->messages = json_array();
		r->finish = NULL;
		otel_attributes_read(&r->attributes, json);
		take_json(r, json, span, line);
		otel_attributes_finish(&r->attributes);
		json_decref(r->messages);
		json_decref(r->finish);
	}
	json_decref(json);
	return *ret_bad ? "a span is not a JSON object" : NULL;
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	static const struct json_stream_rule RULES[] = {
	        {NULL, false}, {"resourceSpans", true}, {"scopeSpans", true}, {"spans", false}};
	struct reader r = {.file = f, .sink = sink};
	int code = format_each_element(f->file, RULES, ARRAY_LEN(RULES), sink, take_span, &r);
	buf_finish(&r.body);
	for (size_t i = 0; i < N_PARTS; i++) {
		buf_finish(&r.parts[i]);
	}
	return code;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "resourceSpans") ||
	       (sniff_has(s, 1, "spans") && sniff_has(s, 3, "attributes"));
}

const struct input_format input_format_otel = {
        .name = "otel",
        .answers = "OpenTelemetry's spans of generative AI (OTLP JSON): chats and answers",
        .requests = "OpenTelemetry's spans of generative AI (OTLP JSON)",
        .fits = fits,
        .read = read_file,
};
