#include "capture/encoder.h"

#include <stdlib.h>

/* What fits a value uncompressed, and what is tried as one value first: answers in JSON shrink to a
 * third. */
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

static void put_values(struct buf *to, struct span bytes, enum record_packing packing)
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

static void feed(struct item *i, struct span bytes)
{
	if (i->type == PART_RESPONSE_BODY) {
		leg_reader_body(i->leg, bytes);
	} else if (i->type == PART_ARRIVALS) {
		leg_reader_arrivals(i->leg, bytes);
	}
}

static void encode_part(struct item *i, bool pressed)
{
	struct buf gathered = {0};
	struct span bytes;
	if (i->pieces.n == 1) {
		bytes = chunk_span(i->pieces.items[0]);
	} else {
		chunks_gather(&i->pieces, &gathered);
		bytes = buf_span(&gathered);
	}
	if (i->leg && pressed) {
		leg_reader_give_up(i->leg);
	} else if (i->leg) {
		feed(i, bytes);
	}
	put_values(&i->values, bytes, pressed ? RECORD_AS_IS : RECORD_SMALL);
	buf_finish(&gathered);
	chunks_finish(&i->pieces);
}

static void encode_leg(struct item *i, bool pressed)
{
	struct leg_row *row = i->leg_row;
	struct reading *reading = NULL;
	if (i->leg && i->read && !pressed) {
		reading = leg_reader_end(i->leg, row);
	}
	if (reading) {
		struct buf payload = {0};
		record_put_reading(&payload, reading);
		put_values(&i->values, buf_span(&payload), RECORD_QUICK);
		buf_finish(&payload);
		reading_destroy(reading);
	} else if (row->body_bytes) {
		row->marks |= LEG_UNREAD;
	}
	i->type = PART_READING;
	leg_reader_unref(i->leg);
	i->leg = NULL;
}

void encoder_encode(struct item *i, bool pressed)
{
	if (i->kind == ITEM_PART) {
		encode_part(i, pressed);
	} else if (i->kind == ITEM_LEG) {
		encode_leg(i, pressed);
	}
	/* The values take the place of the chunks in the budget; they are smaller or about the
	 * same. */
	if (i->budget) {
		budget_force(i->budget, i->values.len);
	}
}
