#include "capture/salvage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "capture/keyset.h"
#include "capture/marker.h"
#include "capture/derived_rows.h"

#define BATCH_ROWS 256
#define BATCH_BYTES ((size_t)16 << 20)
/* Space kept free in a segment, so that a batch always fits. */
#define MAP_RESERVE (4 * BATCH_BYTES)

struct salvage {
	char *dir;
	struct marker marker;
	size_t map_size;
	struct segment_writer *writer; /* NULL: none open */
	bool in_batch;
	size_t batch_rows, batch_bytes;
	uint64_t commit; /* the last number in the segment's log */
	struct keyset present;
	uint64_t rows;
	struct buf key, scratch;
};

int salvage_create(const char *dir, const char *from, struct salvage **ret, char **ret_error)
{
	struct marker marker;
	int r = marker_read(from, &marker, ret_error);
	if (r < 0) {
		return r;
	}
	struct id *ids = NULL;
	size_t n = 0;
	struct stat st;
	if (stat(dir, &st) == 0 && segment_list(dir, &ids, &n) == 0) {
		free(ids);
		if (n) {
			*ret_error = xasprintf(
			        "%s holds a capture already; name an empty or new directory", dir);
			return -EEXIST;
		}
	}
	struct marker made;
	r = marker_make(dir, marker.hash_key, &made, ret_error);
	if (r < 0) {
		return r;
	}
	struct salvage *s = xcalloc(1, sizeof(*s));
	*s = (struct salvage){.dir = xstrdup(dir), .marker = made, .map_size = SEGMENT_SIZE};
	*ret = s;
	return 0;
}

void salvage_set_segment_size(struct salvage *s, uint64_t size)
{
	expect(size >= SALVAGE_SEGMENT_LEAST);
	s->map_size = (size_t)size;
}

static int begin(struct salvage *s)
{
	if (s->in_batch) {
		return 0;
	}
	bool is_new = !s->writer;
	int r = is_new ? segment_create(s->dir, s->map_size, false, &s->writer) : 0;
	if (r == 0) {
		r = segment_begin(s->writer);
	}
	if (r < 0) {
		return r;
	}
	s->in_batch = true;
	s->batch_rows = s->batch_bytes = 0;
	if (!is_new) {
		return 0;
	}
	s->commit = 0;
	struct meta_row row = {0};
	memcpy(row.hash_key, s->marker.hash_key, sizeof(row.hash_key));
	return derived_rows_put_meta(s->writer, &row);
}

static int seal(struct salvage *s)
{
	struct segment_writer *writer = s->writer;
	s->writer = NULL;
	return segment_seal(writer);
}

static int commit(struct salvage *s)
{
	if (!s->in_batch) {
		return 0;
	}
	s->in_batch = false;
	int r = segment_commit(s->writer);
	if (r == 0 && segment_used(s->writer) > s->map_size - MAP_RESERVE) {
		r = seal(s);
	}
	return r;
}

/* Writes the index rows and the log row of an exchange or a leg. */
static int put_names(struct salvage *s, enum segment_table t, struct span key, struct span value)
{
	struct span payload;
	enum row_kind kind = t == TABLE_LEG ? ROW_LEG : ROW_EXCHANGE;
	int r = record_unwrap(value, kind, &s->scratch, &payload);
	if (r < 0) {
		return r;
	}
	if (t == TABLE_LEG) {
		struct leg_row row;
		r = record_get_leg(payload, &row);
		if (r == 0) {
			r = derived_rows_each_leg_index(
			        &row, &s->key, derived_rows_put_index, s->writer);
			leg_row_finish(&row);
		}
	} else {
		struct exchange_row row;
		r = record_get_exchange(payload, &row);
		if (r == 0) {
			r = derived_rows_each_exchange_index(
			        &row, &s->key, derived_rows_put_index, s->writer);
			exchange_row_finish(&row);
		}
	}
	return r < 0 ? r : derived_rows_put_log(s->writer, &s->key, ++s->commit, kind, key);
}

int salvage_add_row(struct salvage *s, enum segment_table t, struct span key, struct span value)
{
	expect(t == TABLE_EXCHANGE || t == TABLE_LEG || t == TABLE_PART || t == TABLE_META);
	if (!keyset_add(&s->present, (uint8_t)(t + 1), key)) {
		return 0;
	}
	int r = begin(s);
	if (r == 0) {
		r = segment_put(s->writer, t, key, value);
	}
	if (r == 0 && t != TABLE_PART && t != TABLE_META) {
		r = put_names(s, t, key, value);
	}
	if (r < 0) {
		return r;
	}
	s->rows++;
	s->batch_rows++;
	s->batch_bytes += value.len;
	return s->batch_rows < BATCH_ROWS && s->batch_bytes < BATCH_BYTES ? 0 : commit(s);
}

int salvage_end(struct salvage *s)
{
	int r = commit(s);
	if (s->writer) {
		int sealed = seal(s);
		r = r < 0 ? r : sealed;
	}
	return r;
}

uint64_t salvage_rows(const struct salvage *s)
{
	return s->rows;
}

void salvage_destroy(struct salvage *s)
{
	if (!s) {
		return;
	}
	segment_writer_destroy(s->writer);
	keyset_finish(&s->present);
	buf_finish(&s->key);
	buf_finish(&s->scratch);
	free(s->dir);
	free(s);
}
