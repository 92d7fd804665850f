#include "capture/formats/otel_span.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "capture/formats/member_writer.h"
#include "capture/formats/otel_parameters.h"
#include "capture/formats/otel_attributes.h"
#include "capture/formats/otel_value.h"
#include "answers/finish.h"

static const char MORE_ASKED[] = "its messages have parts that can't be taken: pictures, or calls "
                                 "of tools outside of a list of messages";
static const char MORE_SAID[] = "its answer has parts that can't be taken: pictures, or calls of "
                                "tools outside of a list of messages";
static const char NO_IDS[] = "which call of a tool has which result is not said";
static const char NO_CALLS[] = "it ends in calls of tools, which were not recorded";
static const char NO_MESSAGES[] = "its messages are no list of messages";
static const char NO_CHAT[] = "a span without messages";
static const char NO_MODEL[] = "a span of an agent or a tool, and no model's";

/* Reads a text, or a list of text parts, into *to. False: it is neither. */
static bool open_content(struct span value, struct buf *to)
{
	struct buf whole = {0};
	bool good;
	enum json_type type = otel_value_open(value, &whole, &good);
	buf_clear(to);
	if (type == JSON_ARRAY && otel_is_parts(buf_span(&whole))) {
		good = otel_join_parts(buf_span(&whole), to);
	} else {
		buf_append_span(to, buf_span(&whole));
	}
	buf_finish(&whole);
	return good;
}

static bool is_empty_list(struct span json)
{
	struct json j;
	bool is_list = json_begin_lenient(&j, json).type == JSON_ARRAY;
	return is_list && json_next(&j).type == JSON_ARRAY_END;
}

/* What it asked. */

/* Writes a message. role and text are JSON strings, quotes and escapes included. */
static void put_quoted(struct otel_span *s, struct span role, struct span text)
{
	buf_append_str(&s->messages, s->n_messages++ ? ",{\"role\":" : "{\"role\":");
	buf_append_span(&s->messages, role);
	member_json(&s->messages, "content", text);
	buf_append_char(&s->messages, '}');
	buf_clear(&s->only);
	buf_append_span(&s->only, text);
}

static void put_text(struct otel_span *s, struct span role, struct span text)
{
	struct buf quoted = {0};
	json_put_string(&quoted, text);
	put_quoted(s, role, buf_span(&quoted));
	buf_finish(&quoted);
}

/* Writes a message in the chat's form with all of its members. */
static const char *put_as_it_is(struct otel_span *s, struct span message)
{
	struct json_token t = {0};
	struct span all;
	bool found = json_find_member(message, "content", &t, &all);
	if (found ? t.type != JSON_STRING && t.type != JSON_ARRAY && t.type != JSON_NULL
	          : !otel_calls_tools(message)) {
		return NO_MESSAGES;
	}
	buf_append_str(&s->messages, s->n_messages++ ? "," : "");
	buf_append_span(&s->messages, message);
	buf_clear(&s->only);
	if (t.type == JSON_STRING) {
		buf_append_span(&s->only, all);
	}
	return NULL;
}

/* Writes a message with calls, and its text if there is one. */
static void put_calling(struct otel_span *s)
{
	buf_append_str(&s->messages, s->n_messages++ ? "," : "");
	buf_append_str(&s->messages, "{\"role\":\"assistant\",\"content\":");
	if (s->said.has_text) {
		json_put_string(&s->messages, buf_span(&s->said.text));
	} else {
		buf_append_str(&s->messages, "null");
	}
	buf_append_str(&s->messages, ",\"tool_calls\":[");
	buf_append_span(&s->messages, buf_span(&s->said.calls));
	buf_append_str(&s->messages, "]}");
	buf_clear(&s->only);
}

/* Writes s->said as one or more chat messages. Returns NULL, or why it cannot be sent. */
static const char *put_parts(struct otel_span *s, struct span role)
{
	bool by_tool = span_is(role, "\"tool\"");
	/* The span does not tell which call a tool's text belongs to. */
	if (s->said.calls.len && (s->said.n_results || !span_is(role, "\"assistant\""))) {
		return MORE_ASKED;
	}
	if (s->said.nameless || (by_tool && (!s->said.n_results || s->said.text.len))) {
		return NO_IDS;
	}
	if (s->said.n_results) {
		buf_append_str(&s->messages, s->n_messages ? "," : "");
		buf_append_span(&s->messages, buf_span(&s->said.results));
		s->n_messages += s->said.n_results;
		buf_clear(&s->only);
	}
	if (s->said.calls.len) {
		put_calling(s);
	} else if (s->said.text.len || !s->said.n_results) {
		put_text(s, role, buf_span(&s->said.text));
	}
	return NULL;
}

