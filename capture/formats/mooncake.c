/*
 * Mooncake's, AIPerf's and Bailian's traces: one JSON object per line, with lengths, a text,
 * messages or a whole body. Mooncake and AIPerf use milliseconds and blocks of 512 tokens. Bailian
 * uses seconds and blocks of 16 tokens, and its chats name the chat before them. If the lines of a
 * file contradict this, the file is not sent until its units are given. Lines with the same
 * session_id are turns: each waits for the previous turn's answer, and then for its delay. A text,
 * or messages of the mode "delta", are only what a turn adds: its history consists of the previous
 * lines and of answers that are yet to come. Other messages and bodies are complete. Lengths are
 * those of whole prompts.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "capture/formats/extra_members.h"
#include "capture/formats/filler.h"
#include "capture/formats/line_members.h"
#include "capture/formats/input_format.h"
#include "base/json_writer.h"

struct trace_kind {
	double unit;   /* nanoseconds per unit of time */
	int64_t block; /* tokens per hash id */
	const char *bad_time;
	bool is_linked; /* its lines name the line before them */
};

static const struct trace_kind MOONCAKE = {
        1e6, 512, "its timestamp is not a number of milliseconds", false};
static const struct trace_kind BAILIAN = {
        1e9, 16, "its timestamp is not a number of seconds", true};

/* Limits of a session whose lines contain only what each turn adds. Each turn is sent with all
 * previous ones, so that the bytes grow with the square of the turns. */
#define TURNS_LIMIT 1000
#define HISTORY_LIMIT ((size_t)4 << 20)

/* The members of a line that do not depend on the kind of its request. */
struct turn {
	struct span line;
	const struct trace_kind *kind;
	struct span messages, text, payload, ids, tools, extra; /* empty: missing */
	int64_t input, output;                                  /* -1: missing */
	bool is_delta;
	struct trace_session *session; /* NULL: it belongs to no session */
	struct request_found found;
};

static int64_t block_tokens(const struct request_lines *r, const struct trace_kind *kind)
{
	return r->file->units.block_tokens ? r->file->units.block_tokens : kind->block;
}

/* Writes a prompt from block ids: prompts with the same first ids begin alike. False: an id is
 * no number. */
static bool put_blocks(
        struct buf *to, struct span ids, size_t block_tokens, uint64_t line, size_t n)
{
	struct json j;
	struct json_token t = json_begin(&j, ids);
	int64_t id;
	for (t = json_next(&j); json_token_integer(&t, &id); t = json_next(&j)) {
		size_t block = MIN(n, block_tokens);
		filler_words(to, (uint64_t)id, block);
		n -= block;
	}
	filler_words(to, line, n);
	return !ids.len || t.type == JSON_TOKEN_ARRAY_END;
}

/* Returns NULL, or which member has a wrong type. */
static const char *read_members(struct request_lines *r, struct turn *t)
{
	const struct {
		const char *name;
		enum json_token_type type;
		struct span *to;
		const char *wrong;
	} values[] = {
	        {"payload", JSON_TOKEN_OBJECT, &t->payload, "its payload is not a JSON object"},
	        {"text_input", JSON_TOKEN_STRING, &t->text, "its text_input is not a text"},
	        {"messages", JSON_TOKEN_ARRAY, &t->messages, "its messages are not a list"},
	        {"hash_ids", JSON_TOKEN_ARRAY, &t->ids, "its hash_ids are not a list of numbers"},
	        {"tools", JSON_TOKEN_ARRAY, &t->tools, "its tools are not a list"},
	        {"extra", JSON_TOKEN_OBJECT, &t->extra, "its extra is not a JSON object"},
	};
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		if (line_value(t->line, values[i].name, values[i].type, values[i].to) ==
		        LINE_WRONG) {
			return values[i].wrong;
		}
	}
	if (request_time(r, t->line, t->kind->unit, &t->found.wall_ns) == LINE_WRONG) {
		return t->kind->bad_time;
	}
	if (line_count(t->line, "output_length", INT32_MAX, &t->output) == LINE_WRONG) {
		return "its output_length is not a count";
	}
	bool has_length = line_count(t->line, "input_length", FILLER_LIMIT, &t->input) == LINE_READ;
	if (!t->payload.len && !t->text.len && !t->messages.len && !has_length) {
		return "its input_length is missing, or over a million";
	}
	return NULL;
}

