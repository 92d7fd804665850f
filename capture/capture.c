#include "capture/capture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "capture/capture_source.h"
#include "capture/marker.h"
#include "capture/soundness.h"

#define RENEW_NS 1000000000ULL

void capture_problem(struct capture *c, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *sentence;
	if (vasprintf(&sentence, format, args) < 0) {
		sentence = xstrdup(format);
	}
	va_end(args);
	c->problems = xrealloc(c->problems, (c->n_problems + 1) * sizeof(*c->problems));
	c->problems[c->n_problems++] = sentence;
}

/* Notes which rows a live segment has got since it was looked at last: they are not this capture's.
 */
static int note_later(struct capture_source *s)
{
	struct buf from = {0};
	segment_key_number(&from, s->logged);
	struct span key, value;
	int r;
	while ((r = segment_seek(s->reader, TABLE_LOG, buf_span(&from), true, &key, &value)) == 0) {
		if (key.len != 8 || value.len < 2) {
			r = -EBADMSG;
			break;
		}
		keyset_add(&s->later, (uint8_t)value.data[0],
		        (struct span){value.data + 1, value.len - 1});
		segment_key_number(&from, ++s->logged);
	}
	buf_finish(&from);
	return r == -ENOENT ? 0 : r;
}

static void give_up(struct capture *c, struct capture_source *s, int error)
{
	char text[ID_TEXT_SIZE];
	capture_problem(c, "segment %s in %s could not be read to its end: %s",
	        id_format(s->id, text), s->dir, strerror(-error));
	s->exchanges.ended = true;
	s->legs.ended = true;
	segment_close(s->reader);
	s->reader = NULL;
}

void capture_renew(struct capture *c)
{
	uint64_t now = clock_mono();
	if (now - c->renewed_ns < RENEW_NS) {
		return;
	}
	c->renewed_ns = now;
	for (size_t i = 0; i < c->n_sources; i++) {
		struct capture_source *s = &c->sources[i];
		if (!s->live || !s->reader) {
			continue;
		}
		int r = segment_renew(s->reader);
		if (r == 0) {
			r = note_later(s);
		}
		if (r < 0) {
			give_up(c, s, r);
		}
	}
}

/* Where the log of a live segment stands: what comes after it is not this capture's. */
static int fix_end(struct capture_source *s)
{
	struct span key, value;
	int r = segment_last(s->reader, TABLE_LOG, &key, &value);
	if (r < 0) {
		return r == -ENOENT ? 0 : r;
	}
	if (key.len != 8) {
		return -EBADMSG;
	}
	for (size_t i = 0; i < 8; i++) {
		s->end = s->end << 8 | (uint8_t)key.data[i];
	}
	s->logged = s->end;
	return 0;
}

static void refuse(struct capture *c, const char *dir, struct id id, const char *why)
{
	char text[ID_TEXT_SIZE];
	c->figures.refused++;
	capture_problem(c,
	        "segment %s in %s is left out: %s. `plumbline capture verify %s` names what is "
	        "hit, "
	        "`plumbline capture verify --salvage NEWDIR %s` recovers the rest",
	        id_format(id, text), dir, why, dir, dir);
}

static void open_segment(struct capture *c, size_t dir_number, struct id id)
{
	const char *dir = c->dirs[dir_number];
	enum segment_state state = segment_state(dir, id);
	c->figures.segments++;
	c->figures.orphaned += state == SEGMENT_ORPHANED;
	c->figures.live += state == SEGMENT_LIVE;
	char *why = NULL;
	int r = soundness_check(dir, id, state, &why);
	struct capture_source s = {
	        .dir = dir, .dir_number = dir_number, .id = id, .live = state == SEGMENT_LIVE};
	if (r == 0) {
		r = segment_open(dir, id, &s.reader);
	}
	if (r == 0 && s.live) {
		r = fix_end(&s);
	}
	if (r == -ENODATA || (r == -ENOENT && segment_state(dir, id) != SEGMENT_LIVE)) {
		/* Nothing was committed, or it has been pruned since the directory was read. */
		free(why);
		return;
	}
	if (r < 0) {
		refuse(c, dir, id, why ? why : strerror(-r));
		free(why);
		segment_close(s.reader);
		return;
	}
	c->sources = xrealloc(c->sources, (c->n_sources + 1) * sizeof(*c->sources));
	c->sources[c->n_sources++] = s;
}

static int open_dir(struct capture *c, const char *dir, capture_segment_fn on_segment, void *arg,
        char **ret_error)
{
	struct marker marker;
	int r = marker_read(dir, &marker, ret_error);
	if (r < 0) {
		return r;
	}
	struct id *ids;
	size_t n;
	r = segment_list(dir, &ids, &n);
	if (r < 0) {
		*ret_error = xasprintf("%s cannot be read: %s", dir, strerror(-r));
		return r;
	}
	c->dirs = xrealloc(c->dirs, (c->n_dirs + 1) * sizeof(*c->dirs));
	c->dirs[c->n_dirs++] = xstrdup(dir);
	for (size_t i = 0; i < n; i++) {
		if (on_segment) {
			on_segment(arg, i, n);
		}
		open_segment(c, c->n_dirs - 1, ids[i]);
	}
	free(ids);
	return 0;
}

