#pragma once
/*
 * line_reader - reads a file line by line, with a limit for each line.
 *
 * A line of more than LINE_READER_LIMIT bytes is skipped without being held. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define LINE_READER_LIMIT ((size_t)64 << 20)

struct line_reader {
	FILE *file; /* the caller's */
	char *block;
	size_t at, len; /* of the rest of the block */
	struct buf line;
	uint64_t number; /* number of the last line, from 1 */
	uint64_t offset; /* its first byte, from the start of reading */
	uint64_t passed; /* bytes of all lines so far */
};

void line_reader_init(struct line_reader *l, FILE *file);
/* Returns 1: *ret is the line without trailing white space, valid until the next call; 0: the end;
 * -EFBIG: the line is too long, and the next call reads the one after it; or -EIO. */
int line_reader_next(struct line_reader *l, struct span *ret) MUST_CHECK;
void line_reader_finish(struct line_reader *l);
