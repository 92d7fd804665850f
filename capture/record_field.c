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

static void put_text(msgpack_packer *pk, const char *s, size_t len)
{
	msgpack_pack_str(pk, len);
	if (len) {
		msgpack_pack_str_body(pk, s, len);
	}
}

/* Loads an integer of any width. A u64 above INT64_MAX wraps, and storing wraps it back. */
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
	case FIELD_NONE:
		return true;
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
		put_text(pk, *(char *const *)member, strlen(*(char *const *)member));
		break;
	case FIELD_CHARS:
		put_text(pk, member, strnlen(member, f->limit - 1));
		break;
	case FIELD_BUF:
		put_text(pk, ((const struct buf *)member)->data, ((const struct buf *)member)->len);
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
			msgpack_pack_uint8(pk, (uint8_t)i);
			put_value(pk, f, member);
		}
	}
}

void field_set_absent(struct field_table t, void *row)
{
	for (size_t i = 0; i < t.n; i++) {
		const struct field *f = &t.fields[i];
		void *member = (char *)row + f->offset;
		if (f->type == FIELD_F64) {
			*(double *)member = NAN;
		} else if (f->absent != 0) {
			store_integer(f, member, f->absent);
		}
	}
}

static bool is_signed(const struct packed_value *v)
{
	return v->type == PACKED_NEGATIVE || (v->type == PACKED_UNSIGNED && v->u64 <= INT64_MAX);
}

static bool take_integer(const struct packed_value *v, const struct field *f, void *member)
{
	bool fits, is_unsigned = v->type == PACKED_UNSIGNED;
	switch (f->type) {
	case FIELD_U64:
		fits = is_unsigned;
		break;
	case FIELD_I64:
		fits = is_signed(v);
		break;
	case FIELD_U32:
		fits = is_unsigned && v->u64 <= UINT32_MAX;
		break;
	case FIELD_INT:
		fits = is_signed(v) && v->i64 >= INT32_MIN && v->i64 <= INT32_MAX;
		break;
	case FIELD_ENUM:
		fits = is_unsigned && v->u64 < f->limit;
		break;
	default:
		fits = false;
	}
	if (fits) {
		store_integer(f, member, v->i64);
	}
	return fits;
}

/* A text that becomes a C string must not contain a NUL. */
static bool is_string(const struct packed_value *v)
{
	return v->type == PACKED_TEXT &&
	       (v->bytes.len == 0 || !memchr(v->bytes.data, '\0', v->bytes.len));
}

static void take_string(struct span text, struct arena *texts, char **ret)
{
	if (texts) {
		*ret = arena_text(texts, text);
	} else {
		free(*ret);
		*ret = span_dup(text);
	}
}

/* A buffer in an arena has no spare room except one byte for a NUL. */
static void take_buf(struct span text, struct arena *texts, struct buf *ret)
{
	if (texts) {
		*ret = (struct buf){arena_text(texts, text), text.len, text.len + 1};
	} else {
		buf_clear(ret);
		buf_append_span(ret, text);
	}
}

static bool take_value(
        const struct packed_value *v, const struct field *f, struct arena *texts, void *member)
{
	switch (f->type) {
	case FIELD_BOOL:
		if (v->type != PACKED_BOOL) {
			return false;
		}
		*(bool *)member = v->is_true;
		return true;
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
		take_string(v->bytes, texts, member);
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
		take_buf(v->bytes, texts, member);
		return true;
	default:
		return take_integer(v, f, member);
	}
}

int field_skip(struct packed *from)
{
	return packed_skip(from) ? 0 : -EBADMSG;
}

/* Handles the keys that are not in the field table. */
struct field_rest {
	field_other_fn take;
	void *arg;
};

/* Reads one key-value pair of the map. */
static inline int take_pair(struct packed *from, struct field_table t, void *row,
        struct arena *texts, const struct field_rest *rest)
{
	struct packed_value key, value;
	if (!packed_next_is(from, PACKED_UNSIGNED, &key)) {
		return -EBADMSG;
	}
	if (key.u64 >= t.n || t.fields[key.u64].type == FIELD_NONE) {
		return rest->take ? rest->take(rest->arg, key.u64, from) : field_skip(from);
	}
	const struct field *f = &t.fields[key.u64];
	bool taken =
	        packed_next(from, &value) && take_value(&value, f, texts, (char *)row + f->offset);
	return taken ? 0 : -EBADMSG;
}

int field_get_map(struct packed *from, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg)
{
	const struct field_rest rest = {other, arg};
	struct packed_value map;
	if (!packed_next_is(from, PACKED_MAP, &map)) {
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < map.n; i++) {
		int r = take_pair(from, t, row, texts, &rest);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

int field_get_row(struct span payload, struct field_table t, void *row, struct arena *texts,
        field_other_fn other, void *arg)
{
	struct packed from = packed_of(payload);
	int r = field_get_map(&from, t, row, texts, other, arg);
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

void field_loosen(struct field_table t, void *row)
{
	for (size_t i = 0; i < t.n; i++) {
		char **member = (char **)(void *)((char *)row + t.fields[i].offset);
		if (t.fields[i].type == FIELD_STRING && *member) {
			*member = xstrdup(*member);
		}
	}
}