/* Writes the parameters that a line has as a request's body would have them. AIPerf's own traces
 * have them in `extra`. */
static void put_parameters(struct json_writer *w, const struct turn *t)
{
	static const char *const NAMES[] = {"model", "temperature", "top_p", "top_k", "min_p",
	        "seed", "stop", "n", "frequency_penalty", "presence_penalty", "repetition_penalty",
	        "response_format", "tool_choice", "stream", "max_completion_tokens", "max_tokens"};
	struct json_token first;
	struct span value;
	size_t n = ARRAY_LEN(NAMES) - (t->output >= 0 ? 2 : 0); /* the last two are limits */
	for (size_t i = 0; i < n; i++) {
		if (line_find(t->line, NAMES[i], &first, &value)) {
			json_writer_raw(w, NAMES[i], value);
		}
	}
}

/* Writes what a line adds to a request: its parameters and limit, tools, and members that are
 * merged into its body. */
static void put_rest(struct json_writer *w, const struct turn *t)
{
	put_parameters(w, t);
	if (t->output >= 0) {
		json_writer_integer(w, "max_tokens", MAX(t->output, 1));
	}
	json_writer_raw(w, "tools", t->tools);
	if (t->extra.len) {
		/* If the member occurs more than once, the last one is used. */
		struct json j;
		json_begin_lenient(&j, t->extra);
		if (json_next(&j).type == JSON_TOKEN_KEY) {
			struct span members = {t->extra.data + 1, t->extra.len - 2};
			json_writer_raw(w, NULL, members);
		}
	}
	json_writer_close(w, "}");
}

/* Appends the turn's messages, after a comma if the history is not empty. */
static void put_messages(struct buf *to, const struct turn *t)
{
	struct span messages = {0};
	if (!t->text.len) { /* the list without its brackets */
		messages = span_trim((struct span){t->messages.data + 1, t->messages.len - 2});
	}
	if (to->len && (t->text.len || messages.len)) {
		buf_append_char(to, ',');
	}
	if (t->text.len) {
		buf_append_str(to, "{\"role\":\"user\",\"content\":");
		buf_append_span(to, t->text);
		buf_append_char(to, '}');
	} else {
		buf_append_span(to, messages);
	}
}

static void take_chat(struct request_lines *r, struct turn *t)
{
	struct buf alone = {0};
	struct buf *history = t->session ? &t->session->history : &alone;
	if (!t->is_delta) {
		buf_clear(history); /* the turn contains its whole history */
	} else if (t->found.turn > 1) {
		/* A placeholder for the answer to the previous turn, which is filled in once it is
		 * known. If that turn was damaged or no chat, its answer is unknown, and this turn
		 * is not sent. */
		buf_append_str(
		        history, history->len ? ",{\"role\":\"assistant\",\"content\":\"\"}" : "");
		t->found.history_open = true;
	}
	put_messages(history, t);
	if (t->found.history_open &&
	        (t->found.turn > TURNS_LIMIT || history->len > HISTORY_LIMIT)) {
		r->sink->unfit(r->sink->arg, r->line,
		        "its session has over 1,000 turns, or over 4 MiB of text");
		buf_finish(&alone);
		return;
	}
	struct json_writer w = {.to = &r->body};
	buf_clear(&r->body);
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "messages", '[');
	json_writer_raw(&w, NULL, buf_span(history));
	json_writer_close(&w, "]");
	put_rest(&w, t);
	request_deliver(r, REQUEST_CHAT, &t->found);
	buf_finish(&alone);
}

