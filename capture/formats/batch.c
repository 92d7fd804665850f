/*
 * OpenAI's batch output: answers, joined by custom_id to the requests of the batch's input, which
 * is a file of its own.
 */
#include <errno.h>

#include "base/json.h"
#include "base/utf8.h"
#include "capture/formats/address.h"
#include "capture/formats/input_format.h"
#include "capture/formats/line_reader.h"
#include "capture/formats/digest_map.h"
#include "answers/request.h"

#define ERROR_SHOWN 200 /* bytes of each part */
#define AMBIGUOUS UINT64_MAX

struct reader {
	const struct format_file *file;
	const struct format_sink *sink;
	/* by custom_id: offset in the file, plus one; AMBIGUOUS: several have this custom_id */
	struct digest_map requests;
	struct buf id, labels[4], url, target, why;
};

static struct digest_entry *request_at(struct reader *r)
{
	bool is_new;
	return digest_map_named(&r->requests, "custom_id", buf_span(&r->id), &is_new);
}

/* Indexes the offset of each request. Returns 0 or -EIO. Ignores lines that are no requests: they
 * are reported when the requests are sent. */
static int index_requests(struct reader *r)
{
	struct line_reader lines;
	struct span line;
	int code;
	if (!r->file->requests) {
		return 0;
	}
	rewind(r->file->requests);
	line_reader_init(&lines, r->file->requests);
	while ((code = line_reader_next(&lines, &line)) == 1 || code == -EFBIG) {
		if (code == 1 && json_find_member_text(line, "custom_id", &r->id)) {
			struct digest_entry *e = request_at(r);
			e->number = e->number ? AMBIGUOUS : lines.offset + 1;
		}
	}
	line_reader_finish(&lines);
	return code;
}

static void read_labels(struct reader *r, struct span request, struct imported_answer *a)
{
	static const char *const PATHS[][2] = {{"labels", "suite"}, {"labels", "item"},
	        {"labels", "category"}, {"labels", "gold"}};
	struct span *to[] = {&a->suite, &a->item, &a->category, &a->gold};
	for (size_t i = 0; i < ARRAY_LEN(PATHS); i++) {
		*to[i] = json_find_text(request, PATHS[i], 2, &r->labels[i])
		                 ? buf_span(&r->labels[i])
		                 : (struct span){0};
	}
	a->item = a->item.len ? a->item : buf_span(&r->id);
}

static const char *deliver(struct reader *r, struct span request, struct imported_answer *a)
{
	struct json_token t;
	int64_t ns;
	struct span body;
	if (!json_find_member(request, "body", &t, &body) || t.type != JSON_TOKEN_OBJECT ||
	        !json_find_member_text(request, "url", &r->url)) {
		return "its request has no url and body";
	}
	if (!address_target(buf_span(&r->url), &r->target)) {
		return "its url is not valid in a request";
	}
	if (!endpoint_is_openai(endpoint_of(SPAN("POST"), buf_span(&r->target)))) {
		return "neither a chat nor a completion";
	}
	a->sent = body;
	a->target = buf_span(&r->target);
	if (json_find_member(request, "wall_ns", &t, NULL) && json_token_integer(&t, &ns) &&
	        ns > 0) {
		a->start_ns = (uint64_t)ns; /* our own exports give nanoseconds */
	}
	read_labels(r, request, a);
	r->sink->answer(r->sink->arg, a);
	return NULL;
}

/* Joins an answer with its request. The request's line stays in memory while the answer is
 * delivered. */
static const char *join(struct reader *r, uint64_t offset, struct imported_answer *a)
{
	struct line_reader lines;
	struct span request;
	if (fseeko(r->file->requests, (off_t)offset, SEEK_SET) < 0) {
		return "its request can't be read";
	}
	line_reader_init(&lines, r->file->requests);
	const char *why = line_reader_next(&lines, &request) == 1 ? deliver(r, request, a)
	                                                          : "its request can't be read";
	line_reader_finish(&lines);
	return why;
}

