#include "reading/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sse.h"
#include "base/utf8.h"
#include "reading/openai.h"
#include "reading/draft.h"

struct reader {
	bool is_stream;
	bool done; /* [DONE] was seen */
	bool full; /* over the limit: takes nothing more */
	bool last; /* the event at hand ended with the body */
	struct draft draft;
	struct sse sse;
	struct buf body;   /* unary: all of it; stream: an event mended at the end */
	uint64_t consumed; /* bytes of events given so far */
	uint64_t first_content_at;
	uint32_t n_events;
};

struct reader *reader_create(const struct reading_hints *hints)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	r->is_stream = hints->framing == FRAMING_SSE;
	draft_init(&r->draft, hints);
	if (r->is_stream) {
		sse_init(&r->sse, r->draft.limit);
	}
	return r;
}

void reader_destroy(struct reader *r)
{
	if (!r) {
		return;
	}
	if (r->is_stream) {
		sse_finish(&r->sse);
	}
	draft_finish(&r->draft);
	buf_finish(&r->body);
	free(r);
}

static struct span trimmed(struct span s)
{
	while (s.len && strchr(" \t\r\n", s.data[s.len - 1]) && s.data[s.len - 1]) {
		s.len--;
	}
	while (s.len && strchr(" \t\r\n", *s.data) && *s.data) {
		s.data++;
		s.len--;
	}
	return s;
}

/* \ud800 to \udbff: the first half of a character, at p. */
static bool is_high_surrogate(const char *p)
{
	return p[1] == 'u' && (p[2] | 0x20) == 'd' && strchr("89aAbB", p[3]);
}

/* Where the text's last whole character within a string ends; SIZE_MAX: the text does not end in a
 * string. */
static size_t string_end(struct span text)
{
	bool in_string = false;
	size_t high_from = 0, high_end = 0; /* an escape that waits for its second half */
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '"') {
			in_string = !in_string;
		} else if (in_string && text.data[i] == '\\') {
			size_t from = high_end == i ? high_from : i;
			size_t end = i + (i + 1 < text.len && text.data[i + 1] == 'u' ? 6 : 2);
			if (end > text.len) {
				return from;
			}
			high_end = from == i && is_high_surrogate(text.data + i) ? end : 0;
			high_from = i;
			i = end - 1;
		}
	}
	if (!in_string) {
		return SIZE_MAX;
	}
	if (high_end == text.len) {
		return high_from;
	}
	size_t lead = text.len;
	while (lead && text.len - lead < 4 && ((unsigned char)text.data[lead - 1] & 0xc0) == 0x80) {
		lead--;
	}
	if (lead && (unsigned char)text.data[lead - 1] >= 0xc0) {
		const char *p = text.data + lead - 1;
		return utf8_length(p, text.data + text.len) ? text.len : lead - 1;
	}
	return text.len;
}

/*
 * A text that was cut within a string: closes the string after its last whole character, so that
 * what came of it is read. The text stays malformed. Anything else is left as it is.
 */
static struct span mend(struct span text, struct buf *mended)
{
	size_t n = string_end(text);
	if (n == SIZE_MAX) {
		return text;
	}
	buf_clear(mended);
	buf_append(mended, text.data, n);
	buf_append_char(mended, '"');
	return buf_span(mended);
}

/*
 * One document. What is not JSON may still be an error's text; transformers puts such a text
 * between quotes without escaping it, so that what was read of it is not all.
 */
static void read_document(struct draft *d, struct span text, struct span raw, bool is_error)
{
	bool had_error = d->error;
	if (openai_read(d, text, is_error)) {
		return;
	}
	d->marks |= READING_NOT_JSON;
	if (raw.len && (is_error || (d->error && !had_error))) {
		if (!had_error) {
			free(d->error);
			d->error = NULL;
		}
		draft_set_error(d, raw);
	}
}

static void on_event(void *arg, const struct sse_event *event)
{
	struct reader *r = arg;
	struct draft *d = &r->draft;
	r->consumed += event->raw.len;
	if (!event->has_data) {
		return;
	}
	r->n_events++;
	struct span data = trimmed(event->data);
	if (span_is(data, "[DONE]")) {
		r->done = true;
		return;
	}
	bool is_error = span_is(event->name, "error");
	bool had_content = d->has_content;
	struct span text = r->last ? mend(data, &r->body) : data;
	read_document(d, text, data, is_error || d->status >= 400);
	if (!had_content && d->has_content) {
		r->first_content_at = r->consumed;
	}
}

void reader_feed(struct reader *r, const char *data, size_t len)
{
	if (r->full || len == 0) {
		return;
	}
	if (r->is_stream) {
		r->full = sse_feed(&r->sse, data, len, on_event, r) < 0;
	} else {
		size_t n = MIN(len, r->draft.limit - r->body.len);
		r->full = n < len;
		buf_append(&r->body, data, n);
	}
	if (r->full) {
		r->draft.marks |= READING_TOO_LARGE;
	}
}

static void end_stream(struct reader *r, bool complete)
{
	r->last = !complete;
	if (!r->full) {
		sse_end(&r->sse, on_event, r);
	}
	if (!r->done) {
		r->draft.marks |= READING_NO_DONE;
	}
}

static void end_unary(struct reader *r)
{
	struct draft *d = &r->draft;
	struct buf mended = {0};
	struct span body = trimmed(buf_span(&r->body));
	if (body.len == 0 && d->status < 400) {
		d->marks |= READING_NOT_JSON;
		return;
	}
	bool is_error = d->status >= 400;
	bool is_cut = body.len && body.data[body.len - 1] != '}';
	read_document(d, is_cut ? mend(body, &mended) : body, body, is_error);
	buf_finish(&mended);
}

struct reading *reader_end(struct reader *r, bool complete)
{
	if (r->is_stream) {
		end_stream(r, complete);
	} else {
		end_unary(r);
	}
	struct reading *reading = draft_settle(&r->draft);
	reading->n_events = r->n_events;
	reading->first_content_at = r->first_content_at;
	reader_destroy(r);
	return reading;
}

enum framing framing_of_type(struct span content_type)
{
	static const struct {
		struct span type;
		enum framing framing;
	} TYPES[] = {
	        {{"text/event-stream", 17}, FRAMING_SSE},
	        {{"application/x-ndjson", 20}, FRAMING_NDJSON},
	        {{"application/json", 16}, FRAMING_UNARY},
	};
	for (size_t i = 0; i < ARRAY_LEN(TYPES); i++) {
		struct span head = {content_type.data, MIN(content_type.len, TYPES[i].type.len)};
		if (span_equal_nocase(head, TYPES[i].type)) {
			return TYPES[i].framing;
		}
	}
	return FRAMING_UNKNOWN;
}

void reading_destroy(struct reading *r)
{
	if (!r) {
		return;
	}
	for (size_t i = 0; i < r->n_choices; i++) {
		struct choice *c = &r->choices[i];
		buf_finish(&c->text);
		buf_finish(&c->reasoning);
		buf_finish(&c->refusal);
		for (size_t k = 0; k < c->n_calls; k++) {
			free(c->calls[k].id);
			free(c->calls[k].name);
			free(c->calls[k].arguments);
		}
		free(c->calls);
		free(c->finish);
		columns_finish(&c->columns);
	}
	free(r->choices);
	free(r->model);
	free(r->response_id);
	free(r->fingerprint);
	free(r->error);
	free(r);
}
