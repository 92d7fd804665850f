#include "capture/verifier.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "capture/keyset.h"
#include "capture/pages/pages.h"
#include "capture/record.h"
#include "capture/row_name.h"
#include "capture/seal.h"
#include "capture/soundness.h"
#include "capture/verifier_bodies.h"
#include "capture/verifier_index.h"

#define RENEW_NS 1000000000ULL
#define RENEW_ROWS 256 /* rows between two checks of the clock */

struct verifier {
	const char *dir;
	struct verifier_events events;
	void *arg;
	struct verifier_figures figures;
	uint64_t rows;
	/* Over all segments: */
	struct bodies wanted, found;
	struct keyset owners;   /* ids of intact rows */
	struct keyset bodiless; /* exchanges recorded as metadata only */
	/* Of the current segment: */
	struct id segment;
	bool sound;
	struct keyset whole, damaged_keys; /* keys by row kind */
	struct verifier_index names;
	struct buf scratch;
	struct buf reading; /* pieces of the current reading */
	struct id reading_of;
};

struct verifier *verifier_create(const char *dir, const struct verifier_events *events, void *arg)
{
	struct verifier *s = xcalloc(1, sizeof(*s));
	*s = (struct verifier){.dir = dir, .events = *events, .arg = arg};
	return s;
}

static void PRINTF(2, 3) finding(struct verifier *s, const char *format, ...)
{
	char *sentence;
	va_list args;
	va_start(args, format);
	int n = vasprintf(&sentence, format, args);
	va_end(args);
	if (n >= 0) {
		s->events.on_finding(s->arg, s->segment, sentence);
		free(sentence);
	}
}

static void row_finding(struct verifier *s, uint8_t kind, struct span key, const char *how)
{
	char *what = row_name(kind, key);
	finding(s, "%s: %s", what, how);
	free(what);
}

static void damaged(struct verifier *s, uint8_t kind, struct span key, const char *how)
{
	if (keyset_add(&s->damaged_keys, kind, key)) {
		s->figures.damaged++;
		row_finding(s, kind, key, how);
	}
}

static void expect_body(
        struct verifier *s, struct id owner, uint8_t type, uint64_t bytes, bool may_be_short)
{
	if (bytes) {
		bodies_add(&s->wanted, &(struct body){.owner = owner,
		                               .type = type,
		                               .may_be_short = may_be_short,
		                               .bytes = bytes});
	}
}

static int check_exchange(struct verifier *s, struct span key, struct span payload)
{
	struct exchange_row row;
	int r = record_get_exchange(payload, &row);
	if (r < 0) {
		return r;
	}
	bool key_matches = key.len == EXCHANGE_KEY_SIZE && id_compare(row.id, id_at(key, 0)) == 0;
	if (key_matches) {
		s->figures.exchanges++;
		verifier_index_exchange(&s->names, &row);
		keyset_add(&s->owners, ROW_EXCHANGE, key);
		if (row.content == CONTENT_METADATA) {
			keyset_add(&s->bodiless, ROW_EXCHANGE, key);
		}
		expect_body(s, row.id, PART_REQUEST_BODY,
		        row.content == CONTENT_METADATA ? 0 : row.body_bytes,
		        row.marks & (EXCHANGE_TRUNCATED | EXCHANGE_BODY_CUT));
	}
	exchange_row_finish(&row);
	return key_matches ? 0 : -EBADMSG;
}

static int check_leg(struct verifier *s, struct span key, struct span payload)
{
	struct leg_row row;
	int r = record_get_leg(payload, &row);
	if (r < 0) {
		return r;
	}
	bool key_matches = key.len == LEG_KEY_SIZE &&
	                   id_compare(row.exchange, id_at(key, 0)) == 0 &&
	                   id_compare(row.id, id_at(key, EXCHANGE_KEY_SIZE)) == 0;
	if (key_matches) {
		s->figures.legs++;
		struct span id = {key.data + EXCHANGE_KEY_SIZE, sizeof(row.id.bytes)};
		struct span exchange = {key.data, sizeof(row.id.bytes)};
		verifier_index_leg(&s->names, &row);
		keyset_add(&s->owners, ROW_LEG, id);
		bool bodiless = row.content ? row.content == CONTENT_METADATA
		                            : keyset_has(&s->bodiless, ROW_EXCHANGE, exchange);
		expect_body(s, row.id, PART_RESPONSE_BODY, bodiless ? 0 : row.body_bytes,
		        row.marks & LEG_TRUNCATED);
	}
	leg_row_finish(&row);
	return key_matches ? 0 : -EBADMSG;
}

