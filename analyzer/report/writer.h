#pragma once
/*
 * writer - what readable forms of a document are made of: headings, paragraphs, lists, commands and
 * tables, on a terminal, as Markdown or as HTML. A terminal's lines are as wide as it is; a file's
 * have 80 columns.
 *
 * All texts may be anybody's: in each form they are shown, and never read as marks or commands.
 * Markdown is a comment of at most WRITER_COMMENT bytes: what does not fit is left out, with all that
 * follows it. HTML is a part of a page: sections without the head and body around them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/check.h"

#define WRITER_COMMENT 60000
#define WRITER_COLUMNS 12 /* of a table */

enum writer_form { WRITER_TEXT, WRITER_MARKDOWN, WRITER_HTML };

/* What is open in HTML, until something of another kind follows. */
enum writer_block { WRITER_NO_BLOCK, WRITER_LIST, WRITER_TABLE };

struct writer_column {
	const char *head;
	size_t width; /* on a terminal */
};

struct writer {
	enum writer_form form;
	FILE *to;
	size_t width; /* columns of a terminal */
	bool colours;
	struct buf marked; /* Markdown or HTML, written at the end */
	struct buf text;   /* see writer_text() */
	struct buf line;   /* under way */
	bool full;         /* something was left out */
	unsigned folds;    /* that are open */
	bool in_section;
	enum writer_block block;
	const struct writer_column *columns; /* of the table under way */
	size_t n_columns, rows;
	struct buf cells[WRITER_COLUMNS]; /* of the row under way */
	size_t n_cells;
};

void writer_begin(struct writer *w, enum writer_form form, FILE *to);
void writer_end(struct writer *w);

/* Begins a section that ends where the next one begins. Only HTML shows it: the page finds it by its id. */
void writer_section(struct writer *w, const char *id);
/* SAME, DIFFERENT or UNCLEAR, or PASS, FAIL or UNDECIDED of a policy; of what ("": the whole); and
 * the sentence that explains it. */
void writer_verdict(struct writer *w, const char *of, const char *word, const char *sentence);
void writer_gap(struct writer *w);                     /* an empty line */
void writer_title(struct writer *w, const char *text); /* of the whole */
void writer_heading(struct writer *w, const char *format, ...) PRINTF(2, 3);
void writer_paragraph(struct writer *w, const char *format, ...) PRINTF(2, 3);
/* Of a list. lead: its beginning, which is marked; or "". */
void writer_item(struct writer *w, const char *lead, const char *format, ...) PRINTF(3, 4);
/* A label and what it names, as of a form. */
void writer_labelled(struct writer *w, const char *label, const char *format, ...) PRINTF(3, 4);
/* Below the item before it; in a line of its own, so that it can be pasted. "": nothing. */
void writer_command(struct writer *w, const char *command);
/* What is folded where that can be; a fold may hold others. */
void writer_fold(struct writer *w, const char *title);
void writer_unfold(struct writer *w);
/* An empty buffer to compose a text in; the writer's, valid until the next call of this function. */
struct buf *writer_text(struct writer *w);

/* The first column stands on the left, all others on the right. columns outlive the table. A table
 * without rows is none. Where it is wider than the terminal, each row becomes an item. */
void writer_table(struct writer *w, const struct writer_column *columns, size_t n);
struct buf *writer_cell(struct writer *w); /* the next one of the row under way, empty */
void writer_row(struct writer *w);         /* ends it */
