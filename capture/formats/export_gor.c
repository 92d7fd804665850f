/*
 * GoReplay's .gor files: raw requests and answers, each after a line with its kind, id and time.
 */
#include <inttypes.h>
#include <string.h>

#include "capture/formats/export_format.h"
#include "capture/formats/gor_record.h"

#define NEVER UINT64_MAX

static bool has_separator(struct span s)
{
	return s.len && memmem(s.data, s.len, GOR_SEPARATOR, sizeof(GOR_SEPARATOR) - 1);
}

static void put_field(void *arg, struct span name, struct span value)
{
	struct buf *to = arg;
	/* A line end would begin another field. */
	if ((value.len && memchr(value.data, '\r', value.len)) ||
	        (name.len && memchr(name.data, '\r', name.len))) {
		return;
	}
	buf_append_span(to, name);
	buf_append_str(to, ": ");
	buf_append_span(to, value);
	buf_append_str(to, "\r\n");
}

/* "1 ID NANOSECONDS LATENCY": request and answer have the same id. */
static void put_meta(struct buf *to, int kind, struct id id, uint64_t ns, uint64_t latency_ns)
{
	buf_printf(to, "%d ", kind);
	buf_append_hex(to, id.bytes, sizeof(id.bytes));
	buf_printf(to, " %" PRIu64 " %" PRIu64 "\n", ns, latency_ns);
}

static void put_rest(struct buf *to, struct span head, struct span body)
{
	exporter_fields(head, put_field, to);
	buf_printf(to, "Content-Length: %zu\r\n\r\n", body.len);
	buf_append_span(to, body);
	buf_append_str(to, GOR_SEPARATOR);
}

static void put_answer(
        struct exporter *x, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct buf head = {0}, body = {0};
	bool whole = row->status && (!row->body_bytes || exporter_answer(x, e, leg, &body));
	if (whole && !has_separator(buf_span(&body))) {
		/* The arrival of the answer's first byte, and the time from then to its last
		 * byte. */
		uint64_t end = row->end_us != NEVER ? row->end_us * 1000 : 0;
		uint64_t begin = row->head_us != NEVER && row->head_us * 1000 <= end
		                         ? row->head_us * 1000
		                         : end;
		(void)!capture_response_head(x->capture, e, leg, &head);
		put_meta(to, 2, e->row.id, e->row.wall_ns + begin, end - begin);
		buf_printf(to, "HTTP/1.1 %d \r\n", row->status);
		put_rest(to, buf_span(&head), buf_span(&body));
	} else {
		error_tally_add(&x->lost, "answers that were not recorded completely, or in which "
		                          "private text was replaced");
	}
	buf_finish(&head);
	buf_finish(&body);
}

static const char *put(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0}, head = {0};
	size_t leg;
	const char *why = exporter_body(x, e, &body);
	if (!why && has_separator(buf_span(&body))) {
		why = "its body contains the separator of the format";
	}
	if (!why && e->row.target[strcspn(e->row.target, "\r\n \t")]) {
		why = "its target is not valid in a request line";
	}
	if (!why) {
		bool answered = exporter_leg(x, e, &leg);
		struct span origin = exporter_origin(answered ? e->legs[leg].row.url : NULL);
		const char *host = memmem(origin.data, origin.len, "://", 3);
		size_t from = (size_t)(host - origin.data) + 3;
		(void)!capture_request_head(x->capture, e, &head);
		put_meta(to, 1, e->row.id, e->row.wall_ns, 0);
		buf_printf(to, "%s %s HTTP/1.1\r\nHost: %.*s\r\n", e->row.method, e->row.target,
		        (int)(origin.len - from), origin.data + from);
		put_rest(to, buf_span(&head), buf_span(&body));
		if (answered) {
			put_answer(x, e, leg, to);
		}
	}
	buf_finish(&head);
	buf_finish(&body);
	return why;
}

const struct export_format export_gor = {
        .name = "gor",
        .title = "GoReplay's .gor files: raw requests and answers",
        .content = EXPORT_BODIES | EXPORT_ANSWERS | EXPORT_TIMES,
        .put = put,
};
