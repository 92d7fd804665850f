#include "analyzer/compare/meaning/format.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/ascii.h"
#include "base/utf8.h"

#define MARKS_MAX 30 /* most combining marks on one character (Unicode's stream-safe limit) */

/* Returns the replacement of a character; NULL if it stays. */
static const char *fold(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		const char *as;
	} folds[] = {
	        {0x85, 0x85, "\n"},
	        {0xa0, 0xa0, " "},
	        {0xad, 0xad, ""},
	        {0x2bc, 0x2bc, "'"},
	        {0x2000, 0x200a, " "},
	        {0x200b, 0x200b, ""},
	        {0x2010, 0x2013, "-"},
	        {0x2018, 0x201b, "'"},
	        {0x201c, 0x201f, "\""},
	        {0x2026, 0x2026, "..."},
	        {0x2028, 0x2029, "\n"},
	        {0x202f, 0x202f, " "},
	        {0x205f, 0x205f, " "},
	        {0x2060, 0x2060, ""},
	        {0x2212, 0x2212, "-"},
	        {0x25cf, 0x25cf, "•"},
	        {0x3000, 0x3000, " "},
	        {0xfeff, 0xfeff, ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(folds); i++) {
		if (c >= folds[i].first && c <= folds[i].last) {
			return folds[i].as;
		}
	}
	return NULL;
}

/* Writes the normal form C of the text, which is valid UTF-8 with a bounded number of combining
 * marks on each character. */
static void compose(struct span text, struct buf *to)
{
	utf8proc_uint8_t *composed = NULL;
	utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text.data,
	        (utf8proc_ssize_t)text.len, &composed, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
	if (n >= 0) {
		buf_append(to, composed, (size_t)n);
	} else {
		buf_append_span(to, text);
	}
	free(composed);
}

/* Returns the next byte that is not ASCII or is a carriage return. */
static const char *plain_end(const char *p, const char *end)
{
	while (p < end && !((unsigned char)*p & 0x80) && *p != '\r') {
		p++;
	}
	return p;
}

/* Folds the text into `to`. Returns false if the text must not be composed: it is not UTF-8, or
 * a character has too many combining marks, which utf8proc sorts in quadratic time. */
static bool fold_prose(struct span text, struct buf *to)
{
	bool valid = true;
	size_t marks = 0;
	const char *end = text.data + text.len;
	for (const char *p = text.data; p < end;) {
		const char *from = p;
		p = plain_end(p, end);
		buf_append_span(to, span_between(from, p));
		if (p == end) {
			break;
		}
		if (*p == '\r') {
			buf_append_char(to, '\n');
			p += 1 + (p + 1 < end && p[1] == '\n');
			continue;
		}
		uint32_t c = 0;
		size_t n = utf8_get(p, end, &c);
		const char *as = n ? fold(c) : NULL;
		if (as) {
			buf_append_str(to, as);
		} else if (c >= 0xff01 && c <= 0xff5e) {
			/* a full-width form, as in East Asian text, of an ASCII character */
			buf_append_char(to, (char)(c - 0xff01 + '!'));
		} else {
			buf_append(to, p, MAX(n, (size_t)1));
		}
		bool mark = utf8proc_get_property((utf8proc_int32_t)c)->combining_class != 0;
		marks = mark ? marks + 1 : 0;
		valid &= n > 0 && marks <= MARKS_MAX;
		p += MAX(n, (size_t)1);
	}
	return valid;
}

static void put_code(struct span text, struct buf *to)
{
	const char *end = text.data + text.len;
	for (const char *p = text.data; p < end;) {
		const char *cr = memchr(p, '\r', (size_t)(end - p));
		buf_append_span(to, span_between(p, cr ? cr : end));
		if (!cr) {
			break;
		}
		p = cr + 1 + (cr + 1 < end && cr[1] == '\n');
		buf_append_char(to, '\n');
	}
}

void format_unicode(struct span text, struct buf *to)
{
	struct buf pieces = {0}, folded = {0};
	if (plain_end(text.data, text.data + text.len) == text.data + text.len) {
		buf_append_span(to, text);
		return;
	}
	markup_pieces(text, &pieces);
	for (size_t i = 0; i < markup_count(&pieces); i++) {
		const struct markup_piece *p = markup_piece(&pieces, i);
		if (p->kind != MARKUP_PIECE_PROSE) {
			put_code(p->all, to);
			continue;
		}
		buf_clear(&folded);
		if (fold_prose(p->all, &folded)) {
			compose(buf_span(&folded), to);
		} else {
			buf_append_span(to, buf_span(&folded));
		}
	}
	buf_finish(&folded);
	buf_finish(&pieces);
}
