#include "analyzer/report/screen/writer.h"

#include <stdarg.h>
#include <string.h>

#include "analyzer/report/escape.h"
#include "base/terminal.h"
#include "base/utf8.h"

#define CELL_MOST 60 /* columns of a table's cell; the first one may fill its line */
#define SHIFT_MOST 6 /* columns that a cell may be to the right of its own */
#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define INDENT 2 /* of a table */
#define LABEL_COLUMNS ((size_t)15)

/* The marks before and after each element, in a form other than the terminal's. */
struct marks {
	void (*escape)(struct buf *to, const char *text);
	void (*escape_code)(struct buf *to, const char *text);
	const char *title[2], *heading[2], *paragraph[2], *sentence[2];
	const char *labelled[2], *item[2], *lead[2], *command[2], *fold[2], *unfold;
	const char *row[2], *head[2], *head_cell[2], *first_cell[2], *cell[2];
};

static const struct marks MARKDOWN = {
        .escape = escape_markdown,
        .escape_code = escape_markdown_code,
        .title = {"### ", "\n"},
        .heading = {"\n**", "**\n\n"},
        .paragraph = {"\n", "\n"},
        .sentence = {"\n", "\n"},
        .labelled = {"\n**", ":** "},
        .item = {"* ", "\n"},
        .lead = {"**", ":** "},
        .command = {"  ", "\n"},
        .fold = {"\n<details><summary>", "</summary>\n\n"},
        .unfold = "\n</details>\n",
        .row = {"", "|\n"},
        .head = {"\n", "|\n"},
        .head_cell = {"| ", " "},
        .first_cell = {"| ", " "},
        .cell = {"| ", " "},
};

/* An item ends where the next one begins, so that text below an item belongs to it. */
static const struct marks HTML = {
        .escape = escape_xml,
        .escape_code = escape_html_code,
        .title = {"<h2>", "</h2>\n"},
        .heading = {"<h3>", "</h3>\n"},
        .paragraph = {"<p>", "</p>\n"},
        .sentence = {"<p class=\"sentence\">", "</p>\n"},
        .labelled = {"<p class=\"labelled\"><strong>", ":</strong> "},
        .item = {"<li>", "\n"},
        .lead = {"<strong>", ":</strong> "},
        .command = {"<div class=\"command\">", "</div>\n"},
        .fold = {"<details><summary>", "</summary>\n"},
        .unfold = "</details>\n",
        .row = {"<tr>", "</tr>\n"},
        .head = {"<thead><tr>", "</tr></thead>\n"},
        .head_cell = {"<th scope=\"col\">", "</th>"},
        .first_cell = {"<th scope=\"row\">", "</th>"},
        .cell = {"<td>", "</td>"},
};

static bool is_terminal(const struct writer *w)
{
	return w->form == WRITER_TEXT;
}

static const struct marks *marks_of(const struct writer *w)
{
	return w->form == WRITER_HTML ? &HTML : &MARKDOWN;
}

/* Writes the line to the terminal, or appends it to the output if it fits. */
static void end_line(struct writer *w)
{
	w->full |= w->form == WRITER_MARKDOWN && w->marked.len + w->line.len > WRITER_COMMENT;
	if (is_terminal(w)) {
		fwrite(w->line.data, 1, w->line.len, w->to);
	} else if (!w->full) {
		buf_append(&w->marked, w->line.data, w->line.len);
	}
	buf_clear(&w->line);
}

/* Closes the open HTML element unless the new block is of the same kind. */
static void enter(struct writer *w, enum writer_block block)
{
	static const char *const TAGS[][2] = {
	        [WRITER_NO_BLOCK] = {"", ""},
	        [WRITER_LIST] = {"<ul>\n", "</ul>\n"},
	        [WRITER_TABLE] = {"<table>\n", "</table></div>\n"},
	};
	if (w->form == WRITER_HTML && w->block != block) {
		buf_append_str(&w->line, TAGS[w->block][1]);
		if (block == WRITER_TABLE) {
			buf_printf(&w->line,
			        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			        "aria-label=\"Table %zu\">",
			        ++w->n_tables);
		}
		buf_append_str(&w->line, TAGS[block][0]);
		end_line(w);
		w->block = block;
	}
}

void writer_begin(struct writer *w, enum writer_form form, FILE *to)
{
	*w = (struct writer){.form = form,
	        .to = to,
	        .width = terminal_width(fileno(to)),
	        .colours = form == WRITER_TEXT && terminal_has_colours(fileno(to))};
}

