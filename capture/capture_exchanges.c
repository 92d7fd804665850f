/*
 * Reads exchanges from all segments: in order, with a cursor on each table of each segment, or by
 * id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/capture.h"
#include "capture/capture_source.h"

/* Advances a cursor to the next key that is part of this capture. */
static void advance(struct capture *c, struct capture_source *s, enum segment_table table)
{
	struct capture_cursor *cursor = table == TABLE_LEG ? &s->legs : &s->exchanges;
	size_t size = table == TABLE_LEG ? LEG_KEY_SIZE : EXCHANGE_KEY_SIZE;
	uint8_t kind = table == TABLE_LEG ? ROW_LEG : ROW_EXCHANGE;
	struct span from = {(const char *)cursor->key, cursor->len}, key, value;
	bool after = cursor->begun;
	while (!cursor->ended) {
		int r = segment_seek(s->reader, table, from, after, &key, &value);
		if (r < 0) {
			cursor->ended = true;
			if (r != -ENOENT) {
				capture_abandon_segment(c, s, r);
			}
			break;
		}
		from = key;
		after = true;
		if (key.len != size) {
			c->figures.damaged_rows++;
		} else if (!keyset_has(&s->later, kind, key)) {
			memcpy(cursor->key, key.data, size);
			cursor->len = size;
			cursor->value = value;
			break;
		}
	}
	cursor->begun = true;
}

static bool is_at(const struct capture_cursor *cursor, struct id id)
{
	return !cursor->ended && memcmp(cursor->key, id.bytes, EXCHANGE_KEY_SIZE) == 0;
}

/* Finds a row's value, from the cursor if it is at that row. False: the segment has no such row
 * that is part of this capture. */
static bool find_value(const struct capture_source *s, enum segment_table table,
        const struct capture_cursor *cursor, struct span key, struct span *ret)
{
	uint8_t kind = table == TABLE_LEG ? ROW_LEG : ROW_EXCHANGE;
	const struct span at = {(const char *)cursor->key, cursor->len};
	if (cursor->value.data && !cursor->ended && span_equal(at, key)) {
		*ret = cursor->value;
		return true;
	}
	return !keyset_has(&s->later, kind, key) && segment_get(s->reader, table, key, ret) == 0;
}

/* Reads the exchange's row from one segment. False: *ret is not filled. */
static bool read_exchange(
        struct capture *c, struct capture_source *s, struct id id, struct exchange_row *ret)
{
	struct span key = {(const char *)id.bytes, sizeof(id.bytes)}, value, payload;
	if (!find_value(s, TABLE_EXCHANGE, &s->exchanges, key, &value)) {
		return false;
	}
	int r = record_unwrap(value, ROW_EXCHANGE, &c->scratch, &payload);
	if (r == 0) {
		r = record_get_exchange(payload, ret);
	}
	if (r == 0 && id_compare(ret->id, id) != 0) {
		exchange_row_finish(ret);
		r = -EBADMSG;
	}
	c->figures.damaged_rows += r < 0;
	return r == 0;
}

size_t capture_leg_index(const struct capture_exchange *e, struct id leg)
{
	size_t i = 0;
	while (i < e->n_legs && id_compare(e->legs[i].row.id, leg) != 0) {
		i++;
	}
	return i;
}

const char *capture_leg_backend(const struct capture_exchange *e, struct id leg)
{
	size_t i = capture_leg_index(e, leg);
	return i < e->n_legs && e->legs[i].row.backend ? e->legs[i].row.backend : "?";
}

static int read_leg(struct capture *c, struct span value, struct id leg, struct id exchange,
        struct leg_row *ret)
{
	struct span payload;
	int r = record_unwrap(value, ROW_LEG, &c->scratch, &payload);
	if (r == 0) {
		r = record_get_leg(payload, ret);
	}
	if (r == 0 && (id_compare(ret->id, leg) != 0 || id_compare(ret->exchange, exchange) != 0)) {
		leg_row_finish(ret);
		r = -EBADMSG;
	}
	return r;
}

static void add_leg(struct capture *c, size_t segment, struct span key, struct span value,
        struct capture_exchange *e)
{
	struct id leg = id_at(key, EXCHANGE_KEY_SIZE);
	if (capture_leg_index(e, leg) < e->n_legs) {
		return;
	}
	/* Room for two legs at first, which is enough for most exchanges, then for twice as many
	 * each time. */
	size_t n = e->n_legs;
	if (n == 0 || (n > 1 && (n & (n - 1)) == 0)) {
		e->legs = xrealloc(e->legs, MAX(2 * n, (size_t)2) * sizeof(*e->legs));
	}
	struct capture_leg *to = &e->legs[n];
	to->segment = segment;
	if (read_leg(c, value, leg, e->row.id, &to->row) < 0) {
		c->figures.damaged_rows++;
		return;
	}
	const struct manifest_row *stack = capture_manifest(c, to->row.manifest);
	to->row.manifest = stack ? stack->id : to->row.manifest;
	e->n_legs++;
}

/* Finds by key the legs of an exchange in one segment. */
static void find_legs(struct capture *c, size_t segment, struct capture_exchange *e)
{
	struct capture_source *s = &c->sources[segment];
	const struct id id = e->row.id;
	struct span key = {(const char *)id.bytes, sizeof(id.bytes)}, value;
	while (segment_seek(s->reader, TABLE_LEG, key, true, &key, &value) == 0 &&
	        key.len >= EXCHANGE_KEY_SIZE &&
	        memcmp(key.data, id.bytes, EXCHANGE_KEY_SIZE) == 0) {
		if (key.len == LEG_KEY_SIZE && !keyset_has(&s->later, ROW_LEG, key)) {
			add_leg(c, segment, key, value, e);
		}
	}
}