/* A reading comes in pieces; it is decoded when its last one has come. */
static void end_reading(struct verifier *s)
{
	struct reading *reading;
	if (s->reading.len) {
		int r = record_get_reading(buf_span(&s->reading), &reading);
		if (r >= 0) {
			reading_destroy(reading);
		} else if (r == -EBADMSG) {
			char text[ID_TEXT_SIZE];
			s->figures.damaged++;
			finding(s, "reading of answer %s: it cannot be decoded",
			        id_format(s->reading_of, text));
		}
	}
	buf_clear(&s->reading);
}

static int check_part(struct verifier *s, struct span key, struct span payload)
{
	if (key.len != PART_KEY_SIZE) {
		return -EBADMSG;
	}
	struct body body = {
	        .owner = id_at(key, 0), .type = (uint8_t)key.data[16], .bytes = payload.len};
	s->figures.parts++;
	bodies_add(&s->found, &body);
	if (body.type == PART_READING && s->sound) {
		if (id_compare(s->reading_of, body.owner) != 0) {
			end_reading(s);
			s->reading_of = body.owner;
		}
		buf_append_span(&s->reading, payload);
	}
	return 0;
}

static int check_meta(struct span key, struct span payload)
{
	struct meta_row row;
	int r = span_is(key, META_KEY) ? record_get_meta(payload, &row) : -ENOENT;
	if (r == 0) {
		meta_row_finish(&row);
	}
	return r == -ENOENT ? 0 : r;
}

static int check_manifest(struct verifier *s, struct span key, struct span payload)
{
	struct manifest_row row;
	struct id id;
	int r = record_get_manifest(payload, &row);
	if (r < 0) {
		return r;
	}
	bool agrees = record_is_manifest_key(key, &id) && id_compare(id, row.id) == 0;
	manifest_row_finish(&row);
	s->figures.manifests += agrees;
	return agrees ? 0 : -EBADMSG;
}

static int check_payload(struct verifier *s, uint8_t kind, struct span key, struct span payload)
{
	switch (kind) {
	case ROW_EXCHANGE:
		return check_exchange(s, key, payload);
	case ROW_LEG:
		return check_leg(s, key, payload);
	case ROW_PART:
		return check_part(s, key, payload);
	case ROW_MANIFEST:
		return check_manifest(s, key, payload);
	default:
		return check_meta(key, payload);
	}
}

static enum segment_table table_of(uint8_t kind)
{
	return kind == ROW_EXCHANGE ? TABLE_EXCHANGE
	       : kind == ROW_LEG    ? TABLE_LEG
	       : kind == ROW_PART   ? TABLE_PART
	                            : TABLE_META;
}

/* Examines a row in an envelope. 1: it is intact. stray: the row was found outside of all
 * tables, so that damage is not reported. */
static int check_row(
        struct verifier *s, uint8_t kind, struct span key, struct span value, bool stray)
{
	if (keyset_has(&s->whole, kind, key)) {
		return 1;
	}
	struct span payload;
	const char *how = "its checksum is wrong";
	int r = record_unwrap(value, (enum row_kind)kind, &s->scratch, &payload);
	if (r == 0) {
		how = "it cannot be decoded";
		r = check_payload(s, kind, key, payload);
	}
	if (r < 0) {
		if (!stray) {
			damaged(s, kind, key,
			        r == -EPROTONOSUPPORT ? "it is of a newer format" : how);
		}
		return 0;
	}
	keyset_add(&s->whole, kind, key);
	if (kind != ROW_META && s->events.on_row) {
		r = s->events.on_row(s->arg, table_of(kind), key, value);
	}
	return r < 0 ? r : 1;
}

/* Examines a row of the log or of an index, which refers to another row. 1: it is valid in
 * itself. */
static int check_name(struct verifier *s, enum segment_table t, struct span key, struct span value)
{
	const char *how = verifier_index_add(&s->names, t, key, value, s->sound);
	if (how) {
		s->figures.damaged++;
		finding(s, "a row of table %s: %s", segment_table_name(t), how);
	}
	return !how;
}

