#include "base/sse.h"

#include <errno.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/byte_order_mark.h"

#define BOM_DONE (BYTE_ORDER_MARK_SIZE + 1) /* the stream has no BOM, or the BOM was skipped */

void sse_init(struct sse *s, size_t limit)
{
	*s = (struct sse){.limit = limit, .line_empty = true};
}

void sse_finish(struct sse *s)
{
	if (s) {
		buf_finish(&s->pending);
		buf_finish(&s->joined);
	}
}

void sse_read(struct span stream, sse_event_fn on_event, void *arg)
{
	struct sse s;
	sse_init(&s, stream.len);
	int r = sse_feed(&s, stream.data, stream.len, on_event, arg);
	expect(r == 0);
	sse_end(&s, on_event, arg);
	sse_finish(&s);
}

size_t sse_pending(const struct sse *s)
{
	return s->pending.len;
}

/* Returns the first CR or LF, or end. */
static const char *find_line_end(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned stop = (unsigned)_mm_movemask_epi8(
		        _mm_or_si128(_mm_cmpeq_epi8(v, lf), _mm_cmpeq_epi8(v, cr)));
		if (stop) {
			return p + __builtin_ctz(stop);
		}
		p += 16;
	}
#endif
	while (p < end && *p != '\n' && *p != '\r') {
		p++;
	}
	return p;
}

/* Handles the end of the current line. True: the event ends after it. */
static bool read_line_end(struct sse *s, char c)
{
	if (s->bom < BYTE_ORDER_MARK_SIZE && s->bom > 0) {
		s->line_empty = false;
	}
	s->bom = BOM_DONE;
	if (!s->line_empty) {
		s->line_empty = true;
		s->after_cr = c == '\r';
		s->lone_cr = false;
		return false;
	}
	if (c == '\n') {
		s->lone_cr = false;
		return true;
	}
	if (s->lone_cr) {
		s->after_cr = true;
		return true;
	}
	s->blank_cr = true;
	return false;
}

/* Scans to the end of the current event, and returns the number of bytes. */
static size_t scan(struct sse *s, const char *data, size_t len, bool *ret_ended)
{
	const char *p = data, *end = data + len;
	while (p < end) {
		if (s->blank_cr) {
			s->blank_cr = false;
			s->lone_cr = *p != '\n';
			*ret_ended = true;
			return (size_t)(p - data) + (*p == '\n');
		}
		if (s->after_cr) {
			s->after_cr = false;
			s->lone_cr = *p != '\n';
			if (*p == '\n') {
				p++;
				continue;
			}
		}
		if (*p == '\n' || *p == '\r') {
			bool ended = read_line_end(s, *p++);
			if (ended) {
				*ret_ended = true;
				return (size_t)(p - data);
			}
		} else if (s->bom < BYTE_ORDER_MARK_SIZE && *p == BYTE_ORDER_MARK[s->bom]) {
			s->bom++;
			p++;
		} else {
			s->bom = BOM_DONE;
			s->line_empty = false;
			p = find_line_end(p, end);
		}
	}
	*ret_ended = false;
	return len;
}

/* The data lines of an event so far. */
struct data_lines {
	size_t n;
	bool other; /* another line has come after the last of them */
};

static void read_line(
        struct sse *s, struct sse_event *e, struct span line, struct data_lines *lines)
{
	const char *colon = memchr(line.data, ':', line.len);
	struct span name = {line.data, colon ? (size_t)(colon - line.data) : line.len};
	struct span value = {line.data + line.len, 0};
	if (colon) {
		value = (struct span){colon + 1, line.len - name.len - 1};
		if (value.len && value.data[0] == ' ') {
			value.data++;
			value.len--;
		}
	}
	if (!span_is(name, "data")) {
		/* The empty line between CR and LF of one line end does not count as a line. */
		lines->other |= line.len > 0;
		e->name = span_is(name, "event") ? value : e->name;
		return;
	}
	if (++lines->n == 1) {
		e->data = e->data_raw = value;
		e->lines = line;
	} else {
		if (lines->n == 2) {
			buf_append_span(&s->joined, e->data);
			e->data_raw = (struct span){0};
		}
		buf_append_char(&s->joined, '\n');
		buf_append_span(&s->joined, value);
		e->lines.len = (size_t)(line.data + line.len - e->lines.data);
		e->lines_apart |= lines->other;
	}
	lines->other = false;
}

static void deliver(struct sse *s, struct span raw, sse_event_fn on_event, void *arg)
{
	struct sse_event e = {.raw = raw};
	const char *p = raw.data, *end = p + raw.len;
	struct data_lines lines = {0};
	if (!s->begun) {
		p += byte_order_mark(p, raw.len);
	}
	s->begun = true;
	while (p < end) {
		const char *line_end = find_line_end(p, end);
		read_line(s, &e, (struct span){p, (size_t)(line_end - p)}, &lines);
		/* An empty line after a CR is the LF that belongs to it, or the last line. */
		p = line_end + (line_end < end);
	}
	e.has_data = lines.n > 0;
	if (lines.n > 1) {
		e.data = buf_span(&s->joined);
	}
	on_event(arg, &e);
	buf_reuse(&s->joined);
}

static void deliver_piece(struct sse *s, struct span raw, sse_event_fn on_event, void *arg)
{
	s->begun = true;
	if (raw.len) {
		on_event(arg, &(struct sse_event){.raw = raw, .piece = true});
	}
}

int sse_feed(struct sse *s, const char *data, size_t len, sse_event_fn on_event, void *arg)
{
	while (len) {
		if (s->failed) {
			return -EMSGSIZE;
		}
		bool ended;
		size_t n = scan(s, data, len, &ended);
		struct span now = {data, n};
		data += n;
		len -= n;
		if (!s->in_pieces && s->pending.len + n > s->limit) {
			if (!s->pieces) {
				s->failed = true;
				return -EMSGSIZE;
			}
			s->in_pieces = true;
			deliver_piece(s, buf_span(&s->pending), on_event, arg);
			buf_reuse(&s->pending);
		}
		if (s->in_pieces) {
			deliver_piece(s, now, on_event, arg);
			s->in_pieces = !ended;
		} else if (!ended) {
			buf_append_span(&s->pending, now);
		} else if (s->pending.len) {
			buf_append_span(&s->pending, now);
			deliver(s, buf_span(&s->pending), on_event, arg);
			buf_reuse(&s->pending);
		} else {
			deliver(s, now, on_event, arg);
		}
	}
	return 0;
}

void sse_end(struct sse *s, sse_event_fn on_event, void *arg)
{
	if (s->pending.len && !s->failed) {
		deliver(s, buf_span(&s->pending), on_event, arg);
	}
	buf_reuse(&s->pending);
}
