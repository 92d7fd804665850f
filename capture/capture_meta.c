#include "capture/capture_meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_source.h"
#include "capture/marker.h"

int capture_meta(struct capture *c, size_t i, struct meta_row *ret)
{
	struct span value, payload;
	if (i >= c->n_sources) {
		return -ENOENT;
	}
	struct capture_source *s = &c->sources[i];
	if (!s->reader) {
		return -EIO;
	}
	int r = segment_get(s->reader, TABLE_META, SPAN(META_KEY), &value);
	if (r == 0) {
		r = record_unwrap(value, ROW_META, &c->scratch, &payload);
	}
	if (r == 0) {
		r = record_get_meta(payload, ret);
	}
	return r == -ENOENT ? -EBADMSG : r;
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