/* Reads the same legs from the cursor, which is at the first of them, and moves it past the
 * last. */
static void read_legs_at_cursor(struct capture *c, size_t segment, struct capture_exchange *e)
{
	struct capture_source *s = &c->sources[segment];
	while (is_at(&s->legs, e->row.id)) {
		struct span key = {(const char *)s->legs.key, s->legs.len}, value;
		if (find_value(s, TABLE_LEG, &s->legs, key, &value)) {
			add_leg(c, segment, key, value, e);
		}
		advance(c, s, TABLE_LEG);
	}
}

/* Orders the legs of one exchange by start time, which is also the order of their ids. */
static int compare_legs(const void *a, const void *b)
{
	const struct capture_leg *x = a, *y = b;
	return id_compare(x->row.id, y->row.id);
}

/* The legs of each segment are already in order. */
static void sort_legs(struct capture_exchange *e)
{
	size_t i = 1;
	while (i < e->n_legs && compare_legs(&e->legs[i - 1], &e->legs[i]) <= 0) {
		i++;
	}
	if (i < e->n_legs) {
		qsort(e->legs, e->n_legs, sizeof(*e->legs), compare_legs);
	}
}

bool capture_is_imported(const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (e->legs[i].row.marks & LEG_IMPORTED) {
			return true;
		}
	}
	return false;
}

size_t capture_first_answer(const struct capture_exchange *e)
{
	size_t first = e->n_legs;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		if (leg->marks & LEG_SCORED) {
			continue;
		}
		if (leg->role == ROLE_PRIMARY) {
			return i;
		}
		first = MIN(first, i);
	}
	return first;
}

/* Reads the exchange's row from one segment, unless an older segment had it. */
static void take_row(struct capture *c, size_t segment, struct capture_exchange *e)
{
	struct id id = e->row.id;
	if (e->absent && read_exchange(c, &c->sources[segment], id, &e->row)) {
		e->absent = false;
		e->segment = segment;
	}
	e->row.id = id;
}

/* False: neither the exchange's row nor any of its legs is intact. */
static bool complete(struct capture_exchange *e, struct capture_exchange *ret)
{
	if (e->absent && e->n_legs == 0) {
		free(e->legs);
		return false;
	}
	sort_legs(e);
	*ret = *e;
	return true;
}

/* Reads the exchange from the segments whose cursors are at it, and moves those cursors past it. */
static bool read_at_cursors(struct capture *c, struct id id, struct capture_exchange *ret)
{
	struct capture_exchange e = {.row.id = id, .absent = true};
	for (size_t i = 0; i < c->n_sources; i++) {
		struct capture_source *s = &c->sources[i];
		if (s->reader && (is_at(&s->exchanges, id) || is_at(&s->legs, id))) {
			take_row(c, i, &e);
			read_legs_at_cursor(c, i, &e);
		}
		while (is_at(&s->exchanges, id)) {
			advance(c, s, TABLE_EXCHANGE);
		}
	}
	return complete(&e, ret);
}

/* The least id at the cursors of all segments. */
static bool next_id(struct capture *c, struct id *ret)
{
	bool found = false;
	for (size_t i = 0; i < c->n_sources; i++) {
		struct capture_source *s = &c->sources[i];
		for (int t = 0; t < 2; t++) {
			struct capture_cursor *cursor = t ? &s->legs : &s->exchanges;
			if (!cursor->begun && s->reader) {
				advance(c, s, t ? TABLE_LEG : TABLE_EXCHANGE);
			}
			struct id id;
			memcpy(id.bytes, cursor->key, sizeof(id.bytes));
			if (!cursor->ended && (!found || id_compare(id, *ret) < 0)) {
				*ret = id;
				found = true;
			}
		}
	}
	return found;
}

int capture_next(struct capture *c, struct capture_exchange *ret)
{
	capture_renew(c);
	struct id id = {{0}};
	while (next_id(c, &id)) {
		if (read_at_cursors(c, id, ret)) {
			c->figures.exchanges++;
			return 1;
		}
	}
	return 0;
}

void capture_seek(struct capture *c, struct id from)
{
	for (size_t i = 0; i < c->n_sources; i++) {
		struct capture_source *s = &c->sources[i];
		struct capture_cursor at = {.len = sizeof(from.bytes), .ended = !s->reader};
		memcpy(at.key, from.bytes, sizeof(from.bytes));
		s->exchanges = at;
		s->legs = at;
	}
}

void capture_rewind(struct capture *c)
{
	capture_seek(c, (struct id){{0}});
}

int capture_find(struct capture *c, struct id id, struct capture_exchange *ret)
{
	struct capture_exchange e = {.row.id = id, .absent = true};
	capture_renew(c);
	for (size_t i = 0; i < c->n_sources; i++) {
		if (c->sources[i].reader) {
			take_row(c, i, &e);
			find_legs(c, i, &e);
		}
	}
	return complete(&e, ret) ? 0 : -ENOENT;
}

void capture_exchange_finish(struct capture_exchange *e)
{
	exchange_row_finish(&e->row);
	for (size_t i = 0; i < e->n_legs; i++) {
		leg_row_finish(&e->legs[i].row);
	}
	free(e->legs);
	*e = (struct capture_exchange){0};
}
