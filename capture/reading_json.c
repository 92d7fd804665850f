#include "capture/reading_json.h"

#include "capture/record_json.h"

/* Values of a vector that are shown. */
#define EMBEDDING_HEAD 8u

void reading_json_usage(struct json_writer *w, const struct usage *u)
{
	json_writer_open(w, "usage", '{');
	record_json_integer(w, "prompt_tokens", u->prompt_tokens, -1);
	record_json_integer(w, "completion_tokens", u->completion_tokens, -1);
	record_json_integer(w, "total_tokens", u->total_tokens, -1);
	record_json_integer(w, "cached_tokens", u->cached_tokens, -1);
	record_json_integer(w, "reasoning_tokens", u->reasoning_tokens, -1);
	json_writer_close(w, "}");
}

static void put_top(struct json_writer *w, const struct columns *c, uint32_t token)
{
	uint32_t row = token ? c->top_end[token - 1] : 0;
	json_writer_open(w, NULL, '[');
	for (uint32_t i = row; i < c->top_end[token]; i++) {
		json_writer_open(w, NULL, '[');
		record_json_bytes(w, NULL, columns_top_token(c, i));
		json_writer_integer(w, NULL, c->top_ids[i]);
		json_writer_number(w, NULL, (double)c->top_lp[i]);
		json_writer_close(w, "]");
	}
	json_writer_close(w, "]");
}

/* Logprobs are written as doubles: the shortest form of a float32 would need another printer, and
 * a double gives the same float32 when it is read. */
static void put_columns(struct json_writer *w, const char *key, const struct columns *c)
{
	static const char *const names[] = {"tokens", "ids", "lp", "flags", "top"};
	json_writer_open(w, key, '{');
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		json_writer_open(w, names[k], '[');
		for (uint32_t i = 0; i < c->n; i++) {
			switch (k) {
			case 0:
				record_json_bytes(w, NULL, columns_token(c, i));
				break;
			case 1:
				json_writer_integer(w, NULL, c->ids[i]);
				break;
			case 2:
				json_writer_number(w, NULL, (double)c->lp[i]);
				break;
			case 3:
				json_writer_count(w, NULL, c->flags[i]);
				break;
			default:
				put_top(w, c, i);
				break;
			}
		}
		json_writer_close(w, "]");
	}
	json_writer_close(w, "}");
}

static void put_columns_or_null(
        struct json_writer *w, const char *key, bool has, const struct columns *c)
{
	if (has) {
		put_columns(w, key, c);
	} else {
		json_writer_null(w, key);
	}
}

static void put_thoughts(struct json_writer *w, const struct choice *choice)
{
	json_writer_open(w, "thoughts", '[');
	for (size_t i = 0; i < choice->n_thoughts; i++) {
		const struct thought *t = &choice->thoughts[i];
		json_writer_open(w, NULL, '[');
		json_writer_count(w, NULL, t->open);
		json_writer_count(w, NULL, t->from);
		json_writer_count(w, NULL, t->to);
		json_writer_count(w, NULL, t->close);
		json_writer_close(w, "]");
	}
	json_writer_close(w, "]");
}

static void put_choice(struct json_writer *w, const struct choice *choice)
{
	json_writer_open(w, NULL, '{');
	record_json_integer(w, "index", choice->index, INT64_MIN);
	record_json_bytes(w, "text", buf_span(&choice->text));
	record_json_bytes(w, "reasoning", buf_span(&choice->reasoning));
	record_json_bytes(w, "refusal", buf_span(&choice->refusal));
	json_writer_open(w, "tool_calls", '[');
	for (size_t i = 0; i < choice->n_calls; i++) {
		json_writer_open(w, NULL, '{');
		record_json_text(w, "id", choice->calls[i].id);
		record_json_text(w, "name", choice->calls[i].name);
		record_json_text(w, "arguments", choice->calls[i].arguments);
		json_writer_bool(w, "in_text", choice->calls[i].in_text);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "]");
	record_json_text(w, "finish", choice->finish);
	json_writer_text(w, "reasoning_place", reasoning_place_name(choice->place));
	put_thoughts(w, choice);
	put_columns_or_null(w, "columns", choice->has_columns, &choice->columns);
	put_columns_or_null(w, "prompt", choice->has_prompt, &choice->prompt);
	json_writer_close(w, "}");
}

static void put_embedding(struct json_writer *w, const struct embedding *e)
{
	json_writer_open(w, NULL, '{');
	json_writer_count(w, "index", e->index);
	json_writer_count(w, "n", e->n);
	json_writer_open(w, "head", '[');
	for (uint32_t i = 0; i < MIN(e->n, EMBEDDING_HEAD); i++) {
		json_writer_number(w, NULL, (double)e->values[i]);
	}
	json_writer_close(w, "]}");
}

void reading_json_put(struct json_writer *w, const char *key, const struct reading *r)
{
	json_writer_open(w, key, '{');
	record_json_marks(w, "marks", r->marks, reading_mark_name);
	json_writer_text(w, "shape", reading_shape_name(r->shape));
	record_json_text(w, "model", r->model);
	record_json_text(w, "response_id", r->response_id);
	record_json_text(w, "fingerprint", r->fingerprint);
	record_json_text(w, "error", r->error);
	const char *at = r->unknown;
	struct span name;
	json_writer_open(w, "unknown_members", '[');
	while ((name = reading_next_unknown(&at)).len) {
		record_json_bytes(w, NULL, name);
	}
	json_writer_close(w, "]");
	reading_json_usage(w, &r->usage);
	json_writer_count(w, "n_events", r->n_events);
	json_writer_count(w, "first_content_at", r->first_content_at);
	json_writer_open(w, "choices", '[');
	for (size_t i = 0; i < r->n_choices; i++) {
		put_choice(w, &r->choices[i]);
	}
	json_writer_close(w, "]");
	json_writer_open(w, "embeddings", '[');
	for (size_t i = 0; i < r->n_embeddings; i++) {
		put_embedding(w, &r->embeddings[i]);
	}
	json_writer_close(w, "]}");
}
