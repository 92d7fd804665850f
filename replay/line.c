#include "replay/line.h"

#include <errno.h>
#include <stdbool.h>

#define PIECE 4096

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
		any |= n > 0;
		too_long |= n > limit - to->len;
		if (!too_long) {
			buf_append(to, piece, n);
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
