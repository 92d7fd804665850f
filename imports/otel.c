/*
 * OpenTelemetry's spans with the conventions for generative AI, as OTLP's JSON has them.
 *
 * Messages are found in gen_ai.input.messages (roles and parts), or gen_ai.prompt (messages in JSON, or a
 * text). What a span asks for becomes members of the request.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "imports/outline.h"
#include "imports/requests.h"

/* What a span tells; values are JSON. */
struct told {
	struct json_token messages, prompt; /* strings */
	struct span members[8];             /* by MEMBERS */
};

static const struct {
	const char *attribute, *member;
} MEMBERS[] = {
        {"gen_ai.request.model", "model"},
        {"gen_ai.request.temperature", "temperature"},
        {"gen_ai.request.top_p", "top_p"},
        {"gen_ai.request.max_tokens", "max_tokens"},
        {"gen_ai.request.seed", "seed"},
        {"gen_ai.request.frequency_penalty", "frequency_penalty"},
        {"gen_ai.request.presence_penalty", "presence_penalty"},
};
_Static_assert(ARRAY_LEN(MEMBERS) <= 8, "told has room");

struct reader {
	const struct request_sink *sink;
	struct buf messages, text, body;
};

/* {"stringValue": "x"}, {"intValue": "5"}, or the value itself. */
static bool plain_value(struct span value, struct json_token *ret, struct span *ret_all)
{
	static const char *const KINDS[] = {"stringValue", "intValue", "doubleValue"};
	struct json j;
	json_init_lenient(&j, value.data, value.len);
	*ret = json_next(&j);
	*ret_all = value;
	if (ret->type != JSON_OBJECT) {
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
		if (json_find(value, &KINDS[i], 1, ret, ret_all)) {
			/* 64-bit numbers are written as strings there. */
			if (i == 1 && ret->type == JSON_STRING) {
				*ret_all = json_raw(ret);
			}
			return true;
		}
	}
	return false;
}

static void take_attribute(struct told *told, const struct json_token *key, struct span value)
{
	struct json_token t;
	struct span all;
	if (!plain_value(value, &t, &all)) {
		return;
	}
	if (json_is_string(key, "gen_ai.input.messages")) {
		told->messages = t;
	} else if (json_is_string(key, "gen_ai.prompt")) {
		told->prompt = t;
	}
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		if (json_is_string(key, MEMBERS[i].attribute)) {
			told->members[i] = all;
		}
	}
}

static void read_list(struct span attributes, struct told *told)
{
	static const char *const KEY[] = {"key"}, *const VALUE[] = {"value"};
	struct json j;
	json_init_lenient(&j, attributes.data, attributes.len);
	struct json_token t, key, value;
	(void)json_next(&j);
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		struct span each = json_skip(&j, &t), all;
		if (json_find(each, KEY, 1, &key, NULL) &&
		        json_find(each, VALUE, 1, &value, &all)) {
			take_attribute(told, &key, all);
		}
	}
}

/* As some tools write them: an object. */
static void read_members(struct span attributes, struct told *told)
{
	struct json j;
	json_init_lenient(&j, attributes.data, attributes.len);
	struct json_token t;
	(void)json_next(&j);
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token key = t, value = json_next(&j);
		key.type = JSON_STRING;
		struct span all = json_skip(&j, &value);
		if (!all.len) {
			return;
		}
		take_attribute(told, &key, all);
	}
}

/* A message's parts that are texts, joined. False: others are among them. */
static bool join_parts(struct span parts, struct buf *to)
{
	static const char *const CONTENT[] = {"content"}, *const TYPE[] = {"type"};
	struct json j;
	json_init_lenient(&j, parts.data, parts.len);
	struct json_token t, type, content;
	(void)json_next(&j);
	buf_clear(to);
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		struct span each = json_skip(&j, &t);
		if (!json_find(each, TYPE, 1, &type, NULL) || !json_is_string(&type, "text") ||
		        !json_find(each, CONTENT, 1, &content, NULL) ||
		        content.type != JSON_STRING) {
			return false;
		}
		json_unescape(&content, to);
	}
	return t.type == JSON_ARRAY_END;
}

/* Messages with parts, or as a chat has them. NULL, or why they can't be sent. */
static const char *put_messages(struct reader *r, struct span list)
{
	static const char *const ROLE[] = {"role"}, *const PARTS[] = {"parts"};
	struct json j;
	json_init_lenient(&j, list.data, list.len);
	struct json_token t = json_next(&j), role, parts;
	if (t.type != JSON_ARRAY) {
		return "its messages are no list";
	}
	buf_append_char(&r->body, '[');
	for (size_t i = 0; (t = json_next(&j)).type == JSON_OBJECT; i++) {
		struct span each = json_skip(&j, &t), all, name;
		buf_append_str(&r->body, i ? "," : "");
		if (!json_find(each, PARTS, 1, &parts, &all)) {
			buf_append_span(&r->body, each);
			continue;
		}
		if (!json_find(each, ROLE, 1, &role, &name) || !join_parts(all, &r->text)) {
			return "its messages have parts that are no texts";
		}
		buf_append_str(&r->body, "{\"role\":");
		buf_append_span(&r->body, name);
		buf_append_str(&r->body, ",\"content\":");
		json_put_string(&r->body, buf_span(&r->text));
		buf_append_char(&r->body, '}');
	}
	buf_append_char(&r->body, ']');
	return t.type == JSON_ARRAY_END ? NULL : "its messages are not JSON";
}

