#include "reading/message.h"

#include "reading/keys.h"
#include "reading/reasoning.h"
#include "reading/tool_calls.h"

/* A value that is read later than it comes. */
struct later {
	struct json_token first;
	struct json at;
};

/* One part of a content that is a list: {"type": "text", "text": "..."} and its kin. */
static void read_part(struct draft *d, struct draft_choice *c, struct json *j)
{
	struct json_token t;
	struct later said = {0};
	enum stretch_kind kind = STRETCH_TEXT;
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "type") &&
		        (json_is_string(&v, "thinking") || json_is_string(&v, "reasoning"))) {
			kind = STRETCH_REASONING;
		} else if (KEY_IS(&t, "text")) {
			said = (struct later){v, *j};
		} else if (KEY_IS(&t, "thinking")) {
			kind = STRETCH_REASONING;
			said = (struct later){v, *j};
		} else if (KEY_IS(&t, "refusal")) {
			kind = STRETCH_REFUSAL;
			said = (struct later){v, *j};
		}
		json_skip(j, &v);
	}
	if (kind == STRETCH_REASONING && said.first.type != JSON_ERROR) {
		reasoning_read(d, c, REASONING_OF_PART, &said.at, &said.first);
	} else {
		draft_append(d, c, kind, &said.first);
	}
}

/* A content: a string, or a list of parts. */
static void read_content(struct draft *d, struct draft_choice *c, struct later *content)
{
	struct json *j = &content->at;
	struct json_token t;
	if (content->first.type != JSON_ARRAY) {
		draft_append(d, c, STRETCH_TEXT, &content->first);
		return;
	}
	while ((t = json_next(j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		if (t.type == JSON_OBJECT) {
			read_part(d, c, j);
			continue;
		}
		draft_append(d, c, STRETCH_TEXT, &t);
		json_skip(j, &t);
	}
}

void message_read(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct later reasoning[N_REASONING_SOURCES] = {0};
	struct later content = {0};
	struct json_token t, refusal = {0};
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		enum reasoning_source source;
		if (KEY_IS(&t, "content")) {
			content = (struct later){v, *j};
		} else if (KEY_IS(&t, "refusal")) {
			refusal = v;
		} else if (KEY_IS(&t, "tool_calls")) {
			tool_calls_read(d, c, j, &v);
			continue;
		} else if (KEY_IS(&t, "function_call")) {
			tool_calls_read_legacy(d, c, j, &v);
			continue;
		} else if ((source = reasoning_source_of(&t)) != N_REASONING_SOURCES) {
			reasoning[source] = (struct later){v, *j};
		}
		json_skip(j, &v);
	}
	for (size_t i = 0; i < N_REASONING_SOURCES; i++) {
		if (reasoning[i].first.type != JSON_ERROR) {
			reasoning_read(d, c, i, &reasoning[i].at, &reasoning[i].first);
		}
	}
	read_content(d, c, &content);
	draft_append(d, c, STRETCH_REFUSAL, &refusal);
}
