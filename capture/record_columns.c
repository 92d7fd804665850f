#include "capture/record_columns.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/mem.h"

/* The keys of a columns map, each a bin: words are little-endian u32, i32 or f32, and lengths go
 * for ends. Lengths and counts are of a byte each if all of a column fit, which its size tells. */
enum column {
	COLUMN_LENGTHS = 1,
	COLUMN_BYTES,
	COLUMN_IDS, /* left out when no token has one */
	COLUMN_LP,
	COLUMN_FLAGS,
	COLUMN_TOP_COUNTS, /* this and what follows are left out when no token has alternatives */
	COLUMN_TOP_LENGTHS,
	COLUMN_TOP_BYTES,
	COLUMN_TOP_IDS,
	COLUMN_TOP_LP,
	N_COLUMNS,
};

static uint32_t last(const uint32_t *ends, uint32_t n)
{
	return n ? ends[n - 1] : 0;
}

static void put_words(
        msgpack_packer *pk, struct buf *scratch, enum column key, const void *words, uint32_t n)
{
	buf_clear(scratch);
	char *to = buf_reserve(scratch, n * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t word;
		memcpy(&word, (const char *)words + i * sizeof(word), sizeof(word));
		word = htole32(word);
		memcpy(to + i * sizeof(word), &word, sizeof(word));
	}
	msgpack_pack_uint8(pk, (uint8_t)key);
	field_put_bytes(pk, to, n * sizeof(uint32_t));
}

static void put_octets(msgpack_packer *pk, enum column key, const void *data, size_t n)
{
	msgpack_pack_uint8(pk, (uint8_t)key);
	field_put_bytes(pk, data, n);
}

static uint32_t length_at(const uint32_t *ends, uint32_t i)
{
	return ends[i] - (i ? ends[i - 1] : 0);
}

static bool fit_bytes(const uint32_t *ends, uint32_t n)
{
	uint32_t longest = 0;
	for (uint32_t i = 0; i < n; i++) {
		longest = MAX(longest, length_at(ends, i));
	}
	return longest <= UINT8_MAX;
}

static void put_lengths(
        msgpack_packer *pk, struct buf *scratch, enum column key, const uint32_t *ends, uint32_t n)
{
	bool narrow = fit_bytes(ends, n);
	buf_clear(scratch);
	char *to = buf_reserve(scratch, n * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t length = length_at(ends, i), word = htole32(length);
		if (narrow) {
			to[i] = (char)length;
		} else {
			memcpy(to + i * sizeof(word), &word, sizeof(word));
		}
	}
	put_octets(pk, key, to, narrow ? n : n * sizeof(uint32_t));
}

static bool has_ids(const int32_t *ids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (ids[i] != -1) {
			return true;
		}
	}
	return false;
}

void record_put_columns(msgpack_packer *pk, const struct columns *c)
{
	uint32_t n = c->n, rows = last(c->top_end, c->n);
	bool ids = has_ids(c->ids, n), top_ids = has_ids(c->top_ids, rows);
	struct buf scratch = {0};
	msgpack_pack_map(pk, 4u + ids + (rows ? 4u + top_ids : 0));
	put_lengths(pk, &scratch, COLUMN_LENGTHS, c->bytes_end, n);
	put_octets(pk, COLUMN_BYTES, c->bytes, last(c->bytes_end, n));
	if (ids) {
		put_words(pk, &scratch, COLUMN_IDS, c->ids, n);
	}
	put_words(pk, &scratch, COLUMN_LP, c->lp, n);
	put_octets(pk, COLUMN_FLAGS, c->flags, n);
	if (rows) {
		put_lengths(pk, &scratch, COLUMN_TOP_COUNTS, c->top_end, n);
		put_lengths(pk, &scratch, COLUMN_TOP_LENGTHS, c->top_bytes_end, rows);
		put_octets(pk, COLUMN_TOP_BYTES, c->top_bytes, last(c->top_bytes_end, rows));
		if (top_ids) {
			put_words(pk, &scratch, COLUMN_TOP_IDS, c->top_ids, rows);
		}
		put_words(pk, &scratch, COLUMN_TOP_LP, c->top_lp, rows);
	}
	buf_finish(&scratch);
}

struct raw_columns {
	struct span columns[N_COLUMNS];
};

static int get_raw_column(void *arg, uint64_t key, const msgpack_object *value)
{
	struct raw_columns *raw = arg;
	return key > 0 && key < N_COLUMNS ? field_get_bytes(value, &raw->columns[key]) : 0;
}

static bool is_words(struct span s, uint32_t n)
{
	return s.len == (size_t)n * sizeof(uint32_t);
}

/* Lengths or counts, narrow or not. */
static bool is_lengths(struct span s, uint32_t n)
{
	return s.len == n || is_words(s, n);
}

uint32_t *record_words(struct span s)
{
	size_t n = s.len / sizeof(uint32_t);
	uint32_t *words = xmalloc(MAX(s.len, sizeof(uint32_t)));
	for (size_t i = 0; i < n; i++) {
		uint32_t word;
		memcpy(&word, s.data + i * sizeof(word), sizeof(word));
		words[i] = le32toh(word);
	}
	return words;
}

#define AT_ONCE 8 /* lengths */

typedef uint8_t octets __attribute__((vector_size(AT_ONCE)));
typedef uint16_t sums __attribute__((vector_size(AT_ONCE * sizeof(uint16_t))));
typedef uint32_t wide_sums __attribute__((vector_size(AT_ONCE * sizeof(uint32_t))));

/* Of n lengths, which are AT_ONCE or some times that; returns the last end. Each step adds up twice as many as
 * the one before. */
