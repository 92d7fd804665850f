#include "backends/injection/cut_stream.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/sse.h"

#define CUTTER_MAGIC 0x63757474

struct cut_stream {
	uint32_t magic;
	struct injection injected;
	struct kind kind;
	struct sse sse;
	struct buf scratch, joined; /* empty between events */
	struct outline outline;     /* of the event's data */
	/*
	 * An event that finishes a choice, already cut, and comments after it. If the usage event
	 * is next, its tail member is inserted at held_end.
	 */
	struct buf held;
	size_t held_end;
	/* bits of the choices that earlier events have, and of those with a finish_reason */
	uint64_t begun, finished;
	uint64_t others; /* cut_facts.others of the last event with data */
	bool removed;    /* the last event with data was removed */
	bool comments;   /* each event with data so far began with a comment */
	uint64_t gap;    /* a hash of the number of the last removed event; 0: it has none */
	bool at_end;
	enum uncut first_uncut;
	bool kept_usage, error;
	/* During a call: */
	struct buf *to;
	enum uncut uncut;
};

void cut_stream_set_kind(struct cut_stream *c, struct kind kind)
{
	c->kind = kind;
	if (!c->injected.usage) {
		c->kind.tail[0] = '\0';
	} else if (!kind.tail[0] && !kind.late) {
		/* This member describes the engine, not the usage: an engine that sends it when
		 * asked for usage also sends it unasked. */
		strcpy(c->kind.tail, "system_fingerprint");
	}
}

struct cut_stream *cut_stream_create(
        const struct injection *injected, struct kind kind, size_t event_limit)
{
	struct cut_stream *c = xcalloc(1, sizeof(*c));
	*c = (struct cut_stream){.magic = CUTTER_MAGIC, .injected = *injected, .comments = true};
	cut_stream_set_kind(c, kind);
	sse_init(&c->sse, event_limit);
	c->sse.pieces = true;
	return c;
}

void cut_stream_destroy(struct cut_stream *c)
{
	if (c) {
		sse_finish(&c->sse);
		buf_finish(&c->scratch);
		buf_finish(&c->joined);
		outline_finish(&c->outline);
		buf_finish(&c->held);
		c->magic = 0;
		free(c);
	}
}

static void release(struct cut_stream *c, struct span tail)
{
	if (c->held.len) {
		buf_append(c->to, c->held.data, c->held_end);
		buf_append_span(c->to, tail);
		buf_append(c->to, c->held.data + c->held_end, c->held.len - c->held_end);
		buf_reuse(&c->held);
	}
}

/* Whether a member outside `choices` says something that the event before had no member for. */
static bool says_else(const struct cut_stream *c, const struct cut_facts *f)
{
	return f->error || (f->others && f->others != c->others);
}

/* The event that was asked for with stream_options. */
static bool is_usage_event(const struct cut_stream *c, const struct cut_facts *f)
{
	return c->injected.usage && f->usage && !f->says && !f->error &&
	       (f->n_choices ? f->counts : f->has_choices || !says_else(c, f));
}

/* Whether the engine sent the event only because of the logprobs or token ids that were
 * requested. */
static bool is_added_event(const struct cut_stream *c, const struct cut_facts *f)
{
	return c->injected.logprobs && f->added && !f->says && !f->text && !says_else(c, f) &&
	       !c->kind.silent && (!f->usage || c->injected.usage);
}

/* Whether the event has something that was requested, and comes after the end of all choices, where
 * plain answers have no event. */
static bool is_late_event(
        const struct cut_stream *c, const struct sse_event *e, const struct cut_facts *f)
{
	static const struct injection usage = {.usage = true};
	bool ended = c->begun && c->begun == c->finished && !(f->begun & ~c->begun);
	return ended && !c->kind.late && !f->error && f->told < KIND_SAYS_WORDS &&
	       (c->injected.usage ? f->usage || f->added || cut_shows(e->data, &usage)
	                          : c->injected.logprobs && f->added && !f->usage);
}

/* The first line of the text, with its end. */
static struct span first_line(struct span text)
{
	const char *p = text.data, *end = p + text.len;
	while (p < end && *p != '\n' && *p != '\r') {
		p++;
	}
	p += end - p > 1 && p[0] == '\r' && p[1] == '\n' ? 2 : p < end;
	return (struct span){text.data, (size_t)(p - text.data)};
}

