#include "reading/draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "reading/columns.h"
#include "reading/spelling.h"

#define ERROR_LIMIT 4096
#define NAME_LIMIT 1024
#define LIMIT_DEFAULT ((size_t)64 << 20)
#define LIMIT_MAX ((size_t)1 << 30) /* offsets in columns are 32 bits wide */

void draft_init(struct draft *d, const struct reading_hints *hints)
{
	*d = (struct draft){
	        .limit = MIN(hints->limit ? hints->limit : LIMIT_DEFAULT, LIMIT_MAX),
	        .wants_logprobs = hints->wants_logprobs,
	        .status = hints->status,
	        .usage = {-1, -1, -1, -1, -1},
	};
}

static void call_finish(struct draft_call *call)
{
	buf_finish(&call->id);
	buf_finish(&call->name);
	buf_finish(&call->arguments);
}

static void choice_destroy(struct draft_choice *c)
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
	free(c->finish);
	free(c);
}

void draft_finish(struct draft *d)
{
	for (size_t i = 0; i < d->n_choices; i++) {
		choice_destroy(d->choices[i]);
	}
	free(d->choices);
	free(d->model);
	free(d->response_id);
	free(d->fingerprint);
	free(d->error);
	buf_finish(&d->scratch);
	buf_finish(&d->scratch2);
	buf_finish(&d->listed);
	*d = (struct draft){0};
}

bool draft_take(struct draft *d, size_t n)
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
	d->choices = xrealloc(d->choices, (d->n_choices + 1) * sizeof(struct draft_choice *));
	d->choices[d->n_choices++] = c;
	return c;
}

void draft_append(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, const struct json_token *t)
{
	struct buf *to = kind == STRETCH_REASONING ? &c->reasoning
	                 : kind == STRETCH_REFUSAL ? &c->refusal
	                                           : &c->text;
	/* Unescaping never makes a string longer. */
	if (t->type != JSON_STRING || t->len <= 2 || !draft_take(d, t->len - 2)) {
		return;
	}
	size_t before = to->len;
	json_unescape(t, to);
	d->has_content = true;

	size_t n = c->stretches.len / sizeof(struct stretch);
	struct stretch *last = n ? (struct stretch *)(void *)c->stretches.data + n - 1 : NULL;
	if (last && last->kind == kind) {
		last->len += to->len - before;
	} else if (draft_take(d, sizeof(struct stretch))) {
		struct stretch next = {kind, to->len - before};
		buf_append(&c->stretches, &next, sizeof(next));
	}
}

/* At most n bytes, not ending within a character. */
static struct span cut_text(struct span s, size_t n)
{
	if (s.len > n) {
		s.len = n;
		while (s.len && ((unsigned char)s.data[s.len] & 0xc0) == 0x80) {
			s.len--;
		}
	}
	return s;
}

void draft_set_once(char **to, const struct json_token *t)
{
	if (*to || t->type != JSON_STRING || t->len <= 2) {
		return;
	}
	struct buf s = {0};
	json_unescape(t, &s);
	*to = span_dup(cut_text(buf_span(&s), NAME_LIMIT));
	buf_finish(&s);
}

void draft_set_error(struct draft *d, struct span message)
{
	d->marks |= READING_ERROR_BODY;
	if (!d->error) {
		d->error = span_dup(cut_text(message, ERROR_LIMIT));
	}
}

static char *steal_or_null(struct buf *b, bool present)
{
	return present ? buf_steal(b) : NULL;
}

static void settle_calls(struct draft_choice *from, struct choice *to)
{
	bool legacy = from->calls.n == 0 && (from->legacy.name.len || from->legacy.has_arguments);
	struct draft_call *calls = legacy ? &from->legacy : from->calls.items;
	to->n_calls = legacy ? 1 : from->calls.n;
	if (to->n_calls == 0) {
		return;
	}
	to->calls = xcalloc(to->n_calls, sizeof(*to->calls));
	for (size_t i = 0; i < to->n_calls; i++) {
		to->calls[i] = (struct tool_call){
		        .id = steal_or_null(&calls[i].id, calls[i].id.len > 0),
		        .name = steal_or_null(&calls[i].name, calls[i].name.len > 0),
		        .arguments = steal_or_null(&calls[i].arguments, calls[i].has_arguments),
		};
	}
}

static void settle_choice(struct draft *d, struct draft_choice *from, struct choice *to)
{
	*to = (struct choice){
	        .index = from->index,
	        .text = from->text,
	        .reasoning = from->reasoning,
	        .refusal = from->refusal,
	        .finish = from->finish,
	        .has_columns = from->columns != NULL,
	};
	settle_calls(from, to);
	if (!to->finish) {
		d->marks |= READING_CUT;
	}
	if (from->columns) {
		columns_builder_end(from->columns, &to->columns);
		from->columns = NULL;
		size_t n = from->stretches.len / sizeof(struct stretch);
		if (!spelling_matches(to, (struct stretch *)(void *)from->stretches.data, n)) {
			d->marks |= READING_TOKENS_MISSPELL;
		}
	}
	from->text = from->reasoning = from->refusal = (struct buf){0};
	from->finish = NULL;
}

static int compare_choices(const void *a, const void *b)
{
	int32_t x = (*(struct draft_choice *const *)a)->index;
	int32_t y = (*(struct draft_choice *const *)b)->index;
	return (x > y) - (x < y);
}

struct reading *draft_settle(struct draft *d)
{
	struct reading *r = xcalloc(1, sizeof(*r));
	bool any_columns = false;
	if (d->n_choices) {
		qsort(d->choices, d->n_choices, sizeof(struct draft_choice *), compare_choices);
		r->choices = xcalloc(d->n_choices, sizeof(*r->choices));
	}
	for (size_t i = 0; i < d->n_choices; i++) {
		settle_choice(d, d->choices[i], &r->choices[i]);
		any_columns |= r->choices[i].has_columns;
	}
	if (d->wants_logprobs && d->n_choices && !any_columns) {
		d->marks |= READING_LOGPROBS_MISSING;
	}
	r->n_choices = d->n_choices;
	r->marks = d->marks;
	r->usage = d->usage;
	r->model = d->model;
	r->response_id = d->response_id;
	r->fingerprint = d->fingerprint;
	r->error = d->error;
	d->model = d->response_id = d->fingerprint = d->error = NULL;
	draft_finish(d);
	return r;
}
