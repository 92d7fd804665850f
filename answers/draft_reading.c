#include "answers/draft_reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "answers/tokens/columns.h"
#include "answers/finish.h"
#include "answers/members.h"
#include "answers/tokens/naming.h"
#include "answers/tokens/pieces.h"
#include "answers/tokens/spelling.h"
#include "answers/reasoning_marks.h"
#include "answers/api/usage.h"

static char *steal_or_null(struct buf *b, bool present)
{
	return present ? buf_steal(b) : NULL;
}

/* The text of a call ends with a NUL, so that what follows one within it cannot be compared. */
static bool has_nul(const struct buf *text)
{
	return text->len && memchr(text->data, '\0', text->len);
}

/* Names each text that cannot be compared: U+FFFD replaced half a surrogate pair, since the other
 * half was missing, or the pieces of a stream may be new text as well as all text so far. */
static void name_uncertain_texts(struct draft *d, struct draft_choice *c)
{
	static const char *const NAMES[] = {
	        [STRETCH_REASONING] = "reasoning",
	        [STRETCH_TEXT] = "content",
	        [STRETCH_REFUSAL] = "refusal",
	};
	for (size_t i = 0; i < N_STRETCH_KINDS; i++) {
		if (c->lone_halves[i] || c->halves[i] || draft_is_doubtful(c, i)) {
			members_add_unknown(d, MEMBER_OF_MESSAGE, span_of(NAMES[i]));
		}
	}
}

static bool is_same_call(const struct draft_call *a, const struct draft_call *b)
{
	return span_equal(buf_span(&a->name), buf_span(&b->name)) &&
	       span_equal(buf_span(&a->arguments), buf_span(&b->arguments));
}

static void move_calls(struct draft *d, struct draft_choice *from, struct choice *to)
{
	bool has_legacy = from->legacy.name.len || from->legacy.arguments.len;
	bool legacy = has_legacy && from->calls.n == 0;
	struct draft_call *calls = legacy ? &from->legacy : from->calls.items;
	if (has_legacy && !legacy && !is_same_call(&from->legacy, &calls[0])) {
		members_add_unknown(d, MEMBER_OF_MESSAGE, SPAN("function_call"));
	}
	to->n_calls = legacy ? 1 : from->calls.n;
	if (to->n_calls == 0) {
		return;
	}
	to->calls = xcalloc(to->n_calls, sizeof(*to->calls));
	for (size_t i = 0; i < to->n_calls; i++) {
		if (has_nul(&calls[i].name) || has_nul(&calls[i].arguments) || calls[i].lone_half ||
		        calls[i].half) {
			members_add_unknown(d, MEMBER_OF_CALL, SPAN("arguments"));
		}
		to->calls[i] = (struct tool_call){
		        .id = steal_or_null(&calls[i].id, calls[i].id.len > 0),
		        .name = steal_or_null(&calls[i].name, calls[i].name.len > 0),
		        .arguments = steal_or_null(&calls[i].arguments, calls[i].has_arguments),
		};
	}
}

/* Some engines state no finish reason in unary answers. A stream needs one: without it a complete
 * stream cannot be distinguished from a broken one. */
static void mark_finish(struct draft *d, const struct draft_choice *c)
{
	bool required = d->streamed || c->unended || (d->marks & READING_NOT_JSON);
	switch (finish_of(c->finish)) {
	case FINISH_NONE:
		d->marks |= required || c->finish ? READING_CUT : 0;
		break;
	case FINISH_ABORTED:
		d->marks |= READING_ABORTED;
		break;
	case FINISH_UNKNOWN:
		d->marks |= READING_UNKNOWN_FINISH;
		break;
	default:
		break;
	}
}

static void move_choice(struct draft *d, struct draft_choice *from, struct choice *to)
{
	*to = (struct choice){
	        .index = from->index,
	        .text = from->text,
	        .reasoning = from->reasoning,
	        .refusal = from->refusal,
	        .finish = from->finish,
	        .has_columns = from->columns != NULL,
	};
	bool has_text = to->text.len || to->reasoning.len || to->refusal.len;
	if (has_text && from->columns && columns_builder_count(from->columns) == 0) {
		columns_builder_destroy(from->columns);
		from->columns = NULL;
		to->has_columns = false;
	}
	name_uncertain_texts(d, from);
	move_calls(d, from, to);
	if ((from->has_copy || d->has_copy) && !has_text && to->n_calls == 0) {
		/* Only the copy has the content. */
		members_add_unknown(d, MEMBER_OF_MESSAGE, SPAN("content"));
	}
	/* The ids are all there is of an answer that the engine did not turn into text. One id may
	 * be that of the end. */
	if (!has_text && to->n_calls == 0 && from->n_ids > 1) {
		members_add_unknown(d, MEMBER_OF_CHOICE, SPAN("token_ids"));
	}
	mark_finish(d, from);
	if (from->columns) {
		columns_builder_end(from->columns, &to->columns);
		from->columns = NULL;
		if (columns_are_zeros(&to->columns)) {
			d->marks |= READING_ZERO_LOGPROBS;
			columns_drop_zeros(&to->columns);
		}
	}
	if (from->prompt) {
		columns_builder_end(from->prompt, &to->prompt);
		from->prompt = NULL;
		to->has_prompt = true;
	}
	from->text = from->reasoning = from->refusal = (struct buf){0};
	from->finish = NULL;
}

