#include "capture/record_field.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Rows nest five levels deep; what a newer writer adds may go a little further. */
#define DEPTH_LIMIT 8
/* msgpack-c makes an object of 24 bytes for each value. */
#define OBJECTS_LIMIT (1 << 20)

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

struct item {
	size_t header;    /* tag and length */
	uint64_t payload; /* bytes of str, bin, ext, numbers */
	uint64_t children;
};

static uint64_t big_endian(const uint8_t *p, size_t n)
{
	uint64_t value = 0;
	for (size_t i = 0; i < n; i++) {
		value = value << 8 | p[i];
	}
	return value;
}

/* What the tag at p says; false when its length field is cut off or the tag is not msgpack's. */
static bool read_item(const uint8_t *p, size_t left, struct item *ret)
{
	static const uint8_t fixed[] = {
	        [0xca - 0xc0] = 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17};
	uint8_t tag = *p;
	*ret = (struct item){.header = 1};
	if (tag <= 0x7f || tag >= 0xe0 || tag == 0xc0 || tag == 0xc2 || tag == 0xc3) {
		return true;
	}
	if (tag <= 0x8f) {
		ret->children = 2u * (tag & 0x0f);
		return true;
	}
	if (tag <= 0x9f) {
		ret->children = tag & 0x0f;
		return true;
	}
	if (tag <= 0xbf) {
		ret->payload = tag & 0x1f;
		return true;
	}
	if (tag == 0xc1) {
		return false;
	}
	if (tag >= 0xca && tag <= 0xd8) {
		ret->payload = fixed[tag - 0xc0];
		return true;
	}
	/* 0xc4 bin, 0xc7 ext, 0xd9 str with 1, 2, 4 bytes of length; 0xdc array, 0xde map with
	 * 2, 4. */
	size_t width;
	if (tag >= 0xdc) {
		width = tag & 1 ? 4 : 2;
	} else {
		width = (size_t)1 << (tag >= 0xd9 ? tag - 0xd9 : (tag - 0xc4) % 3);
	}
	if (left < 1 + width) {
		return false;
	}
	uint64_t length = big_endian(p + 1, width);
	ret->header = 1 + width;
	if (tag >= 0xde) {
		ret->children = 2 * length;
	} else if (tag >= 0xdc) {
		ret->children = length;
	} else {
		bool is_ext = tag >= 0xc7 && tag <= 0xc9;
		ret->payload = length + is_ext;
	}
	return true;
}

/*
 * Walks the value without allocating: msgpack-c believes the counts that it reads and would take
 * gigabytes for an array of five bytes.
 */
static bool is_sound(struct span payload)
{
	const uint8_t *p = (const uint8_t *)payload.data;
	size_t left = payload.len;
	uint64_t pending[DEPTH_LIMIT] = {1};
	size_t depth = 0, objects = 0;
	for (;;) {
		while (pending[depth] == 0) {
			if (depth-- == 0) {
				return left == 0;
			}
		}
		pending[depth]--;
		struct item item;
		if (left == 0 || ++objects > OBJECTS_LIMIT || !read_item(p, left, &item)) {
			return false;
		}
		if (item.payload > left - item.header || item.children > left - item.header) {
			return false;
		}
		p += item.header + item.payload;
		left -= item.header + item.payload;
		if (item.children) {
			if (++depth == DEPTH_LIMIT) {
				return false;
			}
			pending[depth] = item.children;
		}
	}
}

int field_parse(struct span payload, msgpack_unpacked *ret)
{
	if (!is_sound(payload)) {
		return -EBADMSG;
	}
	size_t at = 0;
	msgpack_unpacked_init(ret);
	if (msgpack_unpack_next(ret, payload.data, payload.len, &at) != MSGPACK_UNPACK_SUCCESS ||
	        at != payload.len) {
		msgpack_unpacked_destroy(ret);
		return -EBADMSG;
	}
	return 0;
}

static void set_absent(const struct field *f, void *member)
{
	switch (f->type) {
	case FIELD_F64:
		*(double *)member = NAN;
		break;
	case FIELD_BYTES:
		memset(member, 0, f->limit);
		break;
	case FIELD_STRING:
		*(char **)member = NULL;
		break;
	case FIELD_CHARS:
		*(char *)member = '\0';
		break;
	case FIELD_BUF:
		*(struct buf *)member = (struct buf){0};
		break;
	default:
		store_integer(f, member, f->absent);
		break;
	}
}