/* Returns the row kind of a meta table key. */
static uint8_t meta_kind(struct span key)
{
	struct id id;
	return record_is_manifest_key(key, &id) ? ROW_MANIFEST : ROW_META;
}

static int check_entry(struct verifier *s, enum segment_table t, struct span key, struct span value)
{
	if (++s->rows % RENEW_ROWS == 0 && s->events.on_progress) {
		s->events.on_progress(s->arg, s->rows);
	}
	switch (t) {
	case TABLE_EXCHANGE:
		return check_row(s, ROW_EXCHANGE, key, value, false);
	case TABLE_LEG:
		return check_row(s, ROW_LEG, key, value, false);
	case TABLE_PART:
		return check_row(s, ROW_PART, key, value, false);
	case TABLE_META:
		return check_row(s, meta_kind(key), key, value, false);
	default:
		return check_name(s, t, key, value);
	}
}

/* Examines a row outside of all tables. The length of its key suggests its kind, and its checksum
 * confirms it. Rows of the log have no checksum: they are accepted only if they are on a page that
 * belongs to no table (stray_page). */
static int check_stray(struct verifier *s, bool stray_page, struct span key, struct span value)
{
	uint8_t kind = key.len == EXCHANGE_KEY_SIZE && value.len ? ROW_EXCHANGE
	               : key.len == LEG_KEY_SIZE && value.len    ? ROW_LEG
	               : key.len == PART_KEY_SIZE                ? ROW_PART
	                                                         : meta_kind(key);
	return kind != ROW_META
	               ? check_row(s, kind, key, value, true)
	               : stray_page && !verifier_index_add(&s->names, TABLE_LOG, key, value, false);
}

static int on_page_row(
        void *arg, enum pages_place place, const char *table, struct span key, struct span value)
{
	struct verifier *s = arg;
	for (int t = 0; table && t < N_TABLES; t++) {
		if (strcmp(segment_table_name((enum segment_table)t), table) == 0) {
			return check_entry(s, (enum segment_table)t, key, value);
		}
	}
	return check_stray(s, place == PAGES_STRAY, key, value);
}

static int verify_pages(struct verifier *s)
{
	char *path = segment_path(s->dir, s->segment, "seg");
	struct pages *p;
	int r = pages_open(path, &p);
	free(path);
	if (r == 0) {
		r = pages_salvage(p, on_page_row, s);
		pages_close(p);
	}
	return r;
}

static int verify_table(struct verifier *s, struct segment_reader *reader, enum segment_table t,
        uint64_t *renewed_ns)
{
	struct buf from = {0};
	struct span key, value;
	int r;
	while ((r = segment_seek(reader, t, buf_span(&from), true, &key, &value)) == 0) {
		buf_clear(&from);
		buf_append_span(&from, key);
		r = check_entry(s, t, key, value);
		if (r >= 0 && s->rows % RENEW_ROWS == 0 && clock_mono() - *renewed_ns > RENEW_NS) {
			*renewed_ns = clock_mono();
			r = segment_renew(reader);
		}
		if (r < 0) {
			break;
		}
	}
	buf_finish(&from);
	return r == -ENOENT ? 0 : r;
}

/* Reads the log and the indexes first. The rows of a live segment can only increase meanwhile, so
 * that every row named there then exists. */
static int verify_tables(struct verifier *s)
{
	static const enum segment_table order[] = {TABLE_LOG, TABLE_BY_TIME, TABLE_BY_BACKEND,
	        TABLE_BY_MODEL, TABLE_BY_PROMPT, TABLE_META, TABLE_EXCHANGE, TABLE_LEG, TABLE_PART};
	struct segment_reader *reader;
	int r = segment_open(s->dir, s->segment, &reader);
	if (r < 0) {
		return r == -ENODATA ? 0 : r;
	}
	uint64_t renewed_ns = clock_mono();
	for (size_t i = 0; i < ARRAY_LEN(order) && r == 0; i++) {
		r = verify_table(s, reader, order[i], &renewed_ns);
	}
	segment_close(reader);
	return r;
}

/* Reports rows that the log or an index names but that were not found, intact or damaged. */
static void find_missing(struct verifier *s)
{
	uint8_t kind;
	struct span key;
	for (size_t i = 0; keyset_next(&s->names.named, &i, &kind, &key);) {
		if (keyset_has(&s->whole, kind, key) || keyset_has(&s->damaged_keys, kind, key)) {
			continue;
		}
		s->figures.missing++;
		row_finding(s, kind, key, "the log or an index names it, but it is not there");
	}
}

