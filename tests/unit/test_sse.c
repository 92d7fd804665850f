#include "base/sse.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* All events as text, raw|name|data, and the final state. */
struct events {
	struct buf text, raw;
	size_t n;
};

static void note(void *arg, const struct sse_event *e)
{
	struct events *s = arg;
	s->n++;
	buf_append_span(&s->raw, e->raw);
	if (e->piece) {
		buf_append_str(&s->text, "~");
		return;
	}
	cr_assert_gt(e->raw.len, 0);
	buf_append_char(&s->text, '<');
	buf_append_span(&s->text, e->raw);
	buf_append_char(&s->text, '|');
	buf_append_span(&s->text, e->name);
	buf_append_char(&s->text, '|');
	buf_append_span(&s->text, e->data);
	buf_append_str(&s->text, e->has_data ? ">" : "->");
	if (e->data_raw.len) {
		cr_assert_geq(e->data_raw.data, e->raw.data);
		cr_assert_leq(e->data_raw.data + e->data_raw.len, e->raw.data + e->raw.len);
		cr_assert(span_equal(e->data_raw, e->data));
	}
}

static void events_finish(struct events *s)
{
	buf_finish(&s->text);
	buf_finish(&s->raw);
	s->n = 0;
}

/* Feeds `body` in three pieces, each in memory of exactly its size. */
static int feed_split(struct sse *s, struct span body, size_t a, size_t b, struct events *events)
{
	const size_t cuts[] = {0, a, b, body.len};
	for (size_t i = 0; i + 1 < ARRAY_LEN(cuts); i++) {
		char *piece = xmemdup(body.data + cuts[i], cuts[i + 1] - cuts[i]);
		int r = sse_feed(s, piece, cuts[i + 1] - cuts[i], note, events);
		free(piece);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

static void expect_events(struct span body, const char *expected)
{
	for (size_t a = 0; a <= body.len; a++) {
		for (size_t b = a; b <= body.len; b++) {
			struct events events = {0};
			struct sse s;
			sse_init(&s, 1000);
			cr_assert_eq(feed_split(&s, body, a, b, &events), 0);
			cr_assert_eq(events.raw.len + sse_pending(&s), body.len);
			sse_end(&s, note, &events);
			cr_assert_eq(sse_pending(&s), 0);
			cr_assert_str_eq(buf_cstr(&events.text), expected, "cut at %zu, %zu: %s", a,
			        b, events.text.data);
			cr_assert(span_equal(buf_span(&events.raw), body));
			sse_finish(&s);
			events_finish(&events);
		}
	}
}

Test(sse, splits_into_events_however_the_bytes_are_cut)
{
	expect_events(SPAN("data: a\n\ndata:b\n\n"), "<data: a\n\n||a><data:b\n\n||b>");
	expect_events(
	        SPAN("data: a\r\n\r\ndata: b\r\n\r\n"), "<data: a\r\n\r\n||a><data: b\r\n\r\n||b>");
	expect_events(SPAN("data: a\r\rdata: b\r\r"), "<data: a\r\r||a><data: b\r\r||b>");
	expect_events(SPAN("data: a\n\r\ndata: b\r\n\n"), "<data: a\n\r\n||a><data: b\r\n\n||b>");
	expect_events(SPAN("event: x\ndata: a\ndata: b\nid: 7\n\n"),
	        "<event: x\ndata: a\ndata: b\nid: 7\n\n|x|a\nb>");
	expect_events(SPAN(": hi\n\n:\n\n"), "<: hi\n\n||-><:\n\n||->");
	expect_events(SPAN("\n\r\n\n"), "<\n||-><\r\n||-><\n||->");
	expect_events(SPAN("data\n\ndata:\n\ndata:  x \n\n"),
	        "<data\n\n||><data:\n\n||><data:  x \n\n|| x >");
	expect_events(SPAN("data: a\n\ndata: rest"), "<data: a\n\n||a><data: rest||rest>");
	expect_events(SPAN("datax: a\nxdata: b\n\n"), "<datax: a\nxdata: b\n\n||->");
	expect_events(SPAN(""), "");
}

Test(sse, a_byte_order_mark_counts_only_at_the_start)
{
	expect_events(SPAN("\xef\xbb\xbf"
	                   "data: a\n\n\xef\xbb\xbf"
	                   "data: b\n\n"),
	        "<\xef\xbb\xbf"
	        "data: a\n\n||a><\xef\xbb\xbf"
	        "data: b\n\n||->");
	expect_events(SPAN("\xef\xbb\xbf\n\n"), "<\xef\xbb\xbf\n||-><\n||->");
	expect_events(SPAN("\xef\xbb\ndata: a\n\n"), "<\xef\xbb\ndata: a\n\n||a>");
}

Test(sse, mixed_line_ends_are_read_alike_however_they_are_cut)
{
	/* After a CR without LF, a blank line with CR ends the event at once; an LF after it
	 * belongs to the next event. */
	expect_events(SPAN("data: a\r\r\ndata: b\r\r\n\n"),
	        "<data: a\r\r||a><\ndata: b\r\r||b><\n\n||->");
	expect_events(SPAN("data: a\n\rdata: b\r\rdata: c\n\n"),
	        "<data: a\n\r||a><data: b\r\r||b><data: c\n\n||c>");
	expect_events(SPAN("\r\r\r\n\ndata: x\r\n\n"),
	        "<\r||-><\r||-><\r||-><\n\n||-><data: x\r\n\n||x>");
}

Test(sse, gives_an_event_with_its_last_byte)
{
	static const char *const bodies[] = {"data: a\n\n", "data: a\r\n\r\n", "data: a\r\r"};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct events events = {0};
		struct sse s;
		sse_init(&s, 1000);
		cr_assert_eq(sse_feed(&s, bodies[i], strlen(bodies[i]), note, &events), 0);
		cr_expect_eq(events.n, 1);
		cr_expect_eq(sse_pending(&s), 0);
		sse_finish(&s);
		events_finish(&events);
	}
}

Test(sse, refuses_an_event_over_the_limit_after_the_events_before)
{
	struct span body = SPAN("data: a\n\ndata: 0123456789\n\ndata: b\n\n");
	for (size_t a = 0; a <= body.len; a++) {
		struct events events = {0};
		struct sse s;
		sse_init(&s, 17);
		cr_expect_eq(feed_split(&s, body, a, body.len, &events), -EMSGSIZE);
		cr_expect_str_eq(buf_cstr(&events.text), "<data: a\n\n||a>");
		cr_expect_eq(sse_feed(&s, "data: c\n\n", 9, note, &events), -EMSGSIZE);
		sse_end(&s, note, &events);
		cr_expect_eq(events.n, 1);
		sse_finish(&s);
		events_finish(&events);
		sse_init(&s, 18);
		cr_expect_eq(feed_split(&s, body, a, body.len, &events), 0);
		cr_expect_eq(events.n, 3);
		sse_finish(&s);
		events_finish(&events);
	}
}

Test(sse, in_pieces_an_event_over_the_limit_passes_and_the_next_is_read)
{
	struct span body = SPAN("data: a\n\ndata: 0123456789\r\n\r\ndata: b\n\n");
	for (size_t a = 0; a <= body.len; a++) {
		for (size_t b = a; b <= body.len; b++) {
			struct events events = {0};
			struct sse s;
			sse_init(&s, 12);
			s.pieces = true;
			cr_assert_eq(feed_split(&s, body, a, b, &events), 0);
			const char *text = buf_cstr(&events.text);
			cr_assert_eq(strncmp(text, "<data: a\n\n||a>~", 15), 0, "%s", text);
			text += 14;
			text += strspn(text, "~");
			cr_assert_str_eq(text, "<data: b\n\n||b>");
			cr_assert(span_equal(buf_span(&events.raw), body));
			sse_finish(&s);
			events_finish(&events);
		}
	}
}

static void count(void *arg, const struct sse_event *e)
{
	*(size_t *)arg += e->raw.len;
}

/* Quadratic work on this would take minutes. */
Test(sse, a_long_event_fed_byte_by_byte_takes_linear_time, .timeout = 20)
{
	struct sse s;
	size_t total = 0, n = 16 << 20;
	sse_init(&s, n + 10);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(sse_feed(&s, i % 100 < 99 ? "x" : "\r", 1, count, &total), 0);
	}
	cr_expect_eq(total, 0);
	cr_assert_eq(sse_feed(&s, "\n\n", 2, count, &total), 0);
	cr_expect_eq(total, n + 2);
	sse_finish(&s);
}

