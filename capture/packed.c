#include "capture/packed.h"

#include <endian.h>
#include <string.h>

/* Takes the n-byte number after the tag; n is 1, 2, 4 or 8. False: the input ends before it
 * does. */
static inline bool take_number(struct packed *p, size_t n, uint64_t *ret)
{
	size_t left = (size_t)(p->end - p->at);
	uint64_t value = 0;
	if (n > left) {
		return false;
	}
	if (left >= sizeof(value)) {
		memcpy(&value, p->at, sizeof(value));
		value = be64toh(value) >> (64 - 8 * n);
	} else {
		for (size_t i = 0; i < n; i++) {
			value = value << 8 | p->at[i];
		}
	}
	p->at += n;
	*ret = value;
	return true;
}

static bool take_bytes(
        struct packed *p, enum packed_type type, uint64_t n, struct packed_value *ret)
{
	if (n > (size_t)(p->end - p->at)) {
		return false;
	}
	ret->type = type;
	ret->bytes = (struct span){(const char *)p->at, n};
	p->at += n;
	return true;
}

/* Each child takes at least one byte. */
static bool take_children(
        struct packed *p, enum packed_type type, uint64_t n, struct packed_value *ret)
{
	uint64_t values = type == PACKED_MAP ? 2 * n : n;
	if (n > PACKED_CHILDREN_LIMIT || values > (size_t)(p->end - p->at)) {
		return false;
	}
	ret->type = type;
	ret->n = (uint32_t)n;
	return true;
}

static bool take_signed(struct packed *p, size_t n, struct packed_value *ret)
{
	uint64_t bits;
	if (!take_number(p, n, &bits)) {
		return false;
	}
	uint64_t sign = UINT64_C(1) << (8 * n - 1);
	int64_t value = (int64_t)((bits ^ sign) - sign);
	ret->type = value < 0 ? PACKED_NEGATIVE : PACKED_UNSIGNED;
	ret->i64 = value;
	return true;
}

static bool take_double(struct packed *p, struct packed_value *ret)
{
	uint64_t bits;
	if (!take_number(p, sizeof(bits), &bits)) {
		return false;
	}
	ret->type = PACKED_DOUBLE;
	memcpy(&ret->f64, &bits, sizeof(bits));
	return true;
}

/* Takes a value whose count is an n-byte number after the tag. */
static bool take_counted(
        struct packed *p, enum packed_type type, size_t n, struct packed_value *ret)
{
	uint64_t count;
	if (!take_number(p, n, &count)) {
		return false;
	}
	if (type == PACKED_ARRAY || type == PACKED_MAP) {
		return take_children(p, type, count, ret);
	}
	return take_bytes(p, type, count + (type == PACKED_OTHER), ret); /* an extension's kind */
}

static bool take_wide(struct packed *p, uint8_t tag, struct packed_value *ret)
{
	switch (tag) {
	case 0xc0:
		ret->type = PACKED_NIL;
		return true;
	case 0xc2:
	case 0xc3:
		ret->type = PACKED_BOOL;
		ret->is_true = tag & 1;
		return true;
	case 0xc4:
	case 0xc5:
	case 0xc6:
		return take_counted(p, PACKED_BYTES, (size_t)1 << (tag - 0xc4), ret);
	case 0xc7:
	case 0xc8:
	case 0xc9:
		return take_counted(p, PACKED_OTHER, (size_t)1 << (tag - 0xc7), ret);
	case 0xca:
		return take_bytes(p, PACKED_OTHER, sizeof(float), ret);
	case 0xcb:
		return take_double(p, ret);
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		ret->type = PACKED_UNSIGNED;
		return take_number(p, (size_t)1 << (tag - 0xcc), &ret->u64);
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		return take_signed(p, (size_t)1 << (tag - 0xd0), ret);
	case 0xd4:
	case 0xd5:
	case 0xd6:
	case 0xd7:
	case 0xd8:
		return take_bytes(p, PACKED_OTHER, 1 + ((size_t)1 << (tag - 0xd4)), ret);
	case 0xd9:
	case 0xda:
	case 0xdb:
		return take_counted(p, PACKED_TEXT, (size_t)1 << (tag - 0xd9), ret);
	case 0xdc:
	case 0xdd:
		return take_counted(p, PACKED_ARRAY, (size_t)2 << (tag - 0xdc), ret);
	case 0xde:
	case 0xdf:
		return take_counted(p, PACKED_MAP, (size_t)2 << (tag - 0xde), ret);
	default: /* 0xc1 is never used */
		return false;
	}
}

bool packed_next_long(struct packed *p, struct packed_value *ret)
{
	if (packed_is_at_end(p)) {
		return false;
	}
	uint8_t tag = *p->at++;
	if (tag >= 0xe0) {
		ret->type = PACKED_NEGATIVE;
		ret->i64 = (int64_t)tag - 0x100;
		return true;
	}
	if (tag >= 0xc0) {
		return take_wide(p, tag, ret);
	}
	if (tag >= 0xa0) {
		return take_bytes(p, PACKED_TEXT, tag & 0x1f, ret);
	}
	return take_children(p, tag >= 0x90 ? PACKED_ARRAY : PACKED_MAP, tag & 0x0f, ret);
}

bool packed_skip(struct packed *p)
{
	struct packed_value value;
	for (uint64_t pending = 1; pending > 0; pending--) {
		if (!packed_next(p, &value)) {
			return false;
		}
		if (value.type == PACKED_ARRAY) {
			pending += value.n;
		} else if (value.type == PACKED_MAP) {
			pending += 2 * (uint64_t)value.n;
		}
	}
	return true;
}
