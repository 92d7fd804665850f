#include "imports/otel_span.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "imports/otel_told.h"

static const struct {
	enum otel_attribute attribute;
	const char *member;
} MEMBERS[] = {
        {OTEL_TEMPERATURE, "temperature"},
        {OTEL_TOP_P, "top_p"},
        {OTEL_MAX_TOKENS, "max_tokens"},
        {OTEL_SEED, "seed"},
        {OTEL_FREQUENCY_PENALTY, "frequency_penalty"},
        {OTEL_PRESENCE_PENALTY, "presence_penalty"},
        {OTEL_STOP, "stop"},
};

static enum json_type type_of(struct span json)
{
	struct json j;
	json_init_lenient(&j, json.data, json.len);
	struct json_token t = json_next(&j);
	return json_skip(&j, &t).len && json_next(&j).type == JSON_END ? t.type : JSON_ERROR;
}

/* A value as a document: JSON within a string is taken out of it. JSON_STRING: it is a text, in *to as it is. */
static enum json_type open_value(struct otel_span *s, struct span value, struct buf *to)
{
	struct json j;
	buf_clear(to);
	buf_clear(&s->scratch);
	if (!value.len || !otel_put_plain(value, &s->scratch)) {
		return JSON_ERROR;
	}
	json_init_lenient(&j, s->scratch.data, s->scratch.len);
	struct json_token t = json_next(&j);
	if (t.type != JSON_STRING) {
		buf_append_span(to, buf_span(&s->scratch));
		return t.type;
	}
	json_unescape(&t, to);
	enum json_type inner = type_of(buf_span(to));
	return inner == JSON_ARRAY || inner == JSON_OBJECT ? inner : JSON_STRING;
}

/* A value that is a string, as it is written. False: it is none. */
static bool take_string(struct otel_span *s, struct span value, struct buf *to)
{
	buf_clear(to);
	buf_clear(&s->scratch);
	if (!value.len || !otel_put_plain(value, &s->scratch) ||
	        type_of(buf_span(&s->scratch)) != JSON_STRING) {
		return false;
	}
	buf_append_span(to, buf_span(&s->scratch));
	return true;
}

/*
 * A message's parts that are texts, joined in *text; those that are reasoning in *reasoning, if there is such. False:
 * others are among them.
 */
static bool join_parts(struct span parts, struct buf *text, struct buf *reasoning)
{
	static const char *const CONTENT[] = {"content"}, *const TYPE[] = {"type"};
	struct json j;
	json_init_lenient(&j, parts.data, parts.len);
	struct json_token t, type, content;
	(void)json_next(&j);
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		struct span each = json_skip(&j, &t);
		if (!json_find(each, TYPE, 1, &type, NULL) ||
		        !json_find(each, CONTENT, 1, &content, NULL) ||
		        content.type != JSON_STRING) {
			return false;
		}
		bool thought = reasoning && json_is_string(&type, "reasoning");
		if (!thought && !json_is_string(&type, "text")) {
			return false;
		}
		json_unescape(&content, thought ? reasoning : text);
	}
	return t.type == JSON_ARRAY_END;
}

/* What it asked. */

static void begin_message(struct otel_span *s, struct span role)
{
	buf_append_str(&s->messages, s->messages.len > 1 ? ",{\"role\":" : "{\"role\":");
	buf_append_span(&s->messages, role);
	buf_append_str(&s->messages, ",\"content\":");
}

/* Messages with parts, or as a chat has them. NULL, or why they can't be sent. */
static const char *put_messages(struct otel_span *s, struct span list)
{
	static const char *const ROLE[] = {"role"}, *const PARTS[] = {"parts"};
	struct json j;
	json_init_lenient(&j, list.data, list.len);
	struct json_token t = json_next(&j), role, parts;
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		struct span each = json_skip(&j, &t), all, name;
		if (!json_find(each, PARTS, 1, &parts, &all)) {
			buf_append_str(&s->messages, s->messages.len > 1 ? "," : "");
			buf_append_span(&s->messages, each);
			continue;
		}
		buf_clear(&s->scratch);
		if (!json_find(each, ROLE, 1, &role, &name) ||
		        !join_parts(all, &s->scratch, NULL)) {
			return "its messages have parts that are no texts";
		}
		begin_message(s, name);
		json_put_string(&s->messages, buf_span(&s->scratch));
		buf_append_char(&s->messages, '}');
	}
	return t.type == JSON_ARRAY_END ? NULL : "its messages are no list of messages";
}

static void put_text(struct otel_span *s, struct span role, struct span text)
{
	begin_message(s, role);
	json_put_string(&s->messages, text);
	buf_append_char(&s->messages, '}');
}