void writer_end(struct writer *w)
{
	enter(w, WRITER_NO_BLOCK);
	buf_append_str(&w->marked, w->in_section ? "</section>\n" : "");
	if (w->full) {
		buf_append_str(&w->marked, "\nThis comment is full: more is left out.\n");
	}
	if (w->marked.len > 0) {
		fwrite(w->marked.data, 1, w->marked.len, w->to);
	}
	buf_finish(&w->marked);
	buf_finish(&w->text);
	buf_finish(&w->line);
	for (size_t i = 0; i < WRITER_COLUMNS; i++) {
		buf_finish(&w->cells[i]);
	}
}

struct buf *writer_text(struct writer *w)
{
	buf_clear(&w->text);
	return &w->text;
}

/* Appends at most `limit` columns of text, without control sequences. Returns how many columns. */
static size_t put(struct buf *to, const char *text, size_t limit)
{
	size_t columns = 0;
	for (const char *p = text, *end = p + strlen(p); p < end && columns < limit; columns++) {
		uint32_t code = 0;
		size_t n = utf8_get(p, end, &code);
		bool safe = n > 0 && utf8_is_shown(code);
		buf_append(to, safe ? p : "?", safe ? n : 1);
		p += MAX(n, (size_t)1);
	}
	return columns;
}

/* Ends the line, which has reached `column`, with a text. Further lines are indented by `indent`. */
static void put_wrapped(struct writer *w, const char *text, size_t column, size_t indent)
{
	struct buf shown = {0};
	put(&shown, text, SIZE_MAX);
	terminal_wrap(&w->line, buf_span(&shown), column, indent, w->width);
	buf_append_char(&w->line, '\n');
	buf_finish(&shown);
	end_line(w);
}

static void put_styled(struct writer *w, const char *style, const char *text)
{
	buf_append_str(&w->line, w->colours ? style : "");
	put(&w->line, text, SIZE_MAX);
	buf_append_str(&w->line, w->colours ? PLAIN : "");
}

/* Writes a row of a table: the first cell left-aligned, the others right-aligned. Where cells are
 * wider than their columns, those after them go on the next line, in their columns. */
static void put_row(struct writer *w, const char *const *cells)
{
	size_t last = w->n_columns, at = 0, end = 0; /* columns of the terminal */
	while (last > 0 && !*cells[last - 1]) {
		last--;
	}
	buf_printf(&w->line, "%*s", last ? INDENT : 0, "");
	for (size_t i = 0; i < last; i++) {
		size_t most = i == 0 ? w->width - INDENT : CELL_MOST;
		size_t width = MIN(terminal_columns(span_of(cells[i])), most);
		size_t least = i == 1 ? 2 : 1; /* a label is a text of several words */
		end += w->columns[i].width;
		/* The previous cell may have been too wide. */
		size_t blanks = i == 0 ? 0 : at + width + least <= end ? end - at - width : least;
		bool shifted = i > 0 && at + blanks + width > end + SHIFT_MOST;
		if (shifted || INDENT + at + blanks + width > w->width) {
			buf_printf(&w->line, "\n%*s", INDENT, "");
			at = 0;
			blanks = end > width ? end - width : 0;
		}
		buf_printf(&w->line, "%*s", (int)blanks, "");
		at += blanks + put(&w->line, cells[i], most);
	}
	buf_append_char(&w->line, '\n');
	end_line(w);
}

/* Writes a row of a table that is too wide as an item: "Name; value: 1; n: 2". */
static void put_row_as_item(struct writer *w, const char *const *cells)
{
	struct buf text = {0};
	for (size_t i = 0; i < w->n_columns; i++) {
		const char *head = i > 0 ? w->columns[i].head : "";
		if (*cells[i]) {
			buf_printf(&text, "%s%s%s%s", i > 0 ? "; " : "", head, *head ? ": " : "",
			        cells[i]);
		}
	}
	buf_append_str(&w->line, "  * ");
	put_wrapped(w, buf_cstr(&text), 4, 4);
	buf_finish(&text);
}

static bool is_too_wide(const struct writer *w)
{
	size_t width = INDENT;
	for (size_t i = 0; i < w->n_columns; i++) {
		width += w->columns[i].width;
	}
	return width > w->width;
}