struct capture *capture_open(const char *const *dirs, size_t n_dirs, char **ret_error)
{
	return capture_open_watched(dirs, n_dirs, NULL, NULL, ret_error);
}

struct capture *capture_open_watched(const char *const *dirs, size_t n_dirs,
        capture_segment_fn on_segment, void *arg, char **ret_error)
{
	struct capture *c = xcalloc(1, sizeof(*c));
	for (size_t i = 0; i < n_dirs; i++) {
		if (open_dir(c, dirs[i], on_segment, arg, ret_error) < 0) {
			capture_close(c);
			return NULL;
		}
	}
	c->renewed_ns = clock_mono();
	return c;
}

struct capture *capture_open_again(const struct capture *other)
{
	struct capture *c = xcalloc(1, sizeof(*c));
	c->dirs = xcalloc(other->n_dirs + 1, sizeof(*c->dirs));
	c->sources = xcalloc(other->n_sources + 1, sizeof(*c->sources));
	for (; c->n_dirs < other->n_dirs; c->n_dirs++) {
		c->dirs[c->n_dirs] = xstrdup(other->dirs[c->n_dirs]);
	}
	for (; c->n_sources < other->n_sources; c->n_sources++) {
		const struct capture_source *from = &other->sources[c->n_sources];
		struct capture_source *to = &c->sources[c->n_sources];
		const char *dir = c->dirs[from->dir_number];
		*to = (struct capture_source){.dir = dir,
		        .dir_number = from->dir_number,
		        .id = from->id,
		        .live = from->live,
		        .end = from->end,
		        .logged = from->end};
		int r = from->reader ? segment_open(dir, from->id, &to->reader) : -EIO;
		if (r == 0 && to->live) {
			r = note_later(to);
		}
		if (r < 0) {
			c->n_sources++;
			capture_close(c);
			return NULL;
		}
	}
	c->renewed_ns = clock_mono();
	return c;
}

void capture_close(struct capture *c)
{
	if (!c) {
		return;
	}
	for (size_t i = 0; i < c->n_sources; i++) {
		segment_close(c->sources[i].reader);
		keyset_finish(&c->sources[i].later);
	}
	for (size_t i = 0; i < c->n_dirs; i++) {
		free(c->dirs[i]);
	}
	for (size_t i = 0; i < c->n_problems; i++) {
		free(c->problems[i]);
	}
	capture_finish_manifests(c);
	free(c->sources);
	free(c->dirs);
	free(c->problems);
	buf_finish(&c->scratch);
	free(c);
}

/* Moves a cursor on to the next key that is this capture's. */
static void advance(struct capture *c, struct capture_source *s, enum segment_table table)
{
	struct capture_cursor *cursor = table == TABLE_LEG ? &s->legs : &s->exchanges;
	size_t size = table == TABLE_LEG ? LEG_KEY_SIZE : EXCHANGE_KEY_SIZE;
	uint8_t kind = table == TABLE_LEG ? ROW_LEG : ROW_EXCHANGE;
	bool after = cursor->begun;
	struct buf from = {0};
	buf_append(&from, cursor->key, cursor->len);
	while (!cursor->ended) {
		struct span key, value;
		int r = segment_seek(s->reader, table, buf_span(&from), after, &key, &value);
		if (r < 0) {
			cursor->ended = true;
			if (r != -ENOENT) {
				give_up(c, s, r);
			}
			break;
		}
		buf_clear(&from);
		buf_append_span(&from, key);
		after = true;
		if (key.len != size) {
			c->figures.damaged_rows++;
		} else if (!keyset_has(&s->later, kind, key)) {
			memcpy(cursor->key, key.data, size);
			cursor->len = size;
			break;
		}
	}
	cursor->begun = true;
	buf_finish(&from);
}

/* The row of the exchange in one segment. 1: *ret is filled. */
static int read_exchange(
        struct capture *c, struct capture_source *s, struct id id, struct exchange_row *ret)
{
	struct span key = {(const char *)id.bytes, sizeof(id.bytes)}, value, payload;
	if (keyset_has(&s->later, ROW_EXCHANGE, key) ||
	        segment_get(s->reader, TABLE_EXCHANGE, key, &value) < 0) {
		return 0;
	}
	int r = record_unwrap(value, ROW_EXCHANGE, &c->scratch, &payload);
	if (r == 0) {
		r = record_get_exchange(payload, ret);
	}
	if (r == 0 && id_compare(ret->id, id) != 0) {
		exchange_row_finish(ret);
		r = -EBADMSG;
	}
	if (r < 0) {
		c->figures.damaged_rows++;
		return 0;
	}
	return 1;
}