/* The text of a message that has a name or an event of its own, in *to. False: it has none. */
static bool open_turn(struct otel_span *s, const struct otel_turn *turn, struct buf *to)
{
	static const char *const PATHS[][2] = {{"content", NULL}, {"message", "content"}};
	struct buf whole = {0};
	struct json_token t;
	if (!turn->whole.len) {
		enum json_type type = open_value(s, turn->content, to);
		return type == JSON_STRING || type == JSON_OBJECT || type == JSON_ARRAY;
	}
	enum json_type type = open_value(s, turn->whole, &whole);
	bool found = false;
	buf_clear(to);
	for (size_t i = 0; i < ARRAY_LEN(PATHS) && !found && type == JSON_OBJECT; i++) {
		found = json_find(buf_span(&whole), PATHS[i], i + 1, &t, NULL) &&
		        t.type == JSON_STRING;
		if (found) {
			json_unescape(&t, to);
		}
	}
	buf_finish(&whole);
	return found;
}

static const char *put_turns(struct otel_span *s, const struct otel_told *told)
{
	for (size_t i = 0; i < told->n_turns; i++) {
		const struct otel_turn *turn = &told->turns[i];
		struct buf role = {0};
		bool good = take_string(s, turn->said_by, &role);
		if (!good && turn->role) {
			json_put_string(&role, span_of(turn->role));
		}
		if (!role.len || !open_turn(s, turn, &s->part)) {
			buf_finish(&role);
			return "its messages have parts that are no texts";
		}
		put_text(s, buf_span(&role), buf_span(&s->part));
		buf_finish(&role);
	}
	return NULL;
}

static const char *put_system(struct otel_span *s, const struct otel_told *told)
{
	struct span value = told->values[OTEL_SYSTEM];
	struct buf text = {0};
	if (!value.len) {
		return NULL;
	}
	enum json_type type = open_value(s, value, &s->part);
	bool good = type == JSON_STRING ||
	            (type == JSON_ARRAY && join_parts(buf_span(&s->part), &text, NULL));
	if (good) {
		put_text(s, SPAN("\"system\""), buf_span(type == JSON_STRING ? &s->part : &text));
	}
	buf_finish(&text);
	return good ? NULL : "its messages have parts that are no texts";
}

static const char *take_messages(struct otel_span *s, const struct otel_told *told)
{
	struct span value =
	        told->values[OTEL_INPUT].len ? told->values[OTEL_INPUT] : told->values[OTEL_PROMPT];
	if (!value.len && !told->n_turns) {
		return "a span without messages";
	}
	buf_append_char(&s->messages, '[');
	const char *why = put_system(s, told);
	if (!why && value.len) {
		enum json_type type = open_value(s, value, &s->part);
		if (type == JSON_ARRAY) {
			why = put_messages(s, buf_span(&s->part));
		} else if (type == JSON_STRING) {
			put_text(s, SPAN("\"user\""), buf_span(&s->part));
		} else {
			why = "its messages are no list of messages";
		}
	} else if (!why) {
		why = put_turns(s, told);
	}
	buf_append_char(&s->messages, ']');
	return why;
}

static void take_parameters(struct otel_span *s, const struct otel_told *told)
{
	(void)!take_string(s, told->values[OTEL_MODEL], &s->model);
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		struct span value = told->values[MEMBERS[i].attribute];
		size_t before = s->parameters.len;
		if (!value.len) {
			continue;
		}
		buf_printf(&s->parameters, "%s\"%s\":", before ? "," : "", MEMBERS[i].member);
		if (!otel_put_plain(value, &s->parameters)) {
			s->parameters.len = before;
		}
	}
}

/* What was answered. */

/* Of messages with parts, or as a chat has them, the first. NULL, or why there is no text. */
static const char *take_said(struct otel_span *s, struct span message, struct buf *text)
{
	static const char *const PARTS[] = {"parts"}, *const CONTENT[] = {"content"},
	                         *const FINISH[] = {"finish_reason"};
	struct json_token t;
	struct span all;
	struct buf reasoning = {0};
	if (json_find(message, FINISH, 1, &t, &all) && t.type == JSON_STRING) {
		buf_clear(&s->finish);
		buf_append_span(&s->finish, all);
	}
	if (json_find(message, PARTS, 1, &t, &all)) {
		bool good = join_parts(all, text, &reasoning);
		if (good && reasoning.len) {
			json_put_string(&s->reasoning, buf_span(&reasoning));
		}
		buf_finish(&reasoning);
		return good ? NULL : "its answer has parts that are no texts";
	}
	if (!json_find(message, CONTENT, 1, &t, NULL) || t.type != JSON_STRING) {
		return "its answer has parts that are no texts";
	}
	json_unescape(&t, text);
	return NULL;
}

static const char *take_output(struct otel_span *s, struct span value, struct buf *text)
{
	struct buf list = {0};
	struct json j;
	const char *why = NULL;
	enum json_type type = open_value(s, value, &list);
	if (type == JSON_STRING) {
		buf_append_span(text, buf_span(&list));
	} else if (type == JSON_ARRAY) {
		json_init_lenient(&j, list.data, list.len);
		(void)json_next(&j);
		struct json_token t = json_next(&j);
		why = t.type == JSON_OBJECT ? take_said(s, json_skip(&j, &t), text)
		                            : "nobody answered";
		s->several |= !why && json_next(&j).type != JSON_ARRAY_END;
	} else {
		why = "its answer is no list of messages";
	}
	buf_finish(&list);
	return why;
}