Test(sse, random_streams_give_the_same_events_however_they_are_cut)
{
	static const char *const bits[] = {"data: x", "data:y", "event: e", ": c", "id: 1", "\n",
	        "\n", "\r", "\r\n", "\r\n", "\n\n", "\r\r", "data", ":", " ", "\xef\xbb\xbf",
	        "a long run of text without any end of line in it"};
	uint64_t random = 1;
	for (int i = 0; i < 3000; i++) {
		struct buf body = {0};
		struct events whole = {0};
		struct sse s;
		for (size_t n = random >> 60; n; n--) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			buf_append_str(&body, bits[(random >> 33) % ARRAY_LEN(bits)]);
		}
		random = random * 6364136223846793005u + 1442695040888963407u;
		sse_init(&s, 10000);
		cr_assert_eq(feed_split(&s, buf_span(&body), body.len, body.len, &whole), 0);
		sse_end(&s, note, &whole);
		sse_finish(&s);
		for (size_t step = 1; step < 4; step++) {
			struct events events = {0};
			sse_init(&s, 10000);
			for (size_t at = 0; at < body.len; at += step) {
				cr_assert_eq(sse_feed(&s, body.data + at, MIN(step, body.len - at),
				                     note, &events),
				        0);
			}
			sse_end(&s, note, &events);
			cr_assert_str_eq(buf_cstr(&events.text), buf_cstr(&whole.text));
			sse_finish(&s);
			events_finish(&events);
		}
		events_finish(&whole);
		buf_finish(&body);
	}
}