/* Writes a message that has parts or the chat's form. Returns NULL, or why it cannot be sent. */
static const char *put_message(struct otel_span *s, struct span message)
{
	struct json_token t;
	struct span name;
	if (!json_find_member(message, "role", &t, &name) || t.type != JSON_STRING) {
		return NO_MESSAGES;
	}
	if (!json_find_member(message, "parts", &t, NULL)) {
		return put_as_it_is(s, message);
	}
	if (!otel_content_read(&s->said, message) || s->said.reasoning.len) {
		return MORE_ASKED;
	}
	return put_parts(s, name);
}

static const char *put_messages(struct otel_span *s, struct span list)
{
	struct json j;
	const char *why = NULL;
	struct json_token t = json_begin_lenient(&j, list);
	while (!why && (t = json_next(&j)).type == JSON_OBJECT) {
		why = put_message(s, json_skip(&j, &t));
	}
	return why;
}

/* Reads into *to the text of a message that has attributes or an event of its own. False: it has
 * no text, or more than a text. */
static bool open_turn(struct otel_span *s, const struct otel_turn *turn, struct buf *to)
{
	struct buf whole = {0};
	struct json_token t;
	struct span inner;
	bool is_text;
	if (!turn->whole.len) {
		return !turn->calls && open_content(turn->content, to);
	}
	buf_clear(to);
	bool good = otel_value_open(turn->whole, &whole, &is_text) == JSON_OBJECT && !turn->calls &&
	            !otel_calls_tools(buf_span(&whole));
	if (!json_find_member(buf_span(&whole), "message", &t, &inner) || t.type != JSON_OBJECT) {
		inner = buf_span(&whole);
	}
	good = good && otel_join_message(inner, to);
	buf_finish(&whole);
	return good;
}

static const char *put_turns(struct otel_span *s, const struct otel_attributes *told)
{
	for (size_t i = 0; i < told->n_turns; i++) {
		const struct otel_turn *turn = &told->turns[i];
		struct buf role = {0};
		bool good = otel_value_quoted(turn->role, &role);
		if (!good && turn->event_role) {
			json_put_string(&role, span_of(turn->event_role));
		}
		good = role.len && !span_is(buf_span(&role), "\"tool\"") &&
		       open_turn(s, turn, &s->part);
		if (good) {
			put_text(s, buf_span(&role), buf_span(&s->part));
		}
		buf_finish(&role);
		if (!good) {
			return MORE_ASKED;
		}
	}
	return NULL;
}

static const char *put_system(struct otel_span *s, const struct otel_attributes *told)
{
	struct span value = told->values[OTEL_SYSTEM];
	if (!value.len) {
		return NULL;
	}
	if (!open_content(value, &s->part) && !is_empty_list(buf_span(&s->part))) {
		return MORE_ASKED;
	}
	if (!is_empty_list(buf_span(&s->part))) {
		put_text(s, SPAN("\"system\""), buf_span(&s->part));
	}
	return NULL;
}

/* Only for a prompt may any JSON be the text itself. */
static const char *put_value(struct otel_span *s, struct span value, bool is_prompt)
{
	bool is_text;
	enum json_type type = otel_value_open(value, &s->part, &is_text);
	struct span json = buf_span(&s->part);
	if (type == JSON_ARRAY && is_empty_list(json)) {
		return NO_CHAT;
	}
	if (type == JSON_ARRAY && otel_is_messages(json)) {
		return put_messages(s, json);
	}
	if (type == JSON_OBJECT && otel_is_message(json)) {
		return put_message(s, json);
	}
	if (!is_text || (type != JSON_STRING && !is_prompt)) {
		return NO_MESSAGES;
	}
	put_text(s, SPAN("\"user\""), json);
	return NULL;
}

static const char *take_messages(struct otel_span *s, const struct otel_attributes *told)
{
	bool is_prompt = !told->values[OTEL_INPUT].len;
	struct span value = told->values[is_prompt ? OTEL_PROMPT : OTEL_INPUT];
	if (!value.len && !told->n_turns && !told->too_many) {
		return NO_CHAT;
	}
	if (!value.len && told->too_many) {
		return "it has more than 4096 messages";
	}
	s->n_messages = 0;
	buf_append_char(&s->messages, '[');
	const char *why = put_system(s, told);
	if (!why) {
		why = value.len ? put_value(s, value, is_prompt) : put_turns(s, told);
	}
	buf_append_char(&s->messages, ']');
	return why;
}

