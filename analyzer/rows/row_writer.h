#pragma once
/*
 * row_writer - writes rows as text: JSON, one row per line, or CSV. docs/rows.md describes both.
 * The functions row_... are pure.
 */
#include <stdio.h>

#include "analyzer/rows/row_columns.h"
#include "analyzer/rows/row_sink.h"
#include "base/buf.h"

/* Appends one line with its line end. */
void row_put_json(struct buf *to, const struct row *row);
/* Append one CSV line with its line end: the names of a type's columns, or the values of one row. A
 * sum has a second column for its number of positions. */
void row_put_csv_header(struct buf *to, enum row_type type);
void row_put_csv(struct buf *to, const struct row *row);
/* A hash of the required columns. If is_named is set for the row's type (row_columns.h), the hash
 * identifies the row in its capture. */
uint64_t row_key(const struct row *row);

/* Writes the rows of a part: all as JSON, or only the pairs as CSV. One thread. */
struct part_writer { /* the caller sets the first two members and zero-initialises the others */
	FILE *to;    /* the caller must check it for errors */
	bool csv;
	struct buf line;
	uint64_t rows; /* rows written so far; the part's first row does not count */
};

/* Writes the part's first row; as CSV the names of a pair's columns instead. */
void part_writer_begin(struct part_writer *w, const struct part_row *part);
/* A sink that writes each row; it lives as long as w. */
struct row_sink part_writer_sink(struct part_writer *w);
/* Writes the part's last row; as CSV nothing. end->rows is ignored, since the writer counts. */
void part_writer_end(struct part_writer *w, const struct part_end *end);
/* Frees the writer's memory; leaves `to` open. */
void part_writer_finish(struct part_writer *w);
