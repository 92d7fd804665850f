#include "analyzer/compare/meaning/format.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/letters.h"
#include "base/utf8.h"

#define MARKS_MAX 30 /* combining marks on one character that a text may have (stream-safe) */

/* What a character is written as instead; NULL: as itself. */
static const char *fold(uint32_t c)
{
	switch (c) {
	case 0xa0:
	case 0x202f:
	case 0x205f:
	case 0x3000:
		return " ";
	case 0xad:
	case 0x200b:
	case 0x2060:
	case 0xfeff:
		return "";
	case 0x2028:
	case 0x2029:
	case 0x85:
		return "\n";
	case 0x2018:
	case 0x2019:
	case 0x201a:
	case 0x201b:
	case 0x2bc:
		return "'";
	case 0x201c:
	case 0x201d:
	case 0x201e:
	case 0x201f:
		return "\"";
	case 0x2010:
	case 0x2011:
	case 0x2012:
	case 0x2013:
	case 0x2212:
		return "-";
	case 0x2026:
		return "...";
	case 0x2022:
	case 0x25cf:
		return "•";
	default:
		return c >= 0x2000 && c <= 0x200a ? " " : NULL;
	}
}

static uint32_t decode(const char *p, size_t n)
{
	static const uint8_t lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = (unsigned char)*p & lead[n];
	for (size_t i = 1; i < n; i++) {
		c = c << 6 | ((unsigned char)p[i] & 0x3f);
	}
	return c;
}

/* Characters that normal form C never touches, if none follows that it might. */
static bool is_composed(uint32_t c)
{
	return c < 0x300 || (c >= 0x2010 && c < 0x20d0) || (c >= 0x2100 && c < 0x2126) ||
	       (c >= 0x3041 && c < 0x3099) || (c >= 0x30a1 && c < 0x3400) ||
	       (c >= 0x4e00 && c < 0xa000) || (c >= 0xac00 && c < 0xd7a4) ||
	       (c >= 0x1f300 && c < 0x1fb00) || (c >= 0x3b1 && c < 0x3d0) ||
	       (c >= 0x410 && c < 0x450) || (c >= 0xff01 && c < 0xff5f);
}

/* Normal form C of valid UTF-8 with a bounded number of marks on a character. */
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

/* The next byte that is no ASCII, or a carriage return. */
static const char *plain_end(const char *p, const char *end)
{
	while (p < end && !((unsigned char)*p & 0x80) && *p != '\r') {
		p++;
	}
	return p;
}

/* What a character of another width, as in East Asian text, is written as: ASCII. */
static bool is_wide(uint32_t c)
{
	return c >= 0xff01 && c <= 0xff5e;
}

/* As most texts are: all is written as itself, and nothing in it composes. */
static bool is_own_form(struct span text)
{
	const char *end = text.data + text.len, *p = utf8_ascii_end(text.data, end);
	if (text.len && memchr(text.data, '\r', text.len)) {
		return false;
	}
	while (p < end) {
		uint32_t c;
		size_t n = utf8_get(p, end, &c);
		if (n < 2 || fold(c) || is_wide(c) || !is_composed(c)) {
			return false;
		}
		p = utf8_ascii_end(p + n, end);
	}
	return true;
}

/* Folds into `to`; returns whether what was written may need composing. */
static bool fold_prose(struct span text, struct buf *to)
{
	bool composes = false;
	size_t marks = 0, most = 0;
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
		size_t n = utf8_length(p, end);
		uint32_t c = n ? decode(p, n) : 0;
		const char *as = n ? fold(c) : NULL;
		if (as) {
			buf_append_str(to, as);
		} else if (is_wide(c)) {
			buf_append_char(to, (char)(c - 0xff01 + '!'));
		} else {
			buf_append(to, p, n ? n : 1);
		}
		if (n == 0) {
			most = SIZE_MAX; /* not UTF-8: left as it is */
		} else if (!is_composed(c)) {
			composes = true;
			bool mark =
			        utf8proc_get_property((utf8proc_int32_t)c)->combining_class != 0;
			marks = mark ? marks + 1 : 0;
			most = MAX(most, marks);
		} else {
			marks = 0;
		}
		p += n ? n : 1;
	}
	return composes && most <= MARKS_MAX;
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
	if (is_own_form(text)) {
		buf_append_span(to, text);
		return;
	}
	markup_pieces(text, &pieces);
	for (size_t i = 0; i < markup_count(&pieces); i++) {
		const struct piece *p = markup_piece(&pieces, i);
		if (p->kind != PIECE_PROSE) {
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

/* The value of a decimal digit of any script. Scripts begin their ten at 0 or at 6, but for the
 * mathematical alphabets. */
static int digit_of(uint32_t c)
{
	if (utf8proc_category((utf8proc_int32_t)c) != UTF8PROC_CATEGORY_ND) {
		return -1;
	}
	if (c >= 0x1d7ce && c <= 0x1d7ff) {
		return (int)((c - 0x1d7ce) % 10);
	}
	uint32_t zero = c & ~0xfu;
	if (utf8proc_category((utf8proc_int32_t)zero) != UTF8PROC_CATEGORY_ND) {
		zero += 6;
	}
	return c >= zero && c - zero < 10 ? (int)(c - zero) : -1;
}

void format_digits(struct span text, struct buf *to)
{
	const char *end = text.data + text.len;
	for (const char *p = text.data; p < end;) {
		const char *from = p;
		p = utf8_ascii_end(p, end);
		buf_append_span(to, span_between(from, p));
		if (p == end) {
			break;
		}
		size_t n = utf8_length(p, end);
		uint32_t c = n ? decode(p, n) : 0;
		int digit = n ? digit_of(c) : -1;
		if (digit >= 0) {
			buf_append_char(to, (char)('0' + digit));
		} else if (c == 0x2212 || c == 0x2013 || c == 0xfe63) {
			buf_append_char(to, '-');
		} else if (c == 0x66b || c == 0x66c) {
			buf_append_char(to, c == 0x66b ? '.' : ',');
		} else {
			buf_append(to, p, n ? n : 1);
		}
		p += n ? n : 1;
	}
}
