#pragma once
/*
 * reading_print - writes all members of a reading as text, so that tests can compare two readings.
 */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "answers/reading.h"

static inline void print_bytes(struct buf *to, const char *name, const char *data, size_t n)
{
	buf_printf(to, " %s=", name);
	for (size_t i = 0; i < n; i++) {
		buf_printf(to, "%02x", (unsigned char)data[i]);
	}
}

static inline void print_string(struct buf *to, const char *name, const char *s)
{
	if (s) {
		print_bytes(to, name, s, strlen(s));
	} else {
		buf_printf(to, " %s-", name);
	}
}

static inline void print_columns(struct buf *to, const struct columns *c)
{
	for (uint32_t i = 0, row = 0; i < c->n; i++) {
		struct span token = columns_token(c, i);
		buf_printf(to, "\n  %" PRIu32 " %" PRId32 " %a %u", i, c->ids[i], (double)c->lp[i],
		        c->flags[i]);
		print_bytes(to, "bytes", token.data, token.len);
		for (; row < c->top_end[i]; row++) {
			struct span top = columns_top_token(c, row);
			buf_printf(to, "\n    %" PRId32 " %a", c->top_ids[row],
			        (double)c->top_lp[row]);
			print_bytes(to, "bytes", top.data, top.len);
		}
	}
}

static inline void print_reading(struct buf *to, const struct reading *r)
{
	buf_printf(to,
	        "marks=%x events=%u content_at=%" PRIu64 " usage=%" PRId64 ",%" PRId64 ",%" PRId64,
	        r->marks, r->n_events, r->first_content_at, r->usage.prompt_tokens,
	        r->usage.completion_tokens, r->usage.total_tokens);
	buf_printf(to, ",%" PRId64 ",%" PRId64, r->usage.cached_tokens, r->usage.reasoning_tokens);
	buf_printf(to, " shape=%d", (int)r->shape);
	print_string(to, "model", r->model);
	print_string(to, "id", r->response_id);
	print_string(to, "fingerprint", r->fingerprint);
	print_string(to, "error", r->error);
	print_string(to, "unknown", r->unknown);
	for (size_t i = 0; i < r->n_choices; i++) {
		const struct choice *c = &r->choices[i];
		buf_printf(to, "\n %" PRId32 " columns=%d", c->index, c->has_columns);
		print_bytes(to, "text", c->text.data, c->text.len);
		print_bytes(to, "reasoning", c->reasoning.data, c->reasoning.len);
		print_bytes(to, "refusal", c->refusal.data, c->refusal.len);
		print_string(to, "finish", c->finish);
		for (size_t k = 0; k < c->n_calls; k++) {
			print_string(to, "call", c->calls[k].id);
			print_string(to, "name", c->calls[k].name);
			print_string(to, "arguments", c->calls[k].arguments);
			buf_append_str(to, c->calls[k].in_text ? " in_text" : "");
		}
		buf_printf(to, " place=%d", (int)c->place);
		for (size_t k = 0; k < c->n_thoughts; k++) {
			const struct thought *t = &c->thoughts[k];
			buf_printf(to, " %u<%u-%u>%u", t->open, t->from, t->to, t->close);
		}
		print_columns(to, &c->columns);
		buf_printf(to, " prompt=%d", c->has_prompt);
		print_columns(to, &c->prompt);
	}
	for (size_t i = 0; i < r->n_embeddings; i++) {
		const struct embedding *e = &r->embeddings[i];
		buf_printf(to, "\n embedding %u", e->index);
		print_bytes(to, "values", (const char *)e->values, e->n * sizeof(float));
	}
}
