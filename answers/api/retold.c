#include "answers/api/retold.h"

#include <stdlib.h>
#include <string.h>

#include "answers/api/message.h"
#include "answers/members.h"
#include "base/ascii.h"

static bool begins_with(struct span text, struct span with)
{
	return with.len == 0 ||
	       (text.len >= with.len && memcmp(text.data, with.data, with.len) == 0);
}

static bool ends_with(struct span text, struct span with)
{
	return text.len >= with.len &&
	       memcmp(text.data + text.len - with.len, with.data, with.len) == 0;
}

/* Each text so far repeated the previous one, and only its new part was stored. It now turns out
 * that the texts were separate parts: restores them in full. */
static void restore_parts(struct draft *d, struct draft_choice *c, enum stretch_kind kind)
{
	struct buf *parts = &d->scratch2, *text = draft_text(c, kind);
	struct span last = buf_span(text);
	buf_clear(parts);
	/* Longer ones exceeded the limit and were not stored. */
	for (size_t len = 1; len < RETOLD_BY_CHANCE && len <= last.len; len++) {
		for (uint32_t i = 0; i < c->retold[kind].counts[len]; i++) {
			buf_append(parts, last.data, len);
		}
	}
	if (last.len >= RETOLD_BY_CHANCE) {
		buf_append_span(parts, last);
	}
	if (parts->len > last.len) {
		size_t n = last.len;
		draft_append_span(d, c, kind, (struct span){parts->data + n, parts->len - n});
		memcpy(text->data, parts->data, n);
	}
}

static void settle(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        struct span text, bool whole)
{
	struct retold *r = &c->retold[kind];
	struct span known = buf_span(draft_text(c, kind));
	if (r->how != RETOLD_UNSETTLED) {
		return;
	}
	if (!begins_with(text, known)) {
		r->how = RETOLD_PARTS;
		restore_parts(d, c, kind);
	} else if (known.len >= RETOLD_BY_CHANCE || (known.len && whole)) {
		r->how = RETOLD_WHOLE;
	} else if (text.len < RETOLD_BY_CHANCE) {
		r->counts[text.len]++;
	}
}

/* Returns how many bytes of an event's text are already known. */
static size_t known_text(struct draft_choice *c, enum stretch_kind kind, struct span text)
{
	struct span known = buf_span(draft_text(c, kind));
	if (c->retold[kind].how == RETOLD_PARTS) {
		return 0;
	}
	/* A later text may be shorter: the engine removes a stop string. */
	return begins_with(text, known) ? known.len : begins_with(known, text) ? text.len : 0;
}

void retold_add(struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span text,
        bool whole)
{
	size_t known = 0;
	if (text.len) {
		settle(d, c, kind, text, whole);
		known = known_text(c, kind, text);
	}
	if (text.len > known) {
		draft_append_span(d, c, kind, (struct span){text.data + known, text.len - known});
	}
}

/* White space at the ends may be missing, or there may be up to this much more. */
#define BLANKS_MOST 64

static bool repeats(struct span known, struct span said)
{
	if (begins_with(known, said) || ends_with(known, said)) {
		return true;
	}
	struct span bare = span_trim(said);
	return bare.len && known.len <= said.len + BLANKS_MOST &&
	       span_equal(bare, span_trim(known));
}

bool retold_text(
        struct draft *d, struct draft_choice *c, const struct json_token *text, const char *name)
{
	if (text->type != JSON_TOKEN_STRING || text->len <= 2) {
		return false;
	}
	if (!(c->sources & HAS_ANY_TEXT)) {
		draft_append(d, c, STRETCH_TEXT, text);
		return false;
	}
	buf_clear(&d->scratch);
	json_token_unescape(text, &d->scratch);
	if (repeats(buf_span(&c->text), buf_span(&d->scratch))) {
		return true;
	}
	members_add_unknown(d, MEMBER_OF_CHOICE, span_of(name));
	return false;
}

static bool same_call(const struct draft_call *a, const struct draft_call *b)
{
	return span_equal(buf_span(&a->name), buf_span(&b->name)) &&
	       begins_with(buf_span(&a->arguments), buf_span(&b->arguments));
}

static bool repeats_calls(const struct draft_calls *known, const struct draft_calls *said)
{
	for (size_t i = 0; i < said->n; i++) {
		if (i >= known->n || !same_call(&known->items[i], &said->items[i])) {
			return false;
		}
	}
	return true;
}

/* Handles the calls of a repeated message: they are taken if there are none yet. False: they
 * differ from the known calls. */
static bool settle_calls(struct draft_choice *c, struct draft_choice *said)
{
	if (c->calls.n == 0) {
		c->calls = said->calls;
		said->calls = (struct draft_calls){0};
	}
	if (c->legacy.name.len == 0 && !c->legacy.has_arguments) {
		struct draft_call none = c->legacy;
		c->legacy = said->legacy;
		said->legacy = none;
	}
	bool has_legacy = said->legacy.name.len || said->legacy.has_arguments;
	return repeats_calls(&c->calls, &said->calls) &&
	       (!has_legacy || same_call(&c->legacy, &said->legacy));
}

/* Handles a message after deltas. What the deltas lacked is new; the rest must be equal. */
static bool settle_message(struct draft *d, struct draft_choice *c, struct draft_choice *said)
{
	bool same = true;
	for (enum stretch_kind kind = 0; kind < N_STRETCH_KINDS; kind++) {
		struct span known = buf_span(draft_text(c, kind));
		struct span text = buf_span(draft_text(said, kind));
		if (known.len == 0) {
			draft_append_span(d, c, kind, text);
		} else {
			same &= text.len == 0 || repeats(known, text);
		}
	}
	return settle_calls(c, said) && same;
}

/* The second message of a stream may repeat the first. */
static void note_first(struct draft_choice *c)
{
	for (enum stretch_kind kind = 0; kind < N_STRETCH_KINDS; kind++) {
		size_t len = draft_text(c, kind)->len;
		if (len && len < RETOLD_BY_CHANCE) {
			c->retold[kind].counts[len]++;
		}
	}
}

bool retold_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	if (!(c->sources & (FROM_DELTAS | FROM_MESSAGES))) {
		c->sources |= FROM_MESSAGES;
		message_read(d, c, j, first);
		note_first(c);
		return false;
	}
	struct draft_choice said = {.index = c->index, .usage = c->usage};
	size_t held = d->held;
	message_read(d, &said, j, first);
	d->held = held;
	c->usage = said.usage;
	bool same = true;
	if (c->sources & FROM_DELTAS) {
		same = settle_message(d, c, &said);
	} else {
		for (enum stretch_kind kind = 0; kind < N_STRETCH_KINDS; kind++) {
			retold_add(d, c, kind, buf_span(draft_text(&said, kind)), false);
		}
		same = settle_calls(c, &said);
	}
	if (!same) {
		members_add_unknown(d, MEMBER_OF_CHOICE, SPAN("message"));
	}
	draft_choice_finish(&said);
	return same;
}
