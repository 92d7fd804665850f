#include "analyzer/compare/meaning/task.h"

#include "base/json.h"

/* The texts of a message's content: a string, or a list of parts that have a text. */
static void read_content(struct json *j, const struct json_token *value, struct buf *to)
{
	if (value->type == JSON_STRING) {
		json_unescape(value, to);
		return;
	}
	struct span all = json_skip(j, value);
	if (value->type != JSON_ARRAY || !all.len) {
		return;
	}
	struct json in;
	json_init(&in, all.data, all.len);
	struct json_token t = json_next(&in);
	while ((t = json_next(&in)).type == JSON_OBJECT) {
		while ((t = json_next(&in)).type == JSON_KEY) {
			struct json_token part = json_next(&in);
			if (json_is_key(&t, "text") && part.type == JSON_STRING) {
				buf_append_char(to, '\n');
				json_unescape(&part, to);
			} else if (!json_skip(&in, &part).len) {
				return;
			}
		}
	}
}

static void swap(struct buf *a, struct buf *b)
{
	struct buf held = *a;
	*a = *b;
	*b = held;
}

/* The rest of the list, whose first token was read; the user's last message, into `to`. False: it
 * is malformed. */
static bool read_messages(struct json *j, struct buf *to)
{
	struct buf content = {0}, last = {0};
	bool any = false;
	struct json_token t;
	while ((t = json_next(j)).type == JSON_OBJECT) {
		bool user = false;
		buf_clear(&content);
		while ((t = json_next(j)).type == JSON_KEY) {
			struct json_token value = json_next(j);
			if (json_is_key(&t, "content")) {
				read_content(j, &value, &content);
			} else if (json_is_key(&t, "role")) {
				user = json_is_string(&value, "user");
				(void)json_skip(j, &value);
			} else if (!json_skip(j, &value).len) {
				break;
			}
		}
		if (user) {
			swap(&content, &last);
		}
		any |= user;
	}
	/* Behind what is no message nothing is read. */
	while (t.type != JSON_ARRAY_END && json_skip(j, &t).len) {
		t = json_next(j);
	}
	bool whole = t.type == JSON_ARRAY_END;
	if (whole && any) {
		swap(to, &last);
	}
	buf_finish(&content);
	buf_finish(&last);
	return whole;
}

/* Where each endpoint has what it asks. */
static bool is_prompt(enum endpoint e, const struct json_token *key)
{
	switch (e) {
	case ENDPOINT_CHAT:
	case ENDPOINT_NATIVE_CHAT:
	case ENDPOINT_MESSAGES:
		return json_is_key(key, "messages");
	case ENDPOINT_COMPLETION:
		return json_is_key(key, "prompt");
	case ENDPOINT_RESPONSES:
		return json_is_key(key, "input");
	case ENDPOINT_NATIVE_GENERATE:
		return json_is_key(key, "prompt") || json_is_key(key, "inputs") ||
		       json_is_key(key, "text");
	default:
		return false;
	}
}

/* Of a list that is begun. One of ids or of texts holds no message, and is skipped as a whole. */
static bool is_of_objects(const struct json *list)
{
	struct json first = *list;
	return json_next(&first).type == JSON_OBJECT;
}

/* tools: NULL where they don't matter. */
static void read_body(
        enum endpoint endpoint, struct span body, struct tools *tools, struct buf *prompt)
{
	struct json j;
	json_init(&j, body.data, body.len);
	struct json_token key = json_next(&j);
	while (key.type == JSON_OBJECT || key.type == JSON_KEY) {
		key = json_next(&j);
		if (key.type != JSON_KEY) {
			break;
		}
		struct json_token value = json_next(&j);
		if (value.type == JSON_ARRAY && is_prompt(endpoint, &key) && is_of_objects(&j)) {
			if (!read_messages(&j, prompt)) {
				break;
			}
			continue;
		}
		struct span all = json_skip(&j, &value);
		if (!all.len) {
			break;
		}
		if (json_is_key(&key, "tools") || json_is_key(&key, "functions")) {
			if (tools) {
				tools_read(tools, all);
			}
		} else if (value.type == JSON_STRING && is_prompt(endpoint, &key)) {
			buf_clear(prompt);
			json_unescape(&value, prompt);
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
