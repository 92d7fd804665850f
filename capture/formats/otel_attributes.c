#include "capture/formats/otel_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "capture/formats/otel_value.h"

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
	json_t *named = otel_named_values(json_object_get(event, "attributes"));
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
	json_t *named = otel_named_values(json_object_get(span, "attributes")), *event;
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