/* A text between two marks. */
static void mark(struct writer *w, const char *const marks[2], const char *text)
{
	buf_append_str(&w->line, marks[0]);
	marks_of(w)->escape(&w->line, text);
	buf_append_str(&w->line, marks[1]);
}

/* above: what precedes it on a terminal. */
static void write_marked(
        struct writer *w, const char *above, const char *const marks[2], const char *text)
{
	if (is_terminal(w)) {
		buf_append_str(&w->line, above);
		put_wrapped(w, text, 0, 0);
	} else {
		enter(w, WRITER_NO_BLOCK);
		mark(w, marks, text);
		end_line(w);
	}
}

void writer_section(struct writer *w, const char *id)
{
	if (w->form == WRITER_HTML) {
		enter(w, WRITER_NO_BLOCK);
		buf_printf(&w->line, "%s<section id=\"%s\">\n", w->in_section ? "</section>\n" : "",
		        id);
		w->in_section = true;
		end_line(w);
	}
}

void writer_title(struct writer *w, const char *text)
{
	write_marked(w, "", marks_of(w)->title, text);
}

static void PRINTF(3, 0) write_formatted(
        struct writer *w, const char *const marks[2], const char *format, va_list args)
{
	struct buf text = {0};
	buf_vprintf(&text, format, args);
	write_marked(w, "\n", marks, buf_cstr(&text));
	buf_finish(&text);
}

void writer_heading(struct writer *w, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs(w->colours ? BOLD : "", w->to);
	write_formatted(w, marks_of(w)->heading, format, args);
	fputs(w->colours ? PLAIN : "", w->to);
	va_end(args);
}

void writer_paragraph(struct writer *w, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_formatted(w, marks_of(w)->paragraph, format, args);
	va_end(args);
}

struct tone {
	const char *name, *sign, *colour;
};

static const struct tone *tone_of(const char *word)
{
	static const char *const GOOD[] = {"SAME", "PASS", "UNCHANGED", NULL};
	static const char *const BAD[] = {"DIFFERENT", "FAIL", "WORSE", NULL};
	static const struct tone TONES[] = {{"good", "&#9989;", "\033[1;32m"},
	        {"bad", "&#10060;", "\033[1;31m"}, {"fair", "&#9898;", "\033[1;33m"}};
	return &TONES[span_is_one_of(span_of(word), GOOD)  ? 0
	              : span_is_one_of(span_of(word), BAD) ? 1
	                                                   : 2];
}

void writer_verdict(struct writer *w, const char *of, const char *word, const char *sentence)
{
	const struct marks *m = marks_of(w);
	const struct tone *tone = tone_of(word);
	bool html = w->form == WRITER_HTML;
	struct buf head = {0};
	buf_printf(&head, "%s%s%s", of, *of ? ": " : "", word);
	if (is_terminal(w)) {
		buf_append_str(&w->line, *of ? "\n" : "");
		put_styled(w, tone->colour, buf_cstr(&head));
		buf_append_str(&w->line, ": ");
		put_wrapped(w, sentence, terminal_columns(buf_span(&head)) + 2, 0);
	} else {
		enter(w, WRITER_NO_BLOCK);
		if (html) {
			buf_printf(&w->line, "<h2 class=\"verdict %s\">", tone->name);
		} else {
			buf_printf(&w->line, "%s %s ", *of ? "\n####" : "###", tone->sign);
		}
		m->escape(&w->line, buf_cstr(&head));
		buf_append_str(&w->line, html ? "</h2>\n" : "\n");
		mark(w, m->sentence, sentence);
		end_line(w);
	}
	buf_finish(&head);
}

void writer_item(struct writer *w, const char *lead, const char *format, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, format);
	if (is_terminal(w)) {
		buf_printf(&text, "%s%s", lead, *lead ? ": " : "");
		buf_vprintf(&text, format, args);
		buf_append_str(&w->line, "  * ");
		put_wrapped(w, buf_cstr(&text), 4, 4);
	} else {
		const struct marks *m = marks_of(w);
		enter(w, WRITER_LIST);
		buf_vprintf(&text, format, args);
		buf_append_str(&w->line, m->item[0]);
		if (*lead) {
			mark(w, m->lead, lead);
		}
		m->escape(&w->line, buf_cstr(&text));
		buf_append_str(&w->line, m->item[1]);
		end_line(w);
	}
	va_end(args);
	buf_finish(&text);
}

void writer_gap(struct writer *w)
{
	if (is_terminal(w)) {
		fputc('\n', w->to);
	}
}

