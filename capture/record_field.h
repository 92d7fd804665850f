#pragma once
/*
 * record_field - rows as tables of fields: how a struct's members become the integer keys of a
 * msgpack map, and back.
 *
 * Internal to the record module, whose files are the only ones that include msgpack. A member that
 * has its absent value is not written, and gets that value back when its key is missing.
 */
#include <stddef.h>
#include <stdint.h>

#include <msgpack.h>

#include "base/buf.h"

enum field_type {
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
	uint8_t key;
	uint8_t type;
	uint16_t offset;
	uint32_t limit;
	int64_t absent; /* of integers */
};

#define FIELD(key_, type_, row, member)                                                            \
	{                                                                                          \
		.key = (key_), .type = (type_), .offset = offsetof(row, member)                    \
	}
#define FIELD_LIMIT(key_, type_, row, member, limit_)                                              \
	{                                                                                          \
		.key = (key_), .type = (type_), .offset = offsetof(row, member), .limit = (limit_) \
	}
#define FIELD_ABSENT(key_, type_, row, member, absent_)                                            \
	{                                                                                          \
		.key = (key_), .type = (type_), .offset = offsetof(row, member),                   \
		.absent = (absent_)                                                                \
	}

struct field_table {
	const struct field *fields;
	size_t n;
};

#define FIELD_TABLE(array) ((struct field_table){(array), ARRAY_LEN(array)})

/* Writing: a map of count + extra members, of which the caller then writes the extra ones. */
void field_put_map(msgpack_packer *pk, struct field_table t, const void *row, size_t extra);
msgpack_packer field_packer(struct buf *to);
void field_put_bytes(msgpack_packer *pk, const void *data, size_t len); /* a bin */
void field_put_text(msgpack_packer *pk, const char *s, size_t len);     /* a str */

/*
 * Reading. field_parse() takes one msgpack value that fills the payload, checked before msgpack
 * allocates for it: destroy it with msgpack_unpacked_destroy(). field_get_map() sets each member of
 * *row from the map or to its absent value; keys that the table does not know go to other (may be
 * NULL: skipped), which says 0 also for keys that it does not know itself. After -EBADMSG the row
 * can and must be finished with field_finish().
 */
typedef int (*field_other_fn)(void *arg, uint64_t key, const msgpack_object *value);

int field_parse(struct span payload, msgpack_unpacked *ret) MUST_CHECK;
int field_get_map(const msgpack_object *map, struct field_table t, void *row, field_other_fn other,
        void *arg) MUST_CHECK;
int field_get_bytes(const msgpack_object *value, struct span *ret) MUST_CHECK;
void field_finish(struct field_table t, void *row);
