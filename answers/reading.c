#include "answers/reading.h"

#include <stdlib.h>
#include <string.h>

#include "answers/api/documents.h"
#include "answers/api/framing.h"
#include "answers/draft.h"
#include "answers/draft_reading.h"
#include "answers/members.h"
#include "base/ascii.h"
#include "base/enum_names.h"
#include "base/pool.h"
#include "base/sse.h"
#include "base/utf8.h"

/* JSON texts that were cut off within a string. */

/* \ud800 to \udbff: the first half of a character, at p. */
static bool is_high_surrogate(const char *p)
{
	return p[1] == 'u' && (p[2] | 0x20) == 'd' && strchr("89aAbB", p[3]);
}

/* Returns the end of the last whole character if the text ends within a string; else SIZE_MAX. */
static size_t string_end(struct span text)
{
	bool in_string = false;
	size_t high_from = 0,
	       high_end = 0; /* a high surrogate whose second half has not come yet */
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
 * Closes the string after its last complete character, so that its content can be read; the text
 * stays malformed. Returns any other text unchanged. The result points into text or *repaired.
 */
static struct span close_cut_string(struct span text, struct buf *repaired)
{
	size_t n = string_end(text);
	if (n == SIZE_MAX) {
		return text;
	}
	buf_clear(repaired);
	buf_append(repaired, text.data, n);
	buf_append_char(repaired, '"');
	return buf_span(repaired);
}

/* The reader. */

/* The framing is detected from the body's beginning, which is examined in steps of HEAD_BYTES up
 * to HEAD_LIMIT. If all of that is blank, the content type decides. */
#define HEAD_BYTES 64
#define HEAD_LIMIT (64 * HEAD_BYTES)

struct reader {
	enum framing declared; /* according to the hints */
	enum framing framing;  /* FRAMING_UNKNOWN until enough bytes came */
	bool full;             /* over the limit: further bytes are ignored */
	bool last;             /* the current event or line ended with the body */
	bool over;             /* [DONE] has come, at which clients stop reading */
	struct draft draft;
	struct sse sse;
	struct lines lines;
	/* unary: the whole body; before the framing is known: all bytes so far */
	struct buf body;
	struct buf repaired; /* the incomplete event or line at the end of a truncated body */
	uint64_t consumed;   /* bytes of events delivered so far */
	uint64_t first_content_at;
	uint32_t n_events;
};

bool reading_hints_expect(const struct reading_hints *hints)
{
	bool is_text_endpoint =
	        hints->endpoint == ENDPOINT_CHAT || hints->endpoint == ENDPOINT_COMPLETION ||
	        hints->endpoint == ENDPOINT_RESPONSES || hints->endpoint == ENDPOINT_NATIVE_CHAT;
	return is_text_endpoint && hints->status < 400;
}

struct reader *reader_create(const struct reading_hints *hints)
{
	struct reader *r = pool_alloc_zeroed(sizeof(*r));
	r->declared = hints->framing;
	draft_init(&r->draft, hints);
	return r;
}

void reader_destroy(struct reader *r)
{
	if (!r) {
		return;
	}
	if (r->framing == FRAMING_SSE) {
		sse_finish(&r->sse);
	}
	lines_finish(&r->lines);
	draft_finish(&r->draft);
	buf_finish(&r->body);
	buf_finish(&r->repaired);
	pool_free(r, sizeof(*r));
}

/* Reads one event's data, or one line. */
static void on_document(struct reader *r, struct span data, struct span name, bool is_error)
{
	struct draft *d = &r->draft;
	bool had_content = d->has_content;
	size_t held = d->held;
	struct document doc = {
	        .text = r->last ? close_cut_string(data, &r->repaired) : data,
	        .raw = data,
	        .event_name = name,
	        .is_error = is_error || d->status >= 400,
	};
	r->n_events++;
	document_read(d, &doc);
	if (!had_content && d->has_content) {
		r->first_content_at = r->consumed;
	}
	if (r->over && d->held > held) {
		members_add_unknown(d, MEMBER_OF_EVENT, SPAN("content_after_DONE"));
	}
}

/* Old versions of llama.cpp sent "error:" in place of "data:". */
static bool error_line(const struct sse_event *event, struct span *ret_data)
{
	static const char field[] = "error:";
	size_t n = sizeof(field) - 1;
	if (event->has_data || event->raw.len < n || memcmp(event->raw.data, field, n) != 0) {
		return false;
	}
	*ret_data = span_trim((struct span){event->raw.data + n, event->raw.len - n});
	return true;
}

static void on_event(void *arg, const struct sse_event *event)
{
	struct reader *r = arg;
	struct span data = span_trim(event->data);
	r->consumed += event->raw.len;
	if (event->has_data && span_is(data, "[DONE]")) {
		r->n_events++;
		r->draft.done = r->over = true;
	} else if (event->has_data && data.len == 0) {
		return; /* to keep the connection alive */
	} else if (event->has_data) {
		on_document(r, data, event->name, span_is(event->name, "error"));
	} else if (error_line(event, &data)) {
		on_document(r, data, event->name, true);
	}
}

static void on_line(void *arg, struct span raw)
{
	struct reader *r = arg;
	struct span line = span_trim(raw);
	r->consumed += raw.len;
	if (line.len) {
		on_document(r, line, (struct span){0}, false);
	}
}

static void set_full(struct reader *r)
{
	r->full = true;
	r->draft.marks |= READING_TOO_LARGE;
}

/* Keeps bytes of a body that is unary, or whose framing is not known yet. */
static void keep(struct reader *r, struct span data)
{
	size_t n = MIN(data.len, r->draft.limit - r->body.len);
	buf_append(&r->body, data.data, n);
	if (n < data.len) {
		set_full(r);
	}
}

/* Adds bytes of a body whose framing is known. */
static void take(struct reader *r, struct span data)
{
	if (r->framing == FRAMING_UNARY) {
		keep(r, data);
	} else if (r->framing == FRAMING_SSE
	                   ? sse_feed(&r->sse, data.data, data.len, on_event, r) < 0
	                   : lines_feed(&r->lines, data, on_line, r) < 0) {
		set_full(r);
	}
}

static void begin_framing(struct reader *r, enum framing framing)
{
	struct buf head = r->body;
	r->body = (struct buf){0};
	r->framing = framing;
	r->draft.streamed = framing != FRAMING_UNARY;
	if (framing == FRAMING_SSE) {
		sse_init(&r->sse, r->draft.limit);
	}
	r->lines.limit = r->draft.limit;
	take(r, buf_span(&head));
	buf_finish(&head);
}

static void use_declared_framing(struct reader *r)
{
	bool events = r->declared == FRAMING_SSE || r->declared == FRAMING_NDJSON;
	begin_framing(r, events ? r->declared : FRAMING_UNARY);
}

void reader_feed(struct reader *r, const char *data, size_t len)
{
	if (r->full || len == 0) {
		return;
	}
	struct span rest = {data, len};
	while (rest.len && r->framing == FRAMING_UNKNOWN && !r->full) {
		size_t n = MIN(rest.len, HEAD_BYTES - r->body.len % HEAD_BYTES);
		keep(r, (struct span){rest.data, n});
		rest = (struct span){rest.data + n, rest.len - n};
		enum framing framing = framing_of_bytes(buf_span(&r->body), r->declared);
		if (framing != FRAMING_UNKNOWN) {
			begin_framing(r, framing);
		} else if (r->body.len == HEAD_LIMIT) {
			use_declared_framing(r);
		}
	}
	if (rest.len && !r->full) {
		take(r, rest);
	}
}

static void end_stream(struct reader *r, bool complete)
{
	r->last = !complete;
	if (!r->full && r->framing == FRAMING_SSE) {
		sse_end(&r->sse, on_event, r);
	} else if (!r->full) {
		lines_end(&r->lines, on_line, r);
	}
	if (!r->draft.done && !(r->draft.marks & READING_NOT_READ)) {
		r->draft.marks |= READING_NO_DONE;
	}
}

static void end_unary(struct reader *r)
{
	struct draft *d = &r->draft;
	struct span body = span_trim(buf_span(&r->body));
	if (body.len == 0 && d->status < 400) {
		d->marks |= d->expected ? READING_EMPTY : READING_NOT_JSON;
		return;
	}
	char last = body.len ? body.data[body.len - 1] : 0;
	bool is_cut = last && last != '}' && last != ']';
	document_read(d, &(struct document){
	                         .text = is_cut ? close_cut_string(body, &r->repaired) : body,
	                         .raw = body,
	                         .is_error = d->status >= 400,
	                 });
}

struct reading *reader_end(struct reader *r, bool complete)
{
	/* Too few bytes came to detect the framing, or there are several documents, not one. */
	if (r->framing == FRAMING_UNKNOWN) {
		use_declared_framing(r);
	}
	if (r->framing == FRAMING_UNARY && framing_is_lines(buf_span(&r->body))) {
		begin_framing(r, FRAMING_NDJSON);
	}
	if (r->framing == FRAMING_UNARY) {
		end_unary(r);
	} else {
		end_stream(r, complete);
	}
	struct reading *reading = draft_to_reading(&r->draft);
	reading->n_events = r->n_events;
	reading->first_content_at = r->first_content_at;
	reader_destroy(r);
	return reading;
}

struct span reading_next_unknown(const char **at)
{
	const char *from = *at ? *at : "";
	size_t n = strcspn(from, " ");
	*at = from + n + (from[n] == ' ');
	return (struct span){from, n};
}

const struct choice *reading_choice(const struct reading *r, int32_t index)
{
	for (size_t i = 0; i < r->n_choices; i++) {
		if (r->choices[i].index == index) {
			return &r->choices[i];
		}
	}
	return NULL;
}

static void free_choices(struct reading *r)
{
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
		columns_finish(&c->prompt);
		free(c->thoughts);
	}
	free(r->choices);
}