/* Comments do not belong to an event: those within a removed event are kept, unless the engine
 * begins each event with one. */
static void pass_comments(struct cut_stream *c, struct span raw)
{
	if (c->begun && c->comments) {
		return;
	}
	if (c->held.len + raw.len > c->sse.limit) {
		release(c, SPAN(""));
	}
	struct buf *to = c->held.len ? &c->held : c->to;
	while (raw.len) {
		struct span line = first_line(raw);
		if (line.data[0] == ':') {
			buf_append_span(to, line);
		}
		raw.data += line.len;
		raw.len -= line.len;
	}
}

/* A hash of an event's number; 0: it has none. */
static uint64_t number_of(struct span raw)
{
	while (raw.len) {
		struct span line = first_line(raw);
		if (span_starts(line, "id:")) {
			struct span id =
			        span_trim(span_between(line.data + 3, line.data + line.len));
			for (size_t i = 0; i < id.len; i++) {
				if (!is_digit(id.data[i])) {
					return 0;
				}
			}
			return XXH3_64bits_withSeed(id.data, id.len, 1);
		}
		raw.data += line.len;
		raw.len -= line.len;
	}
	return 0;
}

#define DATA "data:"

/* A line without its end. */
static struct span bare(struct span line)
{
	while (line.len && (line.data[line.len - 1] == '\n' || line.data[line.len - 1] == '\r')) {
		line.len--;
	}
	return line;
}

/* Joins the content of the data lines. The space after a colon stays: JSON ignores it. */
static void join_lines(struct span lines, struct buf *to)
{
	for (size_t n = 0; lines.len; n++) {
		struct span line = first_line(lines), text = bare(line);
		size_t name = MIN(strlen(DATA), text.len);
		buf_append(to, "\n", n > 0);
		buf_append(to, text.data + name, text.len - name);
		lines.data += line.len;
		lines.len -= line.len;
	}
}

static void split_lines(struct span text, struct span lines, struct buf *to)
{
	struct span first = first_line(lines);
	size_t len = bare(first).len;
	for (;;) {
		const char *lf = memchr(text.data, '\n', text.len);
		size_t n = lf ? (size_t)(lf - text.data) : text.len;
		buf_append_str(to, DATA);
		buf_append(to, text.data, n);
		if (!lf) {
			return;
		}
		buf_append(to, first.data + len, first.len - len);
		text.data += n + 1;
		text.len -= n + 1;
	}
}

/* Writes the event with the rest of its data. Returns the number of bytes before that data. */
static size_t write_event(const struct sse_event *e, struct span data, struct buf *to)
{
	struct span old = e->data_raw.len ? e->data_raw : e->lines;
	const char *end = old.data + old.len;
	size_t before = (size_t)(old.data - e->raw.data);
	buf_append(to, e->raw.data, before);
	if (e->data_raw.len) {
		buf_append_span(to, data);
	} else {
		split_lines(data, e->lines, to);
	}
	buf_append(to, end, (size_t)(e->raw.data + e->raw.len - end));
	return before;
}

static void note_text(struct cut_stream *c, struct span text)
{
	if (cut_shows(text, &c->injected)) {
		c->uncut = UNCUT_TEXT;
	}
}

/* The stream ends with an event that is removed. If it has no blank line, the event before would
 * have none, either. */
static void trim_held(struct cut_stream *c, struct span raw)
{
	size_t has = raw.len - bare(raw).len;
	while (c->held.len > c->held_end && c->held.len - bare(buf_span(&c->held)).len > has) {
		c->held.len--;
	}
}

static void pass_raw(struct cut_stream *c, const struct sse_event *e)
{
	release(c, SPAN(""));
	buf_append_span(c->to, e->raw);
}

