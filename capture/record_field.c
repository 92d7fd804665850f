#include "capture/record_field.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int append(void *to, const char *data, size_t len)
{
	buf_append(to, data, len);
	return 0;
}

msgpack_packer field_packer(struct buf *to)
{
	msgpack_packer pk;
	msgpack_packer_init(&pk, to, append);
	return pk;
}

void field_put_bytes(msgpack_packer *pk, const void *data, size_t len)
{
	msgpack_pack_bin(pk, len);
	if (len) {
		msgpack_pack_bin_body(pk, data, len);
	}
}

void field_put_text(msgpack_packer *pk, const char *s, size_t len)
{
	msgpack_pack_str(pk, len);
	if (len) {
		msgpack_pack_str_body(pk, s, len);
	}
}

/* Integers of all widths as one; a u64 above INT64_MAX wraps, and wraps back. */
static int64_t load_integer(const struct field *f, const void *member)
{
	switch (f->type) {
	case FIELD_U64:
		return (int64_t) * (const uint64_t *)member;
	case FIELD_I64:
		return *(const int64_t *)member;
	case FIELD_U32:
	case FIELD_ENUM:
		return *(const uint32_t *)member;
	case FIELD_INT:
		return *(const int *)member;
	case FIELD_BOOL:
		return *(const bool *)member;
	default:
		never("not an integer");
	}
}

static void store_integer(const struct field *f, void *member, int64_t value)
{
	switch (f->type) {
	case FIELD_U64:
		*(uint64_t *)member = (uint64_t)value;
		break;
	case FIELD_I64:
		*(int64_t *)member = value;
		break;
	case FIELD_U32:
	case FIELD_ENUM:
		*(uint32_t *)member = (uint32_t)value;
		break;
	case FIELD_INT:
		*(int *)member = (int)value;
		break;
	case FIELD_BOOL:
		*(bool *)member = value;
		break;
	default:
		never("not an integer");
	}
}

static bool is_absent(const struct field *f, const void *member)
{
	switch (f->type) {
	case FIELD_F64:
		return isnan(*(const double *)member);
	case FIELD_STRING:
		return *(char *const *)member == NULL;
	case FIELD_CHARS:
		return *(const char *)member == '\0';
	case FIELD_BUF:
		return ((const struct buf *)member)->len == 0;
	case FIELD_BYTES:
		for (uint32_t i = 0; i < f->limit; i++) {
			if (((const uint8_t *)member)[i]) {
				return false;
			}
		}
		return true;
	default:
		return load_integer(f, member) == f->absent;
	}
}

static void put_value(msgpack_packer *pk, const struct field *f, const void *member)
{
	switch (f->type) {
	case FIELD_U64:
	case FIELD_U32:
	case FIELD_ENUM:
		msgpack_pack_uint64(pk, (uint64_t)load_integer(f, member));
		break;
	case FIELD_I64:
	case FIELD_INT:
		msgpack_pack_int64(pk, load_integer(f, member));
		break;
	case FIELD_BOOL:
		if (*(const bool *)member) {
			msgpack_pack_true(pk);
		} else {
			msgpack_pack_false(pk);
		}
		break;
	case FIELD_F64:
		msgpack_pack_double(pk, *(const double *)member);
		break;
	case FIELD_BYTES:
		field_put_bytes(pk, member, f->limit);
		break;
	case FIELD_STRING:
		field_put_text(pk, *(char *const *)member, strlen(*(char *const *)member));
		break;
	case FIELD_CHARS:
		field_put_text(pk, member, strnlen(member, f->limit - 1));
		break;
	case FIELD_BUF:
		field_put_text(
		        pk, ((const struct buf *)member)->data, ((const struct buf *)member)->len);
		break;
	default:
		never("unknown type of field");
	}
}

void field_put_map(msgpack_packer *pk, struct field_table t, const void *row, size_t extra)
{
	size_t count = extra;
	for (size_t i = 0; i < t.n; i++) {
		count += !is_absent(&t.fields[i], (const char *)row + t.fields[i].offset);
	}
	msgpack_pack_map(pk, count);
	for (size_t i = 0; i < t.n; i++) {
		const struct field *f = &t.fields[i];
		const void *member = (const char *)row + f->offset;
		if (!is_absent(f, member)) {
			msgpack_pack_uint8(pk, f->key);
			put_value(pk, f, member);
		}
	}
}

/* Of a row that is all zero. */
static void set_absent(const struct field *f, void *member)
{
	if (f->type == FIELD_F64) {
		*(double *)member = NAN;
	} else if (f->absent != 0) {
		store_integer(f, member, f->absent);
	}
}

static bool integer_of(const struct packed_value *v, const struct field *f, int64_t *ret)
{
	if (v->type == PACKED_BOOL) {
		*ret = v->is_true;
		return f->type == FIELD_BOOL;
	}
	if (v->type == PACKED_NEGATIVE) {
		*ret = v->i64;
		return f->type == FIELD_I64 || (f->type == FIELD_INT && *ret >= INT32_MIN);
	}
	if (v->type != PACKED_UNSIGNED) {
		return false;
	}
	*ret = (int64_t)v->u64;
	switch (f->type) {
	case FIELD_U64:
		return true;
	case FIELD_I64:
		return v->u64 <= INT64_MAX;
	case FIELD_U32:
		return v->u64 <= UINT32_MAX;
	case FIELD_INT:
		return v->u64 <= INT32_MAX;
	case FIELD_ENUM:
		return v->u64 < f->limit;
	default:
		return false;
	}
}

