#include "capture/compaction.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/mem.h"
#include "capture/capture_meta.h"
#include "capture/capture_source.h"
#include "capture/compaction_parts.h"
#include "capture/leg_reader.h"
#include "capture/verifier.h"
#include "capture/retention.h"

#define READING_BUDGET ((size_t)512 << 20)

struct compaction {
	const struct compaction_settings *settings;
	struct compaction_figures figures;
	struct id *ids;
	size_t n;
	struct capture *from;
	struct salvage *to;
	struct owned_parts parts;
	struct budget budget;
	struct buf key, scratch, payload, value;
	uint64_t taken; /* part values */
	char *error;    /* the first error */
	bool usage;
};

static int PRINTF(3, 4) fail(struct compaction *c, int r, const char *format, ...)
{
	va_list args;
	if (!c->error) {
		va_start(args, format);
		if (vasprintf(&c->error, format, args) < 0) {
			c->error = xstrdup("no memory");
		}
		va_end(args);
	}
	return r;
}

/* Examines the capture first. */

static void on_finding(void *arg, struct id segment, const char *sentence)
{
	struct compaction *c = arg;
	c->usage = true;
	char *salvage = capture_salvage_command(c->settings->from);
	fail(c, 0, "%s is damaged (%s); `%s` recovers the intact records", c->settings->from,
	        sentence, salvage);
	free(salvage);
}

static int verify_dir(struct compaction *c, const char *dir, const struct id *ids, size_t n,
        struct verifier_figures *ret)
{
	const struct verifier_events events = {.on_finding = on_finding};
	struct verifier *s = verifier_create(dir, &events, c);
	int r = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = verifier_segment(s, ids[i]);
	}
	verifier_end(s, ret);
	verifier_destroy(s);
	if (r < 0) {
		fail(c, r, "%s cannot be read: %s", dir, strerror(-r));
	}
	return c->error ? -EBADMSG : r;
}

static int check_writers(struct compaction *c)
{
	for (size_t i = 0; i < c->n; i++) {
		char text[ID_TEXT_SIZE];
		if (segment_state(c->settings->from, c->ids[i]) == SEGMENT_LIVE) {
			c->usage = true;
			return fail(c, -EBUSY,
			        "segment %s in %s is being written; stop its writer first",
			        id_format(c->ids[i], text), c->settings->from);
		}
	}
	return 0;
}

static int open_capture(struct compaction *c)
{
	c->from = capture_open(&c->settings->from, 1, &c->error);
	if (!c->from) {
		return -EIO;
	}
	c->figures.bytes = retention_size(c->settings->from, (struct id){{0}});
	c->figures.segments = c->n;
	return 0;
}

static int put_meta(struct compaction *c, size_t i)
{
	struct span key = {0}, value;
	int r;
	while ((r = segment_seek(
	                c->from->sources[i].reader, TABLE_META, key, true, &key, &value)) == 0) {
		bool is_own = span_is(key, META_KEY);
		if (is_own) {
			meta_joined_key(&c->scratch, c->from->sources[i].id);
		}
		r = salvage_add_row(c->to, TABLE_META, is_own ? buf_span(&c->scratch) : key, value);
		if (r < 0) {
			return r;
		}
	}
	return r == -ENOENT ? 0 : r;
}

/* Looks for the stored reading. 0: it is there; 1: an older version of the parser made it; < 0:
 * there is none. */
static int find_reading(struct compaction *c, const struct leg_row *row)
{
	struct buf stored = {0};
	struct reading *reading;
	int r = row->marks & LEG_UNREAD ? -ENOENT
	                                : owned_parts_gather(&c->parts, PART_READING, &stored);
	if (r == 0) {
		r = record_get_reading(buf_span(&stored), &reading);
		reading_destroy(r >= 0 ? reading : NULL);
	}
	buf_finish(&stored);
	return r;
}

/* Reads the answer again. NULL: there is nothing to read. Sets those members of the row that
 * repeat values of the reading. */
