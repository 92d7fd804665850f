#include "analyzer/report/lines.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/utf8.h"

/* C0, DEL, C1, and the marks that turn the direction of writing. */
static bool is_harmless(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x202a && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069) && c != 0x2028 && c != 0x2029;
}

/* At most limit columns, a character taken for one; returns how many. */
static size_t put(const char *text, size_t len, size_t limit, FILE *to)
{
	size_t columns = 0;
	for (const char *p = text, *end = text + len; p < end && columns < limit; columns++) {
		uint32_t code = 0;
		size_t n = utf8_get(p, end, &code);
		if (n == 0 || !is_harmless(code)) {
			fputc('?', to);
		} else {
			fwrite(p, 1, n, to);
		}
		p += MAX(n, (size_t)1);
	}
	return columns;
}

static size_t columns_of(const char *text, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	return n;
}

size_t lines_put(const char *text, size_t columns, FILE *to)
{
	return put(text, strlen(text), columns, to);
}

void lines_row(const char *const *cells, const size_t *widths, size_t n, FILE *to)
{
	size_t last = n, at = 0, end = 0; /* columns */
	while (last > 0 && !(cells[last - 1] && *cells[last - 1])) {
		last--;
	}
	fputs(last ? "  " : "", to);
	for (size_t i = 0; i < last; i++) {
		const char *text = cells[i] ? cells[i] : "";
		size_t width = MIN(columns_of(text, strlen(text)), (size_t)LINES_CELL);
		end += widths[i];
		/* What stands before may have been too wide. */
		size_t blanks = i == 0 ? 0 : at + width < end ? end - at - width : 1;
		fprintf(to, "%*s", (int)blanks, "");
		at += blanks + put(text, strlen(text), LINES_CELL, to);
	}
	fputc('\n', to);
}

/* "4.1 %" stays together. */
static size_t word_length(const char *word)
{
	size_t len = strcspn(word, " ");
	while (word[len] == ' ' && word[len + 1] == '%') {
		len += 2 + strcspn(word + len + 2, " ");
	}
	return len;
}

void lines_wrapped(const char *text, const char *first, const char *rest, FILE *to)
{
	size_t column = strlen(first);
	fputs(first, to);
	for (const char *word = text; *word;) {
		size_t len = word_length(word);
		bool begins = word == text;
		if (!begins && column + 1 + columns_of(word, len) > LINES_WIDTH) {
			fprintf(to, "\n%s", rest);
			column = strlen(rest);
		} else if (!begins) {
			fputc(' ', to);
			column++;
		}
		column += put(word, len, SIZE_MAX, to);
		word += len + strspn(word + len, " ");
	}
	fputc('\n', to);
}
