/*
 * GoReplay's .gor files: raw requests, each behind a line "1 ID NANOSECONDS ...", parted by a line of
 * three monkeys. Answers (2, 3) are passed over.
 */
#include <errno.h>
#include <string.h>

#include "imports/requests.h"
#include "reading/request.h"

#define SEPARATOR "\n\xf0\x9f\x90\xb5\xf0\x9f\x99\x88\xf0\x9f\x99\x89\n"
#define BLOCK_SIZE ((size_t)64 << 10)
#define RECORD_LIMIT ((size_t)64 << 20)

/* Takes what comes before the first of a mark out of the front of a span. False: there is none. */
static bool cut(struct span *s, const char *mark, struct span *ret)
{
	const char *at = s->len ? memmem(s->data, s->len, mark, strlen(mark)) : NULL;
	if (!at) {
		return false;
	}
	*ret = (struct span){s->data, (size_t)(at - s->data)};
	s->len -= ret->len + strlen(mark);
	s->data = at + strlen(mark);
	return true;
}

static bool number_of(struct span s, unsigned base, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;
	for (; i < s.len; i++) {
		char c = s.data[i];
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
		                 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
		                 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
		                                        : 99;
		if (digit >= base) {
			break;
		}
		if (n > UINT64_MAX / 32) {
			return false;
		}
		n = n * base + digit;
	}
	*ret = n;
	return i > 0;
}

/* Chunks joined. False: they are malformed, or one is missing. */
static bool join_chunks(struct span s, struct buf *to)
{
	struct span line;
	uint64_t n;
	buf_clear(to);
	while (cut(&s, "\r\n", &line) && number_of(line, 16, &n)) {
		if (n == 0) {
			return true;
		}
		if (n > s.len) {
			return false;
		}
		buf_append(to, s.data, (size_t)n);
		s.data += n;
		s.len -= (size_t)n;
		if (!cut(&s, "\r\n", &line) || line.len) {
			return false;
		}
	}
	return false;
}

static bool is_chunked(struct span fields)
{
	struct span line;
	static const char NAME[] = "transfer-encoding:";
	while (cut(&fields, "\r\n", &line)) {
		size_t n = sizeof(NAME) - 1;
		if (line.len > n && span_is_nocase((struct span){line.data, n}, NAME)) {
			return memmem(line.data, line.len, "chunked", 7) != NULL;
		}
	}
	return false;
}

struct reader {
	const struct request_sink *sink;
	struct buf chunks;
	uint64_t line;
	size_t searched; /* of what is held, without finding an end */
};

static void take_record(struct reader *r, struct span record)
{
	const struct request_sink *s = r->sink;
	struct request_found found = {.line = r->line};
	struct span meta, head, method, id;
	if (record.len == 0) {
		return;
	}
	if (!cut(&record, "\n", &meta) || meta.len < 3 || meta.data[1] != ' ') {
		s->bad(s->arg, r->line, "a record does not begin with its kind, id and time");
		return;
	}
	if (meta.data[0] != '1') {
		return;
	}
	meta = (struct span){meta.data + 2, meta.len - 2};
	if (cut(&meta, " ", &id)) {
		(void)!number_of(meta, 10, &found.wall_ns);
	}
	if (!cut(&record, "\r\n\r\n", &head)) {
		s->bad(s->arg, r->line, "a request's head does not end");
		return;
	}
	struct span rest = head, fields = {head.data, head.len + 2};
	if (!cut(&rest, " ", &method) || !cut(&rest, " ", &found.target)) {
		s->bad(s->arg, r->line, "a request has no request line");
		return;
	}
	if (!endpoint_is_openai(endpoint_of(method, found.target))) {
		s->unfit(s->arg, "neither a chat nor a completion");
		return;
	}
	found.body = record;
	if (is_chunked(fields)) {
		if (!join_chunks(record, &r->chunks)) {
			s->bad(s->arg, r->line, "a request's chunks are not whole");
			return;
		}
		found.body = buf_span(&r->chunks);
	}
	s->request(s->arg, &found);
}

static uint64_t newlines(const char *data, size_t len)
{
	uint64_t n = 0;
	for (size_t i = 0; i < len; i++) {
		n += data[i] == '\n';
	}
	return n;
}

/* All whole records at the front; last: so is what is left. */
static void take_records(struct reader *r, struct buf *in, bool last)
{
	size_t at = 0, mark = sizeof(SEPARATOR) - 1;
	while (at < in->len) {
		const char *from = in->data + at;
		size_t skip = at ? 0 : r->searched;
		const char *end = memmem(from + skip, in->len - at - skip, SEPARATOR, mark);
		if (!end && !last) {
			break;
		}
		size_t len = end ? (size_t)(end - from) : in->len - at;
		take_record(r, (struct span){from, len});
		size_t passed = len + (end ? mark : 0);
		r->line += newlines(from, passed);
		at += passed;
	}
	buf_consume(in, at);
	r->searched = in->len > mark ? in->len - mark : 0;
}

static int read_file(const struct request_file *f, const struct request_sink *sink)
{
	struct reader r = {.sink = sink, .line = 1};
	struct buf in = {0};
	size_t n = 1;
	while (n > 0 && in.len <= RECORD_LIMIT) {
		n = fread(buf_reserve(&in, BLOCK_SIZE), 1, BLOCK_SIZE, f->file);
		in.len += n;
		take_records(&r, &in, n == 0);
	}
	if (in.len > RECORD_LIMIT) {
		sink->bad(
		        sink->arg, r.line, "a record is longer than 64 MiB: the rest is not read");
	}
	buf_finish(&in);
	buf_finish(&r.chunks);
	return ferror(f->file) ? -EIO : 0;
}

static bool fits(const struct sniff *s)
{
	struct span b = buf_span(&s->begin);
	return b.len > 3 && b.data[0] >= '1' && b.data[0] <= '3' && b.data[1] == ' ' &&
	       memmem(b.data, b.len, SEPARATOR, sizeof(SEPARATOR) - 1);
}

const struct request_format requests_gor = {
        .name = "gor",
        .title = "GoReplay's .gor files",
        .fits = fits,
        .read = read_file,
};
