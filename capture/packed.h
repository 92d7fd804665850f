#pragma once
/*
 * packed - reads msgpack in place, one value after another, without objects and without allocation.
 *
 * Every byte is hostile: it is an error if a value is longer than the remaining bytes, or states
 * more children than they can hold. No function recurses, and the time to skip a value is linear in
 * its bytes. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The most children of an array or map, for callers that allocate; rows have fewer. */
#define PACKED_CHILDREN_LIMIT (1u << 20)

enum packed_type {
	PACKED_NIL,
	PACKED_BOOL,
	PACKED_UNSIGNED, /* 0 and above, in any encoding */
	PACKED_NEGATIVE,
	PACKED_DOUBLE,
	PACKED_TEXT,
	PACKED_BYTES,
	PACKED_ARRAY,
	PACKED_MAP,
	PACKED_OTHER, /* a 32-bit float or an extension: not used */
};

struct packed_value {
	enum packed_type type;
	union {
		bool is_true;      /* BOOL */
		uint64_t u64;      /* UNSIGNED */
		int64_t i64;       /* NEGATIVE */
		double f64;        /* DOUBLE */
		struct span bytes; /* TEXT, BYTES: in place */
		uint32_t n; /* ARRAY: number of elements, MAP: number of pairs; these come next */
	};
};

struct packed {
	const uint8_t *at, *end;
};

static inline struct packed packed_of(struct span bytes)
{
	const uint8_t *at = (const uint8_t *)bytes.data;
	return (struct packed){at, at + bytes.len};
}

static inline bool packed_is_at_end(const struct packed *p)
{
	return p->at == p->end;
}

/* For packed_next() only: reads a value that is not a one-byte number. */
bool packed_next_long(struct packed *p, struct packed_value *ret) MUST_CHECK;

/* Reads the next value; of an array or map only the number of its children. False: there is no
 * value, or it is damaged; *p must not be used again. */
MUST_CHECK static inline bool packed_next(struct packed *p, struct packed_value *ret)
{
	if (p->at == p->end || *p->at > 0x7f) {
		return packed_next_long(p, ret);
	}
	/* Most keys and many values are one byte. */
	ret->type = PACKED_UNSIGNED;
	ret->u64 = *p->at++;
	return true;
}

/* Reads the next value. False: it has another type, is missing or damaged. */
MUST_CHECK static inline bool packed_next_is(
        struct packed *p, enum packed_type type, struct packed_value *ret)
{
	return packed_next(p, ret) && ret->type == type;
}

/* Skips the next value with all that it contains. */
bool packed_skip(struct packed *p) MUST_CHECK;
