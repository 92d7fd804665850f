#include "backends/injection/cut.h"

#include <stdlib.h>
#include <string.h>

#include "backends/injection/edits.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/sse.h"

/* A text on its way to the client: everything before `from` was appended or left out. */
struct cutting {
	struct buf *to;
	const char *from;
	bool cut;
	bool usage_stays;
};

static void leave_out(void *arg, const char *from, const char *to)
{
	struct cutting *c = arg;
	buf_append(c->to, c->from, (size_t)(from - c->from));
	c->from = to;
	c->cut = true;
}

/* Makes of a member what it would have been unasked. */
static void cut_member(struct cutting *c, struct members *m, enum kind_member kind, const char *key,
        const struct json_token *value, struct span span)
{
	const char *end = span.data + span.len;
	if (kind == KIND_ABSENT) {
		members_take(m, key, end);
		return;
	}
	members_keep(m, key, end);
	if (kind == KIND_NULL && value->type != JSON_NULL) {
		leave_out(c, span.data, end);
		buf_append(c->to, "null", 4);
	}
}

/* What cutting a text tells about it. */
struct facts {
	bool has_choices; /* choices is there, and is an array */
	size_t n_choices;
	bool says;               /* without what was injected, a choice still says something */
	bool text;               /* a choice has a text, which may be empty */
	bool other;              /* a member that no event need have says something */
	bool error;              /* one of them is an error */
	bool logprobs, finished; /* a choice has logprobs, its finish_reason */
	bool usage, counts;      /* there is a usage object, and it counts something */
	bool usage_taken;        /* it was cut */
	struct span tail;        /* the kind's tail, from the end of the member before it */
	size_t end;              /* behind the last member, in what was appended */
};

/* One choice, whose opening brace was read. */
static void cut_choice(struct json *j, const struct json_token *brace, struct cutting *c,
        enum kind_member kind, struct facts *facts)
{
	struct members m;
	struct json_token t;
	members_open(&m, brace->start, leave_out, c);
	while ((t = json_next(j)).type == JSON_KEY) {
		bool ours = json_is_key(&t, "logprobs"), finish = json_is_key(&t, "finish_reason");
		struct json_token value = json_next(j);
		/* What goes is most of an answer, and nobody's business any more. */
		struct span span =
		        ours && kind_can_cut(kind) ? json_pass(j, &value) : json_skip(j, &value);
		if (!span.data) {
			return;
		}
		facts->finished |= finish && value.type == JSON_STRING;
		if (ours) {
			facts->logprobs |= value.type != JSON_NULL;
			cut_member(c, &m, kind, t.start, &value, span);
		} else {
			facts->says |= !json_is_key(&t, "index") && kind_says(span);
			facts->text |= kind_has_text(&t, span);
			members_keep(&m, t.start, span.data + span.len);
		}
	}
	if (t.type == JSON_OBJECT_END) {
		members_close(&m, t.start);
	}
}