/* A completion continues one text. */
static const char *take_prompt(struct otel_span *s, const struct otel_attributes *told)
{
	if (!otel_value_quoted(told->values[OTEL_OPERATION], &s->part) ||
	        !span_is(buf_span(&s->part), "\"text_completion\"")) {
		return NULL;
	}
	if (s->n_messages != 1 || !s->only.len) {
		return "a completion of more than one text";
	}
	buf_append_span(&s->prompt, buf_span(&s->only));
	return NULL;
}

/* What was answered. */

/* NULL, or why there is no text. */
static const char *take_said(struct otel_span *s, struct span message, struct buf *text)
{
	struct json_token t;
	struct span all;
	if (json_find_member(message, "finish_reason", &t, &all) && t.type == JSON_STRING) {
		buf_clear(&s->finish);
		buf_append_span(&s->finish, all);
	}
	if (!otel_content_read(&s->said, message) || s->said.n_results) {
		return MORE_SAID;
	}
	buf_append_span(text, buf_span(&s->said.text));
	if (s->said.reasoning.len) {
		json_put_string(&s->reasoning, buf_span(&s->said.reasoning));
	}
	if (s->said.calls.len) {
		buf_append_char(&s->calls, '[');
		buf_append_span(&s->calls, buf_span(&s->said.calls));
		buf_append_char(&s->calls, ']');
	}
	return NULL;
}

/* Reads the first of the output messages. Only for a completion may any JSON be the text itself. */
static const char *take_output(
        struct otel_span *s, struct span value, bool is_completion, struct buf *text)
{
	struct buf said = {0};
	struct json j;
	const char *why = NULL;
	bool is_text;
	enum json_type type = otel_value_open(value, &said, &is_text);
	if (type == JSON_ARRAY && is_empty_list(buf_span(&said))) {
		why = "nobody answered";
	} else if (type == JSON_ARRAY && otel_is_messages(buf_span(&said))) {
		json_begin_lenient(&j, buf_span(&said));
		struct json_token t = json_next(&j);
		why = take_said(s, json_skip(&j, &t), text);
		s->several |= !why && json_next(&j).type != JSON_ARRAY_END;
	} else if (type == JSON_OBJECT && otel_is_message(buf_span(&said))) {
		why = take_said(s, buf_span(&said), text);
	} else if (is_text && (type == JSON_STRING || is_completion)) {
		buf_append_span(text, buf_span(&said));
	} else {
		why = "its answer is no list of messages";
	}
	buf_finish(&said);
	return why;
}

/* Reads the finish reason that an event gives beside its message. */
static void take_turn_finish(struct otel_span *s, const struct otel_turn *turn)
{
	struct buf whole = {0};
	struct json_token t;
	struct span all;
	bool is_text;
	(void)!otel_value_quoted(turn->finish, &s->finish);
	if (turn->whole.len && otel_value_open(turn->whole, &whole, &is_text) == JSON_OBJECT &&
	        json_find_member(buf_span(&whole), "finish_reason", &t, &all) &&
	        t.type == JSON_STRING) {
		buf_clear(&s->finish);
		buf_append_span(&s->finish, all);
	}
	buf_finish(&whole);
}

static const char *take_answer(struct otel_span *s, const struct otel_attributes *told)
{
	bool is_completion = !told->values[OTEL_OUTPUT].len;
	struct span value = told->values[is_completion ? OTEL_COMPLETION : OTEL_OUTPUT];
	struct buf text = {0};
	const char *why = NULL;
	s->several = told->several;
	if (value.len) {
		why = take_output(s, value, is_completion, &text);
	} else if (!told->has_answer) {
		why = "nobody answered, or its answer was not recorded";
	} else {
		take_turn_finish(s, &told->answer);
		why = open_turn(s, &told->answer, &text) ? NULL : MORE_SAID;
	}
	if (!why && s->calls.len && !text.len) {
		buf_append_str(&s->text, "null");
	} else if (!why) {
		json_put_string(&s->text, buf_span(&text));
	}
	buf_finish(&text);
	return why;
}

static enum finish finish_said(const struct otel_span *s)
{
	struct span f = buf_span(&s->finish); /* quoted */
	return f.len < 2 ? FINISH_NONE : finish_of_span((struct span){f.data + 1, f.len - 2});
}

