#include "analyzer/report/writer.h"

#include <stdarg.h>
#include <string.h>

#include "analyzer/report/escape.h"
#include "base/utf8.h"

#define WIDTH 80     /* columns of a terminal */
#define CELL_MOST 60 /* columns of a table's cell */

/* A form that is not the terminal: what stands before and after each thing. */
struct marks {
	void (*escape)(struct buf *to, const char *text);
	void (*escape_code)(struct buf *to, const char *text);
	const char *title[2], *heading[2], *paragraph[2], *verdict[2], *verdict_of[2];
	const char *item[2], *lead[2], *command[2], *fold[2], *unfold;
	const char *row[2], *head[2], *head_cell[2], *first_cell[2], *cell[2];
};

static const struct marks MARKDOWN = {
        .escape = escape_markdown,
        .escape_code = escape_markdown_code,
        .title = {"### ", "\n"},
        .heading = {"\n**", "**\n\n"},
        .paragraph = {"\n", "\n"},
        .verdict = {"### ", "\n"},
        .verdict_of = {"\n#### ", "\n"},
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

static void escape_html_code(struct buf *to, const char *text)
{
	buf_append_str(to, "<code>");
	escape_xml(to, text);
	buf_append_str(to, "</code>");
}

/* An item ends where the next one begins: what stands below it belongs to it. */
static const struct marks HTML = {
        .escape = escape_xml,
        .escape_code = escape_html_code,
        .title = {"<h2>", "</h2>\n"},
        .heading = {"<h3>", "</h3>\n"},
        .paragraph = {"<p>", "</p>\n"},
        .verdict = {"<h2>", "</h2>\n"},
        .verdict_of = {"<h2>", "</h2>\n"},
        .item = {"<li>", "\n"},
        .lead = {"<strong>", ":</strong> "},
        .command = {"<div class=\"command\">", "</div>\n"},
        .fold = {"<details><summary>", "</summary>\n"},
        .unfold = "</details>\n",
        .row = {"<tr>", "</tr>\n"},
        .head = {"<tr>", "</tr>\n"},
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

/* The line becomes part of the whole, if it fits. */
static void end_line(struct writer *w)
{
	w->full |= w->form == WRITER_MARKDOWN && w->marked.len + w->line.len > WRITER_COMMENT;
	if (!w->full) {
		buf_append(&w->marked, w->line.data, w->line.len);
	}
	buf_clear(&w->line);
}

/* What is open in HTML is closed, unless it is of the same kind. */
static void enter(struct writer *w, enum writer_block block)
{
	static const char *const TAGS[][2] = {
	        [WRITER_NO_BLOCK] = {"", ""},
	        [WRITER_LIST] = {"<ul>\n", "</ul>\n"},
	        [WRITER_TABLE] = {"<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	                          "aria-label=\"Table\"><table>\n",
	                "</table></div>\n"},
	};
	if (w->form == WRITER_HTML && w->block != block) {
		buf_append_str(&w->line, TAGS[w->block][1]);
		buf_append_str(&w->line, TAGS[block][0]);
		end_line(w);
		w->block = block;
	}
}

void writer_begin(struct writer *w, enum writer_form form, FILE *to)
{
	*w = (struct writer){.form = form, .to = to};
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

/* At most limit columns of text, without what a terminal would obey. Returns how many. */
static size_t put(const char *text, size_t len, size_t limit, FILE *to)
{
	size_t columns = 0;
	for (const char *p = text, *end = text + len; p < end && columns < limit; columns++) {
		uint32_t code = 0;
		size_t n = utf8_get(p, end, &code);
		if (n == 0 || !escape_is_shown(code)) {
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

/* "4.1 %" stays together. */
static size_t word_length(const char *word)
{
	size_t len = strcspn(word, " ");
	while (word[len] == ' ' && word[len + 1] == '%') {
		len += 2 + strcspn(word + len + 2, " ");
	}
	return len;
}

/* Broken between words; the lines after the first begin with rest. */
static void put_wrapped(const char *text, const char *first, const char *rest, FILE *to)
{
	size_t column = strlen(first);
	fputs(first, to);
	for (const char *word = text; *word;) {
		size_t len = word_length(word);
		bool begins = word == text;
		if (!begins && column + 1 + columns_of(word, len) > WIDTH) {
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

/* A row of a table: the first cell on the left, the others on the right of their columns. */
static void put_row(const struct writer *w, const char *const *cells)
{
	size_t last = w->n_columns, at = 0, end = 0; /* columns of the terminal */
	while (last > 0 && !*cells[last - 1]) {
		last--;
	}
	fputs(last ? "  " : "", w->to);
	for (size_t i = 0; i < last; i++) {
		size_t len = strlen(cells[i]);
		size_t width = MIN(columns_of(cells[i], len), (size_t)CELL_MOST);
		end += w->columns[i].width;
		/* What stands before may have been too wide. */
		size_t blanks = i == 0 ? 0 : at + width < end ? end - at - width : 1;
		fprintf(w->to, "%*s", (int)blanks, "");
		at += blanks + put(cells[i], len, CELL_MOST, w->to);
	}
	fputc('\n', w->to);
}

/* A text between two marks. */
static void mark(struct writer *w, const char *const marks[2], const char *text)
{
	buf_append_str(&w->line, marks[0]);
	marks_of(w)->escape(&w->line, text);
	buf_append_str(&w->line, marks[1]);
}

/* above: what stands before it on a terminal. */
static void write_marked(
        struct writer *w, const char *above, const char *const marks[2], const char *text)
{
	if (is_terminal(w)) {
		fputs(above, w->to);
		put_wrapped(text, "", "", w->to);
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

static void write_formatted(
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
	write_formatted(w, marks_of(w)->heading, format, args);
	va_end(args);
}

void writer_paragraph(struct writer *w, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_formatted(w, marks_of(w)->paragraph, format, args);
	va_end(args);
}

static const char *sign_of(const char *word)
{
	return strcmp(word, "SAME") == 0        ? "&#9989;"
	       : strcmp(word, "DIFFERENT") == 0 ? "&#10060;"
	                                        : "&#9898;";
}

void writer_verdict(struct writer *w, const char *of, const char *word, const char *sentence)
{
	const struct marks *m = marks_of(w);
	struct buf head = {0};
	buf_printf(&head, "%s%s%s", of, *of ? ": " : "", word);
	if (is_terminal(w)) {
		fputs(*of ? "\n" : "", w->to);
		put_wrapped(buf_cstr(&head), "", "", w->to);
		put_wrapped(sentence, "", "", w->to);
	} else {
		const char *const *marks = *of ? m->verdict_of : m->verdict;
		enter(w, WRITER_NO_BLOCK);
		buf_printf(&w->line, "%s%s ", marks[0], sign_of(word));
		m->escape(&w->line, buf_cstr(&head));
		buf_append_str(&w->line, marks[1]);
		mark(w, m->paragraph, sentence);
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
		put_wrapped(buf_cstr(&text), "  * ", "    ", w->to);
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

void writer_command(struct writer *w, const char *command)
{
	const struct marks *m = marks_of(w);
	if (*command && is_terminal(w)) {
		fputs("    ", w->to);
		put(command, strlen(command), SIZE_MAX, w->to);
		fputc('\n', w->to);
	} else if (*command) {
		buf_append_str(&w->line, m->command[0]);
		m->escape_code(&w->line, command);
		buf_append_str(&w->line, m->command[1]);
		end_line(w);
	}
}

void writer_fold(struct writer *w, const char *title)
{
	write_marked(w, "\n", marks_of(w)->fold, title);
	w->folded = !is_terminal(w) && !w->full;
}

void writer_unfold(struct writer *w)
{
	enter(w, WRITER_NO_BLOCK);
	buf_append_str(&w->marked, w->folded ? marks_of(w)->unfold : "");
	w->folded = false;
}

void writer_table(struct writer *w, const struct writer_column *columns, size_t n)
{
	expect(n <= WRITER_COLUMNS);
	w->columns = columns;
	w->n_columns = n;
	w->rows = 0;
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
		put_row(w, heads);
		return;
	}
	enter(w, WRITER_NO_BLOCK);
	enter(w, WRITER_TABLE);
	buf_append_str(&w->line, m->head[0]);
	for (size_t i = 0; i < w->n_columns; i++) {
		mark(w, m->head_cell, heads[i]);
	}
	buf_append_str(&w->line, m->head[1]);
	for (size_t i = 0; i < w->n_columns && w->form == WRITER_MARKDOWN; i++) {
		buf_append_str(&w->line, i ? "|--:" : "|---");
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
	if (is_terminal(w)) {
		put_row(w, cells);
	} else {
		const struct marks *m = marks_of(w);
		buf_append_str(&w->line, m->row[0]);
		for (size_t i = 0; i < w->n_columns; i++) {
			mark(w, i ? m->cell : m->first_cell, cells[i]);
		}
		buf_append_str(&w->line, m->row[1]);
		end_line(w);
	}
	for (size_t i = 0; i < w->n_columns; i++) {
		buf_clear(&w->cells[i]);
	}
	w->n_cells = 0;
}