/* The choices array, whose bracket was read. */
static void cut_choices(
        struct json *j, struct cutting *c, enum kind_member kind, struct facts *facts)
{
	struct json_token t;
	facts->has_choices = true;
	while ((t = json_next(j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		facts->n_choices++;
		if (t.type == JSON_OBJECT) {
			cut_choice(j, &t, c, kind, facts);
		} else {
			json_skip(j, &t);
		}
	}
}

/* Members that every event has, whatever it says. */
static bool is_label(const struct json_token *key, const struct kind *kind)
{
	static const char *const names[] = {"id", "object", "created", "model",
	        "system_fingerprint", "service_tier", "provider", "obfuscation"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (json_is_key(key, names[i])) {
			return true;
		}
	}
	return kind->tail[0] && json_is_key(key, kind->tail);
}

/* Engines that are asked for usage may put a usage of zeros into each event (Ollama). */
static bool counts_something(struct span usage)
{
	struct json j;
	struct json_token t;
	json_init_lenient(&j, usage.data, usage.len);
	while ((t = json_next(&j)).type != JSON_END && t.type != JSON_ERROR) {
		if (t.type == JSON_NUMBER && json_number(&t) != 0) {
			return true;
		}
	}
	return false;
}

static void cut_usage(struct cutting *c, struct members *m, enum kind_member kind, const char *key,
        const struct json_token *value, struct span span, struct facts *facts)
{
	bool object = value->type == JSON_OBJECT;
	facts->usage |= object;
	facts->counts |= object && counts_something(span);
	if (facts->counts && (facts->says || c->usage_stays)) {
		kind = KIND_UNKNOWN;
	}
	facts->usage_taken |= object && kind_can_cut(kind);
	cut_member(c, m, kind, key, value, span);
}

static bool cut_top(struct json *j, struct cutting *c, const struct injection *injected,
        const struct kind *kind, struct facts *facts)
{
	struct members m;
	struct json_token t = json_next(j);
	if (t.type != JSON_OBJECT) {
		return false;
	}
	members_open(&m, t.start, leave_out, c);
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token key = t, value = json_next(j);
		if (json_is_key(&key, "choices") && value.type == JSON_ARRAY) {
			/* Told before anything inside is cut, since pieces go in order; its end
			 * follows. */
			members_keep(&m, key.start, value.start);
			cut_choices(
			        j, c, injected->logprobs ? kind->logprobs : KIND_UNKNOWN, facts);
			members_keep(&m, key.start, j->p);
			continue;
		}
		struct span span = json_skip(j, &value);
		if (!span.data) {
			return false;
		}
		if (kind->tail[0] && json_is_key(&key, kind->tail)) {
			facts->tail = (struct span){m.end, (size_t)(span.data + span.len - m.end)};
		}
		if (json_is_key(&key, "usage")) {
			cut_usage(c, &m, injected->usage ? kind->usage : KIND_UNKNOWN, key.start,
			        &value, span, facts);
		} else {
			bool says = !is_label(&key, kind) && kind_says(span);
			facts->other |= says;
			facts->error |= says && json_is_key(&key, "error");
			members_keep(&m, key.start, span.data + span.len);
		}
	}
	if (t.type != JSON_OBJECT_END) {
		return false;
	}
	members_close(&m, t.start);
	facts->end = c->to->len + (m.end > c->from ? (size_t)(m.end - c->from) : 0);
	return json_next(j).type == JSON_END;
}

/* False: not a JSON object. */
static bool cut_pass(struct span json, const struct injection *injected, const struct kind *kind,
        struct cutting *c, struct facts *facts)
{
	struct json j;
	*facts = (struct facts){0};
	json_init_lenient(&j, json.data, json.len);
	if (!cut_top(&j, c, injected, kind, facts)) {
		return false;
	}
	buf_append(c->to, c->from, (size_t)(json.data + json.len - c->from));
	return true;
}

static enum cut cut_text(struct span json, const struct injection *injected,
        const struct kind *kind, struct buf *to, struct facts *facts)
{
	size_t begin = to->len;
	struct cutting c = {.to = to, .from = json.data};
	bool ok = cut_pass(json, injected, kind, &c, facts);
	if (ok && facts->says && facts->counts && facts->usage_taken) {
		/* The usage came before the choices that show that it was the engine's own. */
		to->len = begin;
		c = (struct cutting){.to = to, .from = json.data, .usage_stays = true};
		ok = cut_pass(json, injected, kind, &c, facts);
	}
	if (!ok) {
		to->len = begin;
		buf_append_span(to, json);
		*facts = (struct facts){0};
		return CUT_FAILED;
	}
	return c.cut ? CUT_DONE : CUT_KEPT;
}

enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to)
{
	struct facts facts;
	return cut_text(json, injected, &kind, to, &facts);
}

static bool holds(struct span text, struct span part)
{
	return text.len && memmem(text.data, text.len, part.data, part.len);
}

bool cut_shows(struct span text, const struct injection *injected)
{
	return (injected->logprobs && holds(text, SPAN("\"logprobs\""))) ||
	       (injected->usage && holds(text, SPAN("\"usage\"")));
}

#define CUTTER_MAGIC 0x63757474

struct cutter {
	uint32_t magic;
	struct injection injected;
	struct kind kind;
	struct sse sse;
	struct buf scratch, joined; /* empty between events */
	/*
	 * An event that finishes a choice, already cut, and comments after it: if the usage event
	 * comes next, its tail goes in at held_end.
	 */
	struct buf held;
	size_t held_end;
	enum uncut first_uncut;
	/* During a call: */
	struct buf *to;
	enum uncut uncut;
};

void cutter_set_kind(struct cutter *c, struct kind kind)
{
	c->kind = kind;
	if (!c->injected.usage) {
		c->kind.tail[0] = '\0';
	} else if (!kind.tail[0]) {
		/* It tells of the engine and not of usage: who has it asked has it unasked. */
		strcpy(c->kind.tail, "system_fingerprint");
	}
}

struct cutter *cutter_create(const struct injection *injected, struct kind kind, size_t event_limit)
{
	struct cutter *c = xcalloc(1, sizeof(*c));
	*c = (struct cutter){.magic = CUTTER_MAGIC, .injected = *injected};
	cutter_set_kind(c, kind);
	sse_init(&c->sse, event_limit);
	c->sse.pieces = true;
	return c;
}

void cutter_destroy(struct cutter *c)
{
	if (c) {
		sse_finish(&c->sse);
		buf_finish(&c->scratch);
		buf_finish(&c->joined);
		buf_finish(&c->held);
		c->magic = 0;
		free(c);
	}
}

