#pragma once
/*
 * copied - makes a capture with the rows of captured.h in one unsealed segment, whose pages have
 * the same layout in every run.
 */
#include <criterion/criterion.h>

#include "capture/marker.h"
#include "capture/segment.h"
#include "captured.h"

/* Receives each row before it is written and may change it; false: it is left out. */
typedef bool (*copied_fn)(enum segment_table t, struct buf *key, struct buf *value);

static inline void copied_table(struct segment_reader *from, struct segment_writer *to,
        enum segment_table t, unsigned rows_per_commit, copied_fn alter)
{
	struct buf last = {0}, new_key = {0}, new_value = {0};
	struct span key, value;
	unsigned rows = 0;
	cr_assert_eq(segment_begin(to), 0);
	while (segment_seek(from, t, buf_span(&last), true, &key, &value) == 0) {
		buf_clear(&last);
		buf_append_span(&last, key);
		buf_clear(&new_key);
		buf_clear(&new_value);
		buf_append_span(&new_key, key);
		buf_append_span(&new_value, value);
		if (alter && !alter(t, &new_key, &new_value)) {
			continue;
		}
		cr_assert_eq(segment_put(to, t, buf_span(&new_key), buf_span(&new_value)), 0);
		if (++rows % rows_per_commit == 0) {
			cr_assert_eq(segment_commit(to), 0);
			cr_assert_eq(segment_begin(to), 0);
		}
	}
	cr_assert_eq(segment_commit(to), 0);
	buf_finish(&last);
	buf_finish(&new_key);
	buf_finish(&new_value);
}

/* A copied_fn: the stored readings get an older READING_VERSION and the model "older", and
 * reference legs are marked as truncated. */
static inline bool copied_older(enum segment_table t, struct buf *key, struct buf *value)
{
	static const char version[] = {1, READING_VERSION, 14}; /* and the key after it */
	struct buf scratch = {0}, to = {0};
	struct span payload;
	if (t == TABLE_PART && key->data[16] == PART_READING) {
		struct reading *r;
		cr_assert_eq(record_unwrap(buf_span(value), ROW_PART, &scratch, &payload), 0);
		cr_assert_eq(record_get_reading(payload, &r), 0);
		r->model = (char[]){"older"};
		record_put_reading(&to, r);
		reading_destroy(r);
		char *at = memmem(to.data, to.len, version, sizeof(version));
		cr_assert_not_null(at);
		at[1]--;
		buf_clear(value);
		record_wrap(value, ROW_PART, buf_span(&to), RECORD_AS_IS);
	} else if (t == TABLE_LEG) {
		struct leg_row row;
		cr_assert_eq(record_unwrap(buf_span(value), ROW_LEG, &scratch, &payload), 0);
		cr_assert_eq(record_get_leg(payload, &row), 0);
		row.marks |= row.role == ROLE_REFERENCE ? LEG_TRUNCATED : 0;
		record_put_leg(&to, &row);
		leg_row_finish(&row);
		buf_clear(value);
		record_wrap(value, ROW_LEG, buf_span(&to), RECORD_AS_IS);
	}
	buf_finish(&scratch);
	buf_finish(&to);
	return true;
}

/* Makes the capture in a new directory, whose path it writes to path. Exchanges come last, two in
 * each commit, then more_commits further commits. alter may be NULL. */
static inline void copied_make(char path[64], unsigned more_commits, copied_fn alter)
{
	static const enum segment_table order[] = {TABLE_META, TABLE_PART, TABLE_LOG, TABLE_BY_TIME,
	        TABLE_BY_BACKEND, TABLE_BY_MODEL, TABLE_BY_PROMPT, TABLE_LEG, TABLE_EXCHANGE};
	char dir[64];
	captured_make(dir, NULL);
	snprintf(path, 64, "/tmp/plumbline-test-XXXXXX");
	cr_assert(mkdtemp(path));
	struct marker marker;
	char *error = NULL;
	cr_assert_eq(marker_make(path, NULL, &marker, &error), 0);
	struct id *ids;
	size_t n;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	struct segment_reader *from;
	struct segment_writer *to;
	cr_assert_eq(segment_open(dir, ids[0], &from), 0);
	cr_assert_eq(segment_create(path, 1u << 20, false, &to), 0);
	free(ids);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		copied_table(from, to, order[i], order[i] == TABLE_EXCHANGE ? 2 : 7, alter);
	}
	struct buf key = {0}, value = {0};
	record_wrap(&value, ROW_PART, SPAN("more"), false);
	for (unsigned i = 0; i < more_commits; i++) {
		cr_assert_eq(segment_begin(to), 0);
		segment_key_part(&key, (struct id){{1}}, PART_REQUEST_BODY, i);
		cr_assert_eq(segment_put(to, TABLE_PART, buf_span(&key), buf_span(&value)), 0);
		cr_assert_eq(segment_commit(to), 0);
	}
	buf_finish(&key);
	buf_finish(&value);
	segment_close(from);
	segment_writer_destroy(to);
	captured_remove(dir);
}
