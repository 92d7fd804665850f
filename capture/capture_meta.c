#include "capture/capture_meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_source.h"
#include "capture/marker.h"

static int decode(struct capture *c, struct span value, struct meta_row *ret)
{
	struct span payload;
	int r = record_unwrap(value, ROW_META, &c->scratch, &payload);
	if (r == 0) {
		r = record_get_meta(payload, ret);
	}
	return r == -ENOENT ? -EBADMSG : r;
}

static bool is_joined(struct span key)
{
	size_t n = strlen(META_JOINED);
	return key.len > n && memcmp(key.data, META_JOINED, n) == 0;
}

/* Reads meta row number *left of one segment; the segment's own row is number 0. -ENOENT: the
 * segment has fewer rows; *left is reduced by their number. A table that cannot be read on counts as
 * one row. */
static int meta_of(struct capture *c, struct capture_source *s, size_t *left, struct meta_row *ret)
{
	struct span key = SPAN(META_KEY), value;
	int r = s->reader ? segment_get(s->reader, TABLE_META, key, &value) : -EIO;
	if (r == 0 && (*left)-- == 0) {
		return decode(c, value, ret);
	}
	key = SPAN(META_JOINED);
	while ((r == 0 || r == -ENOENT) &&
	        (r = segment_seek(s->reader, TABLE_META, key, true, &key, &value)) == 0 &&
	        is_joined(key)) {
		if ((*left)-- == 0) {
			return decode(c, value, ret);
		}
	}
	bool unreadable = r < 0 && r != -ENOENT;
	return unreadable && (*left)-- == 0 ? r : -ENOENT;
}

int capture_meta(struct capture *c, size_t i, struct meta_row *ret)
{
	int r = -ENOENT;
	for (size_t k = 0; k < c->n_sources && r == -ENOENT; k++) {
		r = meta_of(c, &c->sources[k], &i, ret);
	}
	return r;
}

void meta_joined_key(struct buf *to, struct id segment)
{
	buf_clear(to);
	buf_append_str(to, META_JOINED);
	buf_append_hex(to, segment.bytes, sizeof(segment.bytes));
}

bool capture_hash_key(const char *dir, uint8_t ret[32])
{
	struct marker marker;
	char *error = NULL;
	int r = marker_read(dir, &marker, &error);
	free(error);
	if (r == 0) {
		memcpy(ret, marker.hash_key, sizeof(marker.hash_key));
	}
	return r == 0;
}
