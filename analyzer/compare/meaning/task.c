#include "analyzer/compare/meaning/task.h"

#include "answers/request_signs.h"
#include "base/json.h"

/* Appends the content of the user's last message; leaves *to alone if there is none. */
static void read_messages(struct span messages, struct buf *to)
{
	static const char *const ROLE[] = {"role"}, *const CONTENT[] = {"content"};
	struct json j;
	struct json_token t, role, first;
	struct span message, content, last = {0};
	json_begin(&j, messages);
	while (json_next_element(&j, &t, &message)) {
		if (json_find(message, ROLE, 1, &role, NULL) &&
		        json_token_is_string(&role, "user") &&
		        json_find(message, CONTENT, 1, &first, &content)) {
			last = content;
		}
	}
	if (last.len) {
		request_content(last, to);
	}
}

/* Whether the member holds the prompt, which depends on the endpoint. */
static bool is_prompt(enum endpoint e, const struct json_token *key)
{
	switch (e) {
	case ENDPOINT_CHAT:
	case ENDPOINT_NATIVE_CHAT:
	case ENDPOINT_MESSAGES:
		return json_token_is_key(key, "messages");
	case ENDPOINT_COMPLETION:
		return json_token_is_key(key, "prompt");
	case ENDPOINT_RESPONSES:
		return json_token_is_key(key, "input");
	case ENDPOINT_NATIVE_GENERATE:
		return json_token_is_key(key, "prompt") || json_token_is_key(key, "inputs") ||
		       json_token_is_key(key, "text");
	default:
		return false;
	}
}

/* tools: NULL if the caller does not need them. */
static void read_body(
        enum endpoint endpoint, struct span body, struct tools *tools, struct buf *prompt)
{
	struct json j;
	struct json_member m;
	if (json_begin(&j, body).type != JSON_TOKEN_OBJECT) {
		return;
	}
	while (json_next_member(&j, &m)) {
		if (tools && (json_token_is_key(&m.key, "tools") ||
		                     json_token_is_key(&m.key, "functions"))) {
			tools_read(tools, m.value);
		} else if (is_prompt(endpoint, &m.key) && m.first.type == JSON_TOKEN_ARRAY) {
			read_messages(m.value, prompt);
		} else if (is_prompt(endpoint, &m.key) && m.first.type == JSON_TOKEN_STRING) {
			buf_clear(prompt);
			json_token_unescape(&m.first, prompt);
		}
	}
}

void task_read(struct task *t, enum endpoint endpoint, struct span body)
{
	struct buf prompt = {0};
	read_body(endpoint, body, &t->tools, &prompt);
	t->question = question_read(buf_span(&prompt));
	buf_finish(&prompt);
}

void task_words(enum endpoint endpoint, struct span body, struct buf *to)
{
	read_body(endpoint, body, NULL, to);
}

void task_finish(struct task *t)
{
	tools_finish(&t->tools);
	*t = (struct task){0};
}
