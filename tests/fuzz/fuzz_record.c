/*
 * Any bytes as an envelope or as the payload of a row; the first byte chooses. The target writes a
 * decoded row, reads and writes it again: both written forms must be the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "capture/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void envelope(struct span s)
{
	struct buf scratch = {0};
	struct span payload;
	for (int kind = ROW_EXCHANGE; kind <= ROW_META; kind++) {
		if (record_unwrap(s, (enum row_kind)kind, &scratch, &payload) == 0 && payload.len) {
			/* Every byte must be readable. */
			volatile char sum = 0;
			for (size_t i = 0; i < payload.len; i++) {
				sum = (char)(sum + payload.data[i]);
			}
		}
	}
	buf_finish(&scratch);
}

static void exchange(struct span s, struct buf *first, struct buf *second)
{
	struct exchange_row row, again;
	if (record_get_exchange(s, &row) == 0) {
		record_put_exchange(first, &row);
		expect(record_get_exchange(buf_span(first), &again) == 0);
		record_put_exchange(second, &again);
		exchange_row_finish(&again);
		exchange_row_finish(&row);
	}
}

static void leg(struct span s, struct buf *first, struct buf *second)
{
	struct leg_row row, again;
	if (record_get_leg(s, &row) == 0) {
		record_put_leg(first, &row);
		expect(record_get_leg(buf_span(first), &again) == 0);
		record_put_leg(second, &again);
		leg_row_finish(&again);
		leg_row_finish(&row);
	}
}

static void reading(struct span s, struct buf *first, struct buf *second)
{
	struct reading *r, *again;
	if (record_get_reading(s, &r) >= 0) {
		record_put_reading(first, r);
		expect(record_get_reading(buf_span(first), &again) == 0);
		record_put_reading(second, again);
		reading_destroy(again);
		reading_destroy(r);
	}
}

static void meta(struct span s, struct buf *first, struct buf *second)
{
	struct meta_row row, again;
	if (record_get_meta(s, &row) == 0) {
		record_put_meta(first, &row);
		expect(record_get_meta(buf_span(first), &again) == 0);
		record_put_meta(second, &again);
		meta_row_finish(&again);
		meta_row_finish(&row);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const targets[])(struct span, struct buf *, struct buf *) = {
	        exchange, leg, reading, meta};
	struct buf first = {0}, second = {0};
	if (size == 0) {
		return 0;
	}
	struct span rest = {(const char *)data + 1, size - 1};
	if (data[0] % 5 == 4) {
		envelope(rest);
	} else {
		targets[data[0] % 5](rest, &first, &second);
	}
	expect(span_equal(buf_span(&first), buf_span(&second)));
	buf_finish(&first);
	buf_finish(&second);
	return 0;
}
