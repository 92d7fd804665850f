#include "answers/draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "answers/api/repetition.h"
#include "answers/tokens/columns.h"
#include "answers/json_key.h"

#define ERROR_LIMIT 4096
#define NAME_LIMIT 1024
#define LIMIT_MAX ((size_t)1 << 30) /* offsets in columns are 32 bits wide */

void draft_init(struct draft *d, const struct reading_hints *hints)
{
	*d = (struct draft){
	        .limit = MIN(hints->limit ? hints->limit : READING_LIMIT, LIMIT_MAX),
	        .wants_logprobs = hints->wants_logprobs,
	        .has_tools = hints->has_tools,
	        .offered = hints->offered,
	        .status = hints->status,
	        .expected = reading_hints_expect(hints),
	        .usage = {-1, -1, -1, -1, -1},
	};
}

static void call_finish(struct draft_call *call)
{
	buf_finish(&call->id);
	buf_finish(&call->name);
	buf_finish(&call->arguments);
}

void draft_choice_finish(struct draft_choice *c)
{
	buf_finish(&c->text);
	buf_finish(&c->reasoning);
	buf_finish(&c->refusal);
	buf_finish(&c->stretches);
	for (size_t i = 0; i < c->calls.n; i++) {
		call_finish(&c->calls.items[i]);
	}
	free(c->calls.items);
	call_finish(&c->legacy);
	columns_builder_destroy(c->columns);
	columns_builder_destroy(c->prompt);
	free(c->finish);
	*c = (struct draft_choice){0};
}

void draft_finish(struct draft *d)
{
	for (size_t i = 0; i < d->n_choices; i++) {
		draft_choice_finish(d->choices[i]);
		free(d->choices[i]);
	}
	free(d->choices);
	for (size_t i = 0; i < d->n_embeddings; i++) {
		free(d->embeddings[i].values);
	}
	free(d->embeddings);
	free(d->model);
	free(d->response_id);
	free(d->fingerprint);
	free(d->error);
	buf_finish(&d->unknown);
	buf_finish(&d->received);
	buf_finish(&d->items);
	buf_finish(&d->scratch);
	buf_finish(&d->scratch2);
	buf_finish(&d->listed);
	*d = (struct draft){0};
}

bool draft_reserve(struct draft *d, size_t n)
{
	if (n > d->limit - d->held) {
		d->marks |= READING_TOO_LARGE;
		return false;
	}
	d->held += n;
	return true;
}

struct draft_choice *draft_choice(struct draft *d, int64_t index)
{
	for (size_t i = 0; i < d->n_choices; i++) {
		if (d->choices[i]->index == index) {
			return d->choices[i];
		}
	}
	if (d->n_choices == READING_CHOICES_LIMIT || index < 0 || index > INT32_MAX) {
		d->marks |= READING_TOO_LARGE;
		return NULL;
	}
	struct draft_choice *c = xcalloc(1, sizeof(*c));
	c->index = (int32_t)index;
	c->usage = (struct usage){-1, -1, -1, -1, -1};
	d->choices = xrealloc(d->choices, (d->n_choices + 1) * sizeof(struct draft_choice *));
	d->choices[d->n_choices++] = c;
	return c;
}

/* Records to which of the texts the last len bytes were appended. */
static void add_stretch(struct draft *d, struct draft_choice *c, enum stretch_kind kind, size_t len)
{
	size_t n = c->stretches.len / sizeof(struct stretch);
	struct stretch *last = n ? (struct stretch *)(void *)c->stretches.data + n - 1 : NULL;
	d->has_content = true;
	if (last && last->kind == kind) {
		last->len += len;
	} else if (draft_reserve(d, sizeof(struct stretch))) {
		struct stretch next = {kind, len};
		buf_append(&c->stretches, &next, sizeof(next));
	}
}

struct buf *draft_text(struct draft_choice *c, enum stretch_kind kind)
{
	return kind == STRETCH_REASONING ? &c->reasoning
	       : kind == STRETCH_REFUSAL ? &c->refusal
	                                 : &c->text;
}

/* Whether a piece repeats the whole text after it came in several pieces. A shorter repetition
 * may be chance. */
static bool repeats_all(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, const struct json_token *t)
{
	struct buf *known = draft_text(c, kind);
	if (!d->may_repeat || c->pieces[kind] < 2 || known->len < REPETITION_BY_CHANCE ||
	        t->len - 2 < known->len) {
		return false;
	}
	buf_clear(&d->scratch);
	json_token_unescape(t, &d->scratch);
	return span_equal(buf_span(&d->scratch), buf_span(known));
}

/* Whether the tokens with logprobs have at least as many bytes as the text. */
static bool is_spelled(struct draft_choice *c, enum stretch_kind kind)
{
	return c->columns && columns_builder_bytes(c->columns) >= draft_text(c, kind)->len;
}

