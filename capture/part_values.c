#include "capture/part_values.h"

/* The most bytes that fit a value uncompressed, and how many are first tried as one compressed
 * value: JSON answers shrink to a third. */
#define CUT (PART_STORED_LIMIT - RECORD_ENVELOPE_SIZE)
#define CUT_COMPRESSED (3 * CUT)

static struct span first_of(struct span s, size_t n)
{
	return (struct span){s.data, MIN(s.len, n)};
}

static struct span rest_of(struct span s, size_t n)
{
	return (struct span){s.data + n, s.len - n};
}

static void put_cuts(struct buf *to, struct span bytes, enum record_packing packing)
{
	while (bytes.len) {
		struct span cut = first_of(bytes, CUT);
		record_wrap(to, ROW_PART, cut, packing);
		bytes = rest_of(bytes, cut.len);
	}
}

void part_values_append(struct buf *to, struct span bytes, enum record_packing packing)
{
	if (packing == RECORD_AS_IS) {
		put_cuts(to, bytes, packing);
		return;
	}
	while (bytes.len) {
		struct span cut = first_of(bytes, CUT_COMPRESSED);
		size_t before = to->len;
		record_wrap(to, ROW_PART, cut, packing);
		if (to->len - before > PART_STORED_LIMIT) {
			to->len = before;
			put_cuts(to, cut, packing);
		}
		bytes = rest_of(bytes, cut.len);
	}
}