static struct reading *read_again(
        struct compaction *c, const struct exchange_row *exchange, struct leg_row *row)
{
	const struct reading_hints hints = leg_reader_hints(exchange, row);
	struct buf body = {0}, arrivals = {0};
	struct reading *reading = NULL;
	if (owned_parts_gather(&c->parts, PART_RESPONSE_BODY, &body) == 0 &&
	        (body.len >= row->body_bytes || row->marks & LEG_TRUNCATED)) {
		struct leg_reader *reader =
		        leg_reader_create(row->id, &hints, row->content_encoding, &c->budget);
		uint64_t first_content_us = row->first_content_us;
		leg_reader_body(reader, buf_span(&body));
		if (owned_parts_gather(&c->parts, PART_ARRIVALS, &arrivals) == 0) {
			leg_reader_arrivals(reader, buf_span(&arrivals));
		}
		reading = leg_reader_end(reader, row);
		leg_reader_unref(reader);
		/* The arrivals of a redacted answer may count bytes that are no longer in its
		 * body. */
		if (row->content == CONTENT_REDACTED) {
			row->first_content_us = first_content_us;
		}
	}
	buf_finish(&body);
	buf_finish(&arrivals);
	return reading;
}

static bool must_reread(
        struct compaction *c, const struct exchange_row *exchange, const struct leg_row *row)
{
	bool bodiless = row->content ? row->content == CONTENT_METADATA
	                             : exchange && exchange->content == CONTENT_METADATA;
	if (!c->settings->reread || !exchange || !row->body_bytes || bodiless) {
		return false;
	}
	int found = find_reading(c, row);
	bool asked = found > 0 || c->settings->reread_all;
	return found < 0 || (asked && leg_may_be_reread(row->marks));
}

/* 1: the leg and its reading were rewritten; 0: the caller must copy the leg unchanged. */
static int put_reread(struct compaction *c, const struct exchange_row *exchange, struct span key,
        struct leg_row *row)
{
	struct reading *reading =
	        must_reread(c, exchange, row) ? read_again(c, exchange, row) : NULL;
	if (!reading) {
		return 0;
	}
	row->marks &= ~(uint32_t)LEG_UNREAD;
	buf_clear(&c->payload);
	record_put_reading(&c->payload, reading);
	reading_destroy(reading);
	int r = owned_parts_put(&c->parts, c->to, PART_READING, &c->figures.packed);
	if (r == 0) {
		r = owned_parts_put_new(
		        &c->parts, c->to, PART_READING, buf_span(&c->payload), RECORD_QUICK);
	}
	if (r == 0) {
		buf_clear(&c->payload);
		buf_clear(&c->value);
		record_put_leg(&c->payload, row);
		record_wrap(&c->value, ROW_LEG, buf_span(&c->payload), RECORD_AS_IS);
		r = salvage_add_row(c->to, TABLE_LEG, key, buf_span(&c->value));
	}
	c->figures.reread += r == 0;
	return r < 0 ? r : 1;
}

/* The parts of a row in segment i may be in segment i and in older ones. */
static int read_parts(struct compaction *c, struct id owner, size_t i)
{
	int r = owned_parts_read(&c->parts, owner, c->from->sources, i + 1);
	c->taken += r == 0 ? c->parts.n : 0;
	return r;
}

/* Copies a row of segment i as it is stored. */
static int put_row(struct compaction *c, enum segment_table t, size_t i, struct span key)
{
	struct segment_reader *reader = c->from->sources[i].reader;
	struct span value;
	if (!reader) {
		return -EIO; /* the capture could not read it to its end */
	}
	int r = owned_parts_put(&c->parts, c->to, 0, &c->figures.packed);
	r = r < 0 ? r : segment_get(reader, t, key, &value);
	return r < 0 ? r : salvage_add_row(c->to, t, key, value);
}

static int put_leg(
        struct compaction *c, const struct exchange_row *exchange, struct capture_leg *leg)
{
	struct leg_row *row = &leg->row;
	segment_key_leg(&c->key, row->exchange, row->id);
	int r = read_parts(c, row->id, leg->segment);
	if (r == 0) {
		r = put_reread(c, exchange, buf_span(&c->key), row);
	}
	if (r == 0) {
		r = put_row(c, TABLE_LEG, leg->segment, buf_span(&c->key));
	}
	c->figures.unread += (row->marks & LEG_UNREAD) != 0;
	c->figures.legs++;
	return r < 0 ? r : 0;
}

