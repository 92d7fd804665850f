/*
 * ShareGPT: conversations. Each turn of a person is a request, with what was said before it, so that
 * the turns of a conversation are sent one after another; the turn after it is the answer.
 */
#include <errno.h>

#include "base/json.h"
#include "imports/format.h"
#include "imports/outline.h"
#include "imports/requests.h"

#define TURNS_LIMIT 256

struct reader {
	const struct request_sink *sink;   /* whom requests are given to, or NULL: */
	const struct import_sink *answers; /* whom answers are given to */
	const struct import_file *file;
	struct buf messages, body, item;
	uint64_t line;
	bool asked; /* the last message is a person's */
};

/* NULL: who that is is not known. */
static const char *role_of(const struct json_token *from)
{
	static const char *const ROLES[][2] = {{"human", "user"}, {"user", "user"},
	        {"gpt", "assistant"}, {"chatgpt", "assistant"}, {"assistant", "assistant"},
	        {"bing", "assistant"}, {"bard", "assistant"}, {"system", "system"}};
	for (size_t i = 0; i < ARRAY_LEN(ROLES); i++) {
		if (json_is_string(from, ROLES[i][0])) {
			return ROLES[i][1];
		}
	}
	return NULL;
}

static void give_answer(struct reader *r, struct span text, struct span turn)
{
	buf_clear(&r->body);
	buf_append_char(&r->body, '[');
	buf_append_span(&r->body, buf_span(&r->messages));
	buf_append_char(&r->body, ']');
	const struct answer a = {
	        .prompt = buf_span(&r->body),
	        .is_messages = true,
	        .backend = r->file->backend,
	        .role = r->file->role,
	        .text = text,
	        .start_ns = r->file->time_ns,
	        .took_us = UINT64_MAX,
	        .identity = r->item.len ? buf_span(&r->item) : turn,
	        .format = "sharegpt",
	        .file = r->file->name,
	        .line = r->line,
	        .origin = turn,
	};
	r->answers->answer(r->answers->arg, &a);
}

static void give(struct reader *r)
{
	buf_clear(&r->body);
	buf_append_str(&r->body, "{\"messages\":[");
	buf_append_span(&r->body, buf_span(&r->messages));
	buf_append_str(&r->body, "]}");
	const struct request_found found = {
	        .body = buf_span(&r->body),
	        .target = REQUESTS_CHAT,
	        .item = buf_span(&r->item),
	        .line = r->line,
	};
	r->sink->request(r->sink->arg, &found);
}

/* One message. NULL, or what is wrong with it. */
static const char *take_turn(struct reader *r, struct span turn)
{
	static const char *const FROM[] = {"from"}, *const VALUE[] = {"value"};
	struct json_token from, value;
	struct span text;
	if (!json_find(turn, FROM, 1, &from, NULL) || !json_find(turn, VALUE, 1, &value, &text) ||
	        value.type != JSON_STRING) {
		return "a turn has no from or value";
	}
	const char *role = role_of(&from);
	if (!role) {
		return "a turn is from nobody who is known";
	}
	if (r->answers && role[0] == 'a' && r->asked) {
		give_answer(r, text, turn);
	}
	r->asked = role[0] == 'u';
	buf_printf(
	        &r->messages, "%s{\"role\":\"%s\",\"content\":", r->messages.len ? "," : "", role);
	buf_append_span(&r->messages, text);
	buf_append_char(&r->messages, '}');
	if (r->sink && r->asked) {
		give(r);
	}
	return NULL;
}

static const char *take_conversation(struct reader *r, struct span turns)
{
	struct json j;
	json_init_lenient(&j, turns.data, turns.len);
	struct json_token t = json_next(&j);
	if (t.type != JSON_ARRAY || !json_skip(&j, &t).len || json_next(&j).type != JSON_END) {
		return "its conversations are no list";
	}
	buf_clear(&r->messages);
	r->asked = false;
	json_init_lenient(&j, turns.data, turns.len);
	(void)json_next(&j);
	for (size_t n = 0; (t = json_next(&j)).type != JSON_ARRAY_END; n++) {
		struct span turn = json_skip(&j, &t);
		const char *why =
		        n == TURNS_LIMIT ? "it has more than 256 turns" : take_turn(r, turn);
		if (why) {
			return why;
		}
	}
	return NULL;
}

static void tell_bad(const struct reader *r, uint64_t line, const char *why)
{
	if (r->sink) {
		r->sink->bad(r->sink->arg, line, why);
	} else {
		r->answers->bad(r->answers->arg, line, why);
	}
}

static void take_value(struct reader *r, const struct outline_event *e)
{
	const char *why = NULL;
	struct json j;
	if (span_is(e->key, "id")) {
		json_init(&j, e->value.data, e->value.len);
		struct json_token t = json_next(&j);
		buf_clear(&r->item);
		if (t.type == JSON_STRING) {
			json_unescape(&t, &r->item);
		}
	} else if (span_is(e->key, "conversations")) {
		r->line = e->line;
		why = e->too_long ? "it is longer than 64 MiB" : take_conversation(r, e->value);
	} else if (!e->key.len) {
		why = "it is no conversation";
	}
	if (why) {
		tell_bad(r, e->line, why);
	}
}

static bool is_stopped(const struct reader *r)
{
	return r->answers && r->answers->stopped(r->answers->arg);
}

static int read_all(struct reader *r, FILE *file)
{
	static const struct outline_rule RULES[] = {{NULL, true}};
	struct outline *o = outline_create(file, RULES, ARRAY_LEN(RULES));
	struct outline_event e;
	outline_allow_many(o);
	outline_allow_gaps(o);
	for (outline_next(o, &e);
	        e.type != OUTLINE_END && e.type != OUTLINE_ERROR && !is_stopped(r);
	        outline_next(o, &e)) {
		if (e.type == OUTLINE_OPEN) {
			buf_clear(&r->item);
		} else if (e.type == OUTLINE_VALUE) {
			take_value(r, &e);
		} else if (e.type == OUTLINE_DAMAGED) {
			tell_bad(r, e.line, e.why);
		} else if (r->answers) {
			r->answers->progress(r->answers->arg);
		}
	}
	if (e.type == OUTLINE_ERROR) {
		tell_bad(r, e.line, e.why);
	}
	outline_destroy(o);
	buf_finish(&r->messages);
	buf_finish(&r->body);
	buf_finish(&r->item);
	return ferror(file) ? -EIO : 0;
}

static int read_requests(const struct request_file *f, const struct request_sink *sink)
{
	struct reader r = {.sink = sink};
	return read_all(&r, f->file);
}

static int read_answers(const struct import_file *f, const struct import_sink *sink)
{
	struct reader r = {.answers = sink, .file = f};
	return read_all(&r, f->file);
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "conversations") || sniff_has(s, 2, "conversations");
}

const struct request_format requests_sharegpt = {
        .name = "sharegpt",
        .title = "ShareGPT's conversations",
        .fits = fits,
        .read = read_requests,
};

const struct format format_sharegpt = {
        .name = "sharegpt",
        .title = "ShareGPT's conversations: what was said to each turn of a person",
        .fits = fits,
        .read = read_answers,
};
