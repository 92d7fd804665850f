#pragma once
/*
 * line - a file's next line, of bounded length.
 */
#include <stdio.h>

#include "base/buf.h"

/*
 * Appends the next line with its end, and without a byte order mark at the file's beginning, to *to, which then has limit bytes
 * at most. 1; 0: there are no more; -EFBIG: it is longer, *to is as it was, and the next call gives the line after it; -EIO.
 */
int line_next(FILE *file, size_t limit, struct buf *to) MUST_CHECK;
