#include "capture/formats/otel_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/formats/otel_value.h"

static const char *const NAMES[N_OTEL_ATTRIBUTES] = {
        [OTEL_INPUT] = "gen_ai.input.messages",
        [OTEL_PROMPT] = "gen_ai.prompt",
        [OTEL_SYSTEM] = "gen_ai.system_instructions",
        [OTEL_OUTPUT] = "gen_ai.output.messages",
        [OTEL_COMPLETION] = "gen_ai.completion",
        [OTEL_OPERATION] = "gen_ai.operation.name",
        [OTEL_ERROR] = "error.type",
        [OTEL_MODEL] = "gen_ai.request.model",
        [OTEL_TEMPERATURE] = "gen_ai.request.temperature",
        [OTEL_TOP_P] = "gen_ai.request.top_p",
        [OTEL_MAX_TOKENS] = "gen_ai.request.max_tokens",
        [OTEL_SEED] = "gen_ai.request.seed",
        [OTEL_FREQUENCY_PENALTY] = "gen_ai.request.frequency_penalty",
        [OTEL_PRESENCE_PENALTY] = "gen_ai.request.presence_penalty",
        [OTEL_STOP] = "gen_ai.request.stop_sequences",
        [OTEL_TOOLS] = "gen_ai.tool.definitions",
        [OTEL_NAMED] = "gen_ai.response.model",
        [OTEL_FINISH] = "gen_ai.response.finish_reasons",
        [OTEL_INPUT_TOKENS] = "gen_ai.usage.input_tokens",
        [OTEL_OUTPUT_TOKENS] = "gen_ai.usage.output_tokens",
};

/* Former names of the attributes. */
static const struct {
	const char *name;
	enum otel_attribute is;
} OLD[] = {
        {"gen_ai.usage.prompt_tokens", OTEL_INPUT_TOKENS},
        {"gen_ai.usage.completion_tokens", OTEL_OUTPUT_TOKENS},
};

typedef void (*attribute_fn)(void *arg, struct span name, struct span value);

static void each_attribute(struct span attributes, attribute_fn each, void *arg)
{
	struct buf name = {0};
	struct json j;
	struct json_token t = json_begin_lenient(&j, attributes), key, value;
	bool listed = t.type == JSON_ARRAY;
	while ((t = json_next(&j)).type == (listed ? JSON_OBJECT : JSON_KEY)) {
		struct span all;
		bool found;
		key = t;
		if (listed) {
			struct span one = json_skip(&j, &t);
			found = json_find_member(one, "key", &key, NULL) &&
			        key.type == JSON_STRING &&
			        json_find_member(one, "value", &value, &all);
		} else {
			value = json_next(&j);
			all = json_skip(&j, &value);
			found = all.len > 0;
		}
		if (found) {
			buf_clear(&name);
			json_unescape(&key, &name);
			each(arg, buf_span(&name), all);
		}
	}
	buf_finish(&name);
}

/*
 * Splits "gen_ai.prompt.12.content" into the number and the rest. A number above the limit is
 * returned as OTEL_TURNS_LIMIT. False: the name has another form.
 */
static bool numbered(struct span name, const char *prefix, size_t *ret_n, struct span *ret_rest)
{
	size_t at = strlen(prefix), n = 0;
	if (!span_starts(name, prefix)) {
		return false;
	}
	for (; at < name.len && is_digit(name.data[at]); at++) {
		n = MIN(n * 10 + (size_t)(name.data[at] - '0'), OTEL_TURNS_LIMIT);
	}
	if (at == strlen(prefix) || at >= name.len || name.data[at] != '.') {
		return false;
	}
	*ret_n = n;
	*ret_rest = span_from(name, at + 1);
	return true;
}

/* Returns the turn, valid until the next call. NULL: n is beyond the limit, which is noted. */
static struct otel_turn *turn_at(struct otel_attributes *t, size_t n)
{
	if (n >= OTEL_TURNS_LIMIT) {
		t->too_many = true;
		return NULL;
	}
	if (n >= t->turns_cap) {
		t->turns_cap = MAX(n + 1, MAX(t->turns_cap * 2, 16));
		t->turns = xrealloc(t->turns, t->turns_cap * sizeof(*t->turns));
	}
	for (; t->n_turns <= n; t->n_turns++) {
		t->turns[t->n_turns] = (struct otel_turn){0};
	}
	return &t->turns[n];
}