void writer_labelled(struct writer *w, const char *label, const char *format, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	if (is_terminal(w)) {
		put_styled(w, BOLD, label);
		buf_printf(&w->line, "%*s",
		        (int)(LABEL_COLUMNS - MIN(strlen(label), LABEL_COLUMNS)), "");
		put_wrapped(w, buf_cstr(&text), LABEL_COLUMNS, LABEL_COLUMNS);
	} else {
		enter(w, WRITER_NO_BLOCK);
		mark(w, marks_of(w)->labelled, label);
		marks_of(w)->escape(&w->line, buf_cstr(&text));
		buf_append_str(&w->line, w->form == WRITER_HTML ? "</p>\n" : "\n");
		end_line(w);
	}
	buf_finish(&text);
}

void writer_command(struct writer *w, const char *command)
{
	const struct marks *m = marks_of(w);
	if (*command && is_terminal(w)) {
		buf_append_str(&w->line, "    ");
		put(&w->line, command, SIZE_MAX);
		buf_append_char(&w->line, '\n');
	} else if (*command) {
		buf_append_str(&w->line, m->command[0]);
		m->escape_code(&w->line, command);
		buf_append_str(&w->line, m->command[1]);
	}
	end_line(w);
}

void writer_fold(struct writer *w, const char *title)
{
	write_marked(w, "\n", marks_of(w)->fold, title);
	w->folds += !is_terminal(w) && !w->full;
}

void writer_unfold(struct writer *w)
{
	enter(w, WRITER_NO_BLOCK);
	if (w->folds > 0) {
		buf_append_str(&w->marked, marks_of(w)->unfold);
		w->folds--;
	}
}

void writer_table(struct writer *w, const struct writer_column *columns, size_t n)
{
	expect(n <= WRITER_COLUMNS);
	w->columns = columns;
	w->n_columns = n;
	w->rows = 0;
}

static bool is_shown(const struct writer *w, size_t column)
{
	return is_terminal(w) || !w->columns[column].is_chart;
}

static void write_head(struct writer *w)
{
	const struct marks *m = marks_of(w);
	const char *heads[WRITER_COLUMNS];
	for (size_t i = 0; i < w->n_columns; i++) {
		heads[i] = w->columns[i].head;
	}
	if (is_terminal(w)) {
		fputc('\n', w->to);
		if (is_too_wide(w)) {
			put_wrapped(w, heads[0], 0, 0);
		} else {
			put_row(w, heads);
		}
		return;
	}
	enter(w, WRITER_NO_BLOCK);
	enter(w, WRITER_TABLE);
	buf_append_str(&w->line, m->head[0]);
	for (size_t i = 0; i < w->n_columns; i++) {
		if (is_shown(w, i)) {
			mark(w, *heads[i] ? m->head_cell : m->cell, heads[i]);
		}
	}
	buf_append_str(&w->line, m->head[1]);
	for (size_t i = 0; i < w->n_columns && w->form == WRITER_MARKDOWN; i++) {
		buf_append_str(&w->line, !is_shown(w, i) ? "" : i ? "|--:" : "|---");
	}
	buf_append_str(&w->line, w->form == WRITER_MARKDOWN ? "|\n" : "");
}

struct buf *writer_cell(struct writer *w)
{
	expect(w->n_cells < w->n_columns);
	return &w->cells[w->n_cells++];
}

void writer_row(struct writer *w)
{
	const char *cells[WRITER_COLUMNS];
	for (size_t i = 0; i < w->n_columns; i++) {
		cells[i] = w->cells[i].len ? buf_cstr(&w->cells[i]) : "";
	}
	if (w->rows++ == 0) {
		write_head(w);
	}
	if (is_terminal(w) && is_too_wide(w)) {
		put_row_as_item(w, cells);
	} else if (is_terminal(w)) {
		put_row(w, cells);
	} else {
		const struct marks *m = marks_of(w);
		buf_append_str(&w->line, m->row[0]);
		for (size_t i = 0; i < w->n_columns; i++) {
			if (is_shown(w, i)) {
				mark(w, i ? m->cell : m->first_cell, cells[i]);
			}
		}
		buf_append_str(&w->line, m->row[1]);
		end_line(w);
	}
	for (size_t i = 0; i < w->n_columns; i++) {
		buf_clear(&w->cells[i]);
	}
	w->n_cells = 0;
}
