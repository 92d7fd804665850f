/*
 * HAR 1.2, which browsers' tools and mitmproxy read.
 */
#include <inttypes.h>
#include <string.h>

#include "base/http.h"
#include "base/json.h"
#include "base/moment.h"
#include "base/utf8.h"
#include "capture/formats/export_format.h"
#include "capture/formats/member_writer.h"

#define NEVER UINT64_MAX

static void put_time(struct buf *to, uint64_t ns)
{
	char text[MOMENT_TEXT_SIZE];
	moment_format(ns, text);
	text[strlen(text) - 1] = '\0'; /* its Z */
	buf_printf(to, "\"%s.%09" PRIu64 "Z\"", text, ns % 1000000000);
}

static void put_field(void *arg, struct span name, struct span value)
{
	struct buf *to = arg;
	buf_append_str(to, to->data[to->len - 1] == '[' ? "{\"name\":" : ",{\"name\":");
	json_put_string(to, name);
	member_string(to, "value", value);
	buf_append_char(to, '}');
}

static void put_head(struct buf *to, struct span head)
{
	buf_append_str(to, ",\"httpVersion\":\"HTTP/1.1\",\"cookies\":[],\"headers\":[");
	exporter_fields(head, put_field, to);
	buf_append_char(to, ']');
}

static void put_request(struct exporter *x, const struct capture_exchange *e, const char *url,
        struct span body, struct buf *to)
{
	struct buf head = {0};
	(void)!capture_request_head(x->capture, e, &head);
	struct span type = http_lines_field(buf_span(&head), "content-type");
	buf_append_str(to, "{\"method\":");
	json_put_string(to, span_of(e->row.method));
	buf_append_str(to, ",\"url\":");
	struct buf whole = {0};
	buf_append_span(&whole, exporter_origin(url));
	buf_append_str(&whole, e->row.target);
	json_put_string(to, buf_span(&whole));
	buf_finish(&whole);
	put_head(to, buf_span(&head));
	buf_printf(to, ",\"queryString\":[],\"headersSize\":-1,\"bodySize\":%zu", body.len);
	if (body.len) {
		buf_append_str(to, ",\"postData\":{\"mimeType\":");
		json_put_string(to, type.len ? type : SPAN("application/json"));
		member_string(to, "text", body);
		buf_append_char(to, '}');
	}
	buf_append_char(to, '}');
	buf_finish(&head);
}

static void put_content(const struct leg_row *row, struct span body, struct buf *to)
{
	buf_printf(to, ",\"content\":{\"size\":%zu,\"mimeType\":", body.len);
	json_put_string(to, span_of(row->content_type ? row->content_type : ""));
	if (utf8_valid(body)) {
		member_string(to, "text", body);
	} else {
		buf_append_str(to, ",\"encoding\":\"base64\",\"text\":");
		member_base64(to, body);
	}
	buf_append_char(to, '}');
}

/* leg is NULL or has no head if no answer came. HAR writes that as status 0. */
static void put_response(struct exporter *x, const struct capture_exchange *e, bool answered,
        size_t leg, struct buf *to)
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
	buf_printf(to, "{\"status\":%d,\"statusText\":\"\"", row->status);
	put_head(to, buf_span(&head));
	put_content(row, buf_span(&body), to);
	buf_append_str(to, ",\"redirectURL\":\"\",\"headersSize\":-1,\"bodySize\":-1");
	if (answered && row->outcome != OUTCOME_COMPLETE) {
		buf_append_str(to, ",\"_error\":"); /* as Chrome's tools write it */
		json_put_string(to, span_of(outcome_name(row->outcome)));
	}
	buf_append_char(to, '}');
	buf_finish(&head);
	buf_finish(&body);
}

/* Writes milliseconds; 0 for an event that never happened. */
static void put_timings(const struct leg_row *row, struct buf *to)
{
	double head = row && row->head_us != NEVER ? (double)row->head_us / 1000 : 0;
	double end = row && row->end_us != NEVER ? (double)row->end_us / 1000 : head;
	buf_printf(to,
	        ",\"time\":%.3f,\"cache\":{},\"timings\":{\"send\":0,\"wait\":%.3f,\"receive\":%."
	        "3f}",
	        end, head, end > head ? end - head : 0);
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
		buf_append_str(to, "{\"startedDateTime\":");
		put_time(to, e->row.wall_ns);
		put_timings(row, to);
		buf_append_str(to, ",\"request\":");
		put_request(x, e, row ? row->url : NULL, buf_span(&body), to);
		buf_append_str(to, ",\"response\":");
		put_response(x, e, answered, leg, to);
		buf_append_char(to, '}');
	}
	buf_finish(&body);
	return why;
}

const struct export_format export_har = {
        .name = "har",
        .title = "HAR 1.2, which browsers and mitmproxy read: requests and answers",
        .room = EXPORT_BODIES | EXPORT_ANSWERS | EXPORT_TIMES,
        .put = put,
        .begin = "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"plumbline\",\"version\":"
                 "\"" PLUMBLINE_VERSION "\"},\"entries\":[\n",
        .between = ",\n",
        .end = "\n]}}\n",
};
