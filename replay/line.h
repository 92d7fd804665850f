#pragma once
/*
 * line - the next line of a file, of limited length.
 */
#include <stdio.h>

#include "base/buf.h"

/*
 * Appends the next line with its line end to *to. Skips a byte order mark at the start of the file.
 * *to, including what it had before, must not exceed `limit` bytes. Returns:
 *
 *	1       a line was appended
 *	0       the file has no further line
 *	-EFBIG  the line is too long; *to is unchanged, and the next call reads the next line
 *	-EIO    reading failed; *to may have a part of the line
 */
int line_next(FILE *file, size_t limit, struct buf *to) MUST_CHECK;
