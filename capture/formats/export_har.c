/*
 * HAR 1.2, which browsers' tools and mitmproxy read.
 */
#include <inttypes.h>
#include <string.h>

#include "base/http.h"
#include "base/moment.h"
#include "base/utf8.h"
#include "capture/formats/export_format.h"
#include "capture/record_json.h"

#define NEVER UINT64_MAX

static void put_time(struct json_writer *w, const char *key, uint64_t ns)
{
	char text[MOMENT_TEXT_SIZE];
	moment_format(ns, text);
	text[strlen(text) - 1] = '\0'; /* its Z */
	json_writer_printf(w, key, "\"%s.%09" PRIu64 "Z\"", text, ns % 1000000000);
}

static void put_field(void *arg, struct span name, struct span value)
{
	struct json_writer *w = arg;
	json_writer_open(w, NULL, '{');
	json_writer_string(w, "name", name);
	json_writer_string(w, "value", value);
	json_writer_close(w, "}");
}

static void put_head(struct json_writer *w, struct span head)
{
	json_writer_text(w, "httpVersion", "HTTP/1.1");
	json_writer_raw(w, "cookies", SPAN("[]"));
	json_writer_open(w, "headers", '[');
	exporter_fields(head, put_field, w);
	json_writer_close(w, "]");
}

static void put_request(struct exporter *x, const struct capture_exchange *e, const char *url,
        struct span body, struct json_writer *w)
{
	struct buf head = {0}, whole = {0};
	(void)!capture_request_head(x->capture, e, &head);
	struct span type = http_lines_field(buf_span(&head), "content-type");
	buf_append_span(&whole, exporter_origin(url));
	buf_append_str(&whole, e->row.target);
	json_writer_open(w, "request", '{');
	json_writer_string(w, "method", span_of(e->row.method));
	json_writer_string(w, "url", buf_span(&whole));
	put_head(w, buf_span(&head));
	json_writer_raw(w, "queryString", SPAN("[]"));
	json_writer_integer(w, "headersSize", -1);
	json_writer_count(w, "bodySize", body.len);
	if (body.len) {
		json_writer_open(w, "postData", '{');
		json_writer_string(w, "mimeType", type.len ? type : SPAN("application/json"));
		json_writer_string(w, "text", body);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "}");
	buf_finish(&whole);
	buf_finish(&head);
}

static void put_content(const struct leg_row *row, struct span body, struct json_writer *w)
{
	json_writer_open(w, "content", '{');
	json_writer_count(w, "size", body.len);
	json_writer_string(w, "mimeType", span_of(row->content_type));
	if (utf8_valid(body)) {
		json_writer_string(w, "text", body);
	} else {
		json_writer_text(w, "encoding", "base64");
		record_json_base64(w, "text", body);
	}
	json_writer_close(w, "}");
}

/* leg is NULL or has no head if no answer came. HAR writes that as status 0. */
static void put_response(struct exporter *x, const struct capture_exchange *e, bool answered,
        size_t leg, struct json_writer *w)
{
	static const struct leg_row nobody;
	const struct leg_row *row = answered ? &e->legs[leg].row : &nobody;
	struct buf head = {0}, body = {0};
	if (answered) {
		(void)!capture_response_head(x->capture, e, leg, &head);
		if (row->body_bytes && !exporter_answer(x, e, leg, &body)) {
			error_tally_add(&x->lost, "answers that were not recorded completely, or "
			                          "in which private text was replaced");
		}
	}
	json_writer_open(w, "response", '{');
	json_writer_integer(w, "status", row->status);
	json_writer_text(w, "statusText", "");
	put_head(w, buf_span(&head));
	put_content(row, buf_span(&body), w);
	json_writer_text(w, "redirectURL", "");
	json_writer_integer(w, "headersSize", -1);
	json_writer_integer(w, "bodySize", -1);
	if (answered && row->outcome != OUTCOME_COMPLETE) {
		/* as Chrome's tools write it */
		json_writer_text(w, "_error", outcome_name(row->outcome));
	}
	json_writer_close(w, "}");
	buf_finish(&head);
	buf_finish(&body);
}

/* Writes milliseconds; 0 for an event that never happened. */
static void put_timings(const struct leg_row *row, struct json_writer *w)
{
	double head = row && row->head_us != NEVER ? (double)row->head_us / 1000 : 0;
	double end = row && row->end_us != NEVER ? (double)row->end_us / 1000 : head;
	json_writer_printf(w, "time", "%.3f", end);
	json_writer_raw(w, "cache", SPAN("{}"));
	json_writer_open(w, "timings", '{');
	json_writer_integer(w, "send", 0);
	json_writer_printf(w, "wait", "%.3f", head);
	json_writer_printf(w, "receive", "%.3f", end > head ? end - head : 0);
	json_writer_close(w, "}");
}

static const char *put(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0};
	size_t leg = 0;
	const char *why = exporter_body(x, e, &body);
	if (!why && !utf8_valid(buf_span(&body))) {
		why = "its body is not a text";
	}
	if (!why) {
		bool answered = exporter_leg(x, e, &leg);
		const struct leg_row *row = answered ? &e->legs[leg].row : NULL;
		struct json_writer w = {.to = to};
		json_writer_open(&w, NULL, '{');
		put_time(&w, "startedDateTime", e->row.wall_ns);
		put_timings(row, &w);
		put_request(x, e, row ? row->url : NULL, buf_span(&body), &w);
		put_response(x, e, answered, leg, &w);
		json_writer_close(&w, "}");
	}
	buf_finish(&body);
	return why;
}

const struct export_format export_har = {
        .name = "har",
        .title = "HAR 1.2, which browsers and mitmproxy read: requests and answers",
        .content = EXPORT_BODIES | EXPORT_ANSWERS | EXPORT_TIMES,
        .put = put,
        .begin = "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"plumbline\",\"version\":"
                 "\"" PLUMBLINE_VERSION "\"},\"entries\":[\n",
        .between = ",\n",
        .end = "\n]}}\n",
};
