#include "answers/api/framing.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/byte_order_mark.h"

enum framing framing_of_type(struct span content_type)
{
	static const struct {
		struct span type;
		enum framing framing;
	} TYPES[] = {
	        {{"text/event-stream", 17}, FRAMING_SSE},
	        {{"application/x-ndjson", 20}, FRAMING_NDJSON},
	        {{"application/json", 16}, FRAMING_UNARY},
	};
	for (size_t i = 0; i < ARRAY_LEN(TYPES); i++) {
		struct span head = {content_type.data, MIN(content_type.len, TYPES[i].type.len)};
		if (span_equal_nocase(head, TYPES[i].type)) {
			return TYPES[i].framing;
		}
	}
	return FRAMING_UNKNOWN;
}

/* Whether the text is a field of an event or the beginning of one. */
static bool begins_event(struct span head, bool *ret_whole)
{
	static const struct span fields[] = {
	        {":", 1}, {"data:", 5}, {"event:", 6}, {"id:", 3}, {"retry:", 6}};
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		size_t n = MIN(head.len, fields[i].len);
		if (n && memcmp(head.data, fields[i].data, n) == 0) {
			*ret_whole = n == fields[i].len;
			return true;
		}
	}
	return false;
}

enum framing framing_of_bytes(struct span head, enum framing declared)
{
	bool whole;
	size_t n = MIN(head.len, BYTE_ORDER_MARK_SIZE);
	if (n && memcmp(head.data, BYTE_ORDER_MARK, n) == 0) {
		head = (struct span){head.data + n, head.len - n};
	}
	head = span_skip_layout(head);
	if (head.len == 0) {
		return FRAMING_UNKNOWN;
	}
	if (*head.data == '{' || *head.data == '[') {
		return declared == FRAMING_NDJSON ? FRAMING_NDJSON : FRAMING_UNARY;
	}
	if (begins_event(head, &whole)) {
		return whole || declared == FRAMING_SSE ? FRAMING_SSE : FRAMING_UNKNOWN;
	}
	return declared == FRAMING_UNKNOWN ? FRAMING_UNARY : declared;
}

bool framing_is_lines(struct span body)
{
	body = span_skip_layout(body);
	const char *end = body.len ? memchr(body.data, '\n', body.len) : NULL;
	if (!end || *body.data != '{') {
		return false;
	}
	struct span rest =
	        span_skip_layout((struct span){end, (size_t)(body.data + body.len - end)});
	while (end > body.data && is_layout(end[-1])) {
		end--;
	}
	return end > body.data && end[-1] == '}' && rest.len && *rest.data == '{';
}

int lines_feed(struct lines *l, struct span data, line_fn on_line, void *arg)
{
	while (data.len) {
		const char *end = memchr(data.data, '\n', data.len);
		size_t n = end ? (size_t)(end - data.data) + 1 : data.len;
		if (n > l->limit - l->pending.len) {
			return -EMSGSIZE;
		}
		if (!end || l->pending.len) {
			buf_append(&l->pending, data.data, n);
		}
		if (end) {
			on_line(arg, l->pending.len ? buf_span(&l->pending)
			                            : (struct span){data.data, n});
			buf_clear(&l->pending);
		}
		data.data += n;
		data.len -= n;
	}
	return 0;
}

void lines_end(struct lines *l, line_fn on_line, void *arg)
{
	if (l->pending.len) {
		on_line(arg, buf_span(&l->pending));
	}
	buf_clear(&l->pending);
}

void lines_finish(struct lines *l)
{
	buf_finish(&l->pending);
}
