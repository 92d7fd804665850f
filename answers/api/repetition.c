#include "answers/api/repetition.h"

#include <string.h>

#include "answers/api/message.h"
#include "answers/api/output.h"
#include "answers/members.h"
#include "base/ascii.h"

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
	for (size_t len = 1; len < REPETITION_BY_CHANCE && len <= last.len; len++) {
		for (uint32_t i = 0; i < c->repetitions[kind].counts[len]; i++) {
			buf_append(parts, last.data, len);
		}
	}
	if (last.len >= REPETITION_BY_CHANCE) {
		buf_append_span(parts, last);
	}
	if (parts->len > last.len) {
		size_t n = last.len;
		draft_append_span(d, c, kind, (struct span){parts->data + n, parts->len - n});
		memcpy(text->data, parts->data, n);
	}
}

static void detect_mode(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        struct span text, bool whole)
{
	struct repetition *r = &c->repetitions[kind];
	struct span known = buf_span(draft_text(c, kind));
	if (r->mode != REPETITION_UNSETTLED) {
		return;
	}
	if (!span_has_prefix(text, known)) {
		r->mode = REPETITION_PARTS;
		restore_parts(d, c, kind);
	} else if (known.len >= REPETITION_BY_CHANCE || (known.len && whole)) {
		r->mode = REPETITION_WHOLE;
	} else if (text.len < REPETITION_BY_CHANCE) {
		r->counts[text.len]++;
	}
}

/* Returns how many bytes of an event's text are already known. */
static size_t known_length(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span text)
{
	struct span known = buf_span(draft_text(c, kind));
	if (c->repetitions[kind].mode == REPETITION_PARTS) {
		bool is_all = d->may_repeat && known.len >= REPETITION_BY_CHANCE;
		return is_all && span_equal(text, known) ? known.len : 0;
	}
	/* A later text may be shorter: the engine removes a stop string. */
	return span_has_prefix(text, known)   ? known.len
	       : span_has_prefix(known, text) ? text.len
	                                      : 0;
}

void repetition_add(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        struct span text, bool whole)
{
	size_t known = 0;
	if (text.len) {
		detect_mode(d, c, kind, text, whole);
		known = known_length(d, c, kind, text);
	}
	if (text.len && known == 0 && c->repetitions[kind].mode == REPETITION_WHOLE) {
		members_add_unknown(d, MEMBER_OF_MESSAGE, SPAN("content"));
		return;
	}
	if (text.len > known) {
		draft_append_span(d, c, kind, (struct span){text.data + known, text.len - known});
	}
}

/* White space at the ends may be missing, or there may be up to this much more. */
#define BLANKS_LIMIT 64

bool repetition_is_of(struct span known, struct span repeated)
{
	if (span_has_prefix(known, repeated) || ends_with(known, repeated)) {
		return true;
	}
	struct span bare = span_trim(repeated);
	return bare.len && known.len <= repeated.len + BLANKS_LIMIT &&
	       span_equal(bare, span_trim(known));
}

bool repetition_text(
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
	if (repetition_is_of(buf_span(&c->text), buf_span(&d->scratch))) {
		return true;
	}
	members_add_unknown(d, MEMBER_OF_CHOICE, span_of(name));
	return false;
}

static bool same_call(const struct draft_call *a, const struct draft_call *b)
{
	return span_equal(buf_span(&a->name), buf_span(&b->name)) &&
	       span_has_prefix(buf_span(&a->arguments), buf_span(&b->arguments));
}

static bool repeats_calls(const struct draft_calls *known, const struct draft_calls *repeated)
{
	for (size_t i = 0; i < repeated->n; i++) {
		if (i >= known->n || !same_call(&known->items[i], &repeated->items[i])) {
			return false;
		}
	}
	return true;
}

/* Handles the calls of a repeated message: uses them if there are none yet. False: they differ from
 * the known calls. */
