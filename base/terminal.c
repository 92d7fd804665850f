#include "base/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/check.h"

#define DEFAULT_WIDTH 80
#define MIN_WIDTH 60
#define MAX_WIDTH 160

size_t terminal_width(int fd)
{
	struct winsize size = {.ws_col = 0};
	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0) {
		return DEFAULT_WIDTH;
	}
	return MIN(MAX((size_t)size.ws_col, (size_t)MIN_WIDTH), (size_t)MAX_WIDTH);
}

bool terminal_has_colours(int fd)
{
	const char *refused = getenv("NO_COLOR");
	return isatty(fd) && !(refused && *refused);
}

size_t terminal_columns(struct span text)
{
	size_t n = 0;
	for (size_t i = 0; i < text.len; i++) {
		n += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	}
	return n;
}

void terminal_wrap(struct buf *to, struct span line, size_t column, size_t indent, size_t width)
{
	size_t used = column;
	for (size_t at = 0; at < line.len;) {
		size_t end = at;
		/* The number and the sign of a percentage stay together. */
		while (end < line.len &&
		        (line.data[end] != ' ' ||
		                (end + 1 < line.len && line.data[end + 1] == '%'))) {
			end++;
		}
		struct span word = {line.data + at, end - at};
		bool first = at == 0;
		if (!first && used + 1 + terminal_columns(word) > width) {
			buf_printf(to, "\n%*s", (int)indent, "");
			used = indent;
		} else if (!first) {
			buf_append_char(to, ' ');
			used++;
		}
		buf_append_span(to, word);
		used += terminal_columns(word);
		at = end + 1;
	}
}

void terminal_print(const char *text, FILE *to)
{
	size_t width = terminal_width(fileno(to));
	struct buf lines = {0};
	while (*text) {
		struct span line = {text, strcspn(text, "\n")};
		if (terminal_columns(line) > width) {
			size_t indent = strspn(text, " ");
			buf_printf(&lines, "%*s", (int)indent, "");
			line = (struct span){text + indent, line.len - indent};
			terminal_wrap(&lines, line, indent, indent, width);
		} else {
			buf_append_span(&lines, line);
		}
		text = line.data + line.len;
		if (*text) {
			buf_append_char(&lines, *text++);
		}
	}
	fwrite(lines.data, 1, lines.len, to);
	buf_finish(&lines);
}

void terminal_printf(FILE *to, const char *format, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	terminal_print(buf_cstr(&text), to);
	buf_finish(&text);
}

FILE *terminal_begin(struct terminal_text *t)
{
	*t = (struct terminal_text){0};
	t->stream = open_memstream(&t->text, &t->len);
	return t->stream;
}

void terminal_end(struct terminal_text *t, FILE *to)
{
	fclose(t->stream);
	terminal_print(t->text, to);
	free(t->text);
}
