/*
 * options_help - what --help prints.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/options.h"
#include "base/terminal.h"

#define WIDTH 80
#define HELP_COLUMN 24

/* Wraps each line of text by itself; one that begins with a blank stays as it is. */
static void put_text(struct buf *to, const char *text, size_t column, size_t indent)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		if (*text == ' ') {
			buf_printf(to, "%.*s\n", (int)len, text);
		} else {
			terminal_wrap(to, (struct span){text, len}, column, indent, WIDTH);
			buf_append_char(to, '\n');
		}
		text += len + (text[len] == '\n');
		column = 0;
	}
}

/* Writes "  -c, --config FILE" and its help on the same line, or below if it is too long. */
static void put_row(struct buf *to, const struct option_row *row)
{
	struct buf left = {0};
	buf_append_str(&left, "  ");
	if (row->letter) {
		buf_printf(&left, "-%c, ", row->letter);
	}
	buf_printf(&left, "%s%s%s%s", row->name ? "--" : "", row->name ? row->name : "",
	        row->name && row->value ? " " : "", row->value ? row->value : "");
	size_t used = terminal_columns(buf_span(&left));
	buf_append_span(to, buf_span(&left));
	buf_finish(&left);
	if (used + 2 > HELP_COLUMN) {
		buf_append_char(to, '\n');
		used = 0;
	}
	buf_printf(to, "%*s", (int)(HELP_COLUMN - used), "");
	put_text(to, row->help, HELP_COLUMN, HELP_COLUMN);
}

/* Writes --help, which is in no table, at the end of the first group. */
static void put_help(struct buf *to, bool *is_put)
{
	static const struct option_row HELP = {"help", 'h', NULL, "print this text"};
	if (!*is_put) {
		put_row(to, &HELP);
		*is_put = true;
	}
}

static void put_rows(struct buf *to, const struct option_row *rows, bool *help_is_put)
{
	for (; rows->help; rows++) {
		const struct option_row *included = rows->make ? rows->make() : rows->rows;
		if (included) {
			put_rows(to, included, help_is_put);
		} else if (!rows->name && !rows->value) { /* a heading */
			put_help(to, help_is_put);
			buf_append_char(to, '\n');
			put_text(to, rows->help, 0, 0);
		} else {
			put_row(to, rows);
		}
	}
}

static void put_lines(struct buf *to, const char *lines, const char *first, const char *next)
{
	for (const char *before = first; *lines; before = next) {
		size_t len = strcspn(lines, "\n");
		buf_printf(to, "%s%.*s\n", before, (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
}

static void flush(struct buf *text, FILE *to)
{
	fputs(buf_cstr(text), to);
	buf_clear(text);
}

void options_help_line(FILE *to, const char *word, const char *help)
{
	struct buf text = {0};
	put_row(&text, &(struct option_row){.value = word, .help = help});
	flush(&text, to);
	buf_finish(&text);
}

void options_help(const struct verb *v, FILE *to)
{
	bool help_is_put = false;
	struct buf text = {0};
	char *usage = xasprintf("usage: plumbline %s ", v->name);
	char *more = xasprintf("       plumbline %s ", v->name);
	put_lines(&text, v->usage, usage, more);
	free(usage);
	free(more);
	buf_append_char(&text, '\n');
	put_text(&text, v->about, 0, 0);
	buf_append_char(&text, '\n');
	put_rows(&text, v->options, &help_is_put);
	put_help(&text, &help_is_put);
	if (v->list) {
		flush(&text, to);
		v->list(to);
	}
	if (v->notes) {
		buf_append_char(&text, '\n');
		put_text(&text, v->notes, 0, 0);
	}
	buf_append_str(&text, "\nexamples:\n");
	put_lines(&text, v->examples, "  ", "  ");
	char *codes = xasprintf("exit codes: %s", v->exit_codes);
	buf_append_char(&text, '\n');
	put_text(&text, codes, 0, 0);
	free(codes);
	flush(&text, to);
	buf_finish(&text);
}
