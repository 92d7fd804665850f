#pragma once
/*
 * line_reader - reads a file line by line. It skips a byte order mark at the beginning of the file,
 * and a line of more than LINE_READER_LIMIT bytes without holding it. One thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define LINE_READER_LIMIT ((size_t)64 << 20)

struct line_reader {
	FILE *file; /* owned by the caller */
	bool whole; /* set after init: lines keep white space and line end at their ends */
	char *block;
	size_t at, len; /* the rest of the block that was not given */
	struct buf line;
	/* number of the current line; 1: the first since line_reader_init() or
	 * line_reader_seek() */
	uint64_t number;
	/* the first byte of this line and of the next one, counted from where reading began; after
	 * line_reader_seek(), from the beginning of the file */
	uint64_t offset, passed;
};

void line_reader_init(struct line_reader *l, FILE *file);
/* Returns 1: *ret is the line without trailing white space (unless `whole`), valid until the next
 * call; 0: the end; -EFBIG: the line is too long (the next call reads the line after it); or
 * -EIO. */
int line_reader_next(struct line_reader *l, struct span *ret) MUST_CHECK;
/* Goes to an offset where a line begins. Returns 0 or -errno. */
int line_reader_seek(struct line_reader *l, uint64_t offset) MUST_CHECK;
void line_reader_finish(struct line_reader *l);