/* Drops the first n bytes of a text. */
static void drop_first(struct draft *d, struct draft_choice *c, enum stretch_kind kind, size_t n)
{
	struct buf *text = draft_text(c, kind);
	struct stretch *s = (struct stretch *)(void *)c->stretches.data, *to = s;
	const struct stretch *end = s + c->stretches.len / sizeof(*s);
	memmove(text->data, text->data + n, text->len - n);
	text->len -= n;
	d->held -= n;
	for (; s < end; s++) {
		size_t cut = s->kind == kind ? MIN(s->len, n) : 0;
		s->len -= cut;
		n -= cut;
		if (s->len) {
			*to++ = *s;
		}
	}
	c->stretches.len = (size_t)((char *)to - c->stretches.data);
}

/* Compares the last piece, which begins at `from`, with the piece before it. Three pieces, each of
 * which begins with all of the piece before, are no new text but all text so far. */
static void note_growth(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, size_t from)
{
	struct repetition *r = &c->repetitions[kind];
	struct buf *text = draft_text(c, kind);
	if (!d->streamed || from == 0 || r->mode != REPETITION_UNSETTLED) {
		return;
	}
	struct span last = buf_part(text, r->last, from), piece = buf_part(text, from, text->len);
	if (d->may_repeat && c->pieces[kind] > 2 && span_equal(piece, buf_part(text, 0, from))) {
		r->doubtful = true; /* repeats_all(), but for its length */
		return;
	}
	if (r->differs) {
		return;
	}
	bool is_long = last.len >= REPETITION_BY_CHANCE;
	bool grows = piece.len > last.len && span_has_prefix(piece, last);
	bool again = r->last == 0 && is_long && d->may_repeat && span_equal(piece, last);
	r->differs = !grows && !again;
	r->grown += grows;
	r->doubtful = !r->differs && (is_long || r->grown >= 2);
	r->last = from;
	if (is_long && r->grown >= 2 && !is_spelled(c, kind)) {
		drop_first(d, c, kind, from);
		r->mode = REPETITION_WHOLE;
	}
}

bool draft_is_doubtful(struct draft_choice *c, enum stretch_kind kind)
{
	const struct repetition *r = &c->repetitions[kind];
	bool doubtful = r->doubtful, grows = r->grown && !r->differs;
	/* If another text came as all text so far, this one may have come so, too. */
	for (size_t i = 0; i < N_STRETCH_KINDS; i++) {
		doubtful |= grows && c->repetitions[i].mode == REPETITION_WHOLE;
	}
	/* A token for each piece shows that each is new text. */
	bool is_new = is_spelled(c, kind) && columns_builder_count(c->columns) <= c->pieces[kind];
	return r->mode == REPETITION_UNSETTLED && doubtful && !is_new;
}

void draft_append(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, const struct json_token *t)
{
	struct buf *to = draft_text(c, kind);
	if (c->repetitions[kind].mode == REPETITION_WHOLE && t->type == JSON_TOKEN_STRING) {
		buf_clear(&d->scratch);
		json_token_unescape(t, &d->scratch);
		repetition_add(d, c, kind, buf_span(&d->scratch), false);
		return;
	}
	if (t->type == JSON_TOKEN_STRING && t->len > 2 && repeats_all(d, c, kind, t)) {
		return;
	}
	/* Unescaping never makes a string longer. */
	if (t->type != JSON_TOKEN_STRING || t->len <= 2 || !draft_reserve(d, t->len - 2)) {
		return;
	}
	size_t before = to->len;
	c->pieces[kind]++;
	c->lone_halves[kind] |= json_token_unescape_piece(t, &c->halves[kind], to);
	add_stretch(d, c, kind, to->len - before);
	note_growth(d, c, kind, before);
}

void draft_append_span(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span s)
{
	if (s.len && draft_reserve(d, s.len)) {
		c->pieces[kind]++;
		buf_append_span(draft_text(c, kind), s);
		add_stretch(d, c, kind, s.len);
	}
}

void draft_set_once(char **to, const struct json_token *t)
{
	if (*to || t->type != JSON_TOKEN_STRING || t->len <= 2) {
		return;
	}
	struct buf s = {0};
	json_token_unescape(t, &s);
	*to = span_dup(utf8_cut(buf_span(&s), NAME_LIMIT));
	buf_finish(&s);
}

void draft_set_finish(struct draft_choice *c, const struct json_token *t)
{
	char *reason = NULL;
	if (t->type == JSON_TOKEN_NUMBER || t->type == JSON_TOKEN_TRUE) {
		/* Nobody knows what it means. */
		reason = span_dup((struct span){t->start, t->len});
	}
	draft_set_once(&reason, t);
	c->unended |= t->type == JSON_TOKEN_NULL || (t->type == JSON_TOKEN_STRING && !reason);
	if (reason) {
		free(c->finish);
		c->finish = reason;
	}
}

void draft_read_finish(struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_OBJECT) {
		draft_set_finish(c, first);
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "type")) {
			draft_set_finish(c, &v);
		}
		json_skip(j, &v);
	}
}

void draft_set_error(struct draft *d, struct span message)
{
	d->marks |= READING_ERROR_BODY;
	if (!d->error) {
		d->error = span_dup(utf8_cut(message, ERROR_LIMIT));
	}
}
