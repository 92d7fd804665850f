/*
 * Data that belongs to a row but is stored outside of it: heads, bodies, arrivals, readings.
 */
#include <errno.h>
#include <string.h>

#include "base/inflate.h"
#include "capture/capture.h"
#include "capture/capture_source.h"
#include "capture/edits.h"
#include "capture/leg_reader.h"

#define HEAD_LIMIT (1u << 20)
/* limit of a part's bytes in memory, whatever size the capture claims */
#define BODY_LIMIT (1ull << 30)

struct gathering {
	struct capture *c;
	struct id owner;
	enum part_type type;
	uint64_t limit;
	struct buf *to;
	struct span held; /* the last piece found; not yet appended, since it may be the only one */
	uint64_t next_n;  /* the smallest piece number that may follow */
	size_t pieces;
};

static void append_held(struct gathering *g)
{
	buf_append_span(g->to, g->held);
	g->held = (struct span){0};
}

/* Gathers a part's values from one segment, in order. */
static int gather_from(struct gathering *g, struct capture_source *s)
{
	struct buf *first = &g->c->key;
	segment_key_part(first, g->owner, (uint8_t)g->type, (uint32_t)g->next_n);
	struct span from = buf_span(first), key, value, payload;
	bool after = false;
	int r;
	while ((r = segment_seek(s->reader, TABLE_PART, from, after, &key, &value)) == 0) {
		if (key.len != PART_KEY_SIZE ||
		        memcmp(key.data, first->data, PART_KEY_SIZE - 4) != 0) {
			break;
		}
		append_held(g);
		r = segment_fetch(s->reader, value, &g->c->fetched, &value);
		r = r < 0 ? r : record_unwrap(value, ROW_PART, &g->c->scratch, &payload);
		if (r == 0 && g->to->len + payload.len > g->limit) {
			r = -EBADMSG;
		}
		if (r < 0) {
			if (r != -EPROTONOSUPPORT) {
				capture_report_damage(
				        g->c, s, buf_part(first, 0, PART_KEY_SIZE - 4));
			}
			break;
		}
		g->held = payload;
		g->pieces++;
		g->next_n = (uint64_t)row_piece_number(key) + 1;
		from = key;
		after = true;
	}
	return r == -ENOENT ? 0 : r;
}

/*
 * Gathers a part from the row's segment and from the older segments of its directory: the writer
 * may have stored the owner's first values before it switched to a new segment. -ENOENT: no segment
 * has a value.
 */
static int gather_all(struct gathering *g, size_t segment)
{
	struct capture *c = g->c;
	for (size_t i = 0; i <= segment && g->next_n <= UINT32_MAX; i++) {
		struct capture_source *s = &c->sources[i];
		if (!s->reader || s->dir_number != c->sources[segment].dir_number) {
			continue;
		}
		int r = gather_from(g, s);
		if (r < 0) {
			return r;
		}
	}
	return g->pieces ? 0 : -ENOENT;
}

/* Appended to what is in `to` already. */
static int gather(struct capture *c, size_t segment, struct id owner, enum part_type type,
        uint64_t limit, struct buf *to)
{
	struct gathering g = {
	        .c = c, .owner = owner, .type = type, .limit = to->len + limit, .to = to};
	int r = gather_all(&g, segment);
	append_held(&g);
	return r;
}

/* Like gather(), but returns the bytes in place if they are one piece; else they are gathered in
 * `to`, which must be empty. *ret is valid until the next call that reads the capture. */
static int gather_view(struct capture *c, size_t segment, struct id owner, enum part_type type,
        uint64_t limit, struct buf *to, struct span *ret)
{
	struct gathering g = {.c = c, .owner = owner, .type = type, .limit = limit, .to = to};
	int r = gather_all(&g, segment);
	*ret = g.held;
	if (to->len > 0) {
		append_held(&g);
		*ret = buf_span(to);
	}
	return r;
}

/* Gathers a body whose size is stored in the row. */
static int gather_body(struct capture *c, size_t segment, struct id owner, enum part_type type,
        uint64_t size, bool cut, struct buf *to)
{
	size_t before = to->len;
	int r = gather(c, segment, owner, type, MIN(size, BODY_LIMIT), to);
	if (r == -ENOENT && (size == 0 || cut)) {
		return size == 0 ? 0 : -ENOENT;
	}
	if (r == 0 && to->len - before < size && !cut) {
		return -ENOENT;
	}
	return r;
}

/* Decodes a body that has a content coding and appends its text. Of a truncated body, appends as
 * much as can be decoded. */
static int decode_request(const struct exchange_row *row, bool cut, struct buf *raw, struct buf *to)
{
	size_t before = to->len;
	struct span coding = span_of(row->content_encoding);
	int r = inflate_body(coding, buf_span(raw), DECODED_LIMIT, to);
	if (r == 0 || (r == -EBADMSG && cut)) {
		return 0;
	}
	to->len = before;
	return -ENOTSUP;
}

int capture_request_body(struct capture *c, const struct capture_exchange *e, struct buf *to)
{
	if (e->absent) {
		return -ENOENT;
	}
	capture_renew(c);
	bool cut = e->row.marks & (EXCHANGE_TRUNCATED | EXCHANGE_BODY_CUT);
	struct buf raw = {0};
	bool coded = e->row.content_encoding != NULL;
	int r = gather_body(c, e->segment, e->row.id, PART_REQUEST_BODY, e->row.body_bytes, cut,
	        coded ? &raw : to);
	if (r == 0 && raw.len) {
		r = decode_request(&e->row, cut, &raw, to);
	}
	buf_finish(&raw);
	return r;
}

