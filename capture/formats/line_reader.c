#include "capture/formats/line_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/byte_order_mark.h"
#include "base/mem.h"

#define BLOCK_SIZE ((size_t)64 << 10)

void line_reader_init(struct line_reader *l, FILE *file)
{
	*l = (struct line_reader){.file = file, .block = xmalloc(BLOCK_SIZE)};
}

/* False: the end, or an error of reading. */
static bool refill(struct line_reader *l)
{
	if (l->at == l->len) {
		l->at = 0;
		l->len = fread(l->block, 1, BLOCK_SIZE, l->file);
		if (l->passed == 0) {
			l->at = l->passed = byte_order_mark(l->block, l->len);
		}
	}
	return l->at < l->len;
}

int line_reader_next(struct line_reader *l, struct span *ret)
{
	bool any = false, ended = false, too_long = false;
	buf_clear(&l->line);
	l->offset = l->passed;
	while (!ended && refill(l)) {
		const char *from = l->block + l->at;
		const char *newline = memchr(from, '\n', l->len - l->at);
		size_t n = newline ? (size_t)(newline - from) + 1 : l->len - l->at;
		any = true;
		ended = newline != NULL;
		too_long |= l->line.len + n > LINE_READER_LIMIT;
		if (!too_long) {
			buf_append(&l->line, from, n);
		}
		l->at += n;
		l->passed += n;
	}
	if (ferror(l->file)) {
		return -EIO;
	}
	if (!any) {
		return 0;
	}
	l->number++;
	if (too_long) {
		buf_trim(&l->line, 0);
		return -EFBIG;
	}
	while (!l->whole && l->line.len && is_space(l->line.data[l->line.len - 1])) {
		l->line.len--;
	}
	*ret = buf_span(&l->line);
	return 1;
}

int line_reader_seek(struct line_reader *l, uint64_t offset)
{
	l->at = l->len = 0;
	l->number = 0;
	l->passed = offset;
	return fseeko(l->file, (off_t)offset, SEEK_SET) < 0 ? -errno : 0;
}

void line_reader_finish(struct line_reader *l)
{
	free(l->block);
	buf_finish(&l->line);
}