CLONED uint64_t add_up(const char *lengths, size_t n, uint32_t *ret)
{
	const sums none = {0};
	uint64_t end = 0;
	for (size_t i = 0; i < n; i += AT_ONCE) {
		octets eight;
		memcpy(&eight, lengths + i, sizeof(eight));
		sums s = __builtin_convertvector(eight, sums);
		s += __builtin_shufflevector(none, s, 7, 8, 9, 10, 11, 12, 13, 14);
		s += __builtin_shufflevector(none, s, 6, 7, 8, 9, 10, 11, 12, 13);
		s += __builtin_shufflevector(none, s, 4, 5, 6, 7, 8, 9, 10, 11);
		wide_sums ends = __builtin_convertvector(s, wide_sums) + (uint32_t)end;
		memcpy(ret + i, &ends, sizeof(ends));
		end += s[AT_ONCE - 1];
	}
	return end;
}

static uint32_t *narrow_ends(struct span s, uint64_t *ret_end)
{
	uint32_t *ends = xmalloc(MAX(s.len, (size_t)1) * sizeof(*ends));
	/* Lengths of a byte do not overflow, however many: whether they are too long is seen at the end. */
	size_t i = s.len - s.len % AT_ONCE;
	uint64_t end = add_up(s.data, i, ends);
	for (; i < s.len; i++) {
		end += (uint8_t)s.data[i];
		ends[i] = (uint32_t)end;
	}
	*ret_end = end;
	return ends;
}

static uint32_t *wide_ends(struct span s, size_t total, uint64_t *ret_end)
{
	uint32_t *words = record_words(s);
	uint64_t end = 0;
	for (size_t i = 0; i < s.len / sizeof(uint32_t) && end <= total; i++) {
		end += words[i];
		words[i] = (uint32_t)end;
	}
	*ret_end = end;
	return words;
}

/* Ends out of n lengths, whose sum must be total. NULL: it is not. */
static uint32_t *copy_ends(struct span s, size_t n, size_t total)
{
	uint64_t end;
	uint32_t *ends = s.len == n ? narrow_ends(s, &end) : wide_ends(s, total, &end);
	if (end != total) {
		free(ends);
		return NULL;
	}
	return ends;
}

static int32_t *copy_ids(struct span s, uint32_t n)
{
	if (s.len) {
		return (int32_t *)record_words(s);
	}
	int32_t *ids = xmalloc(MAX(n, 1u) * sizeof(*ids));
	memset(ids, 0xff, n * sizeof(*ids));
	return ids;
}

static void *copy_octets(struct span s)
{
	return s.len ? xmemdup(s.data, s.len) : xmalloc(1);
}

/* Every array has the length that the others ask for, or the columns are damaged. */
static bool fits(const struct span *raw, size_t *ret_n, size_t *ret_rows)
{
	size_t n = raw[COLUMN_FLAGS].len, rows = raw[COLUMN_TOP_LP].len / sizeof(float);
	*ret_n = n;
	*ret_rows = rows;
	if (n > UINT32_MAX || rows > UINT32_MAX || raw[COLUMN_BYTES].len > UINT32_MAX ||
	        raw[COLUMN_TOP_BYTES].len > UINT32_MAX) {
		return false;
	}
	bool counts = is_lengths(raw[COLUMN_TOP_COUNTS], (uint32_t)n);
	return is_lengths(raw[COLUMN_LENGTHS], (uint32_t)n) &&
	       is_words(raw[COLUMN_LP], (uint32_t)n) &&
	       (raw[COLUMN_IDS].len == 0 || is_words(raw[COLUMN_IDS], (uint32_t)n)) &&
	       (counts || (rows == 0 && raw[COLUMN_TOP_COUNTS].len == 0)) &&
	       is_words(raw[COLUMN_TOP_LP], (uint32_t)rows) &&
	       is_lengths(raw[COLUMN_TOP_LENGTHS], (uint32_t)rows) &&
	       (raw[COLUMN_TOP_IDS].len == 0 || is_words(raw[COLUMN_TOP_IDS], (uint32_t)rows));
}

static uint32_t *copy_top_ends(struct span counts, size_t n, size_t rows)
{
	if (counts.len) {
		return copy_ends(counts, n, rows);
	}
	return xcalloc(MAX(n, (size_t)1), sizeof(uint32_t));
}

int record_get_columns(const msgpack_object *value, struct columns *c)
{
	struct raw_columns all = {0};
	size_t n, rows;
	int r = field_get_map(value, (struct field_table){0}, NULL, get_raw_column, &all);
	const struct span *raw = all.columns;
	if (r < 0 || !fits(raw, &n, &rows)) {
		return -EBADMSG;
	}
	*c = (struct columns){
	        .n = (uint32_t)n,
	        .bytes_end = copy_ends(raw[COLUMN_LENGTHS], n, raw[COLUMN_BYTES].len),
	        .bytes = copy_octets(raw[COLUMN_BYTES]),
	        .ids = copy_ids(raw[COLUMN_IDS], (uint32_t)n),
	        .lp = (float *)(void *)record_words(raw[COLUMN_LP]),
	        .flags = copy_octets(raw[COLUMN_FLAGS]),
	        .top_end = copy_top_ends(raw[COLUMN_TOP_COUNTS], n, rows),
	        .top_bytes_end =
	                copy_ends(raw[COLUMN_TOP_LENGTHS], rows, raw[COLUMN_TOP_BYTES].len),
	        .top_bytes = copy_octets(raw[COLUMN_TOP_BYTES]),
	        .top_ids = copy_ids(raw[COLUMN_TOP_IDS], (uint32_t)rows),
	        .top_lp = (float *)(void *)record_words(raw[COLUMN_TOP_LP]),
	};
	/* On damage the reading's owner finishes what there is. */
	return c->bytes_end && c->top_end && c->top_bytes_end ? 0 : -EBADMSG;
}