/* Passes on what a cut left of an event, which is in scratch. */
static void pass_rest(struct cut_stream *c, const struct sse_event *e, enum cut cut,
        const struct cut_facts *facts)
{
	struct span rest = buf_span(&c->scratch);
	if (cut == CUT_FAILED) {
		note_text(c, e->data);
	} else if (cut_misses(rest, &c->injected, &c->kind)) {
		c->uncut = UNCUT_PLACE;
	}
	if (e->data_raw.len && c->kind.tail[0] && facts->finished && !facts->tail.len) {
		release(c, SPAN(""));
		c->held_end = write_event(e, rest, &c->held) + facts->end;
	} else if (cut == CUT_DONE && !e->lines_apart) {
		release(c, SPAN(""));
		write_event(e, rest, c->to);
	} else {
		c->uncut = cut == CUT_DONE ? UNCUT_LINES : c->uncut;
		pass_raw(c, e);
	}
}

static void cut_data(struct cut_stream *c, const struct sse_event *e)
{
	struct cut_facts facts;
	bool one_line = e->data_raw.len > 0;
	struct span text = e->data;
	if (!one_line && !e->lines_apart) {
		join_lines(e->lines, &c->joined);
		text = buf_span(&c->joined);
	}
	outline_read(&c->outline, text);
	enum cut cut =
	        cut_outline(&c->outline, &c->injected, &c->kind, c->begun, &c->scratch, &facts);
	c->removed = true;
	if (is_usage_event(c, &facts) || is_late_event(c, e, &facts)) {
		if (c->at_end) {
			trim_held(c, e->raw);
		}
		release(c, one_line ? facts.tail : SPAN(""));
		pass_comments(c, e->raw);
	} else if (is_added_event(c, &facts)) {
		pass_comments(c, e->raw);
	} else {
		c->removed = false;
		c->kept_usage |= c->injected.usage && facts.says && facts.counts;
		pass_rest(c, e, cut, &facts);
	}
	if (c->removed) {
		c->gap = number_of(e->raw);
	} else if (c->gap) {
		uint64_t number = number_of(e->raw);
		if (number && number != c->gap) {
			c->uncut = UNCUT_IDS;
		}
	}
	c->comments &= e->raw.data[0] == ':';
	c->begun |= facts.begun;
	c->finished |= facts.finished & ~OUTLINE_NO_BIT;
	c->others = facts.others;
	c->error |= facts.error;
	buf_reuse(&c->scratch);
	buf_reuse(&c->joined);
}

static void cut_event(void *arg, const struct sse_event *e)
{
	struct cut_stream *c = CHECKED(struct cut_stream, arg, CUTTER_MAGIC);
	if (e->piece) {
		c->uncut = UNCUT_LONG;
		pass_raw(c, e);
	} else if (e->has_data) {
		cut_data(c, e);
	} else if (c->removed && !bare(e->raw).len) {
		/* a further blank line after the removed event */
	} else if (c->held.len && c->held.len + e->raw.len <= c->sse.limit) {
		buf_append_span(&c->held, e->raw);
	} else {
		note_text(c, e->raw);
		pass_raw(c, e);
	}
}

static void note_uncut(struct cut_stream *c, bool *ret_uncut)
{
	*ret_uncut |= c->uncut != UNCUT_NOT;
	c->first_uncut = c->first_uncut ? c->first_uncut : c->uncut;
}

bool cut_stream_kept_usage(const struct cut_stream *c)
{
	return c->kept_usage;
}

bool cut_stream_has_error(const struct cut_stream *c)
{
	return c->error;
}

enum uncut cut_stream_uncut(const struct cut_stream *c)
{
	return c->first_uncut;
}

void cut_stream_feed(
        struct cut_stream *c, const char *data, size_t len, struct buf *to, bool *ret_uncut)
{
	c->to = to;
	c->uncut = UNCUT_NOT;
	int r = sse_feed(&c->sse, data, len, cut_event, c);
	expect(r == 0);
	note_uncut(c, ret_uncut);
}

void cut_stream_end(struct cut_stream *c, struct buf *to, bool *ret_uncut)
{
	c->to = to;
	c->uncut = UNCUT_NOT;
	c->at_end = true;
	sse_end(&c->sse, cut_event, c);
	release(c, SPAN(""));
	note_uncut(c, ret_uncut);
}

size_t cut_stream_held(const struct cut_stream *c)
{
	return sse_pending(&c->sse) + c->held.len;
}