static const char *take_lengths(struct request_lines *r, struct turn *t)
{
	struct json_writer w = {.to = &r->body};
	buf_clear(&r->body);
	json_writer_open(&w, NULL, '{');
	json_writer_begin(&w, SPAN("prompt"));
	buf_append_char(&r->body, '"');
	if (!put_blocks(&r->body, t->ids, (size_t)block_tokens(r, t->kind), r->line,
	            (size_t)t->input)) {
		return "its hash_ids are not a list of numbers";
	}
	buf_append_char(&r->body, '"');
	put_rest(&w, t);
	request_deliver(r, REQUEST_COMPLETION, &t->found);
	return NULL;
}

/* Reads the link to the previous chat. Both belong to the same session. */
static const char *read_links(struct request_lines *r, struct turn *t)
{
	int64_t chat, parent = -1;
	struct json_token before;
	if (line_count(t->line, "chat_id", INT64_MAX, &chat) != LINE_READ) {
		return "its chat_id is not a number";
	}
	if (line_find(t->line, "parent_chat_id", &before, NULL) &&
	        !json_token_integer(&before, &parent)) {
		return "its parent_chat_id is not a number";
	}
	buf_clear(&r->text);
	buf_printf(&r->text, "%" PRId64, trace_session_root(&r->sessions, chat, parent));
	t->found.item = t->found.session = buf_span(&r->text);
	t->found.turn = ++trace_session_of(&r->sessions, t->found.session)->turns;
	return NULL;
}

/* Reads the line's place in its session. Returns NULL, or what is wrong with these members. */
static const char *read_session(struct request_lines *r, struct turn *t)
{
	struct request_found *f = &t->found;
	struct json_token mode;
	uint64_t delay = 0;
	line_text(t->line, "session_id", &r->text, &f->session);
	if (line_find(t->line, "session_id", &mode, NULL) && !f->session.len) {
		return "its session_id is not a text";
	}
	bool has_mode = line_find(t->line, "message_mode", &mode, NULL);
	t->is_delta = t->text.len || (has_mode && json_token_is_string(&mode, "delta"));
	if (!f->session.len) {
		return NULL;
	}
	t->session = trace_session_of(&r->sessions, f->session);
	f->item = f->session;
	f->turn = ++t->session->turns;
	enum line_result delayed =
	        line_time(t->line, "delay", request_time_unit(r, t->kind->unit), &delay);
	if (delayed == LINE_WRONG) {
		return "its delay is not a number of milliseconds";
	}
	f->delay_ns = delay;
	if (!f->wall_ns && t->session->wall_ns) {
		f->wall_ns = t->session->wall_ns + delay; /* earliest time */
	}
	t->session->wall_ns = f->wall_ns;
	return NULL;
}

static const char *take(struct request_lines *r, struct span line, const struct trace_kind *kind)
{
	struct turn t = {.line = line, .kind = kind, .input = -1, .output = -1};
	struct json_token at;
	if (!line_is_object(line)) {
		return "it is not a JSON object";
	}
	/* A damaged turn still counts as a turn: the turns after it lack its messages. */
	const char *wrong = read_members(r, &t),
	           *wrong_link = kind->is_linked ? read_links(r, &t) : read_session(r, &t);
	if (wrong || wrong_link) {
		return wrong ? wrong : wrong_link;
	}
	const char *unsendable = extra_members_alone(line);
	if (unsendable) {
		return unsendable;
	}
	if (!t.is_delta && line_is_conversation(line)) {
		return LINE_CONVERSATION;
	}
	if (t.payload.len) {
		t.found.body = t.payload;
		bool chat = line_find(t.payload, "messages", &at, NULL);
		request_deliver(r, chat ? REQUEST_CHAT : REQUEST_COMPLETION, &t.found);
		return NULL;
	}
	if (t.text.len || t.messages.len) {
		take_chat(r, &t);
		return NULL;
	}
	return take_lengths(r, &t);
}

/* Checks whether a line contradicts the assumed units. Each check returns NULL or the doubt. */

