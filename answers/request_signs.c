#include "answers/request_signs.h"

#include <string.h>

#include "base/ascii.h"
#include "base/json.h"

static bool holds(struct span text, const char *word)
{
	return text.len > 0 && memmem(text.data, text.len, word, strlen(word));
}

void request_content(struct span content, struct buf *to)
{
	static const char *const TEXT[] = {"text"};
	struct json j;
	struct json_token t = json_begin(&j, content), text;
	buf_clear(to);
	if (t.type == JSON_TOKEN_STRING) {
		json_token_unescape(&t, to);
	}
	while (t.type == JSON_TOKEN_ARRAY || t.type == JSON_TOKEN_OBJECT) {
		t = json_next(&j);
		if (t.type == JSON_TOKEN_OBJECT &&
		        json_find(json_skip(&j, &t), TEXT, 1, &text, NULL) &&
		        text.type == JSON_TOKEN_STRING) {
			buf_append_str(to, to->len ? "\n" : "");
			json_token_unescape(&text, to);
		}
	}
}

static void count_content(struct span content, struct system_text *ret)
{
	struct buf text = {0};
	bool in_word = false;
	request_content(content, &text);
	struct span s = buf_span(&text);
	for (size_t i = 0; i < s.len; i++) {
		bool blank = is_layout(s.data[i]);
		ret->words += !blank && !in_word;
		in_word = !blank;
	}
	ret->bytes += (uint32_t)MIN(s.len, (size_t)UINT32_MAX - ret->bytes);
	buf_finish(&text);
}

static void count_messages(struct span body, const char *member, struct system_text *ret)
{
	static const char *const ROLE[] = {"role"}, *const CONTENT[] = {"content"};
	struct json_token t, role;
	struct span messages, message, content;
	if (!json_find(body, &member, 1, &t, &messages) || t.type != JSON_TOKEN_ARRAY) {
		return;
	}
	struct json j;
	json_begin(&j, messages);
	while (json_next_element(&j, &t, &message)) {
		if (json_find(message, ROLE, 1, &role, NULL) &&
		        (json_token_is_string(&role, "system") ||
		                json_token_is_string(&role, "developer")) &&
		        json_find(message, CONTENT, 1, &t, &content)) {
			count_content(content, ret);
		}
	}
}

void request_system_text(struct span body, struct system_text *ret)
{
	static const char *const LISTS[] = {"messages", "input"};
	static const char *const TEXTS[] = {"system", "instructions"};
	struct json_token t;
	struct span content;
	*ret = (struct system_text){0};
	if (!holds(body, "system") && !holds(body, "developer") && !holds(body, "instructions")) {
		return; /* most have none, and need not be read */
	}
	for (size_t i = 0; i < ARRAY_LEN(LISTS); i++) {
		count_messages(body, LISTS[i], ret);
	}
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		if (json_find(body, &TEXTS[i], 1, &t, &content)) {
			count_content(content, ret);
		}
	}
}

static bool is_text(const struct json_token *t, struct span text)
{
	struct buf unescaped = {0};
	if (t->type == JSON_TOKEN_STRING) {
		json_token_unescape(t, &unescaped);
	}
	bool same = unescaped.len > 0 && span_equal(buf_span(&unescaped), text);
	buf_finish(&unescaped);
	return same;
}

/* stop: a string or an array of strings. */
static bool lists_text(struct span stop, struct span text)
{
	struct json j;
	struct json_token t = json_begin(&j, stop);
	if (t.type != JSON_TOKEN_ARRAY) {
		return is_text(&t, text);
	}
	while (json_next_element(&j, &t, &stop)) {
		if (is_text(&t, text)) {
			return true;
		}
	}
	return false;
}

bool request_stops_at(struct span body, struct span text)
{
	static const char *const PATHS[][2] = {{"stop"}, {"stop_sequences"}, {"options", "stop"}};
	for (size_t i = 0; i < ARRAY_LEN(PATHS); i++) {
		struct json_token t;
		struct span stop;
		size_t depth = PATHS[i][1] ? 2 : 1;
		if (json_find(body, PATHS[i], depth, &t, &stop) && lists_text(stop, text)) {
			return true;
		}
	}
	return false;
}
