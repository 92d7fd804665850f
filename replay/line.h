#pragma once
/*
 * line - the next line of a file, of limited length.
 */
#include <stdio.h>

#include "base/buf.h"

/*
 * Appends the next line with its line end to *to, which holds at most `limit` bytes. A byte order
 * mark at the start of the file is skipped. Returns 1; 0 at the end of the file; -EFBIG if the line
 * is longer: *to is unchanged and the next call reads the line after it; or -EIO.
 */
int line_next(FILE *file, size_t limit, struct buf *to) MUST_CHECK;
