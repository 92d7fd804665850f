#pragma once
/*
 * line_reader - a file's lines, one after another, each of bounded length.
 *
 * A line of more than LINE_READER_LIMIT bytes is read past without being held. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define LINE_READER_LIMIT ((size_t)64 << 20)

struct line_reader {
	FILE *file; /* the caller's */
	char *block;
	size_t at, len; /* of what is left in it */
	struct buf line;
	uint64_t number; /* of the line that was given last, from 1 */
	uint64_t offset; /* where it begins, from where the reading began */
	uint64_t passed; /* bytes of all lines so far */
};

void line_reader_init(struct line_reader *l, FILE *file);
/* 1: *ret is the line without the space at its end, valid until the next call; 0: there are no more;
 * -EFBIG: it is too long, and the next call gives the one after it; -EIO. */
int line_reader_next(struct line_reader *l, struct span *ret) MUST_CHECK;
void line_reader_finish(struct line_reader *l);
