#pragma once
/*
 * record_field - rows as tables of fields: how a struct's members become the integer keys of a
 * msgpack map, and back.
 *
 * Internal to the record module, whose files are the only ones that include msgpack: for writing. What is read
 * is read by packed.h. A member that
 * has its absent value is not written, and gets that value back when its key is missing.
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

/* In a table each stands at the place of its key. */
#define FIELD(key, type_, row, member) [key] = {.type = (type_), .offset = offsetof(row, member)}
#define FIELD_LIMIT(key, type_, row, member, limit_)                                               \
	[key] = {.type = (type_), .offset = offsetof(row, member), .limit = (limit_)}
#define FIELD_ABSENT(key, type_, row, member, absent_)                                             \
	[key] = {.type = (type_), .offset = offsetof(row, member), .absent = (absent_)}

struct field_table {
	const struct field *fields; /* by their keys */
	size_t n;
};

#define FIELD_TABLE(array) ((struct field_table){(array), ARRAY_LEN(array)})

/* Writing: a map of count + extra members, of which the caller then writes the extra ones. */
void field_put_map(msgpack_packer *pk, struct field_table t, const void *row, size_t extra);
msgpack_packer field_packer(struct buf *to);
void field_put_bytes(msgpack_packer *pk, const void *data, size_t len); /* a bin */
void field_put_text(msgpack_packer *pk, const char *s, size_t len);     /* a str */

/* Gives members of a row that is all zero their absent values: nothing to do where those are all zero, too. */
void field_set_absent(struct field_table t, void *row);
/*
 * Reading. All members of *row must have their absent values; those of which the map that comes next tells get others. A key that the
 * table does not know goes to other, which must read exactly one value (field_skip() does, if it does not know it
 * either); NULL passes over them. Texts are put into the arena: a row's take no more there than its payload has. NULL: each is
 * an allocation of its own, and the row can and must be finished with field_finish(), also after -EBADMSG.
 */
typedef int (*field_other_fn)(void *arg, uint64_t key, struct packed *value);

int field_get_map(struct packed *from, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg) MUST_CHECK;
/* The same of a payload that is one map and nothing else. */
int field_get_row(struct span payload, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg) MUST_CHECK;
int field_get_bytes(struct packed *from, struct span *ret) MUST_CHECK;
/* How many values of an array come next, at most limit. */
int field_get_array(struct packed *from, uint32_t limit, uint32_t *ret_n) MUST_CHECK;
int field_skip(struct packed *from) MUST_CHECK;
/* Of a row whose texts are allocations of their own. */
void field_finish(struct field_table t, void *row);
/* Makes them such ones: they lie in an arena. */
void field_loosen(struct field_table t, void *row);
