#include "answers/tokens/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "answers/tokens/spelling.h"
#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"

static void decode_sentence(struct span piece, struct buf *to)
{
	const char *p = piece.data;
	const char *end = p + piece.len;
	if (piece.len == 6 && memcmp(p, "<0x", 3) == 0 && p[5] == '>') {
		int byte = hex_byte(p + 3, end);
		if (byte >= 0) {
			buf_append_char(to, (char)byte);
			return;
		}
	}
	while (p < end) {
		bool is_space = end - p >= 3 && memcmp(p, "\xe2\x96\x81", 3) == 0;
		buf_append_char(to, is_space ? ' ' : *p);
		p += is_space ? 3 : 1;
	}
}

/* The byte that a character of GPT-2's alphabet stands for; -1: it is none of them. */
static int byte_of(uint32_t c)
{
	/* Bytes without a printable character are mapped to characters from U+0100 on. */
	if (c >= 0x100 && c <= 0x120) {
		return (int)(c - 0x100);
	}
	if (c >= 0x121 && c <= 0x142) {
		return (int)(c - 0x121 + 0x7f);
	}
	if (c == 0x143) {
		return 0xad;
	}
	bool own = (c >= 0x21 && c <= 0x7e) || (c >= 0xa1 && c <= 0xff && c != 0xad);
	return own ? (int)c : -1;
}

static void decode_byte_level(struct span piece, struct buf *to)
{
	const char *p = piece.data;
	const char *end = p + piece.len;
	while (p < end) {
		size_t len = utf8_length(p, end);
		int byte = -1;
		if (len == 1) {
			byte = byte_of((unsigned char)*p);
		} else if (len == 2) {
			byte = byte_of(((uint32_t)(p[0] & 0x1f) << 6) | (uint32_t)(p[1] & 0x3f));
		}
		len = len ? len : 1;
		if (byte >= 0) {
			buf_append_char(to, (char)byte);
		} else {
			buf_append(to, p, len);
		}
		p += len;
	}
}

void pieces_decode(enum pieces kind, struct span piece, struct buf *to)
{
	if (piece.len == 0) {
		return;
	}
	if (kind == PIECES_SENTENCE) {
		decode_sentence(piece, to);
	} else if (kind == PIECES_BYTE_LEVEL) {
		decode_byte_level(piece, to);
	} else {
		buf_append_span(to, piece);
	}
}

/* Decodes n pieces that end at ends[i], in place. */
static void decode_list(enum pieces kind, char *bytes, uint32_t *ends, uint32_t n)
{
	struct buf piece = {0};
	uint32_t from = 0, at = 0;
	for (uint32_t i = 0; i < n; i++) {
		buf_clear(&piece);
		pieces_decode(kind, (struct span){bytes + from, ends[i] - from}, &piece);
		from = ends[i];
		if (piece.len) {
			memcpy(bytes + at, piece.data, piece.len);
		}
		at += (uint32_t)piece.len;
		ends[i] = at;
	}
	buf_finish(&piece);
}

void pieces_decode_columns(enum pieces kind, struct columns *c)
{
	if (kind == PIECES_TEXT || c->n == 0) {
		return;
	}
	decode_list(kind, c->bytes, c->bytes_end, c->n);
	decode_list(kind, c->top_bytes, c->top_bytes_end, c->top_end[c->n - 1]);
}

static bool spells_as(
        enum pieces kind, const struct choice *c, const struct stretch *stretches, size_t n)
{
	const struct columns *columns = &c->columns;
	struct choice as = *c;
	as.columns.bytes = xmemdup(columns->bytes, columns->bytes_end[columns->n - 1]);
	as.columns.bytes_end = xmemdup(columns->bytes_end, columns->n * sizeof(uint32_t));
	decode_list(kind, as.columns.bytes, as.columns.bytes_end, columns->n);
	bool spells = spelling_matches(&as, stretches, n);
	free(as.columns.bytes);
	free(as.columns.bytes_end);
	return spells;
}

enum pieces pieces_find(const struct choice *c, const struct stretch *stretches, size_t n)
{
	static const enum pieces kinds[] = {PIECES_SENTENCE, PIECES_BYTE_LEVEL};
	bool has_bytes = c->columns.n && c->columns.bytes_end[c->columns.n - 1];
	for (size_t i = 0; has_bytes && i < ARRAY_LEN(kinds); i++) {
		if (spells_as(kinds[i], c, stretches, n)) {
			return kinds[i];
		}
	}
	return PIECES_TEXT;
}
