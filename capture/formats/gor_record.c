#include "capture/formats/gor_record.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/http.h"

#define MARK (sizeof(GOR_SEPARATOR) - 1)
#define BLOCK_SIZE ((size_t)64 << 10)

void gor_reader_init(struct gor_reader *r, FILE *file)
{
	*r = (struct gor_reader){.file = file, .line = 1};
}

void gor_reader_finish(struct gor_reader *r)
{
	buf_finish(&r->in);
	buf_finish(&r->chunks);
}

/* Takes the text before the first occurrence of a mark off the front of a span. False: the mark
 * does not occur. */
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

/* Parses the digits at the beginning. False: there are none, or too many. */
static bool number_of(struct span s, unsigned base, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;
	/* hex_digit() returns -1 for other characters; as unsigned that exceeds any base. */
	for (; i < s.len && (unsigned)hex_digit(s.data[i]) < base; i++) {
		if (n > UINT64_MAX / 32) {
			return false;
		}
		n = n * base + (unsigned)hex_digit(s.data[i]);
	}
	*ret = n;
	return i > 0;
}

/* Joins chunks. False: they are malformed or incomplete; what came before is joined. */
static bool join_chunks(struct span s, struct buf *to)
{
	struct span line;
	uint64_t n;
	buf_clear(to);
	while (cut(&s, "\r\n", &line) && number_of(line, 16, &n)) {
		if (n == 0) {
			return true;
		}
		size_t there = n < s.len ? (size_t)n : s.len;
		buf_append(to, s.data, there);
		s = span_from(s, there);
		if (there < n || !cut(&s, "\r\n", &line) || line.len) {
			return false;
		}
	}
	return false;
}

struct span gor_field(const struct gor_record *g, const char *name)
{
	return http_lines_field(g->fields, name);
}

/* "HTTP/1.1 200 OK"; 0: it is none. */
static int status_of(struct span first)
{
	const char *p = first.data;
	bool good = first.len >= 12 && span_starts(first, "HTTP/1.") && p[8] == ' ' &&
	            p[9] >= '1' && p[9] <= '5' && is_digit(p[10]) && is_digit(p[11]) &&
	            (first.len == 12 || p[12] == ' ');
	return good ? (p[9] - '0') * 100 + (p[10] - '0') * 10 + (p[11] - '0') : 0;
}

/* The last coding in the list is the outermost one. */
static bool is_chunked(struct span codings)
{
	if (!codings.len) {
		return false;
	}
	const char *comma = memrchr(codings.data, ',', codings.len);
	size_t before = comma ? (size_t)(comma - codings.data) + 1 : 0;
	return span_is_nocase(span_trim(span_from(codings, before)), "chunked");
}

/* "KIND ID NANOSECONDS NANOSECONDS" */
static const char *read_meta(struct span meta, struct gor_record *g)
{
	struct span id, ns;
	if (meta.len < 3 || meta.data[0] < '1' || meta.data[0] > '3' || meta.data[1] != ' ') {
		return "a record does not begin with its kind, id and time";
	}
	g->kind = (enum gor_kind)meta.data[0];
	meta = span_from(meta, 2);
	if (!cut(&meta, " ", &id)) {
		return NULL;
	}
	g->id = id;
	(void)!number_of(meta, 10, &g->ns);
	if (cut(&meta, " ", &ns)) {
		(void)!number_of(meta, 10, &g->took_ns);
	}
	return NULL;
}

static const char *read_body(struct gor_reader *r, struct span body, struct gor_record *g)
{
	uint64_t n;
	bool is_request = g->kind == GOR_REQUEST;
	g->body = body;
	if (is_chunked(gor_field(g, "transfer-encoding"))) {
		g->cut = !join_chunks(body, &r->chunks);
		g->body = buf_span(&r->chunks);
		return is_request && g->cut ? "the chunks of a request are incomplete" : NULL;
	}
	/* GoReplay middleware may have changed the body of a request without its content-length. */
	g->cut = !is_request && number_of(gor_field(g, "content-length"), 10, &n) && n > body.len;
	return NULL;
}

/* Reads the head after the first line and takes it off the front of *text. Skips interim heads,
 * which only announce the final one. */
static const char *read_head(struct span *text, struct gor_record *g)
{
	struct span head;
	do {
		if (g->status && !text->len) {
			return "an answer has only \"100 Continue\" or a similar status";
		}
		if (!cut(text, "\r\n\r\n", &head)) {
			return g->kind == GOR_REQUEST ? "the head of a request has no end"
			                              : "the head of an answer has no end";
		}
		struct span rest = {head.data, head.len + 2};
		(void)!cut(&rest, "\r\n", &g->first);
		g->fields = rest;
		g->status = g->kind == GOR_REQUEST ? 0 : status_of(g->first);
	} while (g->status && g->status < 200);
	return NULL;
}

static const char *read_record(struct gor_reader *r, struct span text, struct gor_record *g)
{
	struct span meta;
	if (!cut(&text, "\n", &meta)) {
		return "a record does not begin with its kind, id and time";
	}
	const char *why = read_meta(meta, g);
	why = why ? why : read_head(&text, g);
	return why ? why : read_body(r, text, g);
}

/* Discards the first n bytes that are buffered and not yet delivered. */
static void drop(struct gor_reader *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		r->line += r->in.data[r->at + i] == '\n';
	}
	r->offset += n;
	r->at += n;
	r->searched = 0;
}

/* Returns in *ret the text before the next mark or the end. 1: found; 0: nothing is left;
 * -EFBIG: the text was too long, and only its end is here. */
static int next_text(struct gor_reader *r, struct span *ret)
{
	for (bool too_long = false;;) {
		size_t len = r->in.len - r->at;
		const char *from = len ? r->in.data + r->at : "";
		const char *end = len > r->searched ? memmem(from + r->searched, len - r->searched,
		                                              GOR_SEPARATOR, MARK)
		                                    : NULL;
		if (end || r->ended) {
			*ret = (struct span){from, end ? (size_t)(end - from) : len};
			return too_long ? -EFBIG : len > 0;
		}
		r->searched = len > MARK ? len - MARK : 0;
		too_long |= len > GOR_RECORD_LIMIT;
		if (too_long) {
			drop(r, r->searched);
		}
		buf_consume(&r->in, r->at);
		r->at = 0;
		size_t n = fread(buf_reserve(&r->in, BLOCK_SIZE), 1, BLOCK_SIZE, r->file);
		r->in.len += n;
		r->ended = n == 0;
	}
}

bool gor_reader_next(struct gor_reader *r, struct gor_record *ret)
{
	struct span text;
	int code;
	do {
		*ret = (struct gor_record){.line = r->line, .offset = r->offset};
		code = next_text(r, &text);
		if (code) {
			drop(r, MIN(text.len + MARK, r->in.len - r->at)); /* with its mark */
		}
	} while (code == 1 && !text.len);
	ret->why = code == 1   ? read_record(r, text, ret)
	           : code == 0 ? NULL
	                       : "a record is longer than 64 MiB";
	return code != 0;
}
