#include "answers/api/message.h"

#include "answers/json_key.h"
#include "answers/members.h"
#include "answers/reasoning.h"
#include "answers/api/failure.h"
#include "answers/calls/tool_calls.h"
#include "answers/api/usage.h"
#include "base/ascii.h"

/* A value that is read after the members that follow it. */
struct deferred {
	struct json_token first;
	struct json at; /* after `first` */
	struct span value;
};

/* Skips the value whose first token is passed. */
static struct deferred defer(struct json *j, const struct json_token *first)
{
	struct deferred value = {.first = *first, .at = *j, .value = {0}};
	value.value = json_skip(j, first);
	if (value.value.len == 0 && first->type != JSON_TOKEN_ERROR) {
		/* The document ends within the value, whose beginning counts. */
		value.value = span_between(first->start, j->end);
	}
	return value;
}

/* Returns a part's kind by its "type"; N_STRETCH_KINDS: parts of this type are not read. */
static enum stretch_kind kind_of_type(const struct json_token *type)
{
	static const struct {
		const char *type;
		enum stretch_kind kind;
	} kinds[] = {
	        {"text", STRETCH_TEXT},
	        {"output_text", STRETCH_TEXT},
	        {"refusal", STRETCH_REFUSAL},
	        {"thinking", STRETCH_REASONING},
	        {"redacted_thinking", STRETCH_REASONING},
	        {"reasoning", STRETCH_REASONING},
	        {"reasoning_text", STRETCH_REASONING},
	        {"summary_text", STRETCH_REASONING},
	};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (json_token_is_string(type, kinds[i].type)) {
			return kinds[i].kind;
		}
	}
	return N_STRETCH_KINDS;
}

/* Returns the kind of a part whose type may come last or be absent. j is within the part. */
static enum stretch_kind kind_of_part(struct draft *d, struct json j)
{
	struct json_token t;
	enum stretch_kind kind = STRETCH_TEXT;
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (KEY_IS(&t, "thinking")) {
			kind = STRETCH_REASONING;
		} else if (KEY_IS(&t, "refusal")) {
			kind = STRETCH_REFUSAL;
		} else if (KEY_IS(&t, "type") && v.type == JSON_TOKEN_STRING) {
			enum stretch_kind type_kind = kind_of_type(&v);
			if (type_kind == N_STRETCH_KINDS) {
				members_add_unknown(d, MEMBER_OF_PART, json_token_raw(&v));
				return type_kind;
			}
			kind = type_kind != STRETCH_TEXT ? type_kind : kind;
		}
		json_skip(&j, &v);
	}
	return kind;
}

/* Reads one part of a content list: {"type": "text", "text": "..."} and similar. */
static void read_part(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *object)
{
	struct json_token t, part_text = {0};
	enum stretch_kind kind = kind_of_part(d, *j);
	if (kind == N_STRETCH_KINDS) {
		json_skip(j, object);
		return;
	}
	if (kind == STRETCH_REASONING) {
		reasoning_read(d, c, REASONING_OF_PART, j, object);
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		bool is_text = KEY_IS(&t, "text") || KEY_IS(&t, "refusal");
		if (is_text && (v.type == JSON_TOKEN_STRING || v.type == JSON_TOKEN_NULL)) {
			part_text = v;
		} else {
			members_skip(d, MEMBER_OF_PART, j, &t, &v);
		}
	}
	draft_append(d, c, kind, &part_text);
}

/* Appends a string; names a value of another type as unread. */
static void append_string(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        const char *name, const struct json_token *first, struct span value)
{
	draft_append(d, c, kind, first);
	if (first->type != JSON_TOKEN_STRING && first->type != JSON_TOKEN_ERROR) {
		members_add_unread(d, MEMBER_OF_MESSAGE, name, value);
	}
}

