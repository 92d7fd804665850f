#include "cli/capture/reading_json.h"

#include <inttypes.h>

#include "analyzer/compare/meaning/placement.h"
#include "base/json.h"
#include "cli/capture/mark_names.h"
#include "capture/formats/member_writer.h"

/* Values of a vector that are shown. */
#define EMBEDDING_HEAD 8u

void reading_json_usage(struct buf *to, const struct usage *u)
{
	member_key(to, "usage");
	buf_append_char(to, '{');
	member_i64(to, "prompt_tokens", u->prompt_tokens, -1);
	member_i64(to, "completion_tokens", u->completion_tokens, -1);
	member_i64(to, "total_tokens", u->total_tokens, -1);
	member_i64(to, "cached_tokens", u->cached_tokens, -1);
	member_i64(to, "reasoning_tokens", u->reasoning_tokens, -1);
	buf_append_char(to, '}');
}

/* The float32 in its shortest form would need another printer; as a double it reads back exactly
 * too. */
static void put_logprob(struct buf *to, float lp)
{
	json_put_number(to, (double)lp);
}

static void put_top(struct buf *to, const struct columns *c, uint32_t token)
{
	uint32_t row = token ? c->top_end[token - 1] : 0;
	buf_append_char(to, '[');
	for (uint32_t i = row; i < c->top_end[token]; i++) {
		buf_append_str(to, i > row ? ",[" : "[");
		member_bytes(to, columns_top_token(c, i));
		buf_printf(to, ",%" PRId32 ",", c->top_ids[i]);
		put_logprob(to, c->top_lp[i]);
		buf_append_char(to, ']');
	}
	buf_append_char(to, ']');
}

static void put_columns(struct buf *to, const struct columns *c)
{
	static const char *const names[] = {"tokens", "ids", "lp", "flags", "top"};
	buf_append_char(to, '{');
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		member_key(to, names[k]);
		buf_append_char(to, '[');
		for (uint32_t i = 0; i < c->n; i++) {
			if (i) {
				buf_append_char(to, ',');
			}
			switch (k) {
			case 0:
				member_bytes(to, columns_token(c, i));
				break;
			case 1:
				buf_printf(to, "%" PRId32, c->ids[i]);
				break;
			case 2:
				put_logprob(to, c->lp[i]);
				break;
			case 3:
				buf_printf(to, "%u", c->flags[i]);
				break;
			default:
				put_top(to, c, i);
				break;
			}
		}
		buf_append_char(to, ']');
	}
	buf_append_char(to, '}');
}

static void put_columns_or_null(struct buf *to, const char *key, bool has, const struct columns *c)
{
	member_key(to, key);
	if (has) {
		put_columns(to, c);
	} else {
		buf_append_str(to, "null");
	}
}

static void put_thoughts(struct buf *to, const struct choice *choice)
{
	member_key(to, "thoughts");
	buf_append_char(to, '[');
	for (size_t i = 0; i < choice->n_thoughts; i++) {
		const struct thought *t = &choice->thoughts[i];
		buf_printf(to, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", i ? "," : "",
		        t->open, t->from, t->to, t->close);
	}
	buf_append_char(to, ']');
}

static void put_choice(struct buf *to, const struct choice *choice)
{
	buf_append_char(to, '{');
	member_i64(to, "index", choice->index, INT64_MIN);
	member_key(to, "text");
	member_bytes(to, buf_span(&choice->text));
	member_key(to, "reasoning");
	member_bytes(to, buf_span(&choice->reasoning));
	member_key(to, "refusal");
	member_bytes(to, buf_span(&choice->refusal));
	member_key(to, "tool_calls");
	buf_append_char(to, '[');
	for (size_t i = 0; i < choice->n_calls; i++) {
		buf_append_str(to, i ? ",{" : "{");
		member_text(to, "id", choice->calls[i].id);
		member_text(to, "name", choice->calls[i].name);
		member_text(to, "arguments", choice->calls[i].arguments);
		member_bool(to, "in_text", choice->calls[i].in_text);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
	member_text(to, "finish", choice->finish);
	member_text(to, "reasoning_place", placement_name(choice->place));
	put_thoughts(to, choice);
	put_columns_or_null(to, "columns", choice->has_columns, &choice->columns);
	put_columns_or_null(to, "prompt", choice->has_prompt, &choice->prompt);
	buf_append_char(to, '}');
}

static void put_embedding(struct buf *to, const struct embedding *e)
{
	buf_append_char(to, '{');
	member_u64(to, "index", e->index);
	member_u64(to, "n", e->n);
	member_key(to, "head");
	buf_append_char(to, '[');
	for (uint32_t i = 0; i < MIN(e->n, EMBEDDING_HEAD); i++) {
		if (i) {
			buf_append_char(to, ',');
		}
		json_put_number(to, (double)e->values[i]);
	}
	buf_append_str(to, "]}");
}

static void put_unknown(struct buf *to, const struct reading *r)
{
	const char *at = r->unknown;
	struct span name;
	member_key(to, "unknown_members");
	buf_append_char(to, '[');
	for (size_t n = 0; (name = reading_next_unknown(&at)).len; n++) {
		buf_append_str(to, n ? "," : "");
		member_bytes(to, name);
	}
	buf_append_char(to, ']');
}

void reading_json_put(struct buf *to, const struct reading *r)
{
	buf_append_char(to, '{');
	member_marks(to, "marks", r->marks, reading_mark_name);
	member_text(to, "shape", reading_shape_name(r->shape));
	member_text(to, "model", r->model);
	member_text(to, "response_id", r->response_id);
	member_text(to, "fingerprint", r->fingerprint);
	member_text(to, "error", r->error);
	put_unknown(to, r);
	reading_json_usage(to, &r->usage);
	member_u64(to, "n_events", r->n_events);
	member_u64(to, "first_content_at", r->first_content_at);
	member_key(to, "choices");
	buf_append_char(to, '[');
	for (size_t i = 0; i < r->n_choices; i++) {
		if (i) {
			buf_append_char(to, ',');
		}
		put_choice(to, &r->choices[i]);
	}
	buf_append_char(to, ']');
	member_key(to, "embeddings");
	buf_append_char(to, '[');
	for (size_t i = 0; i < r->n_embeddings; i++) {
		if (i) {
			buf_append_char(to, ',');
		}
		put_embedding(to, &r->embeddings[i]);
	}
	buf_append_str(to, "]}");
}
