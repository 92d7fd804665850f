#include "replay/line.h"

#include <errno.h>
#include <stdbool.h>

#include "base/byte_order_mark.h"

#define PIECE 4096

/* The length of the byte order mark at the beginning of the file. Anywhere else such bytes
 * belong to the text. */
static size_t mark_of(FILE *file, const char *piece, size_t n)
{
	size_t mark = byte_order_mark(piece, n);
	return mark && ftello(file) == (off_t)n ? mark : 0;
}

int line_next(FILE *file, size_t limit, struct buf *to)
{
	char piece[PIECE];
	size_t before = to->len;
	bool any = false, ended = false, too_long = false;
	while (!ended) {
		size_t n = 0;
		int c = 0;
		while (n < PIECE && !ended && (c = getc_unlocked(file)) != EOF) {
			piece[n++] = (char)c;
			ended = c == '\n';
		}
		size_t mark = any ? 0 : mark_of(file, piece, n);
		any |= n > 0;
		too_long |= n - mark > limit - to->len;
		if (!too_long) {
			buf_append(to, piece + mark, n - mark);
		}
		ended |= c == EOF;
	}
	if (ferror(file)) {
		return -EIO;
	}
	if (too_long) {
		to->len = before;
	}
	return too_long ? -EFBIG : any;
}
