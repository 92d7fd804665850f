/*
 * Any bytes as msgpack. packed.h and msgpack-c must agree on each value and its contents. packed.h
 * reads first, because msgpack-c allocates for any count that the bytes claim.
 */
#include <stdint.h>
#include <string.h>

#include <msgpack.h>

#include "capture/packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The limit of msgpack-c is 32. */
#define DEPTH_LIMIT 31

static void expect_same(struct packed *p, const msgpack_object *o);

static void expect_same_bytes(struct span got, const char *data, size_t len)
{
	expect(got.len == len &&
	        (len == 0 || got.data == data || memcmp(got.data, data, len) == 0));
}

static void expect_same_map(struct packed *p, uint32_t n, const msgpack_object_map *map)
{
	expect(n == map->size);
	for (uint32_t i = 0; i < n; i++) {
		expect_same(p, &map->ptr[i].key);
		expect_same(p, &map->ptr[i].val);
	}
}

static void expect_same_array(struct packed *p, uint32_t n, const msgpack_object_array *array)
{
	expect(n == array->size);
	for (uint32_t i = 0; i < n; i++) {
		expect_same(p, &array->ptr[i]);
	}
}

static void expect_same(struct packed *p, const msgpack_object *o)
{
	struct packed_value v;
	expect(packed_next(p, &v));
	switch (o->type) {
	case MSGPACK_OBJECT_NIL:
		expect(v.type == PACKED_NIL);
		break;
	case MSGPACK_OBJECT_BOOLEAN:
		expect(v.type == PACKED_BOOL && v.is_true == o->via.boolean);
		break;
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		expect(v.type == PACKED_UNSIGNED && v.u64 == o->via.u64);
		break;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		expect(v.type == PACKED_NEGATIVE && v.i64 == o->via.i64);
		break;
	case MSGPACK_OBJECT_FLOAT64: /* NaNs, too */
		expect(v.type == PACKED_DOUBLE && memcmp(&v.f64, &o->via.f64, sizeof(v.f64)) == 0);
		break;
	case MSGPACK_OBJECT_STR:
		expect(v.type == PACKED_TEXT);
		expect_same_bytes(v.bytes, o->via.str.ptr, o->via.str.size);
		break;
	case MSGPACK_OBJECT_BIN:
		expect(v.type == PACKED_BYTES);
		expect_same_bytes(v.bytes, o->via.bin.ptr, o->via.bin.size);
		break;
	case MSGPACK_OBJECT_ARRAY:
		expect(v.type == PACKED_ARRAY);
		expect_same_array(p, v.n, &o->via.array);
		break;
	case MSGPACK_OBJECT_MAP:
		expect(v.type == PACKED_MAP);
		expect_same_map(p, v.n, &o->via.map);
		break;
	default:
		expect(v.type == PACKED_OTHER);
		break;
	}
}

/* The depth of nested arrays and maps in a valid value, at most DEPTH_LIMIT. */
static size_t depth_of(struct packed *p, size_t above)
{
	struct packed_value v;
	expect(packed_next(p, &v));
	size_t children = v.type == PACKED_ARRAY ? v.n : v.type == PACKED_MAP ? 2 * (size_t)v.n : 0;
	size_t deepest = above;
	for (size_t i = 0; i < children && deepest < DEPTH_LIMIT; i++) {
		size_t depth = depth_of(p, above + 1);
		deepest = MAX(deepest, depth);
	}
	return deepest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct span all = {(const char *)data, size};
	struct packed p = packed_of(all), end = p, probe = p;
	bool sound = packed_skip(&end);
	size_t at = 0;
	msgpack_unpacked doc;
	if (!sound || depth_of(&probe, 0) >= DEPTH_LIMIT) {
		return 0;
	}
	msgpack_unpacked_init(&doc);
	expect(msgpack_unpack_next(&doc, all.data, all.len, &at) == MSGPACK_UNPACK_SUCCESS);
	expect(at == (size_t)(end.at - data));
	expect_same(&p, &doc.data);
	expect(p.at == end.at);
	msgpack_unpacked_destroy(&doc);
	return 0;
}
