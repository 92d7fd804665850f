#include "backends/cut.h"

#include <stdlib.h>

#include "backends/edits.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/sse.h"

/* A text on its way to the client: everything before `from` was appended or left out. */
struct cutting {
	struct buf *to;
	const char *from;
	bool cut;
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
	bool no_choices; /* choices is there and empty */
	bool finished;   /* a choice has its finish_reason */
	bool usage_object;
	struct span tail; /* the kind's tail, from the end of the member before it */
	size_t end;       /* behind the last member, in what was appended */
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
			cut_member(c, &m, kind, t.start, &value, span);
		} else {
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
	facts->no_choices = true;
	while ((t = json_next(j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		facts->no_choices = false;
		if (t.type == JSON_OBJECT) {
			cut_choice(j, &t, c, kind, facts);
		} else {
			json_skip(j, &t);
		}
	}
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
			facts->usage_object = value.type == JSON_OBJECT;
			cut_member(c, &m, injected->usage ? kind->usage : KIND_UNKNOWN, key.start,
			        &value, span);
		} else {
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

static enum cut cut_text(struct span json, const struct injection *injected,
        const struct kind *kind, struct buf *to, struct facts *facts)
{
	size_t begin = to->len;
	struct cutting c = {.to = to, .from = json.data};
	struct json j;
	*facts = (struct facts){0};
	json_init_lenient(&j, json.data, json.len);
	if (!cut_top(&j, &c, injected, kind, facts)) {
		to->len = begin;
		buf_append_span(to, json);
		*facts = (struct facts){0};
		return CUT_FAILED;
	}
	if (injected->usage && facts->no_choices && facts->usage_object) {
		to->len = begin;
		return CUT_DROP;
	}
	buf_append(to, c.from, (size_t)(json.data + json.len - c.from));
	return c.cut ? CUT_DONE : CUT_KEPT;
}

enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to)
{
	struct facts facts;
	return cut_text(json, injected, &kind, to, &facts);
}

#define CUTTER_MAGIC 0x63757474

struct cutter {
	uint32_t magic;
	struct injection injected;
	struct kind kind;
	struct sse sse;
	struct buf scratch; /* empty between events */
	/*
	 * An event that finishes a choice, already cut, and comments after it: if the usage event
	 * comes next, its tail goes in at held_end.
	 */
	struct buf held;
	size_t held_end;
	/* During a call: */
	struct buf *to;
	bool uncut;
};

struct cutter *cutter_create(const struct injection *injected, struct kind kind, size_t event_limit)
{
	struct cutter *c = xcalloc(1, sizeof(*c));
	*c = (struct cutter){.magic = CUTTER_MAGIC, .injected = *injected, .kind = kind};
	if (!injected->usage) {
		c->kind.tail[0] = '\0';
	}
	sse_init(&c->sse, event_limit);
	c->sse.pieces = true;
	return c;
}

void cutter_destroy(struct cutter *c)
{
	if (c) {
		sse_finish(&c->sse);
		buf_finish(&c->scratch);
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

/* An event whose JSON lies in one piece: appended to *to around what is left of it. */
static void cut_plain_event(struct cutter *c, const struct sse_event *e)
{
	const char *end = e->data_raw.data + e->data_raw.len;
	struct facts facts;
	buf_append(&c->scratch, e->raw.data, (size_t)(e->data_raw.data - e->raw.data));
	if (cut_text(e->data_raw, &c->injected, &c->kind, &c->scratch, &facts) == CUT_DROP) {
		release(c, facts.tail);
		buf_reuse(&c->scratch);
		return;
	}
	release(c, SPAN(""));
	buf_append(&c->scratch, end, (size_t)(e->raw.data + e->raw.len - end));
	if (c->kind.tail[0] && facts.finished && !facts.tail.len) {
		struct buf empty = c->held;
		c->held = c->scratch;
		c->held_end = facts.end;
		c->scratch = empty;
	} else {
		buf_append_span(c->to, buf_span(&c->scratch));
		buf_reuse(&c->scratch);
	}
}

static void cut_event(void *arg, const struct sse_event *e)
{
	struct cutter *c = CHECKED(struct cutter, arg, CUTTER_MAGIC);
	struct facts facts;
	if (e->piece) {
		c->uncut = true;
		release(c, SPAN(""));
		buf_append_span(c->to, e->raw);
	} else if (e->data_raw.len) {
		cut_plain_event(c, e);
	} else if (!e->has_data && c->held.len && c->held.len + e->raw.len <= c->sse.limit) {
		buf_append_span(&c->held, e->raw);
	} else {
		enum cut cut = CUT_KEPT;
		release(c, SPAN(""));
		if (e->has_data) {
			cut = cut_text(e->data, &c->injected, &c->kind, &c->scratch, &facts);
			buf_reuse(&c->scratch);
		}
		c->uncut |= cut == CUT_DONE;
		if (cut != CUT_DROP) {
			buf_append_span(c->to, e->raw);
		}
	}
}

void cutter_feed(struct cutter *c, const char *data, size_t len, struct buf *to, bool *ret_uncut)
{
	c->to = to;
	c->uncut = false;
	int r = sse_feed(&c->sse, data, len, cut_event, c);
	expect(r == 0);
	*ret_uncut |= c->uncut;
}

void cutter_end(struct cutter *c, struct buf *to)
{
	c->to = to;
	sse_end(&c->sse, cut_event, c);
	release(c, SPAN(""));
}

size_t cutter_held(const struct cutter *c)
{
	return sse_pending(&c->sse) + c->held.len;
}
