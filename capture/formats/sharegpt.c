/*
 * ShareGPT: conversations. Each user turn is a request that includes the turns before it, so that
 * the turns of a conversation are sent in sequence. The next turn is the answer. A system message
 * and tools beside the conversation are part of each request.
 */
#include <errno.h>

#include "base/json.h"
#include "capture/formats/extra_members.h"
#include "capture/formats/import_format.h"
#include "capture/formats/json_stream.h"
#include "capture/formats/requests.h"

#define TURNS_LIMIT 256

struct reader {
	const struct request_sink *sink;   /* where requests are delivered, or NULL */
	const struct import_sink *answers; /* where answers are delivered */
	const struct import_file *file;
	struct buf messages, body, item;
	uint64_t line;
	bool asked; /* the last message is the user's */
	/* Of the element in progress: */
	struct buf turns;            /* its conversations */
	struct buf others;           /* its other members, as an object that is not closed */
	struct extra_members beside; /* what the other members contain */
	struct buf parameters;
	const char *why; /* why the conversation is skipped */
};

/* NULL: the speaker is unknown. */
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
	const struct imported_answer a = {
	        .prompt = buf_span(&r->body),
	        .is_messages = true,
	        .parameters = buf_span(&r->parameters),
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
	buf_append_char(&r->body, ']');
	if (r->parameters.len) {
		buf_append_char(&r->body, ',');
		buf_append_span(&r->body, buf_span(&r->parameters));
	}
	buf_append_char(&r->body, '}');
	const struct request_found found = {
	        .body = buf_span(&r->body),
	        .target = REQUESTS_CHAT,
	        .item = buf_span(&r->item),
	        .line = r->line,
	};
	r->sink->request(r->sink->arg, &found);
}

/* Reads one message. Returns NULL, or what is wrong with it. */
static const char *take_turn(struct reader *r, struct span turn)
{
	struct json_token from, value;
	struct span text;
	if (!json_find_member(turn, "from", &from, NULL) ||
	        !json_find_member(turn, "value", &value, &text) || value.type != JSON_STRING) {
		return "a turn has no from or value";
	}
	const char *role = role_of(&from);
	if (!role) {
		return "a turn is from an unknown role";
	}
	const char *unsendable = extra_members_unsendable(turn);
	if (unsendable) {
		return unsendable;
	}
	if (role[0] == 's' && r->beside.system.len) {
		return "a turn is from the system, and there is a system message beside the turns";
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
	struct json_token t = json_begin_lenient(&j, turns);
	if (t.type != JSON_ARRAY || !json_skip(&j, &t).len || json_next(&j).type != JSON_END) {
		return "its conversations are no list";
	}
	r->asked = false;
	json_begin_lenient(&j, turns);
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

static void begin_element(struct reader *r)
{
	struct buf *all[] = {&r->item, &r->turns, &r->others, &r->messages, &r->parameters};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_clear(all[i]);
	}
	r->why = NULL;
}

static const char *take_element(struct reader *r)
{
	buf_append_str(&r->others, r->others.len ? "}" : "{}");
	const char *why = extra_members_read(buf_span(&r->others), &r->beside);
	if (!why && r->beside.system.len) {
		buf_append_str(&r->messages, "{\"role\":\"system\",\"content\":");
		buf_append_span(&r->messages, r->beside.system);
		buf_append_char(&r->messages, '}');
	}
	if (!why && r->beside.tools.len) {
		buf_append_str(&r->parameters, "\"tools\":");
		buf_append_span(&r->parameters, buf_span(&r->beside.tools));
	}
	why = why ? why : take_conversation(r, buf_span(&r->turns));
	extra_members_finish(&r->beside);
	return why;
}

/* Handles a complete element, since its members may be in any order. */
static void end_element(struct reader *r, uint64_t line)
{
	const char *why = r->why         ? r->why
	                  : r->turns.len ? take_element(r)
	                                 : "it is no conversation";
	if (why) {
		tell_bad(r, r->turns.len || r->why ? r->line : line, why);
	}
	begin_element(r);
}

static void take_member(struct reader *r, const struct json_stream_event *e)
{
	if (e->too_long) {
		r->why = "it is longer than 64 MiB";
		r->line = e->line;
	} else if (span_is(e->key, "conversations")) {
		r->line = e->line;
		buf_clear(&r->turns);
		buf_append_span(&r->turns, e->value);
	} else {
		buf_append_str(&r->others, r->others.len ? ",\"" : "{\"");
		buf_append_span(&r->others, e->key);
		buf_append_str(&r->others, "\":");
		buf_append_span(&r->others, e->value);
	}
	if (span_is(e->key, "id") && !e->too_long) {
		struct json j;
		struct json_token t = json_begin(&j, e->value);
		buf_clear(&r->item);
		if (t.type == JSON_STRING) {
			json_unescape(&t, &r->item);
		}
	}
}

static bool is_stopped(const struct reader *r)
{
	return r->answers && r->answers->stopped(r->answers->arg);
}

static int read_all(struct reader *r, FILE *file)
{
	static const struct json_stream_rule RULES[] = {{NULL, true}};
	struct json_stream *o = json_stream_create(file, RULES, ARRAY_LEN(RULES));
	struct json_stream_event e;
	json_stream_allow_many(o);
	json_stream_allow_gaps(o);
	for (json_stream_next(o, &e);
	        e.type != JSON_STREAM_END && e.type != JSON_STREAM_ERROR && !is_stopped(r);
	        json_stream_next(o, &e)) {
		if (e.type == JSON_STREAM_OPEN) {
			begin_element(r);
		} else if (e.type == JSON_STREAM_VALUE && e.key.len) {
			take_member(r, &e);
		} else if (e.type == JSON_STREAM_VALUE) {
			tell_bad(r, e.line, "it is no conversation");
		} else if (e.type == JSON_STREAM_DAMAGED) {
			begin_element(r);
			tell_bad(r, e.line, e.why);
		} else if (!e.is_array) {
			end_element(r, e.line);
		}
		if (e.type == JSON_STREAM_CLOSE && r->answers) {
			r->answers->progress(r->answers->arg);
		}
	}
	if (e.type == JSON_STREAM_ERROR) {
		tell_bad(r, e.line, e.why);
	}
	json_stream_destroy(o);
	struct buf *all[] = {
	        &r->messages, &r->body, &r->item, &r->turns, &r->others, &r->parameters};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_finish(all[i]);
	}
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

const struct import_format import_format_sharegpt = {
        .name = "sharegpt",
        .title = "ShareGPT's conversations: what was said to each turn of a person",
        .fits = fits,
        .read = read_answers,
};
