#include "capture/formats/otel_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_writer.h"

/* Values. */

json_t *otel_value_number(json_t *plain)
{
	struct span text = otel_text(plain);
	json_t *number = json_is_string(plain)
	                         ? json_loadb(text.data, text.len, JSON_DECODE_ANY, NULL)
	                         : json_incref(plain);
	if (json_is_number(number)) {
		return number;
	}
	json_decref(number);
	return NULL;
}

static json_t *plain_value(json_t *value);

/* Attributes by name, with plain values. attributes: a list of keys and values, or an object; the
 * last of several equal names wins. Malformed attributes are left out. */
static json_t *named_values(json_t *attributes)
{
	json_t *named = json_object(), *value;
	const char *name;
	size_t i;
	json_array_foreach(attributes, i, value) {
		name = json_string_value(json_object_get(value, "key"));
		json_object_set_new(named, name, plain_value(json_object_get(value, "value")));
	}
	json_object_foreach(attributes, name, value) {
		json_object_set_new(named, name, plain_value(value));
	}
	return named;
}

/* The value as plain JSON. NULL: it is malformed. */
static json_t *plain_value(json_t *value)
{
	static const char *const SCALARS[] = {"stringValue", "doubleValue", "boolValue"};
	json_t *inner;
	for (size_t i = 0; i < ARRAY_LEN(SCALARS); i++) {
		if ((inner = json_object_get(value, SCALARS[i]))) {
			return json_incref(inner);
		}
	}
	if ((inner = json_object_get(value, "intValue"))) {
		return otel_value_number(inner); /* OTLP writes 64-bit numbers as strings */
	}
	if ((inner = json_object_get(value, "arrayValue"))) {
		json_t *list = json_array(), *entry;
		size_t i;
		json_array_foreach(json_object_get(inner, "values"), i, entry) {
			json_array_append_new(list, plain_value(entry));
		}
		return list;
	}
	if ((inner = json_object_get(value, "kvlistValue"))) {
		return named_values(json_object_get(inner, "values"));
	}
	return json_incref(value);
}

json_t *otel_value_document(json_t *plain)
{
	struct span text = otel_text(plain);
	json_t *document = text.len ? json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL) : NULL;
	return document ? document : json_incref(plain);
}

struct span otel_text(const json_t *value)
{
	return (struct span){json_string_value(value), json_string_length(value)};
}

static void put(struct json_writer *w, const char *key, const json_t *value)
{
	const char *name;
	json_t *each;
	size_t i;
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		json_writer_open(w, key, '{');
		json_object_foreach((json_t *)value, name, each) {
			put(w, name, each);
		}
		json_writer_close(w, "}");
		break;
	case JSON_ARRAY:
		json_writer_open(w, key, '[');
		json_array_foreach(value, i, each) {
			put(w, NULL, each);
		}
		json_writer_close(w, "]");
		break;
	case JSON_STRING:
		json_writer_string(w, key, otel_text(value));
		break;
	case JSON_INTEGER:
		json_writer_integer(w, key, json_integer_value(value));
		break;
	case JSON_REAL:
		json_writer_number(w, key, json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		json_writer_bool(w, key, json_is_true(value));
		break;
	case JSON_NULL:
		json_writer_null(w, key);
		break;
	}
}

void otel_value_put(struct buf *to, const char *key, const json_t *value)
{
	struct json_writer w = {.to = to, .style = JSON_STYLE_SPACED, .comma = key && to->len};
	put(&w, key, value);
}

/* Turns. */

/* Whether the value contains calls. NONE lists what instrumentations write if there are none. */
static bool says_calls(const json_t *value)
{
	static const char *const NONE[] = {"", "[]", "null", NULL};
	return json_is_string(value) ? !span_is_one_of(otel_text(value), NONE)
	                             : json_array_size(value) + json_object_size(value) > 0;
}

