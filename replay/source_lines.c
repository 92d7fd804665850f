/*
 * source_lines - reads requests from a file with one per line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <xxhash.h>

#include "base/json.h"
#include "base/mem.h"
#include "capture/formats/address.h"
#include "capture/formats/extra_members.h"
#include "capture/formats/line_members.h"
#include "capture/record_json.h"
#include "replay/source_kind.h"
#include "replay/target.h"

/* A parsed line. The spans point into the line. */
struct request_line {
	struct span body;
	char *target;
	enum endpoint endpoint;
	struct exchange_labels labels;
	uint64_t wall_ns, number; /* 0: not given */
	/* a session's name, in lines that were made from another kind of file; or NULL */
	char *session;
	uint64_t turn, delay;
	bool open;
};

static void request_line_finish(struct request_line *l)
{
	free(l->target);
	free(l->session);
	exchange_labels_finish(&l->labels);
}

static bool has_member(struct span body, const char *name)
{
	struct json_token value;
	return json_find(body, &name, 1, &value, NULL);
}

static char *text_of(struct span line, const char *name)
{
	struct json_token value;
	bool found = json_find(line, &name, 1, &value, NULL) && value.type == JSON_TOKEN_STRING;
	return found ? json_token_dup(&value) : NULL;
}

/* Reads the labels of a line that wraps its request. Other lines have none, because a request's
 * own members are sent as they are. */
static const char *read_labels(struct span line, struct exchange_labels *ret)
{
	const struct {
		const char *path[2];
		size_t depth;
		size_t limit;
		char **to;
	} labels[] = {
	        {{"custom_id"}, 1, LABEL_LIMIT, &ret->item},
	        {{"labels", "suite"}, 2, LABEL_LIMIT, &ret->suite},
	        {{"labels", "item"}, 2, LABEL_LIMIT, &ret->item},
	        {{"labels", "category"}, 2, LABEL_LIMIT, &ret->category},
	        {{"labels", "gold"}, 2, LABEL_GOLD_LIMIT, &ret->gold},
	};
	struct buf text = {0};
	const char *why = NULL;
	for (size_t i = 0; !why && i < ARRAY_LEN(labels); i++) {
		struct json_token value;
		char *label;
		if (!json_find(line, labels[i].path, labels[i].depth, &value, NULL) ||
		        value.type != JSON_TOKEN_STRING) {
			continue;
		}
		buf_clear(&text);
		json_token_unescape(&value, &text);
		if (exchange_label_make(buf_span(&text), labels[i].limit, &label)) {
			free(*labels[i].to);
			*labels[i].to = label;
		} else {
			why = "its custom_id or a label is too long, or holds a NUL";
		}
	}
	buf_finish(&text);
	return why;
}

static uint64_t member_count(struct span line, const char *name)
{
	struct json_token value;
	int64_t n;
	bool found =
	        json_find(line, &name, 1, &value, NULL) && json_token_integer(&value, &n) && n > 0;
	return found ? (uint64_t)n : 0;
}

/* Reads the url of a line that wraps its request. *ret is NULL if there is none. False: there is
 * one, but nothing can be sent to it. */
static bool read_url(struct span line, char **ret)
{
	struct buf target = {0};
	char *url = text_of(line, "url");
	bool good = !url || address_target(span_of(url), &target);
	*ret = url && good ? target_of_engine(buf_cstr(&target)) : NULL;
	buf_finish(&target);
	free(url);
	return good;
}

/* A session's hash is that of its name, whatever its turns contain. */
static bool hash_line(
        const struct source *s, const struct request_line *l, struct request_hashes *ret)
{
	struct request_hashes named;
	struct buf name = {0};
	if (!request_hash(l->endpoint, l->body, s->hash_key, ret)) {
		return false;
	}
	if (l->session) {
		buf_append_str(&name, "{\"messages\":[{\"role\":\"session\",\"content\":");
		json_put_string(&name, span_of(l->session));
		buf_append_str(&name, "}]}");
		if (request_hash(ENDPOINT_CHAT, buf_span(&name), s->hash_key, &named)) {
			memcpy(ret->session, named.chain, sizeof(ret->session));
		}
		buf_finish(&name);
	}
	return true;
}

/* Whether a line of OpenAI's batch files has another method. These files may have any kind of
 * request. */
static bool is_other_method(struct span line)
{
	char *method = text_of(line, "method");
	bool other = method && strcasecmp(method, "POST") != 0;
	free(method);
	return other;
}

/* The members beside the body. */
static void read_wrapper(struct span line, bool spooled, struct request_line *l)
{
	l->wall_ns = member_count(line, "wall_ns");
	l->number = member_count(line, "line");
	if (spooled) {
		l->session = text_of(line, "session");
		l->turn = member_count(line, "turn");
		l->delay = member_count(line, "delay_ns");
		l->open = member_count(line, "open") > 0;
	}
}

/* Returns why a line that this program did not write cannot be sent, or NULL. */
static const char *unsendable(struct span line, struct span body, bool wrapped)
{
	if (wrapped && is_other_method(line)) {
		return "its method is not POST";
	}
	const char *why = extra_members_alone(body);
	if (!why && !wrapped && line_is_conversation(line)) {
		why = LINE_CONVERSATION;
	}
	return why || !wrapped ? why : extra_members_unsendable(line);
}

