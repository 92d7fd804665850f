/*
 * The first bytes choose limit, mode and how the rest is split. The pieces give the same events as
 * the whole, and no byte is lost.
 */
#include "base/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct buf events; /* all events as text */
	struct buf raw;
};

static void note(void *arg, const struct sse_event *e)
{
	struct seen *s = arg;
	expect(e->raw.len > 0);
	buf_append_span(&s->raw, e->raw);
	if (!e->piece) {
		buf_printf(&s->events, "%zu %d %zu %zu\n", e->raw.len, e->has_data, e->data.len,
		        e->name.len);
		buf_append_span(&s->events, e->data);
		buf_append_span(&s->events, e->name);
		expect(!e->data_raw.len ||
		        (e->data_raw.data >= e->raw.data &&
		                e->data_raw.data + e->data_raw.len <= e->raw.data + e->raw.len &&
		                span_equal(e->data, e->data_raw)));
	}
}

static int run(struct span body, size_t limit, bool pieces, size_t step, struct seen *seen)
{
	struct sse s;
	int r = 0;
	sse_init(&s, limit);
	s.pieces = pieces;
	for (size_t at = 0; at < body.len && r == 0; at += step) {
		r = sse_feed(&s, body.data + at, MIN(step, body.len - at), note, seen);
		expect(sse_pending(&s) <= limit);
	}
	if (r == 0) {
		expect(seen->raw.len + sse_pending(&s) == body.len);
	}
	sse_end(&s, note, seen);
	sse_finish(&s);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3) {
		return 0;
	}
	struct span body = {(const char *)data + 3, size - 3};
	struct seen whole = {0}, split = {0};
	size_t limit = data[0], step = data[1] + 1u;
	bool pieces = data[2] & 1;
	int r = run(body, limit, pieces, body.len + 1, &whole);
	expect(r == run(body, limit, pieces, step, &split));
	expect(span_equal(buf_span(&whole.events), buf_span(&split.events)));
	expect(span_equal(buf_span(&whole.raw), buf_span(&split.raw)));
	expect(r < 0 || span_equal(buf_span(&whole.raw), body));
	buf_finish(&whole.events);
	buf_finish(&whole.raw);
	buf_finish(&split.events);
	buf_finish(&split.raw);
	return 0;
}
