#pragma once
/*
 * writer - writes headings, paragraphs, lists, commands and tables of the readable forms: as text,
 * Markdown or HTML. Lines of text are as wide as the terminal; in a file they have 80 columns.
 *
 * Texts are not trusted: each form shows them literally, never as markup or control sequences.
 * Markdown is for a comment on a pull request, at most about WRITER_COMMENT bytes; the rest is left
 * out. HTML is a part of a page: sections without head and body. "Terminal" means WRITER_TEXT.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/check.h"

#define WRITER_COMMENT 60000 /* bytes */
#define WRITER_COLUMNS 12    /* the most columns of a table */

enum writer_form { WRITER_TEXT, WRITER_MARKDOWN, WRITER_HTML };

/* The kind of HTML element that is open. */
enum writer_block { WRITER_NO_BLOCK, WRITER_LIST, WRITER_TABLE };

struct writer_column {
	const char *head;
	size_t width;  /* columns on a terminal */
	bool is_chart; /* the column draws a chart with characters; only a terminal shows it */
};

struct writer {
	enum writer_form form;
	FILE *to;
	size_t width; /* columns of a line */
	bool colours;
	struct buf marked; /* Markdown or HTML; writer_end() writes it */
	struct buf text;   /* see writer_text() */
	struct buf line;   /* the line that is being made */
	bool full;         /* WRITER_COMMENT was reached, so something was left out */
	unsigned folds;    /* open folds */
	bool in_section;
	size_t n_tables; /* tables so far, for their names in HTML */
	enum writer_block block;
	const struct writer_column *columns; /* columns of the current table */
	size_t n_columns, rows;
	struct buf cells[WRITER_COLUMNS]; /* cells of the current row */
	size_t n_cells;
};

/* Errors of writing remain in `to` (ferror()). */
void writer_begin(struct writer *w, enum writer_form form, FILE *to);
/* Writes what is not written yet, and frees the writer's memory; `to` stays open. */
void writer_end(struct writer *w);

/* In HTML, begins a section, which the page finds by its id. It ends where the next one begins. */
void writer_section(struct writer *w, const char *id);
/* Writes a verdict. word: SAME, DIFFERENT, UNCLEAR; for a policy PASS, FAIL, UNDECIDED; for a
 * comparison of analyses UNCHANGED, CHANGED, WORSE, UNCLEAR. of: what the verdict is about; "":
 * the whole report. sentence: the explanation. */
void writer_verdict(struct writer *w, const char *of, const char *word, const char *sentence);
void writer_gap(struct writer *w);                     /* an empty line; on a terminal only */
void writer_title(struct writer *w, const char *text); /* title of the whole document */
void writer_heading(struct writer *w, const char *format, ...) PRINTF(2, 3);
void writer_paragraph(struct writer *w, const char *format, ...) PRINTF(2, 3);
/* Writes an item of a list. lead: its beginning, which is emphasised; "": none. */
void writer_item(struct writer *w, const char *lead, const char *format, ...) PRINTF(3, 4);
/* Writes a line that begins with a label; on a terminal, texts after labels begin in one column. */
void writer_labelled(struct writer *w, const char *label, const char *format, ...) PRINTF(3, 4);
/* Writes a command below what was written last, on a line of its own so that the user can paste it;
 * nothing if it is "". */
void writer_command(struct writer *w, const char *command);
/* Begins content that the reader can fold; folds may nest. writer_unfold() ends it. A terminal
 * shows title and content. */
void writer_fold(struct writer *w, const char *title);
void writer_unfold(struct writer *w);
/* Returns an empty buffer of the writer, in which the caller can compose a text. Valid until the
 * next call of writer_text(). */
struct buf *writer_text(struct writer *w);

/* Begins a table, which ends at the next call that is not for cells or rows. n: at most
 * WRITER_COLUMNS. The first column is aligned left, the others right. columns must outlive the
 * table. A table without rows is not written. If it is wider than the terminal, each row becomes a
 * list item. */
void writer_table(struct writer *w, const struct writer_column *columns, size_t n);
/* Begins the next cell of the current row. Returns an empty buffer for its text, valid until
 * writer_row(). A row has at most n cells. */
struct buf *writer_cell(struct writer *w);
void writer_row(struct writer *w); /* ends the row */
