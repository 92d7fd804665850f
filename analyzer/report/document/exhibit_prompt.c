#include "analyzer/report/document/exhibit_parts.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/node.h"

#define PROMPT_LIMIT 12288    /* bytes of all messages */
#define REQUEST_LIMIT 12288   /* bytes of the body */
#define PARAMETERS_LIMIT 2048 /* bytes of the members that are no text */
#define MESSAGES_LIMIT 64

struct prompt {
	json_t *messages;
	size_t left; /* bytes that may still be shown */
	size_t cut;  /* bytes that are left out */
};

static struct span text_of(const json_t *value)
{
	return (struct span){json_string_value(value), json_string_length(value)};
}

static void add(struct prompt *p, const char *role, struct span text)
{
	if (json_array_size(p->messages) == MESSAGES_LIMIT) {
		p->cut += text.len;
		return;
	}
	size_t cut;
	json_t *o = json_object();
	json_object_set_new(o, "role", exhibit_name(role));
	json_object_set_new(o, "text", exhibit_text(text, p->left, &cut));
	json_array_append_new(p->messages, o);
	p->left -= text.len - cut;
	p->cut += cut;
}

/* Appends one part of a message's content: its text, or the name of its type. */
static void append_part(struct buf *to, const json_t *part)
{
	const json_t *text = json_is_string(part) ? part : json_object_get(part, "text");
	const char *type = json_string_value(json_object_get(part, "type"));
	if (to->len) {
		buf_append_char(to, '\n');
	}
	if (json_is_string(text)) {
		buf_append_span(to, text_of(text));
	} else {
		buf_printf(to, "[%.60s]", type ? type : "?");
	}
}

static void add_dumped(struct prompt *p, const char *role, const json_t *value)
{
	char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	add(p, role, span_of(dumped));
	free(dumped);
}

/* A text, or the parts of one. */
static void add_content(struct prompt *p, const char *role, const json_t *content)
{
	if (json_is_string(content)) {
		add(p, role, text_of(content));
		return;
	}
	if (!json_is_array(content) || json_is_number(json_array_get(content, 0))) {
		add_dumped(p, role, content);
		return;
	}
	struct buf all = {0};
	NODE_EACH(part, content) {
		append_part(&all, part);
	}
	add(p, role, buf_span(&all));
	buf_finish(&all);
}

static void add_message(struct prompt *p, const json_t *message)
{
	const char *role = json_string_value(json_object_get(message, "role"));
	const json_t *content = json_object_get(message, "content");
	const json_t *calls = json_object_get(message, "tool_calls");
	role = role ? role : "?";
	if (json_is_string(message)) {
		add_content(p, role, message);
	} else if (content && !json_is_null(content)) {
		add_content(p, role, content);
	}
	if (calls) {
		add_dumped(p, role, calls);
	}
}

/* Returns true if the member holds the prompt; it was added. */
static bool take_member(struct prompt *p, const char *key, const json_t *value)
{
	bool list = json_is_array(value);
	if (strcmp(key, "messages") == 0 || (strcmp(key, "input") == 0 && list)) {
		NODE_EACH(each, value) {
			add_message(p, each);
		}
		return list;
	}
	if (strcmp(key, "prompt") == 0 || strcmp(key, "input") == 0 || strcmp(key, "inputs") == 0 ||
	        strcmp(key, "instructions") == 0) {
		add_content(p, key, value);
		return true;
	}
	return false;
}

void exhibit_prompt(json_t *to, struct span body)
{
	struct prompt p = {json_array(), PROMPT_LIMIT, 0};
	json_t *rest = json_object(),
	       *document = json_loadb(body.data, body.len, JSON_ALLOW_NUL, NULL);
	NODE_MEMBERS(member, document) {
		if (!take_member(&p, member.key, member.value)) {
			json_object_set(rest, member.key, member.value);
		}
	}
	char *parameters = json_dumps(rest, JSON_COMPACT);
	json_object_set_new(to, "prompt", p.messages);
	node_set_count(to, "prompt_left_out", p.cut);
	exhibit_set_text(to, "parameters", span_of(parameters), PARAMETERS_LIMIT);
	exhibit_set_text(to, "request", body, REQUEST_LIMIT);
	free(parameters);
	json_decref(rest);
	json_decref(document);
}
