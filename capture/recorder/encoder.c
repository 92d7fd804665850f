#include "capture/recorder/encoder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/inflate.h"
#include "capture/privacy_filter.h"

/* Encodes a head. It is one complete part, not a piece. */
static void encode_head(struct item *i, bool under_pressure, struct privacy_filter *filter)
{
	struct buf head = {0};
	chunks_gather(&i->pieces, &head);
	privacy_filter_head(filter, i->owner, &head);
	record_wrap_part(&i->values, buf_span(&head), under_pressure ? RECORD_AS_IS : RECORD_SMALL);
	buf_finish(&head);
}

static void encode_part(struct item *i, bool under_pressure, struct privacy_filter *filter)
{
	if (filter->content == CONTENT_REDACTED && i->type != PART_ARRIVALS) {
		encode_head(i, under_pressure, filter);
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
	if (i->leg && under_pressure) {
		leg_reader_abandon(i->leg);
	} else if (i->leg && i->type == PART_RESPONSE_BODY) {
		leg_reader_body(i->leg, bytes);
	} else if (i->leg && i->type == PART_ARRIVALS) {
		leg_reader_arrivals(i->leg, bytes);
	}
	if (filter->content != CONTENT_METADATA || i->type == PART_ARRIVALS) {
		record_wrap_part(&i->values, bytes, under_pressure ? RECORD_AS_IS : RECORD_SMALL);
	}
	buf_finish(&gathered);
}

/* While a row's bodies are processed, they take more memory than the queue has accounted for. */
static void take_pending(struct item *i, struct buf *body)
{
	pending_body_copy(i->held, body);
	pending_body_unref(i->held);
	i->held = NULL;
	if (i->budget) {
		budget_force(i->budget, body->len);
	}
}

static void release_pending(struct item *i, struct buf *body, size_t taken)
{
	if (i->budget) {
		budget_give(i->budget, taken);
	}
	buf_finish(body);
}

/*
 * Redacts the held answer. If it had a content coding, its decoded text is recorded, as if it had
 * come without one. An answer that cannot be searched is recorded as metadata only.
 */
static void filter_answer(struct item *i, bool under_pressure, struct privacy_filter *filter)
{
	struct leg_row *row = i->leg_row;
	struct buf body = {0}, raw = {0};
	take_pending(i, &body);
	size_t taken = body.len;
	int code = i->leg ? leg_reader_decode(i->leg, row, &body) : 0;
	if (i->leg && code == -ENOMEM) {
		leg_reader_abandon(i->leg);
	}
	/* Redaction is done in place, and may stop halfway. */
	bool feeds_reader = i->leg && code != -ENOMEM && !under_pressure;
	if (feeds_reader) {
		buf_append(&raw, body.data, body.len);
	}
	if (i->budget) {
		budget_force(i->budget, raw.len);
	}
	taken += raw.len;
	if (code < 0) {
		privacy_filter_refuse(filter, code);
	}
	if (code == 0 && privacy_filter_answer(filter, row, &body)) {
		record_wrap_part(
		        &i->body, buf_span(&body), under_pressure ? RECORD_AS_IS : RECORD_SMALL);
		row->content = CONTENT_REDACTED;
	} else {
		row->content = CONTENT_METADATA;
	}
	bool kept = row->content == CONTENT_REDACTED;
	if (feeds_reader) {
		leg_reader_body(i->leg, kept ? buf_span(&body) : buf_span(&raw));
	}
	buf_finish(&raw);
	release_pending(i, &body, taken);
}

/* A request with a content coding is decoded, redacted and stored as text; its row names no
 * coding. */
static int decode_request(struct exchange_row *row, struct claim *claim, struct buf *body)
{
	struct span coding = span_of(row->content_encoding);
	struct buf text = {0};
	if (!coding.len) {
		return 0;
	}
	int r = inflate_body_on(claim, coding, buf_span(body), DECODED_LIMIT, &text);
	if (r < 0) {
		buf_finish(&text);
		return r;
	}
	buf_finish(body);
	*body = text;
	exchange_row_loosen(row);
	free(row->content_encoding);
	row->content_encoding = NULL;
	row->body_bytes = body->len;
	return 0;
}

static void encode_exchange(struct item *i, bool under_pressure, struct privacy_filter *filter)
{
	struct exchange_row *row = i->exchange_row;
	if (i->held) {
		struct buf body = {0};
		take_pending(i, &body);
		size_t taken = body.len;
		struct claim claim = {.budget = i->budget};
		int code = decode_request(row, &claim, &body);
		if (code < 0) {
			privacy_filter_refuse(filter, code);
		}
		if (code == 0 && privacy_filter_request(filter, row, &body)) {
			record_wrap_part(&i->body, buf_span(&body),
			        under_pressure ? RECORD_AS_IS : RECORD_SMALL);
		} else {
			row->content = CONTENT_METADATA;
		}
		release_pending(i, &body, taken);
		claim_close(&claim);
	}
	privacy_filter_exchange_row(filter, row);
}

static void encode_leg(struct item *i, bool under_pressure, struct privacy_filter *filter)
{
	struct leg_row *row = i->leg_row;
	struct reading *reading = NULL;
	if (i->held) {
		filter_answer(i, under_pressure, filter);
	}
	if (i->leg && i->read && !under_pressure) {
		reading = leg_reader_end(i->leg, row);
	}
	bool metadata_only =
	        filter->content == CONTENT_METADATA || row->content == CONTENT_METADATA;
	if (reading && metadata_only) {
		privacy_filter_set_answer_hash(filter, row, reading);
		reading_destroy(reading);
	} else if (reading) {
		struct buf payload = {0};
		record_put_reading(&payload, reading);
		record_wrap_part(&i->values, buf_span(&payload), RECORD_QUICK);
		buf_finish(&payload);
		reading_destroy(reading);
	} else if (row->body_bytes && row->content != CONTENT_METADATA) {
		row->marks |= LEG_UNREAD;
	}
	privacy_filter_leg_row(filter, row);
	i->type = PART_READING;
}

static void encode(struct item *i, bool under_pressure, struct privacy_filter *filter)
{
	switch (i->kind) {
	case ITEM_PART:
		encode_part(i, under_pressure, filter);
		break;
	case ITEM_LEG:
		encode_leg(i, under_pressure, filter);
		break;
	case ITEM_EXCHANGE:
		encode_exchange(i, under_pressure, filter);
		break;
	case ITEM_MANIFEST:
		break;
	}
}

void encoder_encode(struct item *i, bool under_pressure, struct privacy_filter *filter)
{
	/* A piece of a body that is held until its row comes. */
	if (i->kind == ITEM_PART && i->held) {
		pending_body_add(i->held, &i->pieces);
		return;
	}
	encode(i, under_pressure, filter);
	/* The buffers were sized for incompressible data. */
	buf_fit(&i->values);
	buf_fit(&i->body);
	/* In the budget the values replace the chunks; they are smaller or about the same size. */
	if (i->budget) {
		budget_force(i->budget, i->values.len + i->body.len);
	}
}

void encoder_release(struct item *i)
{
	chunks_finish(&i->pieces);
	if (i->kind == ITEM_LEG) {
		leg_reader_unref(i->leg);
		i->leg = NULL;
	}
}
