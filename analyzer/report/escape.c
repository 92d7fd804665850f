#include "analyzer/report/escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

static const char REPLACEMENT[] = "\xef\xbf\xbd";

/* c: a printable ASCII character; before and after: its neighbours, '\0' at the ends. */
typedef void (*put_fn)(struct buf *to, char c, char before, char after);

static void escape(struct buf *to, const char *text, put_fn put)
{
	const char *end = text + strnlen(text, ESCAPE_LIMIT);
	char before = ' ';
	while (text < end) {
		uint32_t code = 0;
		size_t n = utf8_get(text, end, &code);
		if (n == 0 && *end && end - text < 4) {
			break; /* the limit cut a character in half */
		}
		if (n == 0 || (!utf8_is_shown(code) && !strchr("\t\n\r", (int)code))) {
			buf_append_str(to, REPLACEMENT);
		} else if (code < 0x20) {
			buf_append_char(to, ' ');
		} else if (n > 1) {
			buf_append(to, text, n);
		} else {
			put(to, *text, before, text[1]);
		}
		before = *text;
		text += MAX(n, (size_t)1);
	}
	if (*end) {
		buf_append_str(to, "\xe2\x80\xa6");
	}
}

/* Whether the character has no meaning in Markdown at this place. */
static bool is_plain(char c, char before, char after)
{
	switch (c) {
	case '.': /* www.example.com would become a link */
		return before != 'w' && before != 'W';
	case ':': /* http://example.com would become a link, and :smile: a picture */
		return after == ' ' || after == '\0';
	case '_':
		return is_alnum(before) && is_alnum(after);
	default:
		return is_alnum(c) || strchr(" ,;%?/='()\"-+", c);
	}
}

/* Adds a zero-width space after '@' and '#', which could otherwise notify a person or link to an
 * issue. */
static void put_markdown(struct buf *to, char c, char before, char after)
{
	if (is_plain(c, before, after)) {
		buf_append_char(to, c);
	} else {
		buf_printf(to, "&#%d;%s", c, c == '@' || c == '#' ? "&#8203;" : "");
	}
}

/* Between <code> tags, where GitHub and GitLab recognise no mentions. */
static void put_code(struct buf *to, char c, char before, char after)
{
	if (is_plain(c, before, after)) {
		buf_append_char(to, c);
	} else {
		buf_printf(to, "&#%d;", c);
	}
}

static void put_xml(struct buf *to, char c, char before, char after)
{
	(void)before;
	(void)after;
	if (strchr("<>&\"'", c)) {
		buf_printf(to, "&#%d;", c);
	} else {
		buf_append_char(to, c);
	}
}

void escape_markdown(struct buf *to, const char *text)
{
	escape(to, text, put_markdown);
}

void escape_markdown_code(struct buf *to, const char *text)
{
	if (*text) {
		buf_append_str(to, "<code>");
		escape(to, text, put_code);
		buf_append_str(to, "</code>");
	}
}

void escape_xml(struct buf *to, const char *text)
{
	escape(to, text, put_xml);
}

void escape_html_code(struct buf *to, const char *text)
{
	buf_append_str(to, "<code>");
	escape_xml(to, text);
	buf_append_str(to, "</code>");
}