/* There is one id per block. The last, incomplete block may have one or none. */
static bool has_blocks_of(struct span line, int64_t tokens)
{
	struct span ids = {0};
	struct json j;
	struct json_token t;
	int64_t input, n = 0;
	if (line_value(line, "hash_ids", JSON_TOKEN_ARRAY, &ids) != LINE_READ ||
	        line_count(line, "input_length", FILLER_LIMIT, &input) != LINE_READ) {
		return true;
	}
	json_begin(&j, ids);
	while ((t = json_next(&j)).type == JSON_TOKEN_NUMBER) {
		n++;
	}
	int64_t full = input / tokens;
	return t.type != JSON_TOKEN_ARRAY_END || n == 0 || n == full ||
	       n == full + (input % tokens > 0);
}

/* since 1970: the year 2001. As milliseconds since a trace's start: 11 days */
#define EPOCH_SECONDS 1e9
#define EPOCH_MILLISECONDS 1e11

static const char *doubt_mooncake(struct request_lines *r, struct span line)
{
	static const char *const OF_AIPERF[] = {
	        "payload", "messages", "text_input", "session_id", "delay"};
	const struct trace_units *units = &r->file->units;
	struct json_token at;
	if (!units->block_tokens && !has_blocks_of(line, MOONCAKE.block)) {
		return "its hash_ids are not one for each 512 tokens: give their number of tokens "
		       "with --block-tokens N";
	}
	if (units->time_ns || !line_find(line, "timestamp", &at, NULL)) {
		return NULL;
	}
	double time = json_token_number(&at);
	if (time >= EPOCH_SECONDS && time < EPOCH_MILLISECONDS) {
		return "its timestamp may be seconds since 1970: give --time-unit s or ms";
	}
	for (size_t i = 0; i < ARRAY_LEN(OF_AIPERF); i++) {
		if (line_find(line, OF_AIPERF[i], NULL, NULL)) {
			return NULL; /* AIPerf's milliseconds may have a fraction */
		}
	}
	return time > floor(time)
	               ? "its timestamp has a fraction and may be seconds: give --time-unit s or ms"
	               : NULL;
}

static const char *doubt_bailian(struct request_lines *r, struct span line)
{
	const struct trace_units *units = &r->file->units;
	if (!units->block_tokens && !has_blocks_of(line, BAILIAN.block)) {
		return "its hash_ids are not one for each 16 tokens, as in Bailian's traces: give "
		       "their number of tokens with --block-tokens N, and --time-unit s or ms";
	}
	if (!units->time_ns && units->block_tokens && units->block_tokens != BAILIAN.block) {
		return "a trace with other blocks than Bailian's may have another unit of time: "
		       "give --time-unit s or ms";
	}
	return NULL;
}

static const char *take_mooncake(struct request_lines *r, struct span line)
{
	return take(r, line, &MOONCAKE);
}

static bool fits_mooncake(const struct sniff *s)
{
	bool timed = sniff_has(s, 1, "timestamp") || sniff_has(s, 1, "session_id") ||
	             sniff_has(s, 1, "delay");
	return sniff_has(s, 1, "input_length") || sniff_has(s, 1, "text_input") ||
	       (timed && (sniff_has(s, 1, "messages") || sniff_has(s, 1, "payload")));
}

const struct input_format input_format_mooncake = {
        .name = "mooncake",
        .requests = "Mooncake's and AIPerf's traces: timestamps, lengths, shared blocks, sessions",
        .made_up = true,
        .has_time_unit = true,
        .has_blocks = true,
        .fits = fits_mooncake,
        .take = take_mooncake,
        .doubt = doubt_mooncake,
};

static const char *take_bailian(struct request_lines *r, struct span line)
{
	return take(r, line, &BAILIAN);
}

static bool fits_bailian(const struct sniff *s)
{
	return sniff_has(s, 1, "chat_id") && sniff_has(s, 1, "parent_chat_id") &&
	       sniff_has(s, 1, "input_length");
}

const struct input_format input_format_bailian = {
        .name = "bailian",
        .requests = "Bailian's traces: seconds, lengths, shared blocks, later turns of chats",
        .made_up = true,
        .has_time_unit = true,
        .has_blocks = true,
        .fits = fits_bailian,
        .take = take_bailian,
        .doubt = doubt_bailian,
};
