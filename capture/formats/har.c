/*
 * HAR 1.2: what browsers' tools and mitmproxy export.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <sodium.h>

#include "base/json.h"
#include "base/mem.h"
#include "capture/formats/address.h"
#include "capture/formats/json_stream.h"
#include "capture/formats/input_format.h"
#include "base/moment.h"
#include "answers/request.h"

struct reader {
	const struct format_file *file;
	const struct format_sink *sink;
	struct buf url, target, body, time_text, answer, type, origin, error;
};

/* Reads an entry's request. Returns NULL, or what is wrong with it; *ret_bad: it is damaged, not
 * merely no chat. */
static const char *read_request(
        struct reader *r, struct span entry, struct request_found *ret, bool *ret_bad)
{
	static const char *const METHOD[] = {"request", "method"},
	                         *const URL[] = {"request", "url"},
	                         *const TEXT[] = {"request", "postData", "text"};
	if (!json_find_text(entry, METHOD, 2, &r->time_text) ||
	        !json_find_text(entry, URL, 2, &r->url)) {
		return "an entry has no method or url";
	}
	*ret_bad = false;
	if (!address_target(buf_span(&r->url), &r->target)) {
		return "its url is not valid in a request";
	}
	ret->target = buf_span(&r->target);
	if (!endpoint_is_openai(endpoint_of(buf_span(&r->time_text), ret->target))) {
		return "neither a chat nor a completion";
	}
	if (!json_find_text(entry, TEXT, 3, &r->body) || !r->body.len) {
		return "its body was not recorded";
	}
	ret->body = buf_span(&r->body);
	if (json_find_member_text(entry, "startedDateTime", &r->time_text)) {
		(void)!moment_begins(buf_span(&r->time_text), &ret->wall_ns);
	}
	return NULL;
}

/* Reads the body as text. False: it was not recorded, or is damaged. */
static bool read_content(struct reader *r, struct span entry)
{
	static const char *const TEXT[] = {"response", "content", "text"}, *const CODING[] = {
	                                                                           "response",
	                                                                           "content",
	                                                                           "encoding"};
	struct json_token coding;
	if (!json_find_text(entry, TEXT, 3, &r->answer)) {
		return false;
	}
	if (!json_find(entry, CODING, 3, &coding, NULL) ||
	        !json_token_is_string(&coding, "base64")) {
		return true;
	}
	struct buf *a = &r->answer;
	size_t n;
	/* Decoded in place: base64 is longer than its bytes. */
	char *text = xmemdup(a->data, a->len);
	bool good = sodium_base642bin((unsigned char *)a->data, a->len, text, a->len, " \r\n", &n,
	                    NULL, sodium_base64_VARIANT_ORIGINAL) == 0;
	free(text);
	a->len = good ? n : 0;
	return good;
}

/* Reads milliseconds and returns microseconds. UINT64_MAX: there are none. */
static uint64_t read_time(struct span entry, const char *const *path, size_t depth)
{
	struct json_token t;
	double ms = json_find(entry, path, depth, &t, NULL) ? json_token_number(&t) : -1;
	return ms >= 0 && ms < 1e12 ? (uint64_t)llround(ms * 1000) : UINT64_MAX;
}

/* Reads why the answer ended early. Chrome's tools and our own exports each use a member of their
 * own. */
static enum outcome read_outcome(struct reader *r, struct span entry)
{
	static const char *const ERROR[] = {"response", "_error"};
	if (!json_find_text(entry, ERROR, 2, &r->error) || !r->error.len) {
		return 0;
	}
	for (unsigned o = OUTCOME_COMPLETE; o < N_OUTCOMES; o++) {
		if (span_is(buf_span(&r->error), outcome_name((enum outcome)o))) {
			return (enum outcome)o;
		}
	}
	return OUTCOME_BROKEN;
}

static const char *read_answer(struct reader *r, struct span entry, struct imported_answer *a)
{
	static const char *const STATUS[] = {"response", "status"}, *const TIME[] = {"time"},
	                         *const TYPE[] = {"response", "content", "mimeType"},
	                         *const RECEIVE[] = {"timings", "receive"};
	struct json_token t;
	int64_t status;
	if (!json_find(entry, STATUS, 2, &t, NULL) || !json_token_integer(&t, &status) ||
	        status < 100 || status > 999) {
		return "it has no answer";
	}
	if (!read_content(r, entry)) {
		return "its answer was not recorded";
	}
	a->status = (int)status;
	a->received = buf_span(&r->answer);
	a->outcome = read_outcome(r, entry);
	a->took_us = read_time(entry, TIME, 1);
	uint64_t receive = read_time(entry, RECEIVE, 2);
	if (a->took_us != UINT64_MAX && receive < a->took_us) {
		a->head_us = a->took_us - receive;
	}
	if (json_find_text(entry, TYPE, 3, &r->type)) {
		a->content_type = buf_span(&r->type);
	}
	address_origin(buf_span(&r->url), &r->origin);
	a->url = buf_span(&r->origin);
	return NULL;
}

static const char *take_entry(void *arg, struct span entry, uint64_t line, bool *ret_bad)
{
	struct reader *r = arg;
	const struct format_sink *sink = r->sink;
	struct request_found found = {.line = line};
	const char *why = read_request(r, entry, &found, ret_bad);
	if (why && *ret_bad) {
		return why;
	}
	struct imported_answer a = {
	        .sent = found.body,
	        .target = found.target,
	        .start_ns = found.wall_ns ? found.wall_ns : r->file->time_ns,
	        .backend = r->file->backend,
	        .role = r->file->role,
	        .identity = entry,
	        .format = "har",
	        .file = r->file->name,
	        .line = line,
	};
	why = why || sink->request ? why : read_answer(r, entry, &a);
	if (why) {
		sink->unfit(sink->arg, 0, why);
	} else if (sink->request) {
		sink->request(sink->arg, &found);
	} else {
		sink->answer(sink->arg, &a);
	}
	return NULL;
}

static int read_file(const struct format_file *f, const struct format_sink *sink)
{
	static const struct json_stream_rule RULES[] = {
	        {NULL, false}, {"log", false}, {"entries", false}};
	struct reader r = {.file = f, .sink = sink};
	int code = format_each_element(f->file, RULES, ARRAY_LEN(RULES), sink, take_entry, &r);
	struct buf *all[] = {
	        &r.url, &r.target, &r.body, &r.time_text, &r.answer, &r.type, &r.origin, &r.error};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		buf_finish(all[i]);
	}
	return code;
}

static bool fits(const struct sniff *s)
{
	return sniff_has(s, 1, "log") && (sniff_has(s, 2, "entries") || sniff_has(s, 2, "creator"));
}

const struct input_format input_format_har = {
        .name = "har",
        .answers = "HAR 1.2, as browsers and mitmproxy export it: requests with their answers",
        .requests = "HAR 1.2, as browsers and mitmproxy export it",
        .fits = fits,
        .read = read_file,
};
