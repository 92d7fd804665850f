#include "analyzer/report/writer.h"

#include <string.h>

#include "analyzer/report/escape.h"
#include "analyzer/report/lines.h"

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
	buf_finish(&w->piece);
	for (size_t i = 0; i < WRITER_COLUMNS; i++) {
		buf_finish(&w->cells[i]);
	}
}

static bool is_text(const struct writer *w)
{
	return w->form == WRITER_TEXT;
}

static void put(struct writer *w, const char *text)
{
	buf_append_str(&w->piece, text);
}

static void put_escaped(struct writer *w, const char *text)
{
	escape_markdown(&w->piece, text);
}

/* What was put becomes part of the comment, if it fits. */
static void end_piece(struct writer *w)
{
	w->full |= w->markdown.len + w->piece.len > WRITER_COMMENT;
	if (!w->full) {
		buf_append(&w->markdown, w->piece.data, w->piece.len);
	}
	buf_clear(&w->piece);
}

void writer_title(struct writer *w, const char *text)
{
	if (is_text(w)) {
		lines_wrapped(text, "", "", w->to);
	} else {
		put(w, "### ");
		put_escaped(w, text);
		put(w, "\n");
		end_piece(w);
	}
}

static const char *mark_of(const char *word)
{
	return strcmp(word, "SAME") == 0        ? "&#9989;"
	       : strcmp(word, "DIFFERENT") == 0 ? "&#10060;"
	                                        : "&#9898;";
}

void writer_verdict(struct writer *w, const char *of, const char *word, const char *sentence)
{
	if (is_text(w)) {
		struct buf head = {0};
		buf_printf(&head, "%s%s%s", of, *of ? ": " : "", word);
		fputs(*of ? "\n" : "", w->to);
		lines_wrapped(buf_cstr(&head), "", "", w->to);
		lines_wrapped(sentence, "", "", w->to);
		buf_finish(&head);
	} else {
		put(w, *of ? "\n#### " : "### ");
		put(w, mark_of(word));
		put(w, " ");
		put_escaped(w, of);
		buf_printf(&w->piece, "%s%s\n\n", *of ? ": " : "", word);
		put_escaped(w, sentence);
		put(w, "\n");
		end_piece(w);
	}
}

void writer_heading(struct writer *w, const char *text)
{
	if (is_text(w)) {
		fputc('\n', w->to);
		lines_wrapped(text, "", "", w->to);
	} else {
		put(w, "\n**");
		put_escaped(w, text);
		put(w, "**\n\n");
		end_piece(w);
	}
}

void writer_paragraph(struct writer *w, const char *text)
{
	if (is_text(w)) {
		fputc('\n', w->to);
		lines_wrapped(text, "", "", w->to);
	} else {
		put(w, "\n");
		put_escaped(w, text);
		put(w, "\n");
		end_piece(w);
	}
}

void writer_item(struct writer *w, const char *lead, const char *text)
{
	if (is_text(w)) {
		struct buf line = {0};
		buf_printf(&line, "%s%s%s", lead, *lead ? ": " : "", text);
		lines_wrapped(buf_cstr(&line), "  * ", "    ", w->to);
		buf_finish(&line);
	} else {
		put(w, "* ");
		if (*lead) {
			put(w, "**");
			put_escaped(w, lead);
			put(w, ":** ");
		}
		put_escaped(w, text);
		put(w, "\n");
		end_piece(w);
	}
}

void writer_command(struct writer *w, const char *command)
{
	if (*command && is_text(w)) {
		fputs("    ", w->to);
		lines_put(command, SIZE_MAX, w->to);
		fputc('\n', w->to);
	} else if (*command) {
		put(w, "  ");
		escape_markdown_code(&w->piece, command);
		put(w, "\n");
		end_piece(w);
	}
}

void writer_fold(struct writer *w, const char *title)
{
	if (is_text(w)) {
		writer_heading(w, title);
	} else {
		put(w, "\n<details><summary>");
		put_escaped(w, title);
		put(w, "</summary>\n\n");
		end_piece(w);
		w->folded = !w->full;
	}
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

static void write_line(struct writer *w, const char *const *cells)
{
	size_t widths[WRITER_COLUMNS];
	for (size_t i = 0; i < w->n_columns; i++) {
		widths[i] = w->columns[i].width;
	}
	lines_row(cells, widths, w->n_columns, w->to);
}

static void put_line(struct writer *w, const char *const *cells)
{
	for (size_t i = 0; i < w->n_columns; i++) {
		put(w, "| ");
		put_escaped(w, cells[i]);
		put(w, " ");
	}
	put(w, "|\n");
}

static void write_head(struct writer *w)
{
	const char *heads[WRITER_COLUMNS];
	for (size_t i = 0; i < w->n_columns; i++) {
		heads[i] = w->columns[i].head;
	}
	if (is_text(w)) {
		fputc('\n', w->to);
		write_line(w, heads);
		return;
	}
	put(w, "\n");
	put_line(w, heads);
	for (size_t i = 0; i < w->n_columns; i++) {
		put(w, i ? "|--:" : "|---");
	}
	put(w, "|\n");
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
	if (is_text(w)) {
		write_line(w, cells);
	} else {
		put_line(w, cells);
		end_piece(w);
	}
	for (size_t i = 0; i < w->n_columns; i++) {
		buf_clear(&w->cells[i]);
	}
	w->n_cells = 0;
}
