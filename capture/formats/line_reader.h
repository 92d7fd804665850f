#pragma once
/*
 * line_reader - reads a file line by line. It skips a line of more than LINE_READER_LIMIT bytes
 * without holding it. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define LINE_READER_LIMIT ((size_t)64 << 20)

struct line_reader {
	FILE *file; /* owned by the caller */
	char *block;
	size_t at, len; /* the rest of the block that was not given */
	struct buf line;
	uint64_t number; /* number of the current line; 1 is the first */
	uint64_t offset; /* its first byte, counted from the start of reading */
	uint64_t passed; /* bytes of all lines so far */
};

void line_reader_init(struct line_reader *l, FILE *file);
/* Returns 1: *ret is the line without trailing white space, valid until the next call; 0: the
 * end; -EFBIG: the line is too long (the next call reads the line after it); or -EIO. */
int line_reader_next(struct line_reader *l, struct span *ret) MUST_CHECK;
void line_reader_finish(struct line_reader *l);
