#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/mem.h"

void buf_finish(struct buf *b)
{
	if (b) {
		free(b->data);
		*b = (struct buf){0};
	}
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}

void buf_trim(struct buf *b, size_t kept)
{
	if (b->cap > kept) {
		buf_finish(b);
	}
	b->len = 0;
}

#define REUSED ((size_t)16 << 10)

void buf_reuse(struct buf *b)
{
	buf_trim(b, REUSED);
}

/* Less unused space than this is not worth a reallocation. */
#define UNUSED_LIMIT 512

void buf_fit(struct buf *b)
{
	if (b->cap - b->len <= UNUSED_LIMIT) {
		return;
	}
	if (!b->len) {
		buf_finish(b);
		return;
	}
	b->data = xrealloc(b->data, b->len);
	b->cap = b->len;
}

size_t buf_grown(const struct buf *b, size_t extra)
{
	expect(extra <= SIZE_MAX / 4 && b->len <= SIZE_MAX / 4);
	return MAX(MAX(b->cap * 2, (size_t)256), b->len + extra);
}

void buf_grow(struct buf *b, size_t extra)
{
	b->cap = buf_grown(b, extra);
	b->data = xrealloc(b->data, b->cap);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	buf_vprintf(b, format, args);
	va_end(args);
}

void buf_vprintf(struct buf *b, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	size_t room = b->cap - b->len;
	int n = vsnprintf(room ? b->data + b->len : NULL, room, format, args);
	expect(n >= 0);
	if ((size_t)n >= room) {
		vsnprintf(buf_reserve(b, (size_t)n + 1), (size_t)n + 1, format, again);
	}
	va_end(again);
	b->len += (size_t)n;
}

void buf_append_number(struct buf *b, uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	buf_append(b, digits + at, sizeof(digits) - at);
}

size_t buf_put_hex(char to[BUF_HEX_SIZE], uint64_t n)
{
	size_t len = 1;
	for (uint64_t rest = n >> 4; rest; rest >>= 4) {
		len++;
	}
	for (size_t i = len; i-- > 0; n >>= 4) {
		to[i] = HEX_DIGITS[n & 15];
	}
	return len;
}

void buf_consume(struct buf *b, size_t n)
{
	expect(n <= b->len);
	b->len -= n;
	if (b->len) {
		memmove(b->data, b->data + n, b->len);
	}
}

void buf_append_hex(struct buf *b, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "%02x", bytes[i]);
	}
}

const char *buf_cstr(struct buf *b)
{
	*buf_reserve(b, 1) = '\0';
	return b->data;
}

char *buf_steal(struct buf *b)
{
	buf_cstr(b);
	char *data = b->data;
	*b = (struct buf){0};
	return data;
}

struct span buf_span(const struct buf *b)
{
	return (struct span){b->data ? b->data : "", b->len};
}

struct span buf_part(const struct buf *b, size_t from, size_t to)
{
	return (struct span){buf_span(b).data + from, to - from};
}

size_t span_shared(struct span a, struct span b)
{
	size_t n = MIN(a.len, b.len), i = 0;
	while (i < n && a.data[i] == b.data[i]) {
		i++;
	}
	return i;
}

bool span_equal_nocase(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || strncasecmp(a.data, b.data, a.len) == 0);
}

char *span_dup(struct span s)
{
	char *copy = xmalloc(s.len + 1);
	if (s.len) {
		memcpy(copy, s.data, s.len);
	}
	copy[s.len] = '\0';
	return copy;
}