static const struct stretch *stretches_of(const struct draft_choice *c, size_t *ret_n)
{
	*ret_n = c->stretches.len / sizeof(struct stretch);
	return (const struct stretch *)(const void *)c->stretches.data;
}

static bool tokens_match(const struct draft_choice *from, const struct choice *to)
{
	size_t n;
	const struct stretch *stretches = stretches_of(from, &n);
	return !to->has_columns || spelling_matches(to, stretches, n);
}

/* If the tokens are vocabulary pieces, they are so in all choices and in the prompt. */
static void decode_pieces(struct draft *d, struct reading *r)
{
	enum pieces kind = PIECES_TEXT;
	for (size_t i = 0; i < r->n_choices && kind == PIECES_TEXT; i++) {
		if (!tokens_match(d->choices[i], &r->choices[i])) {
			size_t n;
			const struct stretch *stretches = stretches_of(d->choices[i], &n);
			kind = pieces_find(&r->choices[i], stretches, n);
		}
	}
	for (size_t i = 0; i < r->n_choices; i++) {
		pieces_decode_columns(kind, &r->choices[i].columns);
		pieces_decode_columns(kind, &r->choices[i].prompt);
	}
}

/* Derives what can be known about the tokens and about the reasoning among them. */
static void finish_tokens(struct draft *d, struct reading *r)
{
	decode_pieces(d, r);
	for (size_t i = 0; i < r->n_choices; i++) {
		struct choice *c = &r->choices[i];
		size_t n;
		const struct stretch *stretches = stretches_of(d->choices[i], &n);
		bool spelled = tokens_match(d->choices[i], c) || naming_repair(c, stretches, n);
		if (!spelled) {
			d->marks |= READING_TOKENS_MISSPELL;
		}
		reasoning_marks_find(d, c, stretches, n, spelled);
	}
}

static int compare_choices(const void *a, const void *b)
{
	int32_t x = (*(struct draft_choice *const *)a)->index;
	int32_t y = (*(struct draft_choice *const *)b)->index;
	return (x > y) - (x < y);
}

static int compare_embeddings(const void *a, const void *b)
{
	uint32_t x = ((const struct embedding *)a)->index;
	uint32_t y = ((const struct embedding *)b)->index;
	return (x > y) - (x < y);
}

struct reading *draft_to_reading(struct draft *d)
{
	struct reading *r = xcalloc(1, sizeof(*r));
	bool any_columns = false;
	if (d->n_choices) {
		qsort(d->choices, d->n_choices, sizeof(struct draft_choice *), compare_choices);
		r->choices = xcalloc(d->n_choices, sizeof(*r->choices));
	}
	for (size_t i = 0; i < d->n_choices; i++) {
		move_choice(d, d->choices[i], &r->choices[i]);
		any_columns |= r->choices[i].has_columns;
	}
	if (d->wants_logprobs && d->n_choices && !any_columns) {
		d->marks |= READING_LOGPROBS_MISSING;
	}
	if (d->n_embeddings) {
		qsort(d->embeddings, d->n_embeddings, sizeof(*d->embeddings), compare_embeddings);
	}
	if (d->expected && !d->n_choices && !d->n_embeddings) {
		d->marks |= d->marks & READING_NOT_READ ? 0 : READING_EMPTY;
	}
	r->embeddings = d->embeddings;
	r->n_embeddings = d->n_embeddings;
	d->embeddings = NULL;
	d->n_embeddings = 0;
	r->n_choices = d->n_choices;
	finish_tokens(d, r);
	if (!d->n_choices) {
		/* This is not a model's answer. */
		members_drop(d, 0, 0);
	}
	r->shape = d->shape;
	r->marks = d->marks;
	usage_decide(d, r);
	r->model = d->model;
	r->response_id = d->response_id;
	r->fingerprint = d->fingerprint;
	r->error = d->error;
	r->unknown = d->n_unknown ? buf_steal(&d->unknown) : NULL;
	d->model = d->response_id = d->fingerprint = d->error = NULL;
	draft_finish(d);
	return r;
}