static void release(struct cutter *c, struct span tail)
{
	if (c->held.len) {
		buf_append(c->to, c->held.data, c->held_end);
		buf_append_span(c->to, tail);
		buf_append(c->to, c->held.data + c->held_end, c->held.len - c->held_end);
		buf_reuse(&c->held);
	}
}

/* The event that was asked for with stream_options. */
static bool is_usage_event(const struct cutter *c, const struct facts *f)
{
	return c->injected.usage && f->usage && !f->says && !f->error &&
	       (f->n_choices ? f->counts : f->has_choices || !f->other);
}

/* An event that the engine sends only since it has logprobs to tell. */
static bool is_logprobs_event(const struct cutter *c, const struct facts *f)
{
	return c->injected.logprobs && f->logprobs && !f->says && !f->text && !f->other &&
	       !c->kind.silent && (!f->usage || c->injected.usage);
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

/* Comments are nobody's part of an event: those in one that goes stay. */
static void pass_comments(struct cutter *c, struct span raw)
{
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

#define DATA "data:"

/* A line without its end. */
static struct span bare(struct span line)
{
	while (line.len && (line.data[line.len - 1] == '\n' || line.data[line.len - 1] == '\r')) {
		line.len--;
	}
	return line;
}

/* What the data lines hold. The space after a colon stays: to JSON it is nothing. */
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

/* The event with what is left of its data; returns how many bytes come before that. */
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

static void note_text(struct cutter *c, struct span text)
{
	if (cut_shows(text, &c->injected)) {
		c->uncut = UNCUT_TEXT;
	}
}

static void pass_raw(struct cutter *c, const struct sse_event *e)
{
	release(c, SPAN(""));
	buf_append_span(c->to, e->raw);
}

static void cut_data(struct cutter *c, const struct sse_event *e)
{
	struct facts facts;
	bool one_line = e->data_raw.len > 0;
	struct span text = e->data;
	if (!one_line && !e->lines_apart) {
		join_lines(e->lines, &c->joined);
		text = buf_span(&c->joined);
	}
	enum cut cut = cut_text(text, &c->injected, &c->kind, &c->scratch, &facts);
	if (is_usage_event(c, &facts)) {
		release(c, one_line ? facts.tail : SPAN(""));
		pass_comments(c, e->raw);
	} else if (is_logprobs_event(c, &facts)) {
		pass_comments(c, e->raw);
	} else if (one_line && c->kind.tail[0] && facts.finished && !facts.tail.len) {
		release(c, SPAN(""));
		c->held_end = write_event(e, buf_span(&c->scratch), &c->held) + facts.end;
	} else if (cut == CUT_DONE && !e->lines_apart) {
		release(c, SPAN(""));
		write_event(e, buf_span(&c->scratch), c->to);
	} else {
		if (cut == CUT_DONE) {
			c->uncut = UNCUT_LINES;
		} else if (cut == CUT_FAILED) {
			note_text(c, e->data);
		}
		pass_raw(c, e);
	}
	buf_reuse(&c->scratch);
	buf_reuse(&c->joined);
}

static void cut_event(void *arg, const struct sse_event *e)
{
	struct cutter *c = CHECKED(struct cutter, arg, CUTTER_MAGIC);
	if (e->piece) {
		c->uncut = UNCUT_LONG;
		pass_raw(c, e);
	} else if (e->has_data) {
		cut_data(c, e);
	} else if (c->held.len && c->held.len + e->raw.len <= c->sse.limit) {
		buf_append_span(&c->held, e->raw);
	} else {
		note_text(c, e->raw);
		pass_raw(c, e);
	}
}

static void note_uncut(struct cutter *c, bool *ret_uncut)
{
	*ret_uncut |= c->uncut != UNCUT_NOT;
	c->first_uncut = c->first_uncut ? c->first_uncut : c->uncut;
}

enum uncut cutter_uncut(const struct cutter *c)
{
	return c->first_uncut;
}

void cutter_feed(struct cutter *c, const char *data, size_t len, struct buf *to, bool *ret_uncut)
{
	c->to = to;
	c->uncut = UNCUT_NOT;
	int r = sse_feed(&c->sse, data, len, cut_event, c);
	expect(r == 0);
	note_uncut(c, ret_uncut);
}

void cutter_end(struct cutter *c, struct buf *to, bool *ret_uncut)
{
	c->to = to;
	c->uncut = UNCUT_NOT;
	sse_end(&c->sse, cut_event, c);
	release(c, SPAN(""));
	note_uncut(c, ret_uncut);
}

size_t cutter_held(const struct cutter *c)
{
	return sse_pending(&c->sse) + c->held.len;
}
