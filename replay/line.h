#pragma once
/*
 * line - the next line of a file, of limited length.
 */
#include <stdio.h>

#include "base/buf.h"

/*
 * Appends the next line with its line end to *to, which must not exceed `limit` bytes. Skips a byte
 * order mark at the start of the file. Returns 1; 0 at the end of the file; -EFBIG if the line is
 * too long (*to is then unchanged, and the next call reads the next line); -EIO.
 */
int line_next(FILE *file, size_t limit, struct buf *to) MUST_CHECK;