uint64_t capture_request_bytes(struct capture *c, const struct capture_exchange *e)
{
	struct buf body = {0};
	bool decoded = e->row.content_encoding && capture_request_body(c, e, &body) == 0;
	uint64_t n = decoded ? body.len : e->row.body_bytes;
	buf_finish(&body);
	return n;
}

int capture_request_head(struct capture *c, const struct capture_exchange *e, struct buf *to)
{
	if (e->absent) {
		return -ENOENT;
	}
	capture_renew(c);
	return gather(c, e->segment, e->row.id, PART_REQUEST_HEAD, HEAD_LIMIT, to);
}

int capture_sent_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	expect(leg < e->n_legs);
	const struct leg_row *row = &e->legs[leg].row;
	struct buf body = {0};
	int r = capture_request_body(c, e, &body);
	if (r == 0 && !edits_apply(row->edits, row->n_edits, buf_span(&body), to)) {
		r = -EBADMSG;
	}
	buf_finish(&body);
	return r;
}

int capture_response_head(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	expect(leg < e->n_legs);
	capture_renew(c);
	return gather(
	        c, e->legs[leg].segment, e->legs[leg].row.id, PART_RESPONSE_HEAD, HEAD_LIMIT, to);
}

int capture_response_body(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	expect(leg < e->n_legs);
	const struct leg_row *row = &e->legs[leg].row;
	capture_renew(c);
	return gather_body(c, e->legs[leg].segment, row->id, PART_RESPONSE_BODY, row->body_bytes,
	        row->marks & LEG_TRUNCATED, to);
}

int capture_arrivals(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	expect(leg < e->n_legs);
	capture_renew(c);
	return gather(c, e->legs[leg].segment, e->legs[leg].row.id, PART_ARRIVALS, BODY_LIMIT, to);
}

struct reading_hints capture_leg_hints(
        struct capture *c, const struct capture_exchange *e, size_t leg)
{
	struct reading_hints hints = leg_reader_hints(&e->row, &e->legs[leg].row);
	struct buf body = {0};
	if (hints.has_tools && capture_request_body(c, e, &body) == 0) {
		struct request_facts facts;
		request_read(e->row.endpoint, buf_span(&body), &facts);
		hints.offered = facts.offered;
	}
	buf_finish(&body);
	return hints;
}

/* Parses the raw bytes again to make the reading. */
static int read_again(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct reading **ret)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct buf raw = {0}, body = {0};
	int r = capture_response_body(c, e, leg, &raw);
	if (r < 0) {
		buf_finish(&raw);
		return r;
	}
	const struct reading_hints hints = capture_leg_hints(c, e, leg);
	struct span coding = span_of(row->content_encoding);
	bool is_coded = coding.len > 0 && !span_is_nocase(coding, "identity");
	bool is_cut = false;
	if (is_coded) {
		is_cut = inflate_body(coding, buf_span(&raw), BODY_LIMIT, &body) < 0;
	}
	struct buf *text = is_coded ? &body : &raw;
	struct reader *reader = reader_create(&hints);
	reader_feed(reader, text->data, text->len);
	bool complete =
	        row->outcome == OUTCOME_COMPLETE && !(row->marks & LEG_TRUNCATED) && !is_cut;
	struct reading *reading = reader_end(reader, complete);
	if (is_cut) {
		reading->marks |= READING_ENCODED;
	}
	buf_finish(&raw);
	buf_finish(&body);
	*ret = reading;
	return 0;
}

/* Returns a spare arena for a reading, or an empty one if there is none. */
static struct arena take_spare(struct capture *c)
{
	struct arena spare = {0};
	for (size_t i = 0; i < ARRAY_LEN(c->spare) && arena_is_empty(&spare); i++) {
		spare = c->spare[i];
		c->spare[i] = (struct arena){0};
	}
	return spare;
}

int capture_reading(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct reading **ret)
{
	expect(leg < e->n_legs);
	const struct leg_row *row = &e->legs[leg].row;
	if (row->status == 0 && row->body_bytes == 0) {
		return -ENOENT; /* no answer came: there is nothing to read */
	}
	if (row->marks & LEG_UNREAD) {
		return read_again(c, e, leg, ret);
	}
	capture_renew(c);
	struct buf pieces = {0};
	struct span stored;
	int r = gather_view(
	        c, e->legs[leg].segment, row->id, PART_READING, BODY_LIMIT, &pieces, &stored);
	if (r == 0) {
		r = record_get_reading_in(take_spare(c), stored, ret);
	}
	buf_finish(&pieces);
	if (r < 0) {
		/* The stored reading is damaged, or was never made. */
		return read_again(c, e, leg, ret);
	}
	struct reading *again;
	if (r > 0 && leg_may_be_reread(row->marks) && read_again(c, e, leg, &again) == 0) {
		capture_reading_done(c, *ret);
		*ret = again;
	}
	return 0;
}

void capture_reading_done(struct capture *c, struct reading *r)
{
	if (!r || arena_is_empty(&r->arena)) {
		reading_destroy(r); /* it was read again */
		return;
	}
	struct arena spare = r->arena; /* r lies in it */
	arena_clear(&spare);
	for (size_t i = 0; i < ARRAY_LEN(c->spare); i++) {
		if (arena_is_empty(&c->spare[i])) {
			c->spare[i] = spare;
			return;
		}
	}
	arena_finish(&spare);
}