/* A content: a string, or a list of parts. */
static void read_content(struct draft *d, struct draft_choice *c, struct deferred *content)
{
	struct json *j = &content->at;
	struct json_token t;
	if (content->first.type != JSON_TOKEN_ARRAY) {
		append_string(d, c, STRETCH_TEXT, "content", &content->first, content->value);
		return;
	}
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_OBJECT) {
			read_part(d, c, j, &t);
		} else {
			append_string(d, c, STRETCH_TEXT, "content", &t, json_skip(j, &t));
		}
	}
}

/* The members of a message that are read once all of its members are known. */
struct parts {
	struct deferred reasoning[N_REASONING_SOURCES];
	struct deferred content, refusal, tool_calls, function_call;
	struct deferred specific; /* "provider_specific_fields" */
};

static struct deferred *part_of(struct parts *parts, const struct json_token *key)
{
	if (KEY_IS(key, "content")) {
		return &parts->content;
	}
	if (KEY_IS(key, "refusal")) {
		return &parts->refusal;
	}
	if (KEY_IS(key, "tool_calls")) {
		return &parts->tool_calls;
	}
	if (KEY_IS(key, "function_call")) {
		return &parts->function_call;
	}
	if (KEY_IS(key, "provider_specific_fields")) {
		return &parts->specific;
	}
	enum reasoning_source source = reasoning_source_of(key);
	return source != N_REASONING_SOURCES ? &parts->reasoning[source] : NULL;
}

/*
 * Reads "provider_specific_fields": there a gateway puts members of the engine's message. Some of
 * them are in the gateway's message too, others are there only. If both have a value and the values
 * differ, the message's own is read.
 */
static void note_specific(struct draft *d, struct parts *parts)
{
	struct json j = parts->specific.at;
	struct json_token t;
	if (parts->specific.first.type != JSON_TOKEN_OBJECT) {
		members_add_unread(
		        d, MEMBER_OF_MESSAGE, "provider_specific_fields", parts->specific.value);
		return;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		struct deferred *part = part_of(parts, &t), inner = defer(&j, &v);
		if (!part || part == &parts->specific) {
			members_check(d, MEMBER_OF_MESSAGE, &t, inner.value);
		} else if (!members_has_value(part->value)) {
			*part = inner;
		} else if (members_has_value(inner.value) &&
		           !span_equal(part->value, inner.value)) {
			members_add_unknown(d, MEMBER_OF_MESSAGE, json_token_raw(&t));
		}
	}
}

static void note_members(
        struct draft *d, struct draft_choice *c, struct parts *parts, struct json *j)
{
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		struct deferred *part = part_of(parts, &t);
		if (part) {
			struct deferred member = defer(j, &v);
			if (members_has_value(member.value) || !members_has_value(part->value)) {
				*part = member;
			}
		} else if (KEY_IS(&t, "usage")) {
			usage_read(&c->usage, j, &v);
		} else if (KEY_IS(&t, "error")) {
			failure_read(d, j, &v);
		} else {
			members_skip(d, MEMBER_OF_MESSAGE, j, &t, &v);
		}
	}
}

void message_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct parts parts = {0};
	if (first->type != JSON_TOKEN_OBJECT) {
		members_add_unread(d, MEMBER_OF_CHOICE, "message", json_skip(j, first));
		return;
	}
	note_members(d, c, &parts, j);
	note_specific(d, &parts);
	for (size_t i = 0; i < N_REASONING_SOURCES; i++) {
		if (parts.reasoning[i].first.type != JSON_TOKEN_ERROR) {
			reasoning_read(d, c, i, &parts.reasoning[i].at, &parts.reasoning[i].first);
		}
	}
	size_t before = c->text.len;
	read_content(d, c, &parts.content);
	append_string(d, c, STRETCH_REFUSAL, "refusal", &parts.refusal.first, parts.refusal.value);
	c->sources |= c->text.len > before ? HAS_ANY_TEXT : 0;
	if (members_has_value(parts.tool_calls.value)) {
		tool_calls_read(d, c, &parts.tool_calls.at, &parts.tool_calls.first);
	}
	if (members_has_value(parts.function_call.value)) {
		tool_calls_read_legacy(d, c, &parts.function_call.at, &parts.function_call.first);
	}
}
