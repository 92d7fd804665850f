#include "capture/encoder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/inflate.h"
#include "base/reserve.h"
#include "capture/part_values.h"
#include "capture/privacy_filter.h"

/* Times its length, that bytes may take while they are packed: gathered, copied for the reader, in cuts of which each may grow a little. */
#define OWN_ROOM 6
/*
 * What reading takes. Text lies in buffers that double: the body, a string of it without escapes, the texts that come of it. Columns may
 * be larger than the JSON they come of, as is a list of two bytes an element, and of each of which they make 17: they
 * double too, are held twice while they move, and are packed and compressed likewise. Of all that is held so there are READING_LIMIT bytes at most.
 */
#define TEXT_ROOM 8
#define COLUMNS_MOST 9
#define COLUMNS_ROOM 7

static size_t room_to_read(size_t len)
{
	return TEXT_ROOM * len + COLUMNS_ROOM * MIN(COLUMNS_MOST * len, READING_LIMIT);
}

static void feed(struct item *i, struct span bytes)
{
	if (i->type == PART_RESPONSE_BODY) {
		leg_reader_body(i->leg, bytes);
	} else if (i->type == PART_ARRIVALS) {
		leg_reader_arrivals(i->leg, bytes);
	}
}

/* Heads: in themselves whole. */
static void encode_head(struct item *i, bool pressed, struct privacy_filter *filter)
{
	struct buf head = {0};
	chunks_gather(&i->pieces, &head);
	privacy_filter_head(filter, i->owner, &head);
	part_values_append(&i->values, buf_span(&head), pressed ? RECORD_AS_IS : RECORD_SMALL);
	buf_finish(&head);
}