/* A C string must not end before its bytes do. */
static bool is_string(const struct packed_value *v)
{
	return v->type == PACKED_TEXT &&
	       (v->bytes.len == 0 || !memchr(v->bytes.data, '\0', v->bytes.len));
}

static bool take_value(const struct packed_value *v, const struct field *f, void *member)
{
	int64_t integer;
	switch (f->type) {
	case FIELD_F64:
		if (v->type != PACKED_DOUBLE) {
			return false;
		}
		*(double *)member = v->f64;
		return true;
	case FIELD_BYTES:
		if (v->type != PACKED_BYTES || v->bytes.len != f->limit) {
			return false;
		}
		memcpy(member, v->bytes.data, v->bytes.len);
		return true;
	case FIELD_STRING:
		if (!is_string(v) || (f->limit && v->bytes.len > f->limit)) {
			return false;
		}
		free(*(char **)member);
		*(char **)member = span_dup(v->bytes);
		return true;
	case FIELD_CHARS:
		if (!is_string(v) || v->bytes.len >= f->limit) {
			return false;
		}
		memcpy(member, v->bytes.data, v->bytes.len);
		((char *)member)[v->bytes.len] = '\0';
		return true;
	case FIELD_BUF:
		if (v->type != PACKED_TEXT) {
			return false;
		}
		buf_clear(member);
		buf_append_span(member, v->bytes);
		return true;
	default:
		if (!integer_of(v, f, &integer)) {
			return false;
		}
		store_integer(f, member, integer);
		return true;
	}
}

int field_skip(struct packed *from)
{
	return packed_skip(from) ? 0 : -EBADMSG;
}

/* The number of the field with that key, t.n if there is none. Keys come mostly in the table's order: it is looked for
 * from where it is expected on. */
static inline size_t find(struct field_table t, uint64_t key, size_t expected)
{
	for (size_t i = expected; i < t.n; i++) {
		if (t.fields[i].key == key) {
			return i;
		}
	}
	for (size_t i = 0; i < expected; i++) {
		if (t.fields[i].key == key) {
			return i;
		}
	}
	return t.n;
}

static inline bool take_key(struct packed *from, uint64_t *ret)
{
	struct packed_value key;
	if (packed_small(from, ret)) {
		return true;
	}
	bool is = packed_next_is(from, PACKED_UNSIGNED, &key);
	*ret = is ? key.u64 : 0;
	return is;
}

/* Who takes what the table does not know. */
struct field_rest {
	field_other_fn take;
	void *arg;
};

/* One pair of a map; *at: the field behind the one that was found last. Its bit is set in *seen. */
static int take_pair(struct packed *from, struct field_table t, void *row,
        const struct field_rest *rest, size_t *at, uint64_t *seen)
{
	struct packed_value value;
	uint64_t key;
	if (!take_key(from, &key)) {
		return -EBADMSG;
	}
	size_t i = find(t, key, *at);
	if (i == t.n) {
		return rest->take ? rest->take(rest->arg, key, from) : field_skip(from);
	}
	const struct field *f = &t.fields[i];
	if (!packed_next(from, &value) || !take_value(&value, f, (char *)row + f->offset)) {
		return -EBADMSG;
	}
	*at = i + 1;
	*seen |= UINT64_C(1) << i;
	return 0;
}

int field_get_map(
        struct packed *from, struct field_table t, void *row, field_other_fn other, void *arg)
{
	const struct field_rest rest = {other, arg};
	struct packed_value map;
	uint64_t seen = 0;
	size_t at = 0;
	expect(t.n <= 64);
	if (!packed_next_is(from, PACKED_MAP, &map)) {
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < map.n; i++) {
		int r = take_pair(from, t, row, &rest, &at, &seen);
		if (r < 0) {
			return r;
		}
	}
	for (size_t i = 0; i < t.n; i++) {
		if (!(seen >> i & 1)) {
			set_absent(&t.fields[i], (char *)row + t.fields[i].offset);
		}
	}
	return 0;
}

int field_get_row(
        struct span payload, struct field_table t, void *row, field_other_fn other, void *arg)
{
	struct packed from = packed_of(payload);
	int r = field_get_map(&from, t, row, other, arg);
	return r == 0 && !packed_is_at_end(&from) ? -EBADMSG : r;
}

int field_get_bytes(struct packed *from, struct span *ret)
{
	struct packed_value value;
	if (!packed_next_is(from, PACKED_BYTES, &value)) {
		return -EBADMSG;
	}
	*ret = value.bytes;
	return 0;
}

int field_get_array(struct packed *from, uint32_t limit, uint32_t *ret_n)
{
	struct packed_value value;
	if (!packed_next_is(from, PACKED_ARRAY, &value) || value.n > limit) {
		return -EBADMSG;
	}
	*ret_n = value.n;
	return 0;
}

void field_finish(struct field_table t, void *row)
{
	for (size_t i = 0; i < t.n; i++) {
		void *member = (char *)row + t.fields[i].offset;
		if (t.fields[i].type == FIELD_STRING) {
			free(*(char **)member);
			*(char **)member = NULL;
		} else if (t.fields[i].type == FIELD_BUF) {
			buf_finish(member);
		}
	}
}