static void on_disagreement(void *arg, uint8_t kind, struct span key, const char *how)
{
	struct verifier *s = arg;
	s->figures.damaged++;
	row_finding(s, kind, key, how);
}

static void end_segment(struct verifier *s, enum segment_state state)
{
	end_reading(s);
	find_missing(s);
	verifier_index_compare(&s->names, &s->whole,
	        !s->sound               ? NAMES_PARTLY
	        : state == SEGMENT_LIVE ? NAMES_LIVE
	                                : NAMES_ALL,
	        on_disagreement, s);
	keyset_finish(&s->whole);
	keyset_finish(&s->damaged_keys);
	verifier_index_finish(&s->names);
	s->reading_of = (struct id){{0}};
	s->segment = (struct id){{0}};
}

/* Checks the rest of a file whose trees are readable, byte by byte. */
static int verify_seal(struct verifier *s, struct id id, enum segment_state state)
{
	int r = state == SEGMENT_SEALED ? seal_verify(s->dir, id) : 0;
	if (r == -EBADMSG) {
		finding(s, "its file does not match its seal, but its trees do: the damage is in "
		           "the rows named here, or in bytes that are never read");
		return 0;
	}
	return r;
}

int verifier_segment(struct verifier *s, struct id id)
{
	enum segment_state state = segment_state(s->dir, id);
	s->segment = id;
	s->figures.segments++;
	s->figures.sealed += state == SEGMENT_SEALED;
	s->figures.live += state == SEGMENT_LIVE;
	s->figures.orphaned += state == SEGMENT_ORPHANED;
	char *why = NULL;
	int r = soundness_check(s->dir, id, state, &why);
	s->sound = r == 0;
	if (r == 0) {
		r = verify_seal(s, id, state);
		r = r < 0 ? r : verify_tables(s);
	} else if (r == -EBADMSG) {
		s->figures.unsound++;
		finding(s, "readers leave it out: %s", why);
		r = verify_pages(s);
	}
	free(why);
	end_segment(s, state);
	return r == -ENODATA ? 0 : r;
}

static void compare_bodies(struct verifier *s)
{
	for (size_t i = 0; i < s->wanted.n; i++) {
		const struct body *w = &s->wanted.items[i];
		const struct body *f = bodies_find(&s->found, w->owner, w->type);
		uint64_t bytes = f ? f->bytes : 0;
		if (bytes == w->bytes || (w->may_be_short && bytes < w->bytes)) {
			continue;
		}
		char text[ID_TEXT_SIZE];
		s->figures.missing++;
		finding(s, "%s of %s %s: %" PRIu64 " of %" PRIu64 " bytes are there",
		        row_part_name(w->type), w->type <= PART_REQUEST_BODY ? "exchange" : "leg",
		        id_format(w->owner, text), bytes, w->bytes);
	}
}

static void count_dangling(struct verifier *s)
{
	struct id last = {{0}};
	for (size_t i = 0; i < s->found.n; i++) {
		const struct body *f = &s->found.items[i];
		uint8_t kind = f->type <= PART_REQUEST_BODY ? ROW_EXCHANGE : ROW_LEG;
		if (id_compare(f->owner, last) != 0 &&
		        !keyset_has(&s->owners, kind,
		                (struct span){(const char *)f->owner.bytes, 16})) {
			s->figures.dangling++;
		}
		last = f->owner;
	}
}

void verifier_end(struct verifier *s, struct verifier_figures *ret)
{
	bodies_sort(&s->found);
	bodies_sort(&s->wanted);
	compare_bodies(s);
	count_dangling(s);
	*ret = s->figures;
}

void verifier_destroy(struct verifier *s)
{
	if (!s) {
		return;
	}
	bodies_finish(&s->wanted);
	bodies_finish(&s->found);
	keyset_finish(&s->owners);
	keyset_finish(&s->bodiless);
	keyset_finish(&s->whole);
	keyset_finish(&s->damaged_keys);
	verifier_index_finish(&s->names);
	buf_finish(&s->scratch);
	buf_finish(&s->reading);
	free(s);
}
