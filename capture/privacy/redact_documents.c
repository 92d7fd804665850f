#include "capture/privacy/redact_documents.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/byte_order_mark.h"
#include "base/utf8.h"
#include "capture/privacy/redact_form.h"

#define BODY_LIMIT ((size_t)1 << 30)
#define DATA "data:"
#define RAW_CHANNEL 2 /* the channels of documents are odd */

struct walk {
	struct pieces *to;
	struct redact_places places;
	struct span body;
	bool everything;
};

/* Adds the text outside of documents. Only its form may be kept. */
static void put_foreign(struct walk *w, size_t at, size_t end)
{
	while (at < end && !w->to->error) {
		const char *feed = memchr(w->body.data + at, '\n', end - at);
		size_t to = feed ? (size_t)(feed - w->body.data) : end;
		size_t from = at + redact_form_field(w->body, at, to);
		if (to > from) {
			redact_pieces_add(
			        w->to, from, to - from, REDACT_PLAIN, PIECE_JUNK | PIECE_PRIVATE);
		}
		at = to + 1;
	}
}

static void put_junk(struct walk *w, size_t at, size_t end)
{
	if (w->everything) {
		put_foreign(w, at, end);
		return;
	}
	while (at < end && memchr(" \t\r\n", w->body.data[at], 4)) {
		at++;
	}
	if (at < end) {
		redact_pieces_add(w->to, at, end - at, REDACT_PLAIN, PIECE_JUNK);
	}
}

static unsigned flags_of_text(const struct walk *w)
{
	return w->everything ? PIECE_PRIVATE : 0;
}

/* Adds a line of an event stream that is plain text and no document. The next such line may
 * continue its text. */
static size_t put_raw_line(struct walk *w, size_t at)
{
	const char *line = w->body.data + at;
	const char *feed = memchr(line, '\n', w->body.len - at);
	size_t end = feed ? (size_t)(feed - w->body.data) : w->body.len;
	size_t from = at + strlen(DATA);
	from += from < end && w->body.data[from] == ' ';
	size_t to = end > from && w->body.data[end - 1] == '\r' ? end - 1 : end;
	if (to > from) {
		redact_pieces_add(w->to, from, to - from, REDACT_PLAIN, flags_of_text(w))->channel =
		        RAW_CHANNEL;
	}
	return end;
}

static bool is_raw_line(struct span body, size_t at)
{
	if ((at && !memchr("\r\n", body.data[at - 1], 2)) || body.len - at < strlen(DATA) ||
	        memcmp(body.data + at, DATA, strlen(DATA)) != 0) {
		return false;
	}
	for (at += strlen(DATA); at < body.len && memchr(" \t", body.data[at], 2);) {
		at++;
	}
	return at < body.len && !memchr("{[\"", body.data[at], 3);
}

/* Adds a document. A malformed one is added once more as a whole. */
static int64_t put_document(struct walk *w, size_t at)
{
	int64_t end = redact_places_read(&w->places, at);
	if (end < 0) {
		return end;
	}
	redact_pieces_add_document(w->to, &w->places);
	if (w->places.tree.malformed) {
		redact_pieces_add(w->to, at, (size_t)end - at, REDACT_PLAIN, PIECE_JUNK);
	}
	return end;
}

/* Finds the documents in events, lines or whole bodies. A document begins with its first bracket
 * or quotation mark. */
static int put_documents(struct walk *w)
{
	size_t junk = 0;
	for (size_t at = 0; at < w->body.len && !w->to->error;) {
		if (is_raw_line(w->body, at)) {
			put_junk(w, junk, at);
			at = junk = put_raw_line(w, at);
		} else if (memchr("{[\"", w->body.data[at], 3)) {
			put_junk(w, junk, at);
			int64_t end = put_document(w, at);
			if (end < 0) {
				return (int)end;
			}
			at = junk = (size_t)end;
		} else {
			at++;
		}
	}
	put_junk(w, junk, w->body.len);
	return 0;
}

static bool is_text(struct span body)
{
	const char *p = body.data, *end = p + body.len;
	while (p < end) {
		size_t n = *p ? utf8_length(p, end) : 0;
		/* The last character may be truncated. */
		if (!n && (*p == '\0' || end - p > 3)) {
			return false;
		}
		p += n ? n : 1;
	}
	return true;
}

static bool has_documents(struct span body)
{
	static const char *const LINES[] = {"data:", "event:", "id:", "retry:", ":"};
	size_t at = byte_order_mark(body.data, body.len);
	while (at < body.len && memchr(" \t\r\n", body.data[at], 4)) {
		at++;
	}
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		if (span_starts(span_from(body, at), LINES[i])) {
			return true;
		}
	}
	return at < body.len && memchr("{[\"", body.data[at], 3);
}

int redact_documents_cut(struct pieces *to, const struct redact_policy *policy, struct span body)
{
	struct walk w = {.to = to, .body = body, .everything = policy->everything};
	int r = 0;
	if (body.len > BODY_LIMIT) {
		return -E2BIG;
	}
	if (!is_text(body)) {
		return -EBADMSG;
	}
	if (has_documents(body)) {
		redact_places_init(&w.places, policy, body, to->claim);
		r = put_documents(&w);
		redact_places_finish(&w.places);
	} else if (body.len) {
		redact_pieces_add(to, 0, body.len, REDACT_PLAIN, flags_of_text(&w));
	}
	return r < 0 ? r : to->error;
}
