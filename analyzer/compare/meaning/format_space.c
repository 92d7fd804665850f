#include "analyzer/compare/meaning/format_space.h"

#include <string.h>

#include "base/ascii.h"

#define QUOTE_MAX 256

void space_init(struct space *s, struct span text, struct buf *to)
{
	bool indented = false;
	const char *end = text.data + text.len;
	const char *p = text.len ? text.data : end;
	while (p < end && is_space(*p)) {
		p++;
	}
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) && ++p < end) {
		if (is_blank(*p)) {
			indented = true;
			break;
		}
	}
	*s = (struct space){.to = to, .from = to->len, .keeps_first = indented};
}

static void flush(struct space *s)
{
	bool first = s->to->len == s->from;
	if (first) {
		if (s->keeps_first) {
			buf_append_span(s->to, s->indent);
		}
	} else if (s->line) {
		buf_append_char(s->to, '\n');
		buf_append_span(s->to, s->indent);
	} else if (s->tabs) {
		memset(buf_reserve(s->to, s->tabs), '\t', s->tabs);
		s->to->len += s->tabs;
	} else if (s->blank) {
		buf_append_char(s->to, ' ');
	}
	s->line = s->blank = false;
	s->tabs = 0;
	s->indent = (struct span){0};
}

static void take_space(struct space *s, const char *p)
{
	if (*p == '\n' || *p == '\r') {
		s->line = true;
		s->indent = (struct span){0};
		return;
	}
	s->blank |= *p == ' ';
	s->tabs += *p != ' ';
	if (s->line || s->to->len == s->from) {
		/* If a removed mark left a gap in the indentation, the indentation begins again
		 * after the gap. */
		bool follows = s->indent.len && s->indent.data + s->indent.len == p;
		s->indent = follows ? (struct span){s->indent.data, s->indent.len + 1}
		                    : (struct span){p, 1};
	}
}

/* An apostrophe within a word closes nothing. */
static bool closes(struct span s, size_t n)
{
	bool inside = *s.data == '\'' && n + 1 < s.len && is_word(s.data[n + 1]);
	return s.data[n] == *s.data && !inside;
}

/* Returns the bytes up to and including the closing mark on the same line; 0 if there is none,
 * or if nothing between the marks would be folded. */
static size_t quoted(struct span s)
{
	size_t n = 1;
	bool folds = false;
	for (; n < s.len && n < QUOTE_MAX && !closes(s, n) && s.data[n] != '\n'; n++) {
		n += s.data[n] == '\\' && n + 1 < s.len && s.data[n + 1] == *s.data;
		folds |= is_space(s.data[n]) && is_space(s.data[n - 1]);
	}
	return folds && n < s.len && closes(s, n) ? n + 1 : 0;
}

/* A single quotation mark is an apostrophe unless it comes before a word. */
static bool opens(struct span text, const char *p)
{
	bool first = p == text.data || is_space(p[-1]) || p[-1] == '(';
	return *p == '"' || (*p == '\'' && first);
}

/*
 * Examines the quotation mark at p. Returns the bytes up to the closing mark, if the spaces between
 * them stay as they are; else 1. *ret_next: where the next mark may open a quotation.
 */
static size_t skip_quotation(const char *p, const char *end, const char **ret_next)
{
	size_t n = quoted(span_between(p, end));
	if (n) {
		*ret_next = p + n;
		return n;
	}
	const char *close = memchr(p + 1, *p, MIN((size_t)(end - p - 1), QUOTE_MAX));
	*ret_next = close ? close + 1 : p + 1;
	return 1;
}

void space_put(struct space *s, struct span text)
{
	const char *p = text.data, *end = text.data + text.len;
	const char *next_mark = p; /* quotation marks before it have been examined */
	while (p < end) {
		if (is_space(*p)) {
			take_space(s, p++);
			continue;
		}
		flush(s);
		const char *from = p;
		while (p < end && !is_space(*p)) {
			bool mark = p >= next_mark && opens(text, p);
			p += mark ? skip_quotation(p, end, &next_mark) : 1;
		}
		buf_append_span(s->to, span_between(from, p));
	}
}

void space_put_verbatim(struct space *s, struct span text)
{
	if (text.len) {
		flush(s);
		buf_append_span(s->to, text);
	}
}
