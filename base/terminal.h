#pragma once
/*
 * terminal - the terminal on which a person reads text: its width, whether it shows colours, and
 * text that fits it. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"

/* Columns: from 60 to 160; 80 if fd is no terminal or the width is not known. */
size_t terminal_width(int fd);
/* False if fd is no terminal, or NO_COLOR is set (https://no-color.org). */
bool terminal_has_colours(int fd);

/* The number of characters of a UTF-8 text; each counts as one column. */
size_t terminal_columns(struct span text);
/* Appends one line, which has no line end, and breaks it between words so that it fits `width`
 * columns. The first line begins at `column`, those after it at `indent`. A word that is too
 * long stays whole, and so does "4.1 %". */
void terminal_wrap(struct buf *to, struct span line, size_t column, size_t indent, size_t width);
/* Writes text. Wraps each line that is wider than terminal_width(), and indents its further lines
 * as its first one. */
void terminal_print(const char *text, FILE *to);
/* As terminal_print(), for a printf() format. */
void terminal_printf(FILE *to, const char *format, ...) PRINTF(2, 3);

/* As terminal_print(), for text that several functions write: they write it to the stream that
 * terminal_begin() returns. terminal_end() prints it, closes the stream and frees the text. */
struct terminal_text {
	FILE *stream;
	char *text;
	size_t len;
};
FILE *terminal_begin(struct terminal_text *t);
void terminal_end(struct terminal_text *t, FILE *to);
