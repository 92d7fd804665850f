#pragma once
/*
 * buf - a growing array of bytes. Zero-initialised is empty; buf_finish() frees it.
 *
 * data is not NUL-terminated unless buf_cstr() was the last call. A pointer or span into a buffer
 * is valid until the buffer changes.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"

struct buf {
	char *data;
	size_t len;
	size_t cap;
};

/* A view of bytes; it does not own them. */
struct span {
	const char *data;
	size_t len;
};

#define SPAN(literal) ((struct span){(literal), sizeof(literal) - 1})

void buf_finish(struct buf *b);
void buf_clear(struct buf *b); /* len = 0, memory kept */
/* len = 0; frees all memory if the capacity is above `kept` */
void buf_trim(struct buf *b, size_t kept);
/* buf_trim() to 16 KiB, about one read. For buffers that live as long as a connection, because no
 * budget counts empty buffers. */
void buf_reuse(struct buf *b);
/* Frees the unused memory if it is above 512 bytes. For buffers that wait and that a budget counts
 * by their length. */
void buf_fit(struct buf *b);
/* The capacity that buf_grow() would give, for callers that reserve it in a budget first. */
size_t buf_grown(const struct buf *b, size_t extra);
void buf_grow(struct buf *b, size_t extra); /* called by buf_reserve() if there is no room */
void buf_printf(struct buf *b, const char *format, ...) PRINTF(2, 3);
void buf_vprintf(struct buf *b, const char *format, va_list args) PRINTF(2, 0);
void buf_append_number(struct buf *b, uint64_t n);                  /* decimal */
void buf_append_hex(struct buf *b, const uint8_t *bytes, size_t n); /* two lowercase digits each */
void buf_consume(struct buf *b, size_t n);                          /* drops n bytes at the front */
const char *buf_cstr(struct buf *b);                                /* the bytes, NUL-terminated */
/* The bytes, NUL-terminated; the caller frees them. b is empty afterwards. */
char *buf_steal(struct buf *b);

#define BUF_HEX_SIZE 16
/* Writes n as lowercase digits, without leading zeros or a NUL. Returns the number of digits. */
size_t buf_put_hex(char to[BUF_HEX_SIZE], uint64_t n);

/* All bytes of b. The span's data is never NULL, so that an empty span needs no special case. */
struct span buf_span(const struct buf *b);
/* The bytes at the offsets [from, to). */
struct span buf_part(const struct buf *b, size_t from, size_t to);
bool span_equal_nocase(struct span a, struct span b); /* ASCII */

/* Inline from here: most appends are of a few bytes, and the length of literals is known. */

/* Makes room for extra bytes. Returns the place to write them; the caller then adds to len. */
static inline char *buf_reserve(struct buf *b, size_t extra)
{
	if (!b->data || extra > b->cap - b->len) {
		buf_grow(b, extra);
	}
	return b->data + b->len;
}

static inline void buf_append(struct buf *b, const void *data, size_t n)
{
	if (n) {
		memcpy(buf_reserve(b, n), data, n);
		b->len += n;
	}
}

static inline void buf_append_str(struct buf *b, const char *s)
{
	buf_append(b, s, strlen(s));
}

static inline void buf_append_span(struct buf *b, struct span s)
{
	buf_append(b, s.data, s.len);
}

static inline void buf_append_char(struct buf *b, char c)
{
	*buf_reserve(b, 1) = c;
	b->len++;
}

static inline struct span span_of(const char *s) /* NULL gives an empty span */
{
	return (struct span){s, s ? strlen(s) : 0};
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool span_has_prefix(struct span text, struct span with)
{
	return with.len == 0 ||
	       (text.len >= with.len && memcmp(text.data, with.data, with.len) == 0);
}

/* The length of the longest common prefix, bytes. */
size_t span_shared(struct span a, struct span b);

static inline bool span_is(struct span a, const char *s)
{
	return span_equal(a, span_of(s));
}

static inline bool span_is_nocase(struct span a, const char *s)
{
	struct span b = span_of(s);
	return a.len == b.len && span_equal_nocase(a, b);
}

/* The list ends with NULL. */
static inline bool span_is_one_of(struct span s, const char *const *list)
{
	while (*list && !span_is(s, *list)) {
		list++;
	}
	return *list;
}

/* True if both are NULL, or both are equal texts. */
static inline bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

char *span_dup(struct span s); /* a NUL-terminated copy; the caller frees it */
