#pragma once
/*
 * record_field - encodes and decodes rows by tables of fields, which map a struct's members to the
 * integer keys of a msgpack map.
 *
 * For the record module only. msgpack writes; packed.h reads. A member with its absent value is not
 * written. If a key is missing, the member keeps its absent value. Functions that return int return
 * 0 or -EBADMSG.
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
	FIELD_ENUM, /* an enum with values below limit */
	FIELD_BOOL,
	FIELD_F64,    /* absent: NaN */
	FIELD_BYTES,  /* limit bytes; absent: all are zero */
	FIELD_STRING, /* char *; absent: NULL; at most limit bytes, 0: any length */
	FIELD_CHARS,  /* char[limit], NUL-terminated; absent: empty */
	FIELD_BUF,    /* struct buf; absent: empty */
};

struct field {
	uint8_t type;
	uint16_t offset;
	uint32_t limit;
	int64_t absent; /* the absent value of an integer */
};

/* Entries of a table, at the index of their key. */
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

/* Writes a map of the table's members and `extra` more pairs, which the caller writes next. */
void field_put_map(msgpack_packer *pk, struct field_table t, const void *row, size_t extra);
msgpack_packer field_packer(struct buf *to);
void field_put_bytes(msgpack_packer *pk, const void *data, size_t len); /* a msgpack bin */

/* Sets the absent values in a row that is all zero. Not necessary if all of them are zero. */
void field_set_absent(struct field_table t, void *row);
/*
 * Reads a map into *row, whose members must have their absent values. For a key that the table
 * lacks it calls `other`, which must read exactly one value (as field_skip() does), and whose error
 * it returns; NULL: skips the value. Texts are allocated in the arena `texts`. texts NULL: each
 * text is an allocation, and the caller calls field_finish(), also after an error.
 */
typedef int (*field_other_fn)(void *arg, uint64_t key, struct packed *value);

int field_get_map(struct packed *from, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg) MUST_CHECK;
/* As field_get_map(), for a payload that is exactly one map. */
int field_get_row(struct span payload, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg) MUST_CHECK;
int field_get_bytes(struct packed *from, struct span *ret) MUST_CHECK;
/* Reads the number of elements of an array; more than limit is an error. */
int field_get_array(struct packed *from, uint32_t limit, uint32_t *ret_n) MUST_CHECK;
int field_skip(struct packed *from) MUST_CHECK;
/* Frees the row's texts and buffers, which must be separate allocations. */
void field_finish(struct field_table t, void *row);
/* Replaces the row's strings (FIELD_STRING) by copies that are separate allocations. */
void field_loosen(struct field_table t, void *row);
