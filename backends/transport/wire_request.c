#include <errno.h>
#include <string.h>

#include "backends/transport/wire.h"
#include "base/clock.h"

#define CHUNK_HEAD 6 /* "ffff\r\n" */
#define CHUNK_TAIL 2 /* "\r\n" */
#define LAST_CHUNK 5 /* "0\r\n\r\n" */

static bool has_byte_below_space(struct span s, bool tab_allowed)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];
		if (c == 0x7f || (c < 0x20 && !(tab_allowed && c == '\t'))) {
			return true;
		}
	}
	return false;
}

static bool is_word(struct span s)
{
	return s.len && !has_byte_below_space(s, false) && !memchr(s.data, ' ', s.len);
}

/* has_body and body_length alone decide how the request is framed. */
static bool is_framing(struct span name)
{
	return span_is_nocase(name, "content-length") || span_is_nocase(name, "transfer-encoding");
}

/* A line end in a value would begin another field. */
bool wire_request_may_be_sent(const struct upstream_request *request)
{
	if (!is_word(request->method) || !is_word(request->target)) {
		return false;
	}
	for (size_t i = 0; i < request->n_fields; i++) {
		const struct http_field *field = &request->fields[i];
		if (!is_word(field->name) || memchr(field->name.data, ':', field->name.len) ||
		        is_framing(field->name) || has_byte_below_space(field->value, true)) {
			return false;
		}
	}
	return true;
}

bool wire_request_is_safe(const struct upstream_request *request)
{
	static const char *const methods[] = {"GET", "HEAD", "OPTIONS", "TRACE"};
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (span_is(request->method, methods[i])) {
			return !request->has_body;
		}
	}
	return false;
}

static void put(struct buf *to, struct span s)
{
	buf_append_span(to, s);
}

void wire_request_head(struct upstream *x, const struct upstream_request *request)
{
	struct buf *head = &x->head;
	size_t size = request->method.len + request->target.len + strlen(x->wire->host) + 96;
	for (size_t i = 0; i < request->n_fields; i++) {
		size += request->fields[i].name.len + request->fields[i].value.len + 4;
	}
	buf_reserve(head, size);
	put(head, request->method);
	put(head, SPAN(" "));
	put(head, request->target);
	put(head, SPAN(" HTTP/1.1\r\nHost: "));
	buf_append_str(head, x->wire->host);
	for (size_t i = 0; i < request->n_fields; i++) {
		const struct http_field *field = &request->fields[i];
		put(head, SPAN("\r\n"));
		put(head, field->name);
		put(head, field->value.len ? SPAN(": ") : SPAN(":"));
		put(head, field->value);
	}
	if (request->websocket) {
		put(head, SPAN("\r\nConnection: Upgrade\r\nUpgrade: websocket"));
	} else if (request->has_body && request->body_length < 0) {
		put(head, SPAN("\r\nTransfer-Encoding: chunked"));
	} else if (request->has_body) {
		put(head, SPAN("\r\nContent-Length: "));
		buf_append_number(head, (uint64_t)request->body_length);
	}
	put(head, SPAN("\r\n\r\n"));
}

/* Pulls bytes from the caller. False: there are none now, or no more at all. */
static bool pull(struct upstream *x, char *to, size_t cap, size_t *ret_len)
{
	size_t at = x->pulled;
	ssize_t n = x->request.pull ? x->request.pull(x->arg, to, cap)
	                            : upstream_pull(x->request.body, &at, to, cap);
	*ret_len = 0;
	if (n == -EAGAIN || x->cancelled) {
		return false;
	}
	expect(n <= (ssize_t)cap);
	if (n > 0) {
		x->pulled += (uint64_t)n;
		x->last_activity = clock_mono();
		*ret_len = (size_t)n;
		x->body_read = true;
		return true;
	}
	if (n == 0 && x->request.body_length >= 0) {
		n = -ENODATA; /* the body ended early */
	}
	x->body_error = (int)n;
	x->body_read = true;
	x->sent = n == 0;
	return false;
}

static void fill_measured(struct upstream *x, struct buf *out)
{
	uint64_t length = (uint64_t)x->request.body_length;
	size_t n = 1;
	while (x->pulled < length && out->len < WIRE_WINDOW) {
		size_t cap = (size_t)MIN((uint64_t)(WIRE_WINDOW - out->len), length - x->pulled);
		if (!pull(x, buf_reserve(out, cap), cap, &n)) {
			return;
		}
		out->len += n;
	}
	x->sent = x->pulled == length;
}

static void fill_chunked(struct upstream *x, struct buf *out)
{
	size_t n = 0;
	while (out->len < WIRE_WINDOW) {
		size_t cap = WIRE_WINDOW - out->len;
		char *at = buf_reserve(out, CHUNK_HEAD + cap + CHUNK_TAIL + LAST_CHUNK);
		if (!pull(x, at + CHUNK_HEAD, cap, &n)) {
			break;
		}
		char size[BUF_HEX_SIZE];
		size_t digits = buf_put_hex(size, n), head = digits + 2;
		memmove(at + head, at + CHUNK_HEAD, n);
		memcpy(at, size, digits);
		memcpy(at + digits, "\r\n", 2);
		memcpy(at + head + n, "\r\n", CHUNK_TAIL);
		out->len += head + n + CHUNK_TAIL;
	}
	if (x->sent) {
		put(out, SPAN("0\r\n\r\n"));
	}
}

static void fill_raw(struct upstream *x, struct buf *out)
{
	size_t n = 0;
	while (out->len < WIRE_WINDOW) {
		size_t cap = WIRE_WINDOW - out->len;
		if (!pull(x, buf_reserve(out, cap), cap, &n)) {
			return;
		}
		out->len += n;
	}
}

void wire_request_body(struct upstream *x, struct buf *out)
{
	if (x->switched) {
		fill_raw(x, out);
	} else if (x->request.websocket) {
		/* the engine must not read these bytes as a request if it refuses the upgrade */
		return;
	} else if (!x->request.has_body) {
		x->sent = true;
	} else if (x->request.body_length >= 0) {
		fill_measured(x, out);
	} else {
		fill_chunked(x, out);
	}
}