static bool integer_of(const msgpack_object *o, const struct field *f, int64_t *ret)
{
	if (f->type == FIELD_BOOL) {
		*ret = o->type == MSGPACK_OBJECT_BOOLEAN && o->via.boolean;
		return o->type == MSGPACK_OBJECT_BOOLEAN;
	}
	if (o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
		*ret = o->via.i64;
		return f->type == FIELD_I64 || (f->type == FIELD_INT && *ret >= INT32_MIN);
	}
	if (o->type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
		return false;
	}
	uint64_t u = o->via.u64;
	*ret = (int64_t)u;
	switch (f->type) {
	case FIELD_U64:
		return true;
	case FIELD_I64:
		return u <= INT64_MAX;
	case FIELD_U32:
		return u <= UINT32_MAX;
	case FIELD_INT:
		return u <= INT32_MAX;
	case FIELD_ENUM:
		return u < f->limit;
	default:
		return false;
	}
}

/* A C string must not end before its bytes do. */
static bool text_of(const msgpack_object *o, struct span *ret)
{
	if (o->type != MSGPACK_OBJECT_STR) {
		return false;
	}
	*ret = (struct span){o->via.str.ptr, o->via.str.size};
	return true;
}

static bool string_of(const msgpack_object *o, struct span *ret)
{
	return text_of(o, ret) && (ret->len == 0 || !memchr(ret->data, '\0', ret->len));
}

static int get_value(const msgpack_object *o, const struct field *f, void *member)
{
	struct span s;
	int64_t integer;
	switch (f->type) {
	case FIELD_F64:
		if (o->type != MSGPACK_OBJECT_FLOAT64) {
			return -EBADMSG;
		}
		*(double *)member = o->via.f64;
		return 0;
	case FIELD_BYTES:
		if (field_get_bytes(o, &s) < 0 || s.len != f->limit) {
			return -EBADMSG;
		}
		memcpy(member, s.data, s.len);
		return 0;
	case FIELD_STRING:
		if (!string_of(o, &s) || (f->limit && s.len > f->limit)) {
			return -EBADMSG;
		}
		free(*(char **)member);
		*(char **)member = span_dup(s);
		return 0;
	case FIELD_CHARS:
		if (!string_of(o, &s) || s.len >= f->limit) {
			return -EBADMSG;
		}
		memcpy(member, s.data, s.len);
		((char *)member)[s.len] = '\0';
		return 0;
	case FIELD_BUF:
		if (!text_of(o, &s)) {
			return -EBADMSG;
		}
		buf_clear(member);
		buf_append_span(member, s);
		return 0;
	default:
		if (!integer_of(o, f, &integer)) {
			return -EBADMSG;
		}
		store_integer(f, member, integer);
		return 0;
	}
}

static const struct field *find(struct field_table t, uint64_t key)
{
	for (size_t i = 0; i < t.n; i++) {
		if (t.fields[i].key == key) {
			return &t.fields[i];
		}
	}
	return NULL;
}

int field_get_map(
        const msgpack_object *map, struct field_table t, void *row, field_other_fn other, void *arg)
{
	for (size_t i = 0; i < t.n; i++) {
		set_absent(&t.fields[i], (char *)row + t.fields[i].offset);
	}
	if (map->type != MSGPACK_OBJECT_MAP) {
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < map->via.map.size; i++) {
		const msgpack_object_kv *kv = &map->via.map.ptr[i];
		if (kv->key.type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
			return -EBADMSG;
		}
		const struct field *f = find(t, kv->key.via.u64);
		int r = 0;
		if (f) {
			r = get_value(&kv->val, f, (char *)row + f->offset);
		} else if (other) {
			r = other(arg, kv->key.via.u64, &kv->val);
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

int field_get_bytes(const msgpack_object *value, struct span *ret)
{
	if (value->type != MSGPACK_OBJECT_BIN) {
		return -EBADMSG;
	}
	*ret = (struct span){value->via.bin.ptr, value->via.bin.size};
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
