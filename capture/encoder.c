#include "capture/encoder.h"

#include <stdlib.h>

#include "capture/cuts.h"
#include "capture/veil.h"

static void feed(struct item *i, struct span bytes)
{
	if (i->type == PART_RESPONSE_BODY) {
		leg_reader_body(i->leg, bytes);
	} else if (i->type == PART_ARRIVALS) {
		leg_reader_arrivals(i->leg, bytes);
	}
}

static bool is_body(enum part_type type)
{
	return type == PART_REQUEST_BODY || type == PART_RESPONSE_BODY;
}

/* Heads: in themselves whole. */
static void encode_head(struct item *i, bool pressed, struct veil *veil)
{
	struct buf head = {0};
	chunks_gather(&i->pieces, &head);
	veil_head(veil, i->owner, &head);
	cuts_put(&i->values, buf_span(&head), pressed ? RECORD_AS_IS : RECORD_SMALL);
	buf_finish(&head);
	chunks_finish(&i->pieces);
}

static void encode_part(struct item *i, bool pressed, struct veil *veil)
{
	if (i->held && is_body(i->type)) {
		held_add(i->held, &i->pieces);
		return;
	}
	if (veil->content == CONTENT_REDACTED && i->type != PART_ARRIVALS) {
		encode_head(i, pressed, veil);
		return;
	}
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
	if (veil->content != CONTENT_METADATA || i->type == PART_ARRIVALS) {
		cuts_put(&i->values, bytes, pressed ? RECORD_AS_IS : RECORD_SMALL);
	}
	buf_finish(&gathered);
	chunks_finish(&i->pieces);
}

/* What a row's bodies take while they are worked on is more than the queue knows of. */
static void open_held(struct item *i, struct buf *body)
{
	held_gather(i->held, body);
	held_unref(i->held);
	i->held = NULL;
	if (i->budget) {
		budget_force(i->budget, body->len);
	}
}

static void close_held(struct item *i, struct buf *body, size_t taken)
{
	if (i->budget) {
		budget_give(i->budget, taken);
	}
	buf_finish(body);
}

/*
 * The answer that was held, without what is private. Of a coded one the text is kept, as if it had come so. What
 * can't be looked into is only measured.
 */
static void unveil_answer(struct item *i, bool pressed, struct veil *veil)
{
	struct leg_row *row = i->leg_row;
	struct buf body = {0};
	open_held(i, &body);
	size_t taken = body.len;
	int code = i->leg ? leg_reader_decode(i->leg, row, &body) : 0;
	struct buf raw = {0};
	buf_append_span(&raw, buf_span(&body));
	if (i->budget) {
		budget_force(i->budget, raw.len);
	}
	taken += raw.len;
	if (code < 0) {
		veil_refuse(veil, code);
	}
	if (code == 0 && veil_answer(veil, row, &body)) {
		cuts_put(&i->body, buf_span(&body), pressed ? RECORD_AS_IS : RECORD_SMALL);
		row->content = CONTENT_REDACTED;
	} else {
		row->content = CONTENT_METADATA;
	}
	bool kept = row->content == CONTENT_REDACTED;
	if (i->leg && !pressed) {
		leg_reader_body(i->leg, kept ? buf_span(&body) : buf_span(&raw));
	}
	buf_finish(&raw);
	close_held(i, &body, taken);
}

static void encode_exchange(struct item *i, bool pressed, struct veil *veil)
{
	struct exchange_row *row = i->exchange_row;
	if (i->held) {
		struct buf body = {0};
		open_held(i, &body);
		size_t taken = body.len;
		if (veil_request(veil, row, &body)) {
			cuts_put(&i->body, buf_span(&body), pressed ? RECORD_AS_IS : RECORD_SMALL);
		} else {
			row->content = CONTENT_METADATA;
		}
		close_held(i, &body, taken);
	}
	veil_exchange_row(veil, row);
}

static void encode_leg(struct item *i, bool pressed, struct veil *veil)
{
	struct leg_row *row = i->leg_row;
	struct reading *reading = NULL;
	if (i->held) {
		unveil_answer(i, pressed, veil);
	}
	if (i->leg && i->read && !pressed) {
		reading = leg_reader_end(i->leg, row);
	}
	bool unkept = veil->content == CONTENT_METADATA || row->content == CONTENT_METADATA;
	if (reading && unkept) {
		veil_note_answer(veil, row, reading);
		reading_destroy(reading);
	} else if (reading) {
		struct buf payload = {0};
		record_put_reading(&payload, reading);
		cuts_put(&i->values, buf_span(&payload), RECORD_QUICK);
		buf_finish(&payload);
		reading_destroy(reading);
	} else if (row->body_bytes && row->content != CONTENT_METADATA) {
		row->marks |= LEG_UNREAD;
	}
	veil_leg_row(veil, row);
	i->type = PART_READING;
	leg_reader_unref(i->leg);
	i->leg = NULL;
}

void encoder_encode(struct item *i, bool pressed, struct veil *veil)
{
	switch (i->kind) {
	case ITEM_PART:
		encode_part(i, pressed, veil);
		break;
	case ITEM_LEG:
		encode_leg(i, pressed, veil);
		break;
	case ITEM_EXCHANGE:
		encode_exchange(i, pressed, veil);
		break;
	case ITEM_MANIFEST:
		break;
	}
	/* The values take the place of the chunks in the budget; they are smaller or about the
	 * same. */
	if (i->budget) {
		budget_force(i->budget, i->values.len + i->body.len);
	}
}