/* Writes an exchange with all its legs. The legs' rows come first, as the recorder writes them. */
static int put_exchange(struct compaction *c, struct capture_exchange *e)
{
	int r = 0;
	for (size_t i = 0; i < e->n_legs && r == 0; i++) {
		r = put_leg(c, e->absent ? NULL : &e->row, &e->legs[i]);
	}
	if (r < 0 || e->absent) {
		return r;
	}
	c->figures.exchanges++;
	segment_key_exchange(&c->key, e->row.id);
	r = read_parts(c, e->row.id, e->segment);
	return r < 0 ? r : put_row(c, TABLE_EXCHANGE, e->segment, buf_span(&c->key));
}

static int put_rows(struct compaction *c)
{
	const struct compaction_settings *s = c->settings;
	struct capture_exchange e;
	int r = 0;
	for (size_t i = 0; i < c->from->n_sources && r == 0; i++) {
		r = put_meta(c, i);
	}
	while (r == 0 && capture_next(c->from, &e) == 1) {
		r = put_exchange(c, &e);
		capture_exchange_finish(&e);
		if (s->on_progress) {
			s->on_progress(s->arg, c->figures.exchanges);
		}
	}
	int ended = salvage_end(c->to);
	r = r < 0 ? r : ended;
	return r < 0 ? fail(c, r, "%s cannot be written: %s", s->to, strerror(-r)) : 0;
}

/* Verifies the new capture like any other, and compares its figures with those of the old one. */
static int check_written(struct compaction *c, const struct verifier_figures *before)
{
	struct verifier_figures after;
	struct id *ids;
	size_t n;
	int r = segment_list(c->settings->to, &ids, &n);
	if (r < 0) {
		return fail(c, r, "%s cannot be read: %s", c->settings->to, strerror(-r));
	}
	r = verify_dir(c, c->settings->to, ids, n, &after);
	free(ids);
	c->figures.new_bytes = retention_size(c->settings->to, (struct id){{0}});
	c->figures.new_segments = n;
	c->figures.dropped = before->parts - MIN(c->taken, before->parts);
	if (r == 0 && (before->exchanges != after.exchanges || before->legs != after.legs)) {
		r = fail(c, -EIO, "%s did not get all rows of %s", c->settings->to,
		        c->settings->from);
	}
	return r;
}

static int run(struct compaction *c)
{
	struct verifier_figures before;
	int r = segment_list(c->settings->from, &c->ids, &c->n);
	if (r < 0) {
		return fail(c, r, "%s cannot be read: %s", c->settings->from, strerror(-r));
	}
	r = check_writers(c);
	r = r < 0 ? r : verify_dir(c, c->settings->from, c->ids, c->n, &before);
	r = r < 0 ? r : open_capture(c);
	if (r < 0) {
		return r;
	}
	r = salvage_create(c->settings->to, c->settings->from, &c->to, &c->error);
	if (r < 0) {
		return r;
	}
	if (c->settings->segment_size) {
		salvage_set_segment_size(c->to, c->settings->segment_size);
	}
	r = put_rows(c);
	return r < 0 ? r : check_written(c, &before);
}

char *compaction_run(
        const struct compaction_settings *s, struct compaction_figures *ret, bool *ret_usage)
{
	struct compaction c = {.settings = s};
	budget_init(&c.budget, READING_BUDGET);
	int r = run(&c);
	expect((r < 0) == (c.error != NULL));
	capture_close(c.from);
	salvage_destroy(c.to);
	owned_parts_finish(&c.parts);
	buf_finish(&c.key);
	buf_finish(&c.scratch);
	buf_finish(&c.payload);
	buf_finish(&c.value);
	free(c.ids);
	*ret = c.figures;
	*ret_usage = c.usage;
	return c.error;
}
