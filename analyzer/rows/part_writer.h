#pragma once
/*
 * part_writer - takes the rows of a part and writes them: as JSON, one a line, or the pairs alone
 * as CSV. One thread.
 */
#include <stdio.h>

#include "analyzer/rows/row_sink.h"
#include "base/buf.h"

struct part_writer { /* zero-initialised but for the first two */
	FILE *to;    /* the caller sees to its errors */
	bool csv;
	struct buf line;
	uint64_t rows; /* so far, without the part's first */
};

void part_writer_begin(struct part_writer *w, const struct part_row *part);
/* What writes each row that it is given; it lives as long as w. */
struct row_sink part_writer_sink(struct part_writer *w);
/* end's number of rows is filled in. */
void part_writer_end(struct part_writer *w, const struct part_end *end);
void part_writer_finish(struct part_writer *w);
