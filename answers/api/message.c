#include "answers/api/message.h"

#include "answers/json_key.h"
#include "answers/members.h"
#include "answers/reasoning.h"
#include "answers/calls/tool_calls.h"
#include "answers/api/usage.h"

/* A value that is read after the members that follow it. */
struct deferred {
	struct json_token first;
	struct json at;
};

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

static void append_or_mark(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        const char *name, struct deferred *value)
{
	draft_append(d, c, kind, &value->first);
	if (value->first.type != JSON_TOKEN_STRING && value->first.type != JSON_TOKEN_ERROR) {
		members_add_unread(
		        d, MEMBER_OF_MESSAGE, name, json_skip(&value->at, &value->first));
	}
}

/* A content: a string, or a list of parts. */
static void read_content(struct draft *d, struct draft_choice *c, struct deferred *content)
{
	struct json *j = &content->at;
	struct json_token t;
	if (content->first.type != JSON_TOKEN_ARRAY) {
		append_or_mark(d, c, STRETCH_TEXT, "content", content);
		return;
	}
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_OBJECT) {
			read_part(d, c, j, &t);
			continue;
		}
		struct deferred element = {t, *j};
		append_or_mark(d, c, STRETCH_TEXT, "content", &element);
		json_skip(j, &t);
	}
}

/* Reads "provider_specific_fields", in which a gateway repeats the members that it did not know,
 * under the engine's own names. */
static void read_specific(struct draft *d, struct json *j, const struct json_token *first)
{
	static const char *const repeated[] = {"content", "refusal", "tool_calls", "function_call"};
	struct json_token t;
	if (first->type != JSON_TOKEN_OBJECT) {
		members_add_unread(
		        d, MEMBER_OF_MESSAGE, "provider_specific_fields", json_skip(j, first));
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		bool is_repeated = reasoning_source_of(&t) != N_REASONING_SOURCES;
		for (size_t i = 0; i < ARRAY_LEN(repeated); i++) {
			is_repeated |= json_token_is_key(&t, repeated[i]);
		}
		if (is_repeated) {
			json_skip(j, &v);
		} else {
			members_skip(d, MEMBER_OF_MESSAGE, j, &t, &v);
		}
	}
}

/* Reads a member in place, or skips one that is unknown. */
static void read_member(struct draft *d, struct draft_choice *c, struct json *j,
        const struct json_token *key, const struct json_token *v)
{
	if (KEY_IS(key, "tool_calls")) {
		tool_calls_read(d, c, j, v);
	} else if (KEY_IS(key, "function_call")) {
		tool_calls_read_legacy(d, c, j, v);
	} else if (KEY_IS(key, "usage")) {
		usage_read(&c->usage, j, v);
	} else if (KEY_IS(key, "provider_specific_fields")) {
		read_specific(d, j, v);
	} else {
		members_skip(d, MEMBER_OF_MESSAGE, j, key, v);
	}
}

void message_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct deferred reasoning[N_REASONING_SOURCES] = {0};
	struct deferred content = {0}, refusal = {0};
	struct json_token t;
	if (first->type != JSON_TOKEN_OBJECT) {
		members_add_unread(d, MEMBER_OF_CHOICE, "message", json_skip(j, first));
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		enum reasoning_source source;
		if (KEY_IS(&t, "content")) {
			content = (struct deferred){v, *j};
		} else if (KEY_IS(&t, "refusal")) {
			refusal = (struct deferred){v, *j};
		} else if ((source = reasoning_source_of(&t)) != N_REASONING_SOURCES) {
			reasoning[source] = (struct deferred){v, *j};
		} else {
			read_member(d, c, j, &t, &v);
			continue;
		}
		json_skip(j, &v);
	}
	for (size_t i = 0; i < N_REASONING_SOURCES; i++) {
		if (reasoning[i].first.type != JSON_TOKEN_ERROR) {
			reasoning_read(d, c, i, &reasoning[i].at, &reasoning[i].first);
		}
	}
	size_t before = c->text.len;
	read_content(d, c, &content);
	append_or_mark(d, c, STRETCH_REFUSAL, "refusal", &refusal);
	c->sources |= c->text.len > before ? HAS_ANY_TEXT : 0;
}
