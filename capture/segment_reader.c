#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/pages/regions.h"
#include "capture/segment.h"
#include "capture/segment_env.h"

/* Longer values are on overflow pages. */
#define FETCHED_MIN 2048
/* Bytes requested from the disk at a time. Values are read in file order, but with gaps, so that
 * the kernel does not detect sequential access. */
#define AHEAD ((off_t)256 << 10)
/* After a value that was not in the page cache, read-ahead is requested for this many values
 * without checking the cache: a check costs a third of a read. */
#define READ_AHEAD_VALUES 256

struct segment_reader {
	struct segment_env *env;
	MDB_txn *txn;                  /* the snapshot; NULL after a renewal that failed */
	MDB_cursor *cursors[N_TABLES]; /* opened when first needed */
	struct span at[N_TABLES];      /* each cursor's current key; empty: none */
	struct regions regions;        /* regions that reads may have made resident */
	const char *map;               /* address at which the file is mapped; NULL: unknown */
	int fd;                        /* the environment's */
	off_t ahead;                   /* number of the last AHEAD block requested, from 1 */
	unsigned read_ahead_left;      /* values left for which read-ahead is requested */
};

/* Counts the regions that the value is in, and unmaps the file's pages when they are too many.
 * Pointers to values stay valid, since the kernel maps the pages again on access. */
static void touch(struct segment_reader *r, struct span value)
{
	if (value.len > 0 && !regions_touch(&r->regions, value.data, value.len) && r->map) {
		MDB_envinfo info;
		mdb_env_info(r->env->env, &info);
		madvise((void *)(uintptr_t)r->map, info.me_mapsize, MADV_DONTNEED);
	}
}

/* LMDB does not expose the address of its map. It is computed from the page of a key: each page
 * contains its number. */
static void find_map(struct segment_reader *r)
{
	MDB_stat stat;
	MDB_cursor *cursor;
	MDB_val key, value;
	uint64_t number;
	mdb_env_stat(r->env->env, &stat);
	mdb_env_get_fd(r->env->env, &r->fd);
	/* Pages larger than the kernel's need not be aligned to their size in memory. */
	if (stat.ms_psize > (unsigned)sysconf(_SC_PAGESIZE) ||
	        mdb_cursor_open(r->txn, r->env->tables[TABLE_META], &cursor) != 0) {
		return;
	}
	if (mdb_cursor_get(cursor, &key, &value, MDB_FIRST) == 0) {
		const char *page =
		        (const char *)key.mv_data - (uintptr_t)key.mv_data % stat.ms_psize;
		memcpy(&number, page, sizeof(number));
		r->map = page - number * stat.ms_psize;
	}
	mdb_cursor_close(cursor);
}

int segment_open(const char *dir, struct id id, struct segment_reader **ret)
{
	char *path = segment_path(dir, id, "seg");
	struct segment_reader *r = xcalloc(1, sizeof(*r));
	int code = segment_env_open(path, segment_state(dir, id) == SEGMENT_LIVE, &r->env);
	free(path);
	if (code == 0) {
		code = segment_errno(mdb_txn_begin(r->env->env, NULL, MDB_RDONLY, &r->txn));
	}
	if (code < 0) {
		segment_close(r);
		return code;
	}
	find_map(r);
	*ret = r;
	return 0;
}

void segment_close(struct segment_reader *r)
{
	if (!r) {
		return;
	}
	/* Cursors of read transactions are the caller's to close, before or after. */
	for (size_t t = 0; t < N_TABLES; t++) {
		if (r->cursors[t]) {
			mdb_cursor_close(r->cursors[t]);
		}
	}
	if (r->txn) {
		mdb_txn_abort(r->txn);
	}
	segment_env_unref(r->env);
	free(r);
}

int segment_renew(struct segment_reader *r)
{
	if (!r->txn) {
		return -EIO;
	}
	mdb_txn_reset(r->txn);
	int code = mdb_txn_renew(r->txn);
	memset(r->at, 0, sizeof(r->at));
	for (size_t t = 0; code == 0 && t < N_TABLES; t++) {
		if (r->cursors[t]) {
			code = mdb_cursor_renew(r->txn, r->cursors[t]);
		}
	}
	if (code) {
		mdb_txn_abort(r->txn);
		r->txn = NULL;
	}
	return segment_errno(code);
}

