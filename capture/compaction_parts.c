#include "capture/compaction_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/mem.h"
#include "capture/row_name.h"

#define OWNER_SIZE 16
#define PIECE_SIZE ((size_t)1 << 20) /* bytes packed at a time; this bounds the memory used */
#define PACKED_MIN 512               /* a shorter payload is never packed */

static void add(struct owned_parts *p, struct span key, struct span value)
{
	p->items = grow(p->items, p->n, &p->room, sizeof(*p->items));
	p->items[p->n] = (struct part_value){
	        .type = (enum part_type)(uint8_t)key.data[OWNER_SIZE],
	        .order = p->n,
	        .key = key,
	        .value = value,
	};
	p->n++;
}

static int read_from(struct owned_parts *p, struct segment_reader *reader)
{
	struct span key = {(const char *)p->owner.bytes, OWNER_SIZE}, value;
	int r;
	while ((r = segment_seek(reader, TABLE_PART, key, true, &key, &value)) == 0 &&
	        key.len == PART_KEY_SIZE && memcmp(key.data, p->owner.bytes, OWNER_SIZE) == 0) {
		add(p, key, value);
	}
	return r == -ENOENT ? 0 : r;
}

static int by_type(const void *a, const void *b)
{
	const struct part_value *x = a, *y = b;
	return x->type != y->type    ? (x->type > y->type) - (x->type < y->type)
	       : x->order > y->order ? 1
	                             : -(x->order < y->order);
}

static int read_range(struct segment_reader *reader, struct owner_range *ret)
{
	struct span key, value;
	int r = segment_seek(reader, TABLE_PART, (struct span){0}, false, &key, &value);
	if (r == 0 && key.len >= OWNER_SIZE) {
		memcpy(ret->least.bytes, key.data, OWNER_SIZE);
		r = segment_last(reader, TABLE_PART, &key, &value);
	}
	if (r == 0 && key.len >= OWNER_SIZE) {
		memcpy(ret->greatest.bytes, key.data, OWNER_SIZE);
		ret->any = true;
	}
	ret->known = r == 0 || r == -ENOENT;
	return r == -ENOENT ? 0 : r;
}

/* 1: the segment may have parts of the owner; 0: it has none. Ids and segments are both ordered
 * by time, so that nearly all segments have none. */
static int may_have(struct owned_parts *p, struct segment_reader *reader, struct owner_range *range)
{
	int r = !reader || range->known ? 0 : read_range(reader, range);
	if (r < 0) {
		return r;
	}
	return range->any && memcmp(p->owner.bytes, range->least.bytes, OWNER_SIZE) >= 0 &&
	       memcmp(p->owner.bytes, range->greatest.bytes, OWNER_SIZE) <= 0;
}

int owned_parts_read(
        struct owned_parts *p, struct id owner, const struct capture_source *sources, size_t n)
{
	int r = 0;
	p->owner = owner;
	p->n = 0;
	if (n > p->n_ranges) {
		p->ranges = xrealloc(p->ranges, n * sizeof(*p->ranges));
		memset(&p->ranges[p->n_ranges], 0, (n - p->n_ranges) * sizeof(*p->ranges));
		p->n_ranges = n;
	}
	for (size_t i = 0; i < n && r >= 0; i++) {
		r = may_have(p, sources[i].reader, &p->ranges[i]);
		r = r > 0 ? read_from(p, sources[i].reader) : r;
	}
	if (p->n) {
		qsort(p->items, p->n, sizeof(*p->items), by_type);
	}
	return r;
}

int owned_parts_gather(struct owned_parts *p, enum part_type type, struct buf *to)
{
	bool any = false;
	for (size_t i = 0; i < p->n; i++) {
		struct span payload;
		if (p->items[i].type != type) {
			continue;
		}
		int r = record_unwrap(p->items[i].value, ROW_PART, &p->scratch, &payload);
		if (r < 0) {
			return r;
		}
		buf_append_span(to, payload);
		any = true;
	}
	return any ? 0 : -ENOENT;
}

/* Writes the values of one piece. */
static int put_piece(struct owned_parts *p, struct salvage *to, enum part_type type, uint32_t piece)
{
	size_t at = 0;
	int r = 0;
	for (uint32_t cut = 0; at < p->values.len && r == 0; cut++) {
		struct span rest = {p->values.data + at, p->values.len - at};
		struct span value = {rest.data, record_stored_size(rest)};
		segment_key_part(&p->key, p->owner, (uint8_t)type, piece << PART_PIECE_SHIFT | cut);
		r = salvage_add_row(to, TABLE_PART, buf_span(&p->key), value);
		at += value.len;
	}
	buf_clear(&p->values);
	return r;
}

int owned_parts_put_new(struct owned_parts *p, struct salvage *to, enum part_type type,
        struct span bytes, enum record_packing packing)
{
	int r = 0;
	for (uint32_t piece = 0; bytes.len && r == 0; piece++) {
		size_t n = MIN(bytes.len, PIECE_SIZE);
		record_wrap_part(&p->values, (struct span){bytes.data, n}, packing);
		r = put_piece(p, to, type, piece);
		bytes = (struct span){bytes.data + n, bytes.len - n};
	}
	return r;
}

/* Whether any of these values is stored unpacked and is long enough to be packed. */
static bool is_raw(struct owned_parts *p, const struct part_value *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct span payload, value = items[i].value;
		if (value.len >= RECORD_ENVELOPE_SIZE + PACKED_MIN &&
		        record_unwrap(value, ROW_PART, &p->scratch, &payload) == 0 &&
		        payload.data == value.data + RECORD_ENVELOPE_SIZE) {
			return true;
		}
	}
	return false;
}

static int copy_values(const struct part_value *items, size_t n, struct salvage *to)
{
	int r = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = salvage_add_row(to, TABLE_PART, items[i].key, items[i].value);
	}
	return r;
}

/* Writes all values of one type, each piece packed separately. */
static int put_packed(
        struct owned_parts *p, const struct part_value *items, size_t n, struct salvage *to)
{
	enum part_type type = items[0].type;
	enum record_packing packing = type == PART_READING ? RECORD_QUICK : RECORD_SMALL;
	uint32_t piece = 0;
	int r = 0;
	buf_clear(&p->bytes);
	for (size_t i = 0; i < n && r == 0; i++) {
		struct span payload;
		r = record_unwrap(items[i].value, ROW_PART, &p->scratch, &payload);
		if (r < 0) {
			break;
		}
		buf_append_span(&p->bytes, payload);
		if (p->bytes.len >= PIECE_SIZE || i + 1 == n) {
			record_wrap_part(&p->values, buf_span(&p->bytes), packing);
			buf_clear(&p->bytes);
			r = put_piece(p, to, type, piece++);
		}
	}
	return r;
}

int owned_parts_put(
        struct owned_parts *p, struct salvage *to, enum part_type without, uint64_t *packed)
{
	int r = 0;
	for (size_t i = 0, n; i < p->n && r == 0; i += n) {
		const struct part_value *items = &p->items[i];
		for (n = 1; i + n < p->n && items[n].type == items[0].type; n++) {
		}
		if (items[0].type == without) {
			continue;
		}
		bool raw = is_raw(p, items, n);
		r = raw ? put_packed(p, items, n, to) : copy_values(items, n, to);
		*packed += raw;
	}
	return r;
}

void owned_parts_finish(struct owned_parts *p)
{
	free(p->items);
	free(p->ranges);
	buf_finish(&p->scratch);
	buf_finish(&p->key);
	buf_finish(&p->bytes);
	buf_finish(&p->values);
}