/* The reason that an event tells beside its message. */
static void take_turn_finish(struct otel_span *s, const struct otel_turn *turn)
{
	static const char *const FINISH[] = {"finish_reason"};
	struct buf whole = {0};
	struct json_token t;
	struct span all;
	(void)!take_string(s, turn->finish, &s->finish);
	if (turn->whole.len && open_value(s, turn->whole, &whole) == JSON_OBJECT &&
	        json_find(buf_span(&whole), FINISH, 1, &t, &all) && t.type == JSON_STRING) {
		buf_clear(&s->finish);
		buf_append_span(&s->finish, all);
	}
	buf_finish(&whole);
}

static const char *take_answer(struct otel_span *s, const struct otel_told *told)
{
	struct span value = told->values[OTEL_OUTPUT].len ? told->values[OTEL_OUTPUT]
	                                                  : told->values[OTEL_COMPLETION];
	struct buf text = {0};
	const char *why = NULL;
	s->several = told->several;
	if (value.len) {
		why = take_output(s, value, &text);
	} else if (!told->has_answer) {
		why = "nobody answered, or its answer was not recorded";
	} else {
		take_turn_finish(s, &told->answer);
		why = open_turn(s, &told->answer, &text) ? NULL
		                                         : "its answer has parts that are no texts";
	}
	if (!why) {
		json_put_string(&s->text, buf_span(&text));
	}
	buf_finish(&text);
	return why;
}

static bool count_of(struct otel_span *s, struct span value, int64_t *ret)
{
	struct json j;
	buf_clear(&s->scratch);
	if (!value.len || !otel_put_plain(value, &s->scratch)) {
		return false;
	}
	json_init_lenient(&j, s->scratch.data, s->scratch.len);
	struct json_token t = json_next(&j);
	return json_integer(&t, ret) && *ret >= 0 && *ret < INT32_MAX;
}

static void take_rest(struct otel_span *s, const struct otel_told *told)
{
	static const char QUOTED_ERROR[] = "\"error\"";
	int64_t asked, answered;
	struct json j;
	struct span all;
	(void)!take_string(s, told->values[OTEL_NAMED], &s->named);
	if (!s->finish.len && open_value(s, told->values[OTEL_FINISH], &s->part) == JSON_ARRAY) {
		json_init_lenient(&j, s->part.data, s->part.len);
		(void)json_next(&j);
		struct json_token t = json_next(&j);
		all = json_skip(&j, &t);
		buf_append_span(&s->finish, t.type == JSON_STRING ? all : (struct span){0});
	}
	if (count_of(s, told->values[OTEL_INPUT_TOKENS], &asked) &&
	        count_of(s, told->values[OTEL_OUTPUT_TOKENS], &answered)) {
		buf_printf(&s->usage,
		        "{\"prompt_tokens\":%" PRId64 ",\"completion_tokens\":%" PRId64
		        ",\"total_tokens\":%" PRId64 "}",
		        asked, answered, asked + answered);
	}
	s->failed = told->values[OTEL_ERROR].len || span_is(buf_span(&s->finish), QUOTED_ERROR);
}

static uint64_t time_of(struct span span, const char *name)
{
	struct json_token t;
	if (!json_find(span, &name, 1, &t, NULL)) {
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
		if (json_find(span, &IDS[i], 1, &t, NULL) && t.type == JSON_STRING) {
			buf_append_span(&s->id, json_raw(&t));
		}
	}
}

/* Spans of agents and tools hold messages of the chats within them. */
static bool is_of_a_model(struct otel_span *s, const struct otel_told *told)
{
	static const char *const CALLS[] = {
	        "\"chat\"", "\"text_completion\"", "\"generate_content\""};
	bool known = !take_string(s, told->values[OTEL_OPERATION], &s->part);
	for (size_t i = 0; i < ARRAY_LEN(CALLS); i++) {
		known |= span_is(buf_span(&s->part), CALLS[i]);
	}
	return known;
}

const char *otel_span_read(
        struct otel_span *s, struct span span, bool *ret_bad, const char **ret_unanswered)
{
	struct buf *const all[] = {&s->messages, &s->model, &s->parameters, &s->id, &s->text,
	        &s->reasoning, &s->finish, &s->named, &s->usage};
	struct otel_told told;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_clear(all[i]);
	}
	*ret_bad = type_of(span) != JSON_OBJECT;
	if (*ret_bad) {
		return "a span is no JSON object";
	}
	otel_told_read(&told, span);
	if (!is_of_a_model(s, &told)) {
		return "a span of an agent or a tool, and no model's";
	}
	const char *why = take_messages(s, &told);
	if (why) {
		return why;
	}
	take_parameters(s, &told);
	take_times_and_id(s, span);
	*ret_unanswered = take_answer(s, &told);
	take_rest(s, &told);
	return NULL;
}

void otel_span_finish(struct otel_span *s)
{
	struct buf *const all[] = {&s->messages, &s->model, &s->parameters, &s->id, &s->text,
	        &s->reasoning, &s->finish, &s->named, &s->usage, &s->scratch, &s->part};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_finish(all[i]);
	}
}
