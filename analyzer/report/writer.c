#include "analyzer/report/writer.h"

#include <stdarg.h>
#include <string.h>

#include "analyzer/report/escape.h"
#include "base/utf8.h"

#define WIDTH 80     /* columns of a terminal */
#define CELL_MOST 60 /* columns of a table's cell */

void writer_begin(struct writer *w, enum writer_form form, FILE *to)
{
	*w = (struct writer){.form = form, .to = to};
}

void writer_end(struct writer *w)
{
	if (w->full) {
		buf_append_str(&w->markdown, "\nThis comment is full: more is left out.\n");
	}
	if (w->markdown.len > 0) {
		fwrite(w->markdown.data, 1, w->markdown.len, w->to);
	}
	buf_finish(&w->markdown);
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

static bool is_terminal(const struct writer *w)
{
	return w->form == WRITER_TEXT;
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

/* The line becomes part of the comment, if it fits. */
static void end_line(struct writer *w)
{
	w->full |= w->markdown.len + w->line.len > WRITER_COMMENT;
	if (!w->full) {
		buf_append(&w->markdown, w->line.data, w->line.len);
	}
	buf_clear(&w->line);
}

/* A text between two marks of Markdown. */
static void mark(struct writer *w, const char *before, const char *text, const char *after)
{
	buf_append_str(&w->line, before);
	escape_markdown(&w->line, text);
	buf_append_str(&w->line, after);
}

/* above: what stands before it on a terminal. */
static void write_marked(struct writer *w, const char *above, const char *before, const char *text,
        const char *after)
{
	if (is_terminal(w)) {
		fputs(above, w->to);
		put_wrapped(text, "", "", w->to);
	} else {
		mark(w, before, text, after);
		end_line(w);
	}
}

void writer_title(struct writer *w, const char *text)
{
	write_marked(w, "", "### ", text, "\n");
}

void writer_heading(struct writer *w, const char *format, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	write_marked(w, "\n", "\n**", buf_cstr(&text), "**\n\n");
	buf_finish(&text);
}

void writer_paragraph(struct writer *w, const char *format, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	write_marked(w, "\n", "\n", buf_cstr(&text), "\n");
	buf_finish(&text);
}

static const char *sign_of(const char *word)
{
	return strcmp(word, "SAME") == 0        ? "&#9989;"
	       : strcmp(word, "DIFFERENT") == 0 ? "&#10060;"
	                                        : "&#9898;";
}

void writer_verdict(struct writer *w, const char *of, const char *word, const char *sentence)
{
	if (is_terminal(w)) {
		struct buf head = {0};
		buf_printf(&head, "%s%s%s", of, *of ? ": " : "", word);
		fputs(*of ? "\n" : "", w->to);
		put_wrapped(buf_cstr(&head), "", "", w->to);
		put_wrapped(sentence, "", "", w->to);
		buf_finish(&head);
	} else {
		buf_printf(&w->line, "%s%s ", *of ? "\n#### " : "### ", sign_of(word));
		mark(w, "", of, *of ? ": " : "");
		buf_append_str(&w->line, word);
		mark(w, "\n\n", sentence, "\n");
		end_line(w);
	}
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
		buf_vprintf(&text, format, args);
		mark(w, *lead ? "* **" : "* ", lead, *lead ? ":** " : "");
		mark(w, "", buf_cstr(&text), "\n");
		end_line(w);
	}
	va_end(args);
	buf_finish(&text);
}

void writer_command(struct writer *w, const char *command)
{
	if (*command && is_terminal(w)) {
		fputs("    ", w->to);
		put(command, strlen(command), SIZE_MAX, w->to);
		fputc('\n', w->to);
	} else if (*command) {
		buf_append_str(&w->line, "  ");
		escape_markdown_code(&w->line, command);
		buf_append_char(&w->line, '\n');
		end_line(w);
	}
}

void writer_fold(struct writer *w, const char *title)
{
	write_marked(w, "\n", "\n<details><summary>", title, "</summary>\n\n");
	w->folded = !is_terminal(w) && !w->full;
}

void writer_unfold(struct writer *w)
{
	buf_append_str(&w->markdown, w->folded ? "\n</details>\n" : "");
	w->folded = false;
}

void writer_table(struct writer *w, const struct writer_column *columns, size_t n)
{
	expect(n <= WRITER_COLUMNS);
	w->columns = columns;
	w->n_columns = n;
	w->rows = 0;
}

static void mark_row(struct writer *w, const char *const *cells)
{
	for (size_t i = 0; i < w->n_columns; i++) {
		mark(w, "| ", cells[i], " ");
	}
	buf_append_str(&w->line, "|\n");
}

static void write_head(struct writer *w)
{
	const char *heads[WRITER_COLUMNS];
	for (size_t i = 0; i < w->n_columns; i++) {
		heads[i] = w->columns[i].head;
	}
	if (is_terminal(w)) {
		fputc('\n', w->to);
		put_row(w, heads);
		return;
	}
	buf_append_char(&w->line, '\n');
	mark_row(w, heads);
	for (size_t i = 0; i < w->n_columns; i++) {
		buf_append_str(&w->line, i ? "|--:" : "|---");
	}
	buf_append_str(&w->line, "|\n");
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
		mark_row(w, cells);
		end_line(w);
	}
	for (size_t i = 0; i < w->n_columns; i++) {
		buf_clear(&w->cells[i]);
	}
	w->n_cells = 0;
}