static void set_turn(json_t *turn, const char *member, json_t *value)
{
	static const char *const MEMBERS[] = {"role", "content", "finish_reason", "whole", NULL};
	bool is_call = span_starts(span_of(member), "tool_calls.") ||
	               span_starts(span_of(member), "function_call.");
	bool are_calls = strcmp(member, "tool_calls") == 0 || strcmp(member, "function_call") == 0;
	if (span_is_one_of(span_of(member), MEMBERS)) {
		json_object_set(turn, member, value);
	} else if (is_call || (are_calls && says_calls(value))) {
		json_object_set_new(turn, "calls", json_true());
	}
}

/* The n-th turn of the prompt. NULL: n is beyond the limit. */
static json_t *turn_at(struct otel_attributes *a, size_t n)
{
	if (n >= OTEL_TURNS_LIMIT) {
		a->too_many = true;
		return NULL;
	}
	while (json_array_size(a->turns) <= n) {
		json_array_append_new(a->turns, json_object());
	}
	return json_array_get(a->turns, n);
}

static json_t *answer_of(struct otel_attributes *a)
{
	a->answer = a->answer ? a->answer : json_object();
	return a->answer;
}

/* Splits "gen_ai.prompt.12.content" into the number and the rest. False: the name has another
 * form. */
static bool numbered(
        const char *name, const char *prefix, unsigned long *ret_n, const char **ret_member)
{
	size_t len = strlen(prefix);
	if (strncmp(name, prefix, len) != 0 || !is_digit(name[len])) {
		return false;
	}
	char *end;
	*ret_n = strtoul(name + len, &end, 10);
	*ret_member = end + 1;
	return *end == '.';
}

static void take_attributes(struct otel_attributes *a, json_t *named)
{
	const char *name, *member;
	json_t *value, *turn;
	unsigned long n;
	json_object_update(a->values, named);
	json_object_foreach(named, name, value) {
		if (numbered(name, "gen_ai.prompt.", &n, &member)) {
			turn = turn_at(a, n);
			if (turn) {
				set_turn(turn, member, value);
			}
		} else if (numbered(name, "gen_ai.completion.", &n, &member)) {
			a->several |= n > 0;
			if (n == 0) {
				set_turn(answer_of(a), member, value);
			}
		}
	}
}

/* Reads an event that is a message. The message is in the attributes, or is JSON in one of them. */
static void take_message_event(json_t *turn, json_t *named)
{
	static const char *const WHOLE[] = {"gen_ai.event.content", "message", NULL};
	const char *name;
	json_t *value;
	json_object_foreach(named, name, value) {
		bool is_whole = span_is_one_of(span_of(name), WHOLE);
		set_turn(turn, is_whole ? "whole" : name, value);
	}
}

static const char *role_of_event(const char *name)
{
	static const char *const ROLES[][2] = {{"gen_ai.system.message", "system"},
	        {"gen_ai.user.message", "user"}, {"gen_ai.assistant.message", "assistant"},
	        {"gen_ai.tool.message", "tool"}};
	for (size_t i = 0; i < ARRAY_LEN(ROLES); i++) {
		if (strcmp(name, ROLES[i][0]) == 0) {
			return ROLES[i][1];
		}
	}
	return NULL;
}

static void take_event(struct otel_attributes *a, json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "name"));
	if (!name) {
		return;
	}
	json_t *named = named_values(json_object_get(event, "attributes"));
	const char *role = role_of_event(name);
	if (role) {
		json_t *turn = turn_at(a, json_array_size(a->turns));
		if (turn) {
			json_object_set_new(turn, "event_role", json_string(role));
			take_message_event(turn, named);
		}
	} else if (strcmp(name, "gen_ai.choice") != 0) {
		take_attributes(a, named);
	} else if (a->answer) {
		a->several = true;
	} else {
		take_message_event(answer_of(a), named);
	}
	json_decref(named);
}

void otel_attributes_read(struct otel_attributes *ret, const json_t *span)
{
	json_t *named = named_values(json_object_get(span, "attributes")), *event;
	size_t i;
	*ret = (struct otel_attributes){.values = json_object(), .turns = json_array()};
	take_attributes(ret, named);
	json_decref(named);
	json_array_foreach(json_object_get(span, "events"), i, event) {
		take_event(ret, event);
	}
}

void otel_attributes_finish(struct otel_attributes *a)
{
	json_decref(a->values);
	json_decref(a->turns);
	json_decref(a->answer);
}
