#pragma once
/*
 * part_writer - writes the rows of a part to a file: all rows as JSON, one per line, or only the
 * pairs as CSV. One thread.
 */
#include <stdio.h>

#include "analyzer/rows/row_sink.h"
#include "base/buf.h"

struct part_writer { /* the caller sets the first two members and zero-initialises the others */
	FILE *to;    /* the caller must check it for errors */
	bool csv;
	struct buf line;
	uint64_t rows; /* rows written so far; the part's first row does not count */
};

void part_writer_begin(struct part_writer *w, const struct part_row *part);
/* A sink that writes each row; it lives as long as w. */
struct row_sink part_writer_sink(struct part_writer *w);
/* Writes the last row. Sets its number of rows itself. */
void part_writer_end(struct part_writer *w, const struct part_end *end);
void part_writer_finish(struct part_writer *w);
