#pragma once
/*
 * packed - msgpack read where it lies: one value after another, without objects and without memory.
 *
 * Every byte is hostile: a value that does not lie within what is left, or that promises more than can be
 * there, is none. Nothing recurses, and what is passed over costs no more than it has bytes. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Of one array or map. No row has as many, and whoever makes room for them needs a limit. */
#define PACKED_CHILDREN_LIMIT (1u << 20)

enum packed_type {
	PACKED_NIL,
	PACKED_BOOL,
	PACKED_UNSIGNED, /* 0 and above, whatever it was written as */
	PACKED_NEGATIVE,
	PACKED_DOUBLE,
	PACKED_TEXT,
	PACKED_BYTES,
	PACKED_ARRAY,
	PACKED_MAP,
	PACKED_OTHER, /* a float of 32 bits, an extension: of no use here */
};

struct packed_value {
	enum packed_type type;
	union {
		bool is_true;      /* BOOL */
		uint64_t u64;      /* UNSIGNED */
		int64_t i64;       /* NEGATIVE */
		double f64;        /* DOUBLE */
		struct span bytes; /* TEXT, BYTES: where they lie */
		uint32_t n; /* ARRAY: elements, MAP: pairs of key and value, which come next */
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

/* The next value where it is not a number of one byte. */
bool packed_next_long(struct packed *p, struct packed_value *ret) MUST_CHECK;

/* The next value; of an array or a map only how much is in it. False: there is none, or it is damaged. */
MUST_CHECK static inline bool packed_next(struct packed *p, struct packed_value *ret)
{
	if (p->at == p->end || *p->at > 0x7f) {
		return packed_next_long(p, ret);
	}
	/* As most keys are, and many values. */
	ret->type = PACKED_UNSIGNED;
	ret->u64 = *p->at++;
	return true;
}

/* The next value, if it has that type. */
MUST_CHECK static inline bool packed_next_is(
        struct packed *p, enum packed_type type, struct packed_value *ret)
{
	return packed_next(p, ret) && ret->type == type;
}

/* Passes over the next value and all that is in it. */
bool packed_skip(struct packed *p) MUST_CHECK;
