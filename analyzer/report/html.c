#include "analyzer/report/html.h"

#include <string.h>

#include "base/check.h"
#include "base/json_write.h"
#include "analyzer/report/html_parts.h"
#include "analyzer/report/page_data.h"

#define PIECE(array, to) fwrite(array, 1, sizeof(array), to)

void html_text(const char *text, FILE *to)
{
	for (const char *p = text ? text : ""; *p; p++) {
		switch (*p) {
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '&':
			fputs("&amp;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		case '\'':
			fputs("&#39;", to);
			break;
		default:
			fputc(*p, to);
			break;
		}
	}
}

/* U+2028 and U+2029 come in pieces, so what has been seen of them is kept. */
struct escaper {
	FILE *to;
	unsigned held; /* of the bytes e2 80 */
};

static void put_byte(struct escaper *e, unsigned char byte)
{
	static const unsigned char LINE[] = {0xe2, 0x80};
	if (e->held == 2 && (byte == 0xa8 || byte == 0xa9)) {
		fputs(byte == 0xa8 ? "\\u2028" : "\\u2029", e->to);
		e->held = 0;
		return;
	}
	if (e->held < 2 && byte == LINE[e->held]) {
		e->held++;
		return;
	}
	fwrite(LINE, 1, e->held, e->to);
	e->held = byte == LINE[0] ? 1 : 0;
	if (e->held) {
		return;
	}
	if (byte == '<' || byte == '>' || byte == '&') {
		fprintf(e->to, "\\u%04x", byte);
	} else {
		fputc(byte, e->to);
	}
}

/* How many bytes there are before one that put_byte() may not leave as it is. */
static size_t plain(const char *bytes, size_t n)
{
	size_t i = 0;
	while (i < n && bytes[i] != '<' && bytes[i] != '>' && bytes[i] != '&' &&
	        bytes[i] != '\xe2') {
		i++;
	}
	return i;
}

static void escape(void *arg, const char *bytes, size_t n)
{
	struct escaper *e = arg;
	for (size_t i = 0; i < n;) {
		size_t as_they_are = e->held ? 0 : plain(bytes + i, n - i);
		fwrite(bytes + i, 1, as_they_are, e->to);
		i += as_they_are;
		if (i < n) {
			put_byte(e, (unsigned char)bytes[i++]);
		}
	}
}

void html_write(const json_t *document, FILE *to)
{
	struct escaper escaper = {.to = to};
	char title[256];
	html_title(document, title, sizeof(title));
	PIECE(PAGE_TO_TITLE, to);
	fputs("plumbline", to);
	html_text(*title ? ": " : "", to);
	html_text(title, to);
	PIECE(PAGE_TO_FALLBACK, to);
	html_fallback(document, to);
	PIECE(PAGE_TO_DOCUMENT, to);
	/* Outside of strings JSON has none of the bytes that are escaped. */
	json_write(document, 0, escape, &escaper);
	PIECE(PAGE_TO_END, to);
}