static bool has_leg(const struct capture_exchange *e, struct id leg)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (id_compare(e->legs[i].row.id, leg) == 0) {
			return true;
		}
	}
	return false;
}

static void add_leg(struct capture *c, size_t segment, struct span key, struct span value,
        struct capture_exchange *e)
{
	struct id leg;
	memcpy(leg.bytes, key.data + EXCHANGE_KEY_SIZE, sizeof(leg.bytes));
	if (has_leg(e, leg)) {
		return;
	}
	struct span payload;
	struct leg_row row;
	int r = record_unwrap(value, ROW_LEG, &c->scratch, &payload);
	if (r == 0) {
		r = record_get_leg(payload, &row);
	}
	if (r == 0 && (id_compare(row.id, leg) != 0 || id_compare(row.exchange, e->row.id) != 0)) {
		leg_row_finish(&row);
		r = -EBADMSG;
	}
	if (r < 0) {
		c->figures.damaged_rows++;
		return;
	}
	e->legs = xrealloc(e->legs, (e->n_legs + 1) * sizeof(*e->legs));
	e->legs[e->n_legs++] = (struct capture_leg){.row = row, .segment = segment};
}

static void read_legs(struct capture *c, size_t segment, struct capture_exchange *e)
{
	struct capture_source *s = &c->sources[segment];
	struct buf from = {0};
	segment_key_exchange(&from, e->row.id);
	struct span key, value;
	while (segment_seek(s->reader, TABLE_LEG, buf_span(&from), true, &key, &value) == 0 &&
	        key.len >= EXCHANGE_KEY_SIZE &&
	        memcmp(key.data, e->row.id.bytes, EXCHANGE_KEY_SIZE) == 0) {
		if (key.len == LEG_KEY_SIZE && !keyset_has(&s->later, ROW_LEG, key)) {
			add_leg(c, segment, key, value, e);
		}
		buf_clear(&from);
		buf_append_span(&from, key);
	}
	buf_finish(&from);
}

/* Legs of one exchange in the order of their begin, which is that of their ids. */
static int compare_legs(const void *a, const void *b)
{
	const struct capture_leg *x = a, *y = b;
	return id_compare(x->row.id, y->row.id);
}

static bool concerns(const struct capture_source *s, struct id id)
{
	return (!s->exchanges.ended &&
	               memcmp(s->exchanges.key, id.bytes, EXCHANGE_KEY_SIZE) == 0) ||
	       (!s->legs.ended && memcmp(s->legs.key, id.bytes, EXCHANGE_KEY_SIZE) == 0);
}

/* The exchange from all segments (at_cursors: only from those whose cursors stand there). False:
 * nothing is whole. */
static bool gather(struct capture *c, struct id id, bool at_cursors, struct capture_exchange *ret)
{
	struct capture_exchange e = {.row.id = id, .absent = true};
	for (size_t i = 0; i < c->n_sources; i++) {
		struct capture_source *s = &c->sources[i];
		if (!s->reader || (at_cursors && !concerns(s, id))) {
			continue;
		}
		if (e.absent && read_exchange(c, s, id, &e.row) > 0) {
			e.absent = false;
			e.segment = i;
		}
		e.row.id = id;
		read_legs(c, i, &e);
	}
	if (e.absent && e.n_legs == 0) {
		return false;
	}
	if (e.n_legs > 1) {
		qsort(e.legs, e.n_legs, sizeof(*e.legs), compare_legs);
	}
	*ret = e;
	return true;
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

static void pass(struct capture *c, struct id id)
{
	for (size_t i = 0; i < c->n_sources; i++) {
		struct capture_source *s = &c->sources[i];
		while (!s->exchanges.ended &&
		        memcmp(s->exchanges.key, id.bytes, EXCHANGE_KEY_SIZE) == 0) {
			advance(c, s, TABLE_EXCHANGE);
		}
		while (!s->legs.ended && memcmp(s->legs.key, id.bytes, EXCHANGE_KEY_SIZE) == 0) {
			advance(c, s, TABLE_LEG);
		}
	}
}

int capture_next(struct capture *c, struct capture_exchange *ret)
{
	capture_renew(c);
	struct id id = {{0}};
	while (next_id(c, &id)) {
		bool found = gather(c, id, true, ret);
		pass(c, id);
		if (found) {
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
	capture_renew(c);
	return gather(c, id, false, ret) ? 0 : -ENOENT;
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

void capture_figures(const struct capture *c, struct capture_figures *ret)
{
	*ret = c->figures;
}

size_t capture_problems(const struct capture *c, const char *const **ret_sentences)
{
	*ret_sentences = (const char *const *)c->problems;
	return c->n_problems;
}
