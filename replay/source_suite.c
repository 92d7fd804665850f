/*
 * source_suite - reads requests from a suite: each turn of each item is a request.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/csv.h"
#include "replay/source_kind.h"

#define RECORD_LIMIT ((size_t)64 << 20)

/* A line, or all lines of a CSV record, without the last newline. */
struct record {
	struct span text;
	uint64_t lines;
	bool too_long; /* then the text is empty */
};

/*
 * 1, 0 at the end, or -EIO. Skips a record that is too long, up to its last line: text within
 * quotes must not be taken for a record.
 */
static int next_record(struct source *s, bool csv, struct record *ret)
{
	struct buf *to = &s->record;
	bool open = false;
	*ret = (struct record){.lines = 0};
	buf_clear(to);
	do {
		struct span line = {0};
		int n = line_reader_next(&s->lines, &line);
		if (n == -EIO) {
			return n;
		}
		if (n == 0) {
			break;
		}
		ret->lines++;
		ret->too_long |= n < 0 || to->len + line.len > RECORD_LIMIT;
		open ^= csv && csv_is_open(line);
		if (ret->too_long) {
			buf_trim(to, 0);
		} else {
			buf_append_span(to, line);
		}
	} while (open);
	while (to->len > 0 && strchr("\r\n", to->data[to->len - 1])) {
		to->len--;
	}
	ret->text = buf_span(to);
	return ret->lines > 0;
}

/* "mine" of "suites/mine.jsonl". */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	size_t len = strcspn(file + (*file == '.'), ".") + (*file == '.');
	return len > 0 ? xstrndup(file, len) : NULL;
}

void source_open_suite(struct source *s)
{
	struct record first;
	int got;
	s->lines.whole = true; /* a line end may be within a quoted field */
	do {
		got = next_record(s, false, &first);
	} while (got > 0 && first.text.len == 0 && !first.too_long);
	if (got > 0 && !first.too_long) {
		suite_open(&s->suite, first.text);
	}
	free(s->suite_name);
	s->suite.name = s->suite_name = name_of(s->path);
	s->lines.whole = s->suite.form != SUITE_NONE;
	(void)!line_reader_seek(&s->lines, 0);
}

static const char *consider_turn(struct source *s, struct source_scan *scan, struct span record,
        const struct plan_request *place, struct plan_request *ret, bool *ret_room)
{
	struct suite_item item;
	struct request_hashes hashes;
	struct request_facts facts;
	uint64_t number = place->number;
	const char *why = suite_read(&s->suite, record, number, place->turn, &item);
	if (why) {
		return why;
	}
	request_read(item.endpoint, buf_span(&item.body), &facts);
	bool good = facts.is_json &&
	            request_hash(item.endpoint, buf_span(&item.body), s->hash_key, &hashes);
	if (good) {
		/* The seed determines the order of the choices, so another seed makes another
		 * question. */
		uint64_t seed = s->suite.form == SUITE_GPQA ? s->suite.seed : 0;
		*ret = *place;
		ret->exchange = source_id(number << 6 | place->turn, record, seed);
		ret->bytes = item.body.len;
		*ret_room = source_plan_request(scan, ret, item.endpoint, &facts, &hashes,
		        facts.model, item.labels.category);
	}
	suite_item_finish(&item);
	return good ? NULL : "its request is not one JSON object";
}

/* NULL, or an error message; then no further turn of the record is replayed. */
static const char *consider_record(struct source *s, struct source_scan *scan, struct span record,
        uint64_t at, uint64_t number, bool *ret_room)
{
	uint32_t turns = suite_turns(&s->suite, record);
	for (uint32_t turn = 0; turn < turns && *ret_room; turn++) {
		struct plan_request request;
		const struct plan_request place = {.at = at, .number = number, .turn = turn};
		scan->found++;
		const char *why = consider_turn(s, scan, record, &place, &request, ret_room);
		if (why) {
			return why;
		}
	}
	return NULL;
}

int source_scan_suite(struct source *s, struct source_scan *scan)
{
	struct record record;
	bool room = true, header = s->suite.has_header;
	uint64_t line = 1, number = 0;
	uint64_t at = 0;
	int got = 0;
	if (line_reader_seek(&s->lines, 0) < 0) {
		return -EIO;
	}
	s->suite.seed = scan->rules->seed;
	while (room && (got = next_record(s, s->suite.is_csv, &record)) > 0) {
		const char *why = NULL;
		if (record.too_long) {
			scan->found++;
			number++;
			why = "a record of more than 64 MiB, or a quote that is never closed";
		} else if (record.text.len > 0 && !header) {
			why = consider_record(s, scan, record.text, at, ++number, &room);
		}
		if (why) {
			source_add_unfit(s, scan, line, why);
		}
		header = header && record.text.len == 0;
		line += record.lines;
		at = s->lines.passed;
	}
	return got < 0 ? got : room ? 0 : -E2BIG;
}

const char *source_load_suite(
        struct source *s, const struct plan_request *r, struct source_body *ret)
{
	struct record record;
	struct suite_item item;
	if (line_reader_seek(&s->lines, r->at) < 0 ||
	        next_record(s, s->suite.is_csv, &record) <= 0 ||
	        suite_read(&s->suite, record.text, r->number, r->turn, &item) != NULL) {
		return "the file changed during the replay";
	}
	static const char *const TARGETS[] = {
	        [ENDPOINT_CHAT] = "/v1/chat/completions",
	        [ENDPOINT_COMPLETION] = "/v1/completions",
	};
	struct source_body b = {
	        .endpoint = item.endpoint,
	        .target = xstrdup(TARGETS[item.endpoint]),
	        .body = item.body,
	        .from = &dialect_generic,
	        .defaults = s->defaults,
	        .history_open = item.history_open,
	};
	source_describe(&b, r->exchange, item.labels);
	if (!request_hash(b.endpoint, buf_span(&b.body), s->hash_key, &b.row.hashes)) {
		source_body_finish(&b);
		return "the file changed during the replay";
	}
	*ret = b;
	return NULL;
}
