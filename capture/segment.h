#pragma once
/*
 * segment - one LMDB environment of a capture. The only module that includes lmdb.h.
 *
 * Files of a segment, in the capture's directory:
 *	ID.seg         the LMDB data file (MDB_NOSUBDIR), 0600; ID is a UUIDv7 in text
 *	ID.seg-lock    LMDB's lock file
 *	ID.writer      flock()ed by the writer while it runs
 *	ID.seal        written once, when the segment is complete (seal.h)
 *
 * Tables. Integers in keys are big-endian, (n) is a size in bytes, values are record envelopes
 * unless stated:
 *	table        key                                              value
 *	meta         a text                                           ROW_META, ROW_MANIFEST
 *	exchange     exchange id (16)                                 ROW_EXCHANGE
 *	leg          exchange id (16), leg id (16)                    ROW_LEG
 *	part         owner id (16), type (1), n (4)                   ROW_PART
 *	log          commit number (8)                                kind (1), row key; plain bytes
 *	by_time      wall ns (8), exchange id (16)                    empty
 *	by_backend   backend name, 0, exchange id (16), leg id (16)   empty
 *	by_model     model as requested, 0, exchange id (16)          empty
 *	by_prompt    prompt hash (16), exchange id (16)               empty
 *
 * The n of a part is defined in record.h. A log row has the exchange's or leg's key as in its
 * table; parts have no log rows. Commit numbers begin with 1 in each segment and have no gaps.
 * Names in index keys are cut to SEGMENT_NAME_LIMIT bytes.
 *
 * LMDB forbids opening an environment twice in a process, so all users of a segment share one
 * environment, including the process's own writer. A sealed or orphaned segment is opened without
 * LMDB's lock file, since nobody writes to it; sealing removes ID.seg-lock and ID.writer.
 *
 * One thread at a time uses a writer or a reader. A reader reads a snapshot, which it renews on
 * request; keys and values are valid until the next renewal or close. Functions that return int
 * return 0 or a negative errno: -ENOSPC for a full map or disk, -ENOENT for a missing key, -EIO and
 * -EBADMSG for damage.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/id.h"

#define SEGMENT_SIZE ((uint64_t)1 << 30) /* bytes; the default of map_size */
#define SEGMENT_NAME_LIMIT 400
#define SEGMENT_KEY_LIMIT 511

enum segment_table {
	TABLE_META,
	TABLE_EXCHANGE,
	TABLE_LEG,
	TABLE_PART,
	TABLE_LOG,
	TABLE_BY_TIME,
	TABLE_BY_BACKEND,
	TABLE_BY_MODEL,
	TABLE_BY_PROMPT,
	N_TABLES,
};
const char *segment_table_name(enum segment_table t);

/* Writing */
struct segment_writer;

/* Creates a segment in dir. map_size: bytes of its LMDB map, which never change. durable: each
 * commit survives a crash of the machine; else the last one may be lost (MDB_NOMETASYNC). */
int segment_create(
        const char *dir, size_t map_size, bool durable, struct segment_writer **ret) MUST_CHECK;
struct id segment_writer_id(const struct segment_writer *w);
int segment_begin(struct segment_writer *w) MUST_CHECK;
/* Between begin and commit. Replaces a value with the same key. Keys of TABLE_LOG must ascend. */
int segment_put(struct segment_writer *w, enum segment_table t, struct span key,
        struct span value) MUST_CHECK;
/* Afterwards no transaction is open, even if it fails. */
int segment_commit(struct segment_writer *w) MUST_CHECK;
void segment_abort(struct segment_writer *w);
/* True unless the segment's file was deleted or moved out of the directory. */
bool segment_in_place(const struct segment_writer *w);
size_t segment_used(const struct segment_writer *w); /* bytes of the map that are in use */
/* Syncs the segment, writes its seal and frees w. After an error the segment stays unsealed. */
int segment_seal(struct segment_writer *w);
/* Removes the files of a segment that has nothing worth keeping, and frees w; NULL is fine. */
void segment_discard(struct segment_writer *w);
/* Frees w and leaves the segment unsealed, as a crash would; NULL is fine. */
void segment_writer_destroy(struct segment_writer *w);

/* Keys. The functions clear `to` and write the key into it. */
void segment_key_exchange(struct buf *to, struct id exchange);
void segment_key_leg(struct buf *to, struct id exchange, struct id leg);
void segment_key_part(struct buf *to, struct id owner, uint8_t type, uint32_t n);
void segment_key_number(struct buf *to, uint64_t number); /* a commit number, for the log */
/* The commit number in a key of the log. False: the key has another size. */
bool segment_number_of(struct span key, uint64_t *ret) MUST_CHECK;
void segment_key_by_time(struct buf *to, uint64_t wall_ns, struct id exchange);
void segment_key_by_name(
        struct buf *to, const char *name, struct id exchange, const struct id *leg);
void segment_key_by_prompt(struct buf *to, const uint8_t hash[16], struct id exchange);

/* The segments of a directory, sorted by id (age); the caller frees *ret. */
int segment_list(const char *dir, struct id **ret, size_t *ret_n) MUST_CHECK;
/* dir/ID.suffix; suffix: "seg", "seg-lock", "writer" or "seal". The caller frees it. */
char *segment_path(const char *dir, struct id id, const char *suffix);
/* Removes a sealed or orphaned segment's files. -EBUSY: it is live. */
int segment_remove(const char *dir, struct id id) MUST_CHECK;

/* Reading */
struct segment_reader;

enum segment_state {
	SEGMENT_SEALED,
	SEGMENT_LIVE,
	SEGMENT_ORPHANED
}; /* orphaned: it has no seal and its writer is gone */
enum segment_state segment_state(const char *dir, struct id id);

/* Opens a segment that soundness_check() accepts. -ENODATA: its writer ended before it created
 * the tables, so it is empty. */
int segment_open(const char *dir, struct id id, struct segment_reader **ret) MUST_CHECK;
void segment_close(struct segment_reader *r);
/* Takes a new snapshot; earlier spans are invalid. After an error nothing can be read any more. */
int segment_renew(struct segment_reader *r) MUST_CHECK;
int segment_get(struct segment_reader *r, enum segment_table t, struct span key,
        struct span *ret) MUST_CHECK;
/*
 * The bytes of a value that segment_seek() or segment_get() returned. A long value is read from the
 * file into `to`, so that a disk error is an error code and not a signal (SIGBUS); a short value is
 * returned in place.
 */
int segment_fetch(
        struct segment_reader *r, struct span value, struct buf *to, struct span *ret) MUST_CHECK;
/* The first row with a key >= from (after: > from); an empty key is the least. -ENOENT: none. */
int segment_seek(struct segment_reader *r, enum segment_table t, struct span from, bool after,
        struct span *ret_key, struct span *ret_value) MUST_CHECK;
/* The table's last row. -ENOENT: the table is empty. */
int segment_last(struct segment_reader *r, enum segment_table t, struct span *ret_key,
        struct span *ret_value) MUST_CHECK;
