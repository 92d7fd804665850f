#pragma once
/*
 * segment - one LMDB environment of a capture. The only module that includes lmdb.h.
 *
 * Files of a segment, in the capture's directory:
 *	ID.seg         the LMDB data file (MDB_NOSUBDIR), 0600; ID is a UUIDv7 in text
 *	ID.seg-lock    LMDB's lock file
 *	ID.writer      flock()ed by the writer while it lives
 *	ID.seal        written once, when the writer is done: "plumbline-seal 1 XXH3-64-HEX BYTES\n" over ID.seg
 *
 * Tables and keys (big-endian; values are record envelopes unless said):
 *	meta      text key -> ROW_META payload msgpack (format, host, pid, created, hash_key, settings)
 *	exchange  exchange id (16)
 *	leg       exchange id (16) leg id (16)
 *	part      owner id (16) type (1) n (4)
 *	log       commit number (8) -> kind (1) key of the row            plain bytes, MDB_APPEND
 *	by_time   wall ns (8) exchange id (16)                            empty value, as in all indexes
 *	by_backend  backend name, 0, exchange id (16) leg id (16)
 *	by_model  model as asked, 0, exchange id (16)
 *	by_prompt prompt hash (16) exchange id (16)
 *
 * A writer belongs to one thread. A reader may be used by one thread at a time and renews its snapshot on request;
 * values are valid until the next renew or close. Codes of LMDB become negative errno: -ENOSPC for a full map or
 * disk, -ENOENT for a missing key, -EIO and -EBADMSG for damage.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/id.h"

enum segment_table {
	TABLE_META, TABLE_EXCHANGE, TABLE_LEG, TABLE_PART, TABLE_LOG,
	TABLE_BY_TIME, TABLE_BY_BACKEND, TABLE_BY_MODEL, TABLE_BY_PROMPT,
	N_TABLES,
};
const char *segment_table_name(enum segment_table t);

/* Writing */
struct segment_writer;

/* Makes a new segment in dir. map_size: fixed for its life. durable: full sync at each commit, else MDB_NOMETASYNC. */
int segment_create(const char *dir, size_t map_size, bool durable, struct segment_writer **ret) MUST_CHECK;
struct id segment_writer_id(const struct segment_writer *w);
int segment_begin(struct segment_writer *w) MUST_CHECK;
int segment_put(struct segment_writer *w, enum segment_table t, struct span key, struct span value) MUST_CHECK;
int segment_commit(struct segment_writer *w) MUST_CHECK;       /* an error leaves no open transaction */
void segment_abort(struct segment_writer *w);
size_t segment_used(const struct segment_writer *w);           /* bytes of the map in use */
/* Syncs, closes, writes the seal. Also after errors: a segment that could not be synced stays unsealed. */
int segment_seal(struct segment_writer *w);
void segment_writer_destroy(struct segment_writer *w);         /* unsealed, as after a crash; NULL is fine */

/* Reading */
struct segment_reader;

enum segment_state { SEGMENT_SEALED, SEGMENT_LIVE, SEGMENT_ORPHANED };   /* orphaned: unsealed, its writer is gone */
enum segment_state segment_state(const char *dir, struct id id);

int segment_open(const char *dir, struct id id, struct segment_reader **ret) MUST_CHECK;
void segment_close(struct segment_reader *r);
int segment_renew(struct segment_reader *r) MUST_CHECK;        /* a fresh snapshot; cursors must be sought again */
int segment_get(struct segment_reader *r, enum segment_table t, struct span key, struct span *ret) MUST_CHECK;
/* The first row whose key is >= from (after: > from). -ENOENT at the end. */
int segment_seek(struct segment_reader *r, enum segment_table t, struct span from, bool after, struct span *ret_key,
	struct span *ret_value) MUST_CHECK;
