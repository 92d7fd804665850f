#include "capture/derived_rows.h"

#include <string.h>

#include "base/clock.h"

int derived_rows_put_meta(struct segment_writer *w, struct meta_row *row)
{
	struct buf payload = {0}, value = {0};
	row->format = RECORD_FORMAT;
	row->segment = segment_writer_id(w);
	row->created_ns = clock_wall();
	row->version = (char *)PLUMBLINE_VERSION;
	record_put_meta(&payload, row);
	record_wrap(&value, ROW_META, buf_span(&payload), RECORD_AS_IS);
	int r = segment_put(w, TABLE_META, SPAN(META_KEY), buf_span(&value));
	buf_finish(&payload);
	buf_finish(&value);
	return r;
}

int derived_rows_put_log(struct segment_writer *w, struct buf *scratch, uint64_t number,
        enum row_kind kind, struct span key)
{
	char value[1 + SEGMENT_KEY_LIMIT] = {(char)kind};
	expect(key.len <= SEGMENT_KEY_LIMIT);
	memcpy(value + 1, key.data, key.len);
	segment_key_number(scratch, number);
	return segment_put(w, TABLE_LOG, buf_span(scratch), (struct span){value, 1 + key.len});
}

int derived_rows_each_exchange_index(
        const struct exchange_row *row, struct buf *scratch, derived_rows_index_fn fn, void *arg)
{
	static const uint8_t none[REQUEST_HASH_SIZE];
	segment_key_by_time(scratch, row->wall_ns, row->id);
	int r = fn(arg, TABLE_BY_TIME, buf_span(scratch));
	if (r == 0 && row->model) {
		segment_key_by_name(scratch, row->model, row->id, NULL);
		r = fn(arg, TABLE_BY_MODEL, buf_span(scratch));
	}
	if (r == 0 && memcmp(row->hashes.prompt, none, sizeof(none)) != 0) {
		segment_key_by_prompt(scratch, row->hashes.prompt, row->id);
		r = fn(arg, TABLE_BY_PROMPT, buf_span(scratch));
	}
	return r;
}

int derived_rows_each_leg_index(
        const struct leg_row *row, struct buf *scratch, derived_rows_index_fn fn, void *arg)
{
	segment_key_by_name(scratch, row->backend ? row->backend : "", row->exchange, &row->id);
	return fn(arg, TABLE_BY_BACKEND, buf_span(scratch));
}

int derived_rows_put_index(void *arg, enum segment_table t, struct span key)
{
	return segment_put(arg, t, key, (struct span){"", 0});
}