/* Sets the target of a line without a url. Returns NULL or an error message. */
static const char *find_target(struct span line, struct request_line *l)
{
	if (has_member(l->body, "messages")) {
		l->target = xstrdup("/v1/chat/completions");
		return NULL;
	}
	if (has_member(l->body, "prompt")) {
		l->target = xstrdup("/v1/completions");
		return NULL;
	}
	if (!has_member(line, "url") || !has_member(line, "method")) {
		return "neither a JSON object with messages or a prompt, nor a batch request";
	}
	return is_other_method(line) ? "its method is not POST" : "a batch request without a body";
}

/* NULL, or an error message. The caller must finish *ret in both cases. spooled: this program
 * wrote the line. */
static const char *read_line(struct span line, bool spooled, struct request_line *ret)
{
	struct json_token value;
	struct request_line *l = ret;
	*l = (struct request_line){.body = line};
	bool wrapped =
	        json_find_member(line, "body", &value, &l->body) && value.type == JSON_TOKEN_OBJECT;
	if (wrapped) {
		read_wrapper(line, spooled, l);
	} else {
		l->body = line;
	}
	const char *why = spooled ? NULL : unsendable(line, l->body, wrapped);
	if (!why && wrapped && !read_url(line, &l->target)) {
		why = "its url is neither of a chat nor of a completion";
	}
	if (!why && !l->target) {
		why = find_target(line, l);
	}
	if (why) {
		return why;
	}
	l->endpoint = endpoint_of(SPAN("POST"), span_of(l->target));
	if (!endpoint_is_openai(l->endpoint)) {
		return "its url is neither of a chat nor of a completion";
	}
	return wrapped ? read_labels(line, &l->labels) : NULL;
}

static const char *consider_line(struct source *s, struct source_scan *scan, struct span line,
        uint64_t *ret_number, bool *ret_room)
{
	uint64_t number = s->lines.number;
	struct request_line l;
	struct request_facts facts;
	struct request_hashes hashes;
	const char *why = read_line(line, s->format, &l);
	*ret_number = s->format && l.number ? l.number : number;
	if (why) {
		request_line_finish(&l);
		return why;
	}
	request_read(l.endpoint, l.body, &facts);
	bool hashed = facts.is_json && hash_line(s, &l, &hashes);
	uint64_t session = l.session ? XXH3_64bits(l.session, strlen(l.session)) | 1 : 0;
	request_line_finish(&l);
	if (!hashed) {
		return "its body is not one JSON object";
	}
	if (facts.stateful) {
		return "it refers to a state that the engine had stored";
	}
	const struct plan_request request = {
	        .exchange = source_id(number, line, 0),
	        .at = s->lines.offset,
	        .wall_ns = l.wall_ns,
	        .bytes = l.body.len,
	        .session = session,
	        .turn = (uint32_t)l.turn,
	        .delay = l.delay,
	        .open = l.open,
	};
	*ret_room =
	        source_plan_request(scan, &request, l.endpoint, &facts, &hashes, facts.model, NULL);
	return NULL;
}

int source_scan_lines(struct source *s, struct source_scan *scan)
{
	struct span line;
	bool room = true;
	scan->found += s->bad.total;
	error_tally_merge(scan->unfit, &s->bad);
	if (line_reader_seek(&s->lines, 0) < 0) {
		return -EIO;
	}
	int got = 0;
	while (room && (got = line_reader_next(&s->lines, &line)) != 0) {
		uint64_t file_line = s->lines.number; /* the line number in the original file */
		const char *why = NULL;
		if (got == -EIO) {
			return -EIO;
		}
		scan->found += got < 0 || line.len > 0;
		if (got < 0) {
			why = "a line of more than 64 MiB";
		} else if (line.len > 0) {
			why = consider_line(s, scan, line, &file_line, &room);
		}
		if (why) {
			source_add_unfit(s, scan, file_line, why);
		}
	}
	return room ? 0 : -E2BIG;
}

const char *source_load_line(
        struct source *s, const struct plan_request *r, struct source_body *ret)
{
	struct span line;
	struct request_line l;
	if (line_reader_seek(&s->lines, r->at) < 0 || line_reader_next(&s->lines, &line) <= 0) {
		return "the file changed during the replay";
	}
	if (read_line(line, s->format, &l) != NULL) {
		request_line_finish(&l);
		return "the file changed during the replay";
	}
	struct source_body b = {
	        .endpoint = l.endpoint,
	        .target = l.target,
	        .from = &dialect_generic,
	        .defaults = s->defaults,
	        .history_open = l.open,
	};
	buf_append_span(&b.body, l.body);
	source_describe(&b, r->exchange, l.labels);
	b.row.wall_ns = l.wall_ns ? l.wall_ns : b.row.wall_ns;
	bool hashed = hash_line(s, &l, &b.row.hashes);
	free(l.session);
	if (!hashed) {
		source_body_finish(&b);
		return "the file changed during the replay";
	}
	*ret = b;
	return NULL;
}

void source_put_line(struct buf *to, const char *custom_id, const char *url, const char *suite,
        uint64_t wall_ns, struct span body)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_string(&w, "custom_id", span_of(custom_id));
	json_writer_text(&w, "method", "POST");
	json_writer_string(&w, "url", span_of(url));
	if (suite) {
		json_writer_open(&w, "labels", '{');
		record_json_text(&w, "suite", suite);
		json_writer_close(&w, "}");
	}
	if (wall_ns) {
		json_writer_count(&w, "wall_ns", wall_ns);
	}
	json_writer_begin(&w, SPAN("body"));
	json_put_on_one_line(to, body);
	json_writer_close(&w, "}");
	buf_append_char(to, '\n');
}