static bool merge_calls(struct draft_choice *c, struct draft_choice *repeated)
{
	if (c->calls.n == 0) {
		c->calls = repeated->calls;
		repeated->calls = (struct draft_calls){0};
	}
	if (c->legacy.name.len == 0 && !c->legacy.has_arguments) {
		struct draft_call none = c->legacy;
		c->legacy = repeated->legacy;
		repeated->legacy = none;
	}
	bool has_legacy = repeated->legacy.name.len || repeated->legacy.has_arguments;
	return repeats_calls(&c->calls, &repeated->calls) &&
	       (!has_legacy || same_call(&c->legacy, &repeated->legacy));
}

/* Handles a message after deltas. What was missing in the deltas is new; the rest must be equal. */
static bool merge_message(struct draft *d, struct draft_choice *c, struct draft_choice *repeated)
{
	bool same = true;
	for (enum stretch_kind kind = 0; kind < N_STRETCH_KINDS; kind++) {
		struct span known = buf_span(draft_text(c, kind));
		struct span text = buf_span(draft_text(repeated, kind));
		if (known.len == 0) {
			draft_append_span(d, c, kind, text);
		} else {
			same &= text.len == 0 || repetition_is_of(known, text);
		}
	}
	return merge_calls(c, repeated) && same;
}

/* The second message of a stream may repeat the first. */
static void record_first(struct draft_choice *c)
{
	for (enum stretch_kind kind = 0; kind < N_STRETCH_KINDS; kind++) {
		size_t len = draft_text(c, kind)->len;
		if (len && len < REPETITION_BY_CHANCE) {
			c->repetitions[kind].counts[len]++;
		}
	}
}

bool repetition_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	if (!(c->sources & (FROM_DELTAS | FROM_MESSAGES))) {
		c->sources |= FROM_MESSAGES;
		message_read(d, c, j, first);
		record_first(c);
		return false;
	}
	struct draft_choice repeated = {.index = c->index, .usage = c->usage};
	size_t reserved = d->held;
	message_read(d, &repeated, j, first);
	d->held = reserved;
	c->usage = repeated.usage;
	bool same = true;
	if (c->sources & FROM_DELTAS) {
		same = merge_message(d, c, &repeated);
	} else {
		for (enum stretch_kind kind = 0; kind < N_STRETCH_KINDS; kind++) {
			repetition_add(d, c, kind, buf_span(draft_text(&repeated, kind)), false);
		}
		same = merge_calls(c, &repeated);
	}
	if (!same) {
		members_add_unknown(d, MEMBER_OF_CHOICE, SPAN("message"));
	}
	draft_choice_finish(&repeated);
	return same;
}

static bool is_same(const struct draft_choice *known, const struct draft_choice *repeated)
{
	bool has_new_tokens = repeated->columns && !known->columns;
	return !has_new_tokens && span_equal(buf_span(&known->text), buf_span(&repeated->text)) &&
	       span_equal(buf_span(&known->reasoning), buf_span(&repeated->reasoning)) &&
	       span_equal(buf_span(&known->refusal), buf_span(&repeated->refusal)) &&
	       known->calls.n == repeated->calls.n &&
	       repeats_calls(&known->calls, &repeated->calls);
}

void repetition_output(struct draft *d, struct draft_choice *c, struct span output)
{
	struct draft_choice alone = {.index = c->index, .usage = c->usage};
	/* Read the output by itself, without what the events contained. */
	struct buf received = d->received;
	size_t reserved = d->held;
	d->received = (struct buf){0};
	output_read(d, &alone, output);
	buf_finish(&d->received);
	d->received = received;
	d->held = reserved;
	if (!is_same(c, &alone)) {
		output_read(d, c, output);
	}
	bool repeats_text =
	        alone.text.len == 0 || repetition_is_of(buf_span(&c->text), buf_span(&alone.text));
	/* A call at another place than in the events was read twice. */
	if (!repeats_text || (alone.calls.n && c->calls.n > alone.calls.n)) {
		members_add_unknown(d, MEMBER_OF_RESPONSE, SPAN("output"));
	}
	draft_choice_finish(&alone);
}
