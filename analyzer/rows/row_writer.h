#pragma once
/*
 * row_writer - writes rows as text: JSON, one row a line, or CSV. docs/rows.md describes both.
 * Pure.
 */
#include "analyzer/rows/row_columns.h"
#include "base/buf.h"

/* Appends one line with its line end. */
void row_put_json(struct buf *to, const struct row *row);
/* Append the names of a type's columns, or the values of one row. A sum has a second column for
 * its number of positions. */
void row_put_csv_header(struct buf *to, enum row_type type);
void row_put_csv(struct buf *to, const struct row *row);
/* A hash of the required columns. If the row's table has is_named set, the hash identifies the
 * row in its capture. */
uint64_t row_key(const struct row *row);