int segment_get(struct segment_reader *r, enum segment_table t, struct span key, struct span *ret)
{
	expect((unsigned)t < N_TABLES);
	if (!r->txn) {
		return -EIO;
	}
	MDB_val k = segment_val(key), v;
	int code = mdb_get(r->txn, r->env->tables[t], &k, &v);
	if (code == 0) {
		*ret = segment_span(v);
		touch(r, *ret);
	}
	return segment_errno(code);
}

static void request_ahead(struct segment_reader *r, off_t at)
{
	off_t stretch = at / AHEAD + 1;
	if (stretch != r->ahead) {
		r->ahead = stretch;
		(void)posix_fadvise(r->fd, at, 2 * AHEAD, POSIX_FADV_WILLNEED);
	}
}

/* Copies as much of the value's beginning as is in the page cache, without blocking. Returns the
 * number of bytes. */
static size_t fetch_cached(const struct segment_reader *r, char *bytes, size_t len, off_t at)
{
	struct iovec to = {bytes, len};
	ssize_t n = preadv2(r->fd, &to, 1, at, RWF_NOWAIT);
	return n > 0 ? (size_t)n : 0;
}

int segment_fetch(struct segment_reader *r, struct span value, struct buf *to, struct span *ret)
{
	*ret = value;
	if (!r->map || value.len < FETCHED_MIN) {
		return 0;
	}
	buf_clear(to);
	char *bytes = buf_reserve(to, value.len);
	off_t at = value.data - r->map;
	if (r->read_ahead_left == 0) {
		to->len = fetch_cached(r, bytes, value.len, at);
		r->read_ahead_left = to->len < value.len ? READ_AHEAD_VALUES : 0;
	}
	if (r->read_ahead_left > 0) {
		r->read_ahead_left--;
		request_ahead(r, at);
	}
	while (to->len < value.len) {
		ssize_t n = pread(r->fd, bytes + to->len, value.len - to->len, at + (off_t)to->len);
		if (n <= 0 && !(n < 0 && errno == EINTR)) {
			return n < 0 ? -errno : -EIO;
		}
		to->len += n > 0 ? (size_t)n : 0;
	}
	*ret = buf_span(to);
	return 0;
}

static int cursor_of(struct segment_reader *r, enum segment_table t, MDB_cursor **ret)
{
	expect((unsigned)t < N_TABLES);
	if (!r->txn) {
		return -EIO;
	}
	if (!r->cursors[t]) {
		int code = mdb_cursor_open(r->txn, r->env->tables[t], &r->cursors[t]);
		if (code) {
			r->cursors[t] = NULL;
			return segment_errno(code);
		}
	}
	*ret = r->cursors[t];
	return 0;
}

/* A caller that iterates over a table has its cursor at the previous row already. */
static int move(struct segment_reader *r, enum segment_table t, struct span from, bool after,
        MDB_val *ret_key, MDB_val *ret_value)
{
	MDB_cursor *cursor = r->cursors[t];
	if (after && from.len && span_equal(r->at[t], from)) {
		return mdb_cursor_get(cursor, ret_key, ret_value, MDB_NEXT);
	}
	*ret_key = segment_val(from);
	int code = mdb_cursor_get(cursor, ret_key, ret_value, from.len ? MDB_SET_RANGE : MDB_FIRST);
	if (code == 0 && after && from.len && span_equal(segment_span(*ret_key), from)) {
		code = mdb_cursor_get(cursor, ret_key, ret_value, MDB_NEXT);
	}
	return code;
}

int segment_seek(struct segment_reader *r, enum segment_table t, struct span from, bool after,
        struct span *ret_key, struct span *ret_value)
{
	MDB_cursor *cursor = NULL;
	int code = cursor_of(r, t, &cursor);
	if (code < 0) {
		return code;
	}
	if (from.len > SEGMENT_KEY_LIMIT) {
		return -EINVAL;
	}
	MDB_val k, v;
	code = move(r, t, from, after, &k, &v);
	r->at[t] = code == 0 ? segment_span(k) : (struct span){0};
	if (code == 0) {
		*ret_key = segment_span(k);
		*ret_value = segment_span(v);
		touch(r, *ret_value);
	}
	return segment_errno(code);
}

int segment_last(struct segment_reader *r, enum segment_table t, struct span *ret_key,
        struct span *ret_value)
{
	MDB_cursor *cursor = NULL;
	int code = cursor_of(r, t, &cursor);
	if (code < 0) {
		return code;
	}
	MDB_val k, v;
	code = mdb_cursor_get(cursor, &k, &v, MDB_LAST);
	r->at[t] = (struct span){0};
	if (code == 0) {
		*ret_key = segment_span(k);
		*ret_value = segment_span(v);
	}
	return segment_errno(code);
}