/* Whether the value contains calls. NONE lists what instrumentations write if there are none. */
static bool says_calls(struct span value)
{
	static const char *const NONE[] = {"null", "[]", "{}", "\"\"", "\"[]\"", "\"null\"", NULL};
	struct buf plain = {0};
	bool calls = otel_value_put(value, &plain) && !span_is_one_of(buf_span(&plain), NONE);
	buf_finish(&plain);
	return calls;
}

static void take_turn(struct otel_turn *turn, struct span member, struct span value)
{
	if (span_is(member, "role")) {
		turn->role = value;
	} else if (span_is(member, "content")) {
		turn->content = value;
	} else if (span_is(member, "finish_reason")) {
		turn->finish = value;
	} else if (span_starts(member, "tool_calls.") || span_starts(member, "function_call.")) {
		turn->calls = true;
	} else if (span_is(member, "tool_calls") || span_is(member, "function_call")) {
		turn->calls |= says_calls(value);
	}
}

static void take_attribute(void *arg, struct span name, struct span value)
{
	struct otel_attributes *t = arg;
	struct span member;
	size_t n;
	for (size_t i = 0; i < N_OTEL_ATTRIBUTES; i++) {
		if (span_is(name, NAMES[i])) {
			t->values[i] = value;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(OLD); i++) {
		if (span_is(name, OLD[i].name)) {
			t->values[OLD[i].is] = value;
		}
	}
	if (numbered(name, "gen_ai.prompt.", &n, &member)) {
		struct otel_turn *turn = turn_at(t, n);
		if (turn) {
			take_turn(turn, member, value);
		}
	} else if (numbered(name, "gen_ai.completion.", &n, &member) && n > 0) {
		t->several = true;
	} else if (numbered(name, "gen_ai.completion.", &n, &member)) {
		t->has_answer = true;
		take_turn(&t->answer, member, value);
	}
}

/* Reads an attribute of an event that is a message. The message is in the attributes, or is JSON
 * in one of them. */
static void take_event_attribute(void *arg, struct span name, struct span value)
{
	struct otel_turn *turn = arg;
	if (span_is(name, "gen_ai.event.content") || span_is(name, "message")) {
		turn->whole = value;
	} else {
		take_turn(turn, name, value);
	}
}

static void take_event(struct otel_attributes *t, struct span event)
{
	static const char *const ROLES[][2] = {{"gen_ai.system.message", "system"},
	        {"gen_ai.user.message", "user"}, {"gen_ai.assistant.message", "assistant"},
	        {"gen_ai.tool.message", "tool"}};
	struct json_token name, value;
	struct span all;
	if (!json_find_member(event, "name", &name, NULL) ||
	        !json_find_member(event, "attributes", &value, &all)) {
		return;
	}
	if (json_is_string(&name, "gen_ai.choice")) {
		t->several |= t->has_answer;
		if (!t->has_answer) {
			each_attribute(all, take_event_attribute, &t->answer);
		}
		t->has_answer = true;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(ROLES); i++) {
		if (json_is_string(&name, ROLES[i][0])) {
			struct otel_turn *turn = turn_at(t, t->n_turns);
			if (turn) {
				turn->event_role = ROLES[i][1];
				each_attribute(all, take_event_attribute, turn);
			}
			return;
		}
	}
	each_attribute(all, take_attribute, t);
}

void otel_attributes_read(struct otel_attributes *t, struct span span)
{
	struct json_token token;
	struct span all;
	struct json j;
	*t = (struct otel_attributes){.turns = t->turns, .turns_cap = t->turns_cap};
	if (json_find_member(span, "attributes", &token, &all)) {
		each_attribute(all, take_attribute, t);
	}
	if (!json_find_member(span, "events", &token, &all) || token.type != JSON_ARRAY) {
		return;
	}
	json_begin_lenient(&j, all);
	while ((token = json_next(&j)).type == JSON_OBJECT) {
		take_event(t, json_skip(&j, &token));
	}
}

void otel_attributes_finish(struct otel_attributes *t)
{
	free(t->turns);
	*t = (struct otel_attributes){0};
}