static void free_parts(struct reading *r)
{
	free_choices(r);
	for (size_t i = 0; i < r->n_embeddings; i++) {
		free(r->embeddings[i].values);
	}
	free(r->embeddings);
	free(r->model);
	free(r->response_id);
	free(r->fingerprint);
	free(r->error);
	free(r->unknown);
	free(r);
}

void reading_destroy(struct reading *r)
{
	if (r && !arena_is_empty(&r->arena)) {
		struct arena all = r->arena; /* r is allocated in it */
		arena_finish(&all);
	} else if (r) {
		free_parts(r);
	}
}

const char *reading_mark_name(unsigned bit)
{
	static const char *const names[] = {"not_json", "no_done", "cut", "tokens_misspell",
	        "logprobs_missing", "non_finite", "error_body", "too_large", "encoded",
	        "lossy_tokens", "malformed_logprobs", "zero_logprobs", "not_read", "thought_open",
	        "keyless_tokens", "bad_vector", "sampled_probs", "positive_logprobs", "empty",
	        "aborted", "unknown_finish", "unknown_members", "contradictory_usage"};
	return bit < ARRAY_LEN(names) ? names[bit] : NULL;
}

ENUM_NAMES(reasoning_place_name,
        enum reasoning_place, [REASONING_NONE] = "none", [REASONING_FIELD] = "field",
        [REASONING_INLINE] = "inline", [REASONING_BOTH] = "both", [REASONING_HIDDEN] = "hidden");