static void encode_part(struct item *i, bool pressed, struct privacy_filter *filter)
{
	if (filter->content == CONTENT_REDACTED && i->type != PART_ARRIVALS) {
		encode_head(i, pressed, filter);
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
	if (filter->content != CONTENT_METADATA || i->type == PART_ARRIVALS) {
		part_values_append(&i->values, bytes, pressed ? RECORD_AS_IS : RECORD_SMALL);
	}
	buf_finish(&gathered);
}

/* What a row's bodies take while they are worked on is more than the queue knows of. */
static void open_held(struct item *i, struct buf *body)
{
	pending_body_copy(i->held, body);
	pending_body_unref(i->held);
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

/* What has been decoded wants more room than what came. Where there is none for reading the answer is left unread. */
static bool widen(struct item *i, size_t len, bool pressed)
{
	if (!pressed && room_widen(OWN_ROOM * len + room_to_read(len))) {
		return true;
	}
	leg_reader_give_up(i->leg);
	return room_widen(OWN_ROOM * len);
}

/* Of a coded answer the text is kept, as if it had come so. */
static int decode_held(struct item *i, struct buf *body, bool pressed)
{
	size_t came = body->len;
	int code = i->leg ? leg_reader_decode(i->leg, i->leg_row, body) : 0;
	if (code == 0 && body->len > came && !widen(i, body->len, pressed)) {
		code = -ENOMEM;
	}
	if (code == -ENOMEM) {
		leg_reader_give_up(i->leg);
	}
	return code;
}

/* The answer that was held, without what is private. What can't be looked into is only measured. */
static void filter_answer(struct item *i, bool pressed, struct privacy_filter *filter)
{
	struct leg_row *row = i->leg_row;
	struct buf body = {0}, raw = {0};
	open_held(i, &body);
	size_t taken = body.len;
	int code = decode_held(i, &body, pressed);
	/* Redaction is done in place, and may stop halfway. */
	bool reads = i->leg && code != -ENOMEM && !pressed;
	if (reads && !buf_try_append(&raw, body.data, body.len)) {
		leg_reader_give_up(i->leg);
		reads = false;
	}
	if (i->budget) {
		budget_force(i->budget, raw.len);
	}
	taken += raw.len;
	if (code < 0) {
		privacy_filter_refuse(filter, code);
	}
	if (code == 0 && privacy_filter_answer(filter, row, &body)) {
		part_values_append(
		        &i->body, buf_span(&body), pressed ? RECORD_AS_IS : RECORD_SMALL);
		row->content = CONTENT_REDACTED;
	} else {
		row->content = CONTENT_METADATA;
	}
	bool kept = row->content == CONTENT_REDACTED;
	if (reads) {
		leg_reader_body(i->leg, kept ? buf_span(&body) : buf_span(&raw));
	}
	buf_finish(&raw);
	close_held(i, &body, taken);
}

/* A coded request is redacted and stored as text, and its row names no coding. */
static int decode_request(struct exchange_row *row, struct tab *tab, struct buf *body)
{
	struct span coding = span_of(row->content_encoding);
	struct buf text = {0};
	if (!coding.len) {
		return 0;
	}
	int r = inflate_body_on(tab, coding, buf_span(body), DECODED_LIMIT, &text);
	if (r == 0 && !room_widen(OWN_ROOM * text.len)) {
		r = -ENOMEM;
	}
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

static void encode_exchange(struct item *i, bool pressed, struct privacy_filter *filter)
{
	struct exchange_row *row = i->exchange_row;
	if (i->held) {
		struct buf body = {0};
		open_held(i, &body);
		size_t taken = body.len;
		struct tab tab = {.budget = i->budget};
		int code = decode_request(row, &tab, &body);
		if (code < 0) {
			privacy_filter_refuse(filter, code);
		}
		if (code == 0 && privacy_filter_request(filter, row, &body)) {
			part_values_append(
			        &i->body, buf_span(&body), pressed ? RECORD_AS_IS : RECORD_SMALL);
		} else {
			row->content = CONTENT_METADATA;
		}
		close_held(i, &body, taken);
		tab_close(&tab);
	}
	privacy_filter_exchange_row(filter, row);
}

/* NULL: it is left unread. */
static struct reading *read_answer(struct item *i)
{
	size_t fed = leg_reader_fed(i->leg);
	leg_reader_open(i->leg);
	size_t len = leg_reader_fed(i->leg);
	if (len > fed && !room_widen(room_to_read(len))) {
		leg_reader_give_up(i->leg);
	}
	return leg_reader_end(i->leg, i->leg_row);
}

static void encode_leg(struct item *i, bool pressed, struct privacy_filter *filter)
{
	struct leg_row *row = i->leg_row;
	struct reading *reading = NULL;
	if (i->held) {
		filter_answer(i, pressed, filter);
	}
	if (i->leg && i->read && !pressed) {
		reading = read_answer(i);
	}
	bool unkept = filter->content == CONTENT_METADATA || row->content == CONTENT_METADATA;
	if (reading && unkept) {
		privacy_filter_note_answer(filter, row, reading);
		reading_destroy(reading);
	} else if (reading) {
		struct buf payload = {0};
		record_put_reading(&payload, reading);
		part_values_append(&i->values, buf_span(&payload), RECORD_QUICK);
		buf_finish(&payload);
		reading_destroy(reading);
	} else if (row->body_bytes && row->content != CONTENT_METADATA) {
		row->marks |= LEG_UNREAD;
	}
	privacy_filter_leg_row(filter, row);
	i->type = PART_READING;
}

static void encode(struct item *i, bool pressed, struct privacy_filter *filter)
{
	switch (i->kind) {
	case ITEM_PART:
		encode_part(i, pressed, filter);
		break;
	case ITEM_LEG:
		encode_leg(i, pressed, filter);
		break;
	case ITEM_EXCHANGE:
		encode_exchange(i, pressed, filter);
		break;
	case ITEM_MANIFEST:
		break;
	}
}

/* What there is no memory for. A part is lost, and a row goes without the bodies that were held for it. */
static void encode_without_memory(struct item *i, struct privacy_filter *filter)
{
	chunks_finish(&i->pieces);
	i->lost = i->kind == ITEM_PART;
	if (i->lost && i->leg && i->type == PART_RESPONSE_BODY) {
		leg_reader_close_body(i->leg);
	}
	if (i->leg) {
		leg_reader_give_up(i->leg);
	}
	if (i->lost) {
		return;
	}
	/* Nothing else of a row wants a room. */
	expect(i->held);
	privacy_filter_refuse(filter, -ENOMEM);
	pending_body_unref(i->held);
	i->held = NULL;
	if (i->kind == ITEM_LEG) {
		i->leg_row->content = CONTENT_METADATA;
	} else {
		i->exchange_row->content = CONTENT_METADATA;
	}
	encode(i, true, filter);
}

/* A room to read and compress in; failing that one to store it as it is, which sets *pressed. */
static bool enter(const struct item *i, bool *pressed)
{
	if (i->held && !pending_body_is_complete(i->held)) {
		return false;
	}
	size_t own = i->pieces.bytes + (i->held ? pending_body_size(i->held) : 0);
	size_t read = own + (i->leg ? leg_reader_fed(i->leg) : 0);
	if (!*pressed && room_enter(OWN_ROOM * own + room_to_read(read))) {
		return true;
	}
	*pressed = true;
	return room_enter(OWN_ROOM * own);
}

void encoder_encode(struct item *i, bool pressed, struct privacy_filter *filter)
{
	/* A body's piece that waits for its row: nothing is worked on, and so there is none without the one before it. */
	if (i->kind == ITEM_PART && i->held) {
		pending_body_add(i->held, &i->pieces);
		return;
	}
	if (enter(i, &pressed)) {
		encode(i, pressed, filter);
		room_leave();
	} else {
		encode_without_memory(i, filter);
	}
	/* Room was made for what can't be made smaller. */
	buf_fit(&i->values);
	buf_fit(&i->body);
	/* The values take the place of the chunks in the budget; they are smaller or about the
	 * same. */
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