/* Returns the batch's reason for a missing answer, valid until the next line. */
static const char *describe_error(struct reader *r, struct span line)
{
	static const char *const PATHS[][3] = {{"error"}, {"error", "code"}, {"error", "message"},
	        {"response", "status_code"}, {"response", "error", "message"}};
	struct buf part = {0};
	struct json_token t;
	buf_clear(&r->why);
	buf_append_str(&r->why, "it has no answer");
	for (size_t i = 0; i < ARRAY_LEN(PATHS); i++) {
		size_t depth = !PATHS[i][1] ? 1 : PATHS[i][2] ? 3 : 2;
		bool found = json_find(line, PATHS[i], depth, &t, NULL);
		buf_clear(&part);
		if (found && t.type == JSON_TOKEN_STRING) {
			json_token_unescape(&t, &part);
		} else if (found && t.type == JSON_TOKEN_NUMBER) {
			buf_printf(&part, "status %.*s", (int)t.len, t.start);
		}
		for (size_t k = 0; k < part.len; k++) {
			bool control = (unsigned char)part.data[k] < ' ' || part.data[k] == 127;
			part.data[k] = control ? ' ' : part.data[k];
		}
		part.len = utf8_cut(buf_span(&part), ERROR_SHOWN).len;
		buf_printf(&r->why, "%s", part.len ? ": " : "");
		buf_append_span(&r->why, buf_span(&part));
	}
	buf_finish(&part);
	return buf_cstr(&r->why);
}

/* Returns NULL, or why the line was not accepted; *ret_bad: the line is damaged. */
static const char *take_line(void *arg, struct span line, uint64_t number, bool *ret_bad)
{
	struct reader *r = arg;
	static const char *const STATUS[] = {"response", "status_code"};
	static const char *const BODY[] = {"response", "body"};
	struct json_token t;
	int64_t status;
	struct imported_answer a = {
	        .start_ns = r->file->time_ns,
	        .took_us = UINT64_MAX,
	        .backend = r->file->backend,
	        .role = r->file->role,
	        .identity = line,
	        .format = "batch-output",
	        .file = r->file->name,
	        .line = number,
	};
	if (!json_is_one_object(line)) {
		return "it is not a JSON object";
	}
	if (!json_find_member_text(line, "custom_id", &r->id)) {
		return "it has no custom_id that is a text";
	}
	*ret_bad = false;
	if (!json_find(line, STATUS, 2, &t, NULL) || !json_token_integer(&t, &status) ||
	        status < 100 || status > 999 || !json_find(line, BODY, 2, &t, &a.received) ||
	        t.type == JSON_TOKEN_NULL) {
		return describe_error(r, line);
	}
	a.status = (int)status;
	uint64_t at = request_at(r)->number;
	return !r->file->requests ? "its request is not in the file: give the input of the batch "
	                            "with --requests"
	       : !at              ? "the input of the batch has no request with its custom_id"
	       : at == AMBIGUOUS  ? "the input of the batch has several requests with its custom_id"
	                          : join(r, at - 1, &a);
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	struct reader r = {.file = f, .sink = sink};
	int code = index_requests(&r);
	code = code < 0 ? code : format_each_line(f->file, sink, take_line, &r);
	digest_map_finish(&r.requests);
	buf_finish(&r.id);
	buf_finish(&r.url);
	buf_finish(&r.target);
	buf_finish(&r.why);
	for (size_t i = 0; i < ARRAY_LEN(r.labels); i++) {
		buf_finish(&r.labels[i]);
	}
	return code;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "custom_id") && sniff_has(s, 1, "response");
}

const struct input_format input_format_batch = {
        .name = "batch-output",
        .answers = "OpenAI's batch output; --requests FILE names the batch's input",
        /* It contains nothing of its requests but their ids. */
        .instead = "it is OpenAI's batch output, which has answers without their requests: replay "
                   "the input of the batch, or import this file with the input as --requests and "
                   "replay that capture",
        .fits = fits,
        .read = read_file,
};