static void take_rest(struct otel_span *s, const struct otel_attributes *told)
{
	int64_t asked, answered;
	struct json j;
	struct span all;
	bool is_text;
	(void)!otel_value_quoted(told->values[OTEL_NAMED], &s->named);
	if (!s->finish.len &&
	        otel_value_open(told->values[OTEL_FINISH], &s->part, &is_text) == JSON_ARRAY) {
		json_begin_lenient(&j, buf_span(&s->part));
		struct json_token t = json_next(&j);
		all = json_skip(&j, &t);
		buf_append_span(&s->finish, t.type == JSON_STRING ? all : (struct span){0});
	}
	if (otel_value_count(told->values[OTEL_INPUT_TOKENS], &asked) &&
	        otel_value_count(told->values[OTEL_OUTPUT_TOKENS], &answered)) {
		buf_printf(&s->usage,
		        "{\"prompt_tokens\":%" PRId64 ",\"completion_tokens\":%" PRId64
		        ",\"total_tokens\":%" PRId64 "}",
		        asked, answered, asked + answered);
	}
	s->failed = told->values[OTEL_ERROR].len || finish_said(s) == FINISH_ABORTED;
}

static uint64_t time_of(struct span span, const char *name)
{
	struct json_token t;
	if (!json_find_member(span, name, &t, NULL)) {
		return 0;
	}
	char digits[24] = {0};
	struct span s = t.type == JSON_STRING ? json_raw(&t) : (struct span){t.start, t.len};
	memcpy(digits, s.data, MIN(s.len, sizeof(digits) - 1));
	return strtoull(digits, NULL, 10);
}

static void take_times_and_id(struct otel_span *s, struct span span)
{
	static const char *const IDS[] = {"traceId", "spanId"};
	struct json_token t;
	uint64_t end = time_of(span, "endTimeUnixNano");
	s->start_ns = time_of(span, "startTimeUnixNano");
	s->took_us = s->start_ns && end >= s->start_ns ? (end - s->start_ns) / 1000 : UINT64_MAX;
	for (size_t i = 0; i < ARRAY_LEN(IDS); i++) {
		if (json_find_member(span, IDS[i], &t, NULL) && t.type == JSON_STRING) {
			buf_append_span(&s->id, json_raw(&t));
		}
	}
}

/* Spans of agents and tools repeat messages of the chats within them. */
static bool is_of_a_model(struct otel_span *s, const struct otel_attributes *told)
{
	static const char *const CALLS[] = {
	        "\"chat\"", "\"text_completion\"", "\"generate_content\""};
	bool known = !otel_value_quoted(told->values[OTEL_OPERATION], &s->part);
	for (size_t i = 0; i < ARRAY_LEN(CALLS); i++) {
		known |= span_is(buf_span(&s->part), CALLS[i]);
	}
	return known;
}

/* Replaces the finish reason by the chat's own word for it. */
static void name_finish(struct otel_span *s)
{
	if (span_is(buf_span(&s->finish), "\"tool_call\"")) {
		buf_clear(&s->finish);
		buf_append_str(&s->finish, "\"tool_calls\"");
	}
}

/* NULL, or why it can't be sent. */
static const char *take_span(struct otel_span *s, const struct otel_attributes *told,
        struct span span, const char **ret_unanswered)
{
	if (!is_of_a_model(s, told)) {
		return NO_MODEL;
	}
	const char *why = take_messages(s, told);
	why = why ? why : take_prompt(s, told);
	if (why) {
		return why;
	}
	(void)!otel_value_quoted(told->values[OTEL_MODEL], &s->model);
	s->odd = !otel_parameters_put(told, &s->parameters);
	take_times_and_id(s, span);
	*ret_unanswered = take_answer(s, told);
	take_rest(s, told);
	/* Also if the calls themselves were not recorded. */
	if (!*ret_unanswered && finish_said(s) == FINISH_CALLS && !s->calls.len) {
		*ret_unanswered = NO_CALLS;
	}
	name_finish(s);
	return NULL;
}

const char *otel_span_read(
        struct otel_span *s, struct span span, bool *ret_bad, const char **ret_unanswered)
{
	struct buf *const all[] = {&s->messages, &s->prompt, &s->model, &s->parameters, &s->id,
	        &s->text, &s->reasoning, &s->calls, &s->finish, &s->named, &s->usage};
	struct otel_attributes told = {0};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_clear(all[i]);
	}
	*ret_bad = !json_is_one_object(span);
	if (*ret_bad) {
		return "a span is no JSON object";
	}
	otel_attributes_read(&told, span);
	const char *why = take_span(s, &told, span, ret_unanswered);
	otel_attributes_finish(&told);
	s->is_other = why == NO_CHAT || why == NO_MODEL;
	return why;
}

void otel_span_finish(struct otel_span *s)
{
	struct buf *const all[] = {&s->messages, &s->prompt, &s->model, &s->parameters, &s->id,
	        &s->text, &s->reasoning, &s->calls, &s->finish, &s->named, &s->usage, &s->part,
	        &s->only};
	otel_said_finish(&s->said);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_finish(all[i]);
	}
}
