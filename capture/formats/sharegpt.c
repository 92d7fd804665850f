/*
 * Conversations: ShareGPT's, and those of data sets for training, whose turns are messages. Each
 * user turn is a request that includes the turns before it, so that the turns of a conversation are
 * sent in sequence. The next turn is the answer. A system message and tools beside the conversation
 * are part of each request.
 */
#include "base/json.h"
#include "capture/formats/extra_members.h"
#include "capture/formats/line_members.h"
#include "capture/formats/input_format.h"

#define TURNS_LIMIT 256

struct reader {
	const struct format_sink *sink;
	const struct format_file *file;
	struct buf messages, body;
	/* Of the current conversation: */
	struct buf item;            /* its id */
	uint64_t line;              /* where its turns begin */
	struct extra_members extra; /* its other members that belong to each request */
	struct buf parameters;
	bool by_user_last; /* the last message is the user's */
	size_t delivered;
};

/* NULL: the speaker is unknown. */
static const char *role_of(const struct json_token *from)
{
	static const char *const ROLES[][2] = {{"human", "user"}, {"user", "user"},
	        {"gpt", "assistant"}, {"chatgpt", "assistant"}, {"assistant", "assistant"},
	        {"bing", "assistant"}, {"bard", "assistant"}, {"system", "system"},
	        {"developer", "developer"}};
	for (size_t i = 0; i < ARRAY_LEN(ROLES); i++) {
		if (json_token_is_string(from, ROLES[i][0])) {
			return ROLES[i][1];
		}
	}
	return NULL;
}

static void deliver_answer(struct reader *r, struct span text, struct span turn)
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
	r->sink->answer(r->sink->arg, &a);
	r->delivered++;
}

static void deliver(struct reader *r)
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
	        .target = REQUEST_CHAT,
	        .item = buf_span(&r->item),
	        .line = r->line,
	};
	r->sink->request(r->sink->arg, &found);
	r->delivered++;
}

/* Reads one message. Returns NULL, or what is wrong with it. */
static const char *take_turn(struct reader *r, struct span turn)
{
	struct json_token from, value;
	struct span text;
	if (line_find(turn, "tool_calls", NULL, NULL) ||
	        line_find(turn, "function_call", NULL, NULL)) {
		return "a turn has tool calls, which are not read";
	}
	if (!(json_find_member(turn, "from", &from, NULL) &&
	            json_find_member(turn, "value", &value, &text)) &&
	        !(json_find_member(turn, "role", &from, NULL) &&
	                json_find_member(turn, "content", &value, &text))) {
		return "a turn has neither from and value, nor role and content";
	}
	if (value.type != JSON_TOKEN_STRING) {
		return "the content of a turn is not a text";
	}
	const char *role = role_of(&from);
	if (!role) {
		return "a turn is from an unknown role";
	}
	const char *unsendable = extra_members_unsendable(turn);
	if (unsendable) {
		return unsendable;
	}
	if (role[0] != 'u' && role[0] != 'a' && r->extra.system.len) {
		return "a turn is from the system, and there is also a separate system message";
	}
	if (r->sink->answer && role[0] == 'a' && r->by_user_last) {
		deliver_answer(r, text, turn);
	}
	r->by_user_last = role[0] == 'u';
	buf_printf(
	        &r->messages, "%s{\"role\":\"%s\",\"content\":", r->messages.len ? "," : "", role);
	buf_append_span(&r->messages, text);
	buf_append_char(&r->messages, '}');
	if (r->sink->request && r->by_user_last) {
		deliver(r);
	}
	return NULL;
}

static const char *take_conversation(struct reader *r, struct span turns)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, turns);
	if (t.type != JSON_TOKEN_ARRAY) {
		return "its turns are not a list";
	}
	r->by_user_last = false;
	for (size_t n = 0; (t = json_next(&j)).type != JSON_TOKEN_ARRAY_END; n++) {
		struct span turn = json_skip(&j, &t);
		const char *why = n == TURNS_LIMIT ? "its turns after the 256th are left out"
		                                   : take_turn(r, turn);
		if (why) {
			return why;
		}
	}
	return NULL;
}

/* Reads one conversation. */
static const char *take_element(void *arg, struct span element, uint64_t line, bool *ret_bad)
{
	struct reader *r = arg;
	struct json_token t;
	struct span turns, id;
	if (!json_find_lenient(element, "conversations", &t, &turns) &&
	        !json_find_lenient(element, "conversation", &t, &turns) &&
	        !json_find_lenient(element, "messages", &t, &turns)) {
		return "it is not a conversation";
	}
	r->line = line;
	for (const char *p = element.data; p < turns.data; p++) {
		r->line += *p == '\n';
	}
	buf_clear(&r->messages);
	buf_clear(&r->parameters);
	buf_clear(&r->item);
	r->delivered = 0;
	if (json_find_lenient(element, "id", &t, &id) && t.type == JSON_TOKEN_STRING) {
		json_token_unescape(&t, &r->item);
	}
	const char *why = extra_members_read(element, &r->extra);
	if (!why && r->extra.system.len) {
		buf_append_str(&r->messages, "{\"role\":\"system\",\"content\":");
		buf_append_span(&r->messages, r->extra.system);
		buf_append_char(&r->messages, '}');
	}
	if (!why && r->extra.tools.len) {
		buf_append_str(&r->parameters, "\"tools\":");
		buf_append_span(&r->parameters, buf_span(&r->extra.tools));
	}
	why = why ? why : take_conversation(r, turns);
	extra_members_finish(&r->extra);
	if (why) {
		r->sink->bad(r->sink->arg, r->line, why);
	} else if (!r->delivered) {
		r->sink->unfit(r->sink->arg, r->line,
		        r->sink->request ? "it has no turn of a person"
		                         : "it has no answer to a turn of a person");
	}
	return NULL;
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	static const struct json_stream_rule RULES[] = {{NULL, .only_array = true}};
	struct reader r = {.sink = sink, .file = f};
	int code = format_each_element(f->file, RULES, ARRAY_LEN(RULES), sink, take_element, &r);
	buf_finish(&r.messages);
	buf_finish(&r.body);
	buf_finish(&r.item);
	buf_finish(&r.parameters);
	return code;
}

static bool fits(const struct sniff *s)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, buf_span(&s->begin));
	bool listed = t.type == JSON_TOKEN_ARRAY;
	t = listed ? json_next(&j) : t;
	return sniff_has(s, 1 + listed, "conversations") ||
	       sniff_has(s, 1 + listed, "conversation") ||
	       (t.type == JSON_TOKEN_OBJECT && line_is_conversation(json_skip(&j, &t)));
}

const struct input_format input_format_sharegpt = {
        .name = "sharegpt",
        .answers = "conversations (ShareGPT's, or lists of messages): the answer to each turn of a "
                   "person",
        .requests = "conversations: ShareGPT's, and messages that end with an answer",
        .fits = fits,
        .read = read_file,
};
