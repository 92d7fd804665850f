#include "capture/record_columns.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

/* The keys of a columns map. Each value is a bin of little-endian u32, i32 or f32 words. Lengths
 * are stored in place of end offsets. If all lengths or counts of a column fit in a byte, they
 * are stored as bytes. If all such bytes, or all flags, are equal, one of them is stored. The
 * size of the bin tells which form was used. */
enum column {
	COLUMN_LENGTHS = 1,
	COLUMN_BYTES, /* omitted if equal to the text's bytes */
	COLUMN_IDS,   /* omitted if no token has an id */
	COLUMN_LP,
	COLUMN_FLAGS,
	COLUMN_TOP_COUNTS, /* this and the following are omitted if no token has alternatives */
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

/* Writes entries of one byte each; if all are equal, writes one of them. */
static void put_entries(msgpack_packer *pk, enum column key, const void *data, size_t n)
{
	bool same = n > 1 && memcmp(data, (const char *)data + 1, n - 1) == 0;
	put_octets(pk, key, data, same ? 1 : n);
}

static uint32_t length_at(const uint32_t *ends, uint32_t i)
{
	return ends[i] - (i ? ends[i - 1] : 0);
}

static void put_lengths(
        msgpack_packer *pk, struct buf *scratch, enum column key, const uint32_t *ends, uint32_t n)
{
	uint32_t longest = 0;
	for (uint32_t i = 0; i < n; i++) {
		longest = MAX(longest, length_at(ends, i));
	}
	bool narrow = longest <= UINT8_MAX;
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
	if (narrow) {
		put_entries(pk, key, to, n);
	} else {
		put_octets(pk, key, to, n * sizeof(uint32_t));
	}
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

void record_put_columns(msgpack_packer *pk, const struct columns *c, struct span text)
{
	uint32_t n = c->n, rows = last(c->top_end, c->n);
	const struct span bytes = {c->bytes, last(c->bytes_end, n)};
	bool same_bytes = span_equal(bytes, text);
	bool ids = has_ids(c->ids, n), top_ids = has_ids(c->top_ids, rows);
	struct buf scratch = {0};
	msgpack_pack_map(pk, 3u + !same_bytes + ids + (rows ? 4u + top_ids : 0));
	put_lengths(pk, &scratch, COLUMN_LENGTHS, c->bytes_end, n);
	if (!same_bytes) {
		put_octets(pk, COLUMN_BYTES, bytes.data, bytes.len);
	}
	if (ids) {
		put_words(pk, &scratch, COLUMN_IDS, c->ids, n);
	}
	put_words(pk, &scratch, COLUMN_LP, c->lp, n);
	put_entries(pk, COLUMN_FLAGS, c->flags, n);
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

static int get_raw_column(void *arg, uint64_t key, struct packed *value)
{
	struct raw_columns *raw = arg;
	bool known = key > 0 && key < N_COLUMNS;
	return known ? field_get_bytes(value, &raw->columns[key]) : field_skip(value);
}

static bool is_words(struct span s, uint32_t n)
{
	return s.len == (size_t)n * sizeof(uint32_t);
}

static bool is_entries(struct span s, uint32_t n)
{
	return s.len == n || (s.len == 1 && n > 0);
}

/* Whether the bin holds n lengths or counts, as bytes or as words. */
static bool is_lengths(struct span s, uint32_t n)
{
	return is_entries(s, n) || is_words(s, n);
}

/* The compiler turns this into one memcpy() if the host is little-endian. */
static void copy_words(uint32_t *restrict to, struct span s)
{
	for (size_t i = 0; i < s.len / sizeof(*to); i++) {
		uint32_t word;
		memcpy(&word, s.data + i * sizeof(word), sizeof(word));
		to[i] = le32toh(word);
	}
}

uint32_t *record_words(struct arena *a, struct span s)
{
	uint32_t *words = arena_alloc(a, s.len);
	copy_words(words, s);
	return words;
}

/* Converts n lengths to end offsets. False: their sum is not total. */
static bool put_ends(uint32_t *to, struct span s, size_t n, size_t total)
{
	uint64_t end = 0;
	if (s.len == n) {
		/* The sum of one-byte lengths cannot overflow. Whether it is too large is checked
		 * at the end. */
		for (size_t i = 0; i < n; i++) {
			end += (uint8_t)s.data[i];
			to[i] = (uint32_t)end;
		}
	} else if (s.len == 1) { /* n equal lengths */
		for (size_t i = 0; i < n; i++) {
			end += (uint8_t)*s.data;
			to[i] = (uint32_t)end;
		}
	} else {
		copy_words(to, s);
		for (size_t i = 0; i < s.len / sizeof(*to) && end <= total; i++) {
			end += to[i];
			to[i] = (uint32_t)end;
		}
	}
	return end == total;
}

/* Most engines give no ids. Columns without ids share one array, since nobody writes to a
 * decoded reading. */
#define NO_IDS ((size_t)16 << 10)

static int32_t no_ids[NO_IDS];
static pthread_once_t no_ids_once = PTHREAD_ONCE_INIT;

static void fill_no_ids(void)
{
	memset(no_ids, 0xff, sizeof(no_ids));
}

static int32_t *shared_ids(void)
{
	pthread_once(&no_ids_once, fill_no_ids);
	return no_ids;
}

static bool has_own_ids(struct span s, size_t n)
{
	return s.len || n > NO_IDS;
}

static void put_ids(int32_t *to, struct span s, size_t n)
{
	if (s.len) {
		copy_words((uint32_t *)to, s);
	} else if (to != no_ids) {
		memset(to, 0xff, n * sizeof(*to));
	}
}

static void put_bytes(void *to, struct span s)
{
	if (s.len) {
		memcpy(to, s.data, s.len);
	}
}

static void put_flags(uint8_t *to, struct span s, size_t n)
{
	if (s.len == 1) {
		memset(to, (uint8_t)*s.data, n);
	} else {
		put_bytes(to, s);
	}
}

/* Checks that the lengths of all arrays agree. False: the columns are damaged. */
static bool fits(const struct span *raw, size_t *ret_n, size_t *ret_rows)
{
	size_t n = raw[COLUMN_LP].len / sizeof(float),
	       rows = raw[COLUMN_TOP_LP].len / sizeof(float);
	*ret_n = n;
	*ret_rows = rows;
	if (n > UINT32_MAX || rows > UINT32_MAX || raw[COLUMN_TOP_BYTES].len > UINT32_MAX) {
		return false;
	}
	bool counts = is_lengths(raw[COLUMN_TOP_COUNTS], (uint32_t)n);
	return is_lengths(raw[COLUMN_LENGTHS], (uint32_t)n) &&
	       is_words(raw[COLUMN_LP], (uint32_t)n) &&
	       is_entries(raw[COLUMN_FLAGS], (uint32_t)n) &&
	       (raw[COLUMN_IDS].len == 0 || is_words(raw[COLUMN_IDS], (uint32_t)n)) &&
	       (counts || (rows == 0 && raw[COLUMN_TOP_COUNTS].len == 0)) &&
	       is_words(raw[COLUMN_TOP_LP], (uint32_t)rows) &&
	       is_lengths(raw[COLUMN_TOP_LENGTHS], (uint32_t)rows) &&
	       (raw[COLUMN_TOP_IDS].len == 0 || is_words(raw[COLUMN_TOP_IDS], (uint32_t)rows));
}

static bool put_top_ends(uint32_t *to, struct span counts, size_t n, size_t rows)
{
	if (counts.len) {
		return put_ends(to, counts, n, rows);
	}
	memset(to, 0, n * sizeof(*to));
	return true;
}

/* Returns the n words at *at and advances *at past them. */
static void *words_at(uint32_t **at, size_t n)
{
	uint32_t *words = *at;
	*at += n;
	return words;
}

/* Allocates all arrays as one block, words first. Omits the tokens' bytes if they are the
 * text's. */
static void allocate_arrays(struct arena *a, struct columns *c, size_t rows, const struct span *raw)
{
	size_t n = c->n, bytes = raw[COLUMN_BYTES].len, top_bytes = raw[COLUMN_TOP_BYTES].len;
	size_t ids = has_own_ids(raw[COLUMN_IDS], n) ? n : 0;
	size_t top_ids = has_own_ids(raw[COLUMN_TOP_IDS], rows) ? rows : 0;
	size_t words = 3 * n + 2 * rows + ids + top_ids;
	uint32_t *at = arena_alloc(a, words * sizeof(*at) + n + bytes + top_bytes + 1);
	c->bytes_end = words_at(&at, n);
	c->lp = words_at(&at, n);
	c->top_end = words_at(&at, n);
	c->top_bytes_end = words_at(&at, rows);
	c->top_lp = words_at(&at, rows);
	c->ids = ids ? words_at(&at, ids) : shared_ids();
	c->top_ids = top_ids ? words_at(&at, top_ids) : shared_ids();
	c->flags = (uint8_t *)at;
	c->bytes = (char *)c->flags + n;
	c->top_bytes = c->bytes + bytes;
}

int record_get_columns(struct packed *value, struct span text, struct arena *a, struct columns *c)
{
	struct raw_columns all = {0};
	size_t n, rows;
	int r = field_get_map(value, (struct field_table){0}, NULL, NULL, get_raw_column, &all);
	const struct span *raw = all.columns;
	const struct span bytes = raw[COLUMN_BYTES].data ? raw[COLUMN_BYTES] : text;
	if (r < 0 || bytes.len > UINT32_MAX || !fits(raw, &n, &rows)) {
		return -EBADMSG;
	}
	c->n = (uint32_t)n;
	allocate_arrays(a, c, rows, raw);
	if (raw[COLUMN_BYTES].data) {
		put_bytes(c->bytes, bytes);
	} else {
		c->bytes = (char *)text.data;
	}
	put_ids(c->ids, raw[COLUMN_IDS], n);
	copy_words((uint32_t *)(void *)c->lp, raw[COLUMN_LP]);
	put_flags(c->flags, raw[COLUMN_FLAGS], n);
	put_bytes(c->top_bytes, raw[COLUMN_TOP_BYTES]);
	put_ids(c->top_ids, raw[COLUMN_TOP_IDS], rows);
	copy_words((uint32_t *)(void *)c->top_lp, raw[COLUMN_TOP_LP]);
	bool sound = put_ends(c->bytes_end, raw[COLUMN_LENGTHS], n, bytes.len) &&
	             put_top_ends(c->top_end, raw[COLUMN_TOP_COUNTS], n, rows) &&
	             put_ends(c->top_bytes_end, raw[COLUMN_TOP_LENGTHS], rows,
	                     raw[COLUMN_TOP_BYTES].len);
	return sound ? 0 : -EBADMSG;
}