static bool is_list(const struct buf *b)
{
	struct json j;
	json_init_lenient(&j, b->data, b->len);
	struct json_token t = json_next(&j);
	return t.type == JSON_ARRAY && json_skip(&j, &t).len && json_next(&j).type == JSON_END;
}

static const char *put_body(struct reader *r, const struct told *told)
{
	const struct json_token *said =
	        told->messages.type == JSON_STRING ? &told->messages : &told->prompt;
	const char *why = NULL;
	buf_clear(&r->body);
	buf_clear(&r->messages);
	json_unescape(said, &r->messages);
	buf_append_str(&r->body, "{\"messages\":");
	if (is_list(&r->messages)) {
		why = put_messages(r, buf_span(&r->messages));
	} else {
		buf_append_str(&r->body, "[{\"role\":\"user\",\"content\":");
		json_put_string(&r->body, buf_span(&r->messages));
		buf_append_str(&r->body, "}]");
	}
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		if (told->members[i].len) {
			buf_printf(&r->body, ",\"%s\":", MEMBERS[i].member);
			buf_append_span(&r->body, told->members[i]);
		}
	}
	buf_append_char(&r->body, '}');
	return why;
}

static uint64_t start_of(struct span span)
{
	static const char *const START[] = {"startTimeUnixNano"};
	struct json_token t;
	if (!json_find(span, START, 1, &t, NULL)) {
		return 0;
	}
	char digits[24] = {0};
	struct span s = t.type == JSON_STRING ? json_raw(&t) : (struct span){t.start, t.len};
	memcpy(digits, s.data, MIN(s.len, sizeof(digits) - 1));
	return strtoull(digits, NULL, 10);
}

static void take_span(struct reader *r, const struct outline_event *e)
{
	static const char *const ATTRIBUTES[] = {"attributes"};
	const struct request_sink *s = r->sink;
	struct told told = {0};
	struct json_token t;
	struct span all;
	struct json j;
	json_init_lenient(&j, e->value.data, e->value.len);
	t = json_next(&j);
	if (e->too_long || t.type != JSON_OBJECT || !json_skip(&j, &t).len) {
		s->bad(s->arg, e->line, "a span is no JSON object, or longer than 64 MiB");
		return;
	}
	if (json_find(e->value, ATTRIBUTES, 1, &t, &all)) {
		if (t.type == JSON_ARRAY) {
			read_list(all, &told);
		} else {
			read_members(all, &told);
		}
	}
	if (told.messages.type != JSON_STRING && told.prompt.type != JSON_STRING) {
		s->unfit(s->arg, "a span without messages");
		return;
	}
	const char *why = put_body(r, &told);
	if (why) {
		s->unfit(s->arg, why);
		return;
	}
	const struct request_found found = {
	        .body = buf_span(&r->body),
	        .target = REQUESTS_CHAT,
	        .wall_ns = start_of(e->value),
	        .line = e->line,
	};
	s->request(s->arg, &found);
}

static int read_file(const struct request_file *f, const struct request_sink *sink)
{
	static const struct outline_rule RULES[] = {
	        {NULL, false}, {"resourceSpans", true}, {"scopeSpans", true}, {"spans", false}};
	struct reader r = {.sink = sink};
	struct outline *o = outline_create(f->file, RULES, ARRAY_LEN(RULES));
	struct outline_event e;
	outline_allow_many(o);
	for (outline_next(o, &e); e.type != OUTLINE_END && e.type != OUTLINE_ERROR;
	        outline_next(o, &e)) {
		if (e.type == OUTLINE_VALUE && !e.key.len) {
			take_span(&r, &e);
		}
	}
	if (e.type == OUTLINE_ERROR) {
		sink->bad(sink->arg, e.line, e.why);
	}
	outline_destroy(o);
	buf_finish(&r.messages);
	buf_finish(&r.text);
	buf_finish(&r.body);
	return ferror(f->file) ? -EIO : 0;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "resourceSpans") ||
	       (sniff_has(s, 1, "spans") && sniff_has(s, 3, "attributes"));
}

const struct request_format requests_otel = {
        .name = "otel",
        .title = "OpenTelemetry's spans of generative AI (OTLP JSON)",
        .fits = fits,
        .read = read_file,
};
