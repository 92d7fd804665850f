#pragma once
/*
 * record_field - rows as tables of fields: maps a struct's members to the integer keys of a msgpack
 * map, and back.
 *
 * Only the record module uses it, and only that module's files include msgpack, to write; packed.h
 * is used to read. A member that has its absent value is not written, and gets that value back if
 * its key is missing.
 */
#include <stddef.h>
#include <stdint.h>

#include <msgpack.h>

#include "base/arena.h"
#include "base/buf.h"
#include "capture/packed.h"

enum field_type {
	FIELD_NONE, /* the table has no field with this key */
	FIELD_U64,
	FIELD_I64,
	FIELD_U32,
	FIELD_INT,  /* int, int32_t */
	FIELD_ENUM, /* below limit */
	FIELD_BOOL,
	FIELD_F64,    /* absent: NaN */
	FIELD_BYTES,  /* limit bytes; absent: all zero */
	FIELD_STRING, /* char *; absent: NULL; of at most limit bytes, 0: any */
	FIELD_CHARS,  /* char[limit], NUL-terminated; absent: empty */
	FIELD_BUF,    /* struct buf; absent: empty */
};

struct field {
	uint8_t type;
	uint16_t offset;
	uint32_t limit;
	int64_t absent; /* of integers */
};

/* Each one is at the index of its key. */
#define FIELD(key, type_, row, member) [key] = {.type = (type_), .offset = offsetof(row, member)}
#define FIELD_LIMIT(key, type_, row, member, limit_)                                               \
	[key] = {.type = (type_), .offset = offsetof(row, member), .limit = (limit_)}
#define FIELD_ABSENT(key, type_, row, member, absent_)                                             \
	[key] = {.type = (type_), .offset = offsetof(row, member), .absent = (absent_)}

struct field_table {
	const struct field *fields; /* indexed by key */
	size_t n;
};

#define FIELD_TABLE(array) ((struct field_table){(array), ARRAY_LEN(array)})

/* Writes a map of the table's members; the caller then writes `extra` more. */
void field_put_map(msgpack_packer *pk, struct field_table t, const void *row, size_t extra);
msgpack_packer field_packer(struct buf *to);
void field_put_bytes(msgpack_packer *pk, const void *data, size_t len); /* a bin */
void field_put_text(msgpack_packer *pk, const char *s, size_t len);     /* a str */

/* Sets the absent values in a row that is all zero. Nothing to do if these are zero too. */
void field_set_absent(struct field_table t, void *row);
/*
 * Reads a map into *row, whose members must have their absent values. A key that the table lacks
 * goes to `other`, which must read exactly one value (field_skip() does); NULL skips them. Texts go
 * to the arena and take at most the payload's size there. texts NULL: each text is an allocation,
 * and field_finish() must be called, also after -EBADMSG.
 */
typedef int (*field_other_fn)(void *arg, uint64_t key, struct packed *value);

int field_get_map(struct packed *from, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg) MUST_CHECK;
/* As field_get_map() for a payload that is exactly one map. */
int field_get_row(struct span payload, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg) MUST_CHECK;
int field_get_bytes(struct packed *from, struct span *ret) MUST_CHECK;
/* Reads the size of an array, at most limit. */
int field_get_array(struct packed *from, uint32_t limit, uint32_t *ret_n) MUST_CHECK;
int field_skip(struct packed *from) MUST_CHECK;
/* Frees a row whose texts are separate allocations. */
void field_finish(struct field_table t, void *row);
/* Copies texts from the arena to separate allocations. */
void field_loosen(struct field_table t, void *row);
