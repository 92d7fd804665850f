#include "commands/exchange_json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "commands/capture_verbs.h"

/* Writes the comma that belongs before every member but the first. */
static void put_key(struct buf *to, const char *key)
{
	if (to->len && to->data[to->len - 1] != '{' && to->data[to->len - 1] != '[') {
		buf_append_char(to, ',');
	}
	json_put_string(to, span_of(key));
	buf_append_char(to, ':');
}

static bool is_utf8(struct span s)
{
	for (const char *p = s.data, *end = p + s.len; p < end;) {
		size_t n = utf8_length(p, end);
		if (n == 0) {
			return false;
		}
		p += n;
	}
	return true;
}

static void put_base64(struct buf *to, struct span s)
{
	static const char digits[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	buf_append_str(to, "{\"base64\":\"");
	for (size_t i = 0; i < s.len; i += 3) {
		size_t left = s.len - i;
		uint32_t b = (uint32_t)(uint8_t)s.data[i] << 16;
		b |= left > 1 ? (uint32_t)(uint8_t)s.data[i + 1] << 8 : 0;
		b |= left > 2 ? (uint8_t)s.data[i + 2] : 0;
		buf_append_char(to, digits[b >> 18]);
		buf_append_char(to, digits[b >> 12 & 63]);
		buf_append_char(to, left > 1 ? digits[b >> 6 & 63] : '=');
		buf_append_char(to, left > 2 ? digits[b & 63] : '=');
	}
	buf_append_str(to, "\"}");
}

static void put_bytes(struct buf *to, struct span s)
{
	if (is_utf8(s)) {
		json_put_string(to, s);
	} else {
		put_base64(to, s);
	}
}

static void put_text(struct buf *to, const char *key, const char *text)
{
	put_key(to, key);
	if (text) {
		put_bytes(to, span_of(text));
	} else {
		buf_append_str(to, "null");
	}
}

static void put_u64(struct buf *to, const char *key, uint64_t value)
{
	put_key(to, key);
	buf_printf(to, "%" PRIu64, value);
}

/* absent becomes null. */
static void put_i64(struct buf *to, const char *key, int64_t value, int64_t absent)
{
	put_key(to, key);
	if (value == absent) {
		buf_append_str(to, "null");
	} else {
		buf_printf(to, "%" PRId64, value);
	}
}

static void put_time(struct buf *to, const char *key, uint64_t us)
{
	put_key(to, key);
	if (us == UINT64_MAX) {
		buf_append_str(to, "null");
	} else {
		buf_printf(to, "%" PRIu64, us);
	}
}

static void put_bool(struct buf *to, const char *key, bool value)
{
	put_key(to, key);
	buf_append_str(to, value ? "true" : "false");
}

static void put_number(struct buf *to, const char *key, double value)
{
	put_key(to, key);
	json_put_number(to, value);
}

static void put_id(struct buf *to, const char *key, struct id id)
{
	char text[ID_TEXT_SIZE];
	put_text(to, key, id_is_zero(id) ? NULL : id_format(id, text));
}

static void put_hash(struct buf *to, const char *key, const uint8_t hash[REQUEST_HASH_SIZE])
{
	static const uint8_t zero[REQUEST_HASH_SIZE];
	put_key(to, key);
	if (memcmp(hash, zero, sizeof(zero)) == 0) {
		buf_append_str(to, "null");
		return;
	}
	buf_append_char(to, '"');
	for (size_t i = 0; i < REQUEST_HASH_SIZE; i++) {
		buf_printf(to, "%02x", hash[i]);
	}
	buf_append_char(to, '"');
}

static void put_marks(
        struct buf *to, const char *key, uint32_t marks, const char *(*name)(unsigned))
{
	put_key(to, key);
	buf_append_char(to, '[');
	bool first = true;
	for (unsigned bit = 0; bit < 32; bit++) {
		if (!(marks & 1u << bit)) {
			continue;
		}
		if (!first) {
			buf_append_char(to, ',');
		}
		first = false;
		if (name(bit)) {
			json_put_string(to, span_of(name(bit)));
		} else {
			buf_printf(to, "\"bit_%u\"", bit);
		}
	}
	buf_append_char(to, ']');
}

/* A part's bytes, or null when there are none. */
static void put_part(struct buf *to, const char *key, int r, struct buf *part)
{
	put_key(to, key);
	if (r < 0) {
		buf_append_str(to, "null");
	} else {
		put_bytes(to, buf_span(part));
	}
	buf_clear(part);
}

static void put_facts(struct buf *to, const struct request_facts *f)
{
	put_key(to, "facts");
	buf_append_char(to, '{');
	put_bool(to, "is_json", f->is_json);
	put_bool(to, "stream", f->stream);
	put_bool(to, "has_logprobs", f->has_logprobs);
	put_i64(to, "top_logprobs", f->top_logprobs, -1);
	put_bool(to, "include_usage", f->include_usage);
	put_bool(to, "has_tools", f->has_tools);
	put_bool(to, "stateful", f->stateful);
	put_number(to, "temperature", f->temperature);
	put_number(to, "top_p", f->top_p);
	put_number(to, "top_k", f->top_k);
	put_number(to, "min_p", f->min_p);
	put_number(to, "presence_penalty", f->presence_penalty);
	put_number(to, "frequency_penalty", f->frequency_penalty);
	put_number(to, "repetition_penalty", f->repetition_penalty);
	put_key(to, "seed");
	if (f->has_seed) {
		buf_printf(to, "%" PRId64, f->seed);
	} else {
		buf_append_str(to, "null");
	}
	put_u64(to, "n", (uint64_t)f->n);
	put_i64(to, "max_tokens", f->max_tokens, -1);
	put_u64(to, "n_messages", f->n_messages);
	buf_append_char(to, '}');
}

static void put_usage(struct buf *to, const struct usage *u)
{
	put_key(to, "usage");
	buf_append_char(to, '{');
	put_i64(to, "prompt_tokens", u->prompt_tokens, -1);
	put_i64(to, "completion_tokens", u->completion_tokens, -1);
	put_i64(to, "total_tokens", u->total_tokens, -1);
	put_i64(to, "cached_tokens", u->cached_tokens, -1);
	put_i64(to, "reasoning_tokens", u->reasoning_tokens, -1);
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
		put_bytes(to, columns_top_token(c, i));
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
		put_key(to, names[k]);
		buf_append_char(to, '[');
		for (uint32_t i = 0; i < c->n; i++) {
			if (i) {
				buf_append_char(to, ',');
			}
			switch (k) {
			case 0:
				put_bytes(to, columns_token(c, i));
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

static void put_choice(struct buf *to, const struct choice *choice)
{
	buf_append_char(to, '{');
	put_i64(to, "index", choice->index, INT64_MIN);
	put_key(to, "text");
	put_bytes(to, buf_span(&choice->text));
	put_key(to, "reasoning");
	put_bytes(to, buf_span(&choice->reasoning));
	put_key(to, "refusal");
	put_bytes(to, buf_span(&choice->refusal));
	put_key(to, "tool_calls");
	buf_append_char(to, '[');
	for (size_t i = 0; i < choice->n_calls; i++) {
		buf_append_str(to, i ? ",{" : "{");
		put_text(to, "id", choice->calls[i].id);
		put_text(to, "name", choice->calls[i].name);
		put_text(to, "arguments", choice->calls[i].arguments);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
	put_text(to, "finish", choice->finish);
	put_key(to, "columns");
	if (choice->has_columns) {
		put_columns(to, &choice->columns);
	} else {
		buf_append_str(to, "null");
	}
	buf_append_char(to, '}');
}

static void put_reading(struct buf *to, const struct reading *r)
{
	buf_append_char(to, '{');
	put_marks(to, "marks", r->marks, verbs_reading_mark);
	put_text(to, "model", r->model);
	put_text(to, "response_id", r->response_id);
	put_text(to, "fingerprint", r->fingerprint);
	put_text(to, "error", r->error);
	put_usage(to, &r->usage);
	put_u64(to, "n_events", r->n_events);
	put_u64(to, "first_content_at", r->first_content_at);
	put_key(to, "choices");
	buf_append_char(to, '[');
	for (size_t i = 0; i < r->n_choices; i++) {
		if (i) {
			buf_append_char(to, ',');
		}
		put_choice(to, &r->choices[i]);
	}
	buf_append_str(to, "]}");
}

static void put_edits(struct buf *to, const struct leg_row *row)
{
	put_key(to, "edits");
	buf_append_char(to, '[');
	for (size_t i = 0; i < row->n_edits; i++) {
		buf_append_str(to, i ? ",{" : "{");
		put_u64(to, "at", row->edits[i].at);
		put_u64(to, "removed", row->edits[i].removed);
		put_key(to, "inserted");
		put_bytes(to, row->edits[i].inserted);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
}

static void put_leg_row(struct buf *to, const struct leg_row *row)
{
	put_id(to, "id", row->id);
	put_id(to, "run", row->run);
	put_text(to, "backend", row->backend);
	put_text(to, "url", row->url);
	put_text(to, "role", role_name(row->role));
	put_u64(to, "repeat", row->repeat);
	put_text(to, "outcome", outcome_name(row->outcome));
	put_marks(to, "marks", row->marks, verbs_leg_mark);
	put_u64(to, "status", (uint64_t)row->status);
	put_u64(to, "start_ns", row->start_ns);
	put_time(to, "queued_us", row->queued_us);
	put_time(to, "head_us", row->head_us);
	put_time(to, "first_body_us", row->first_body_us);
	put_time(to, "first_content_us", row->first_content_us);
	put_time(to, "end_us", row->end_us);
	put_u64(to, "body_bytes", row->body_bytes);
	put_u64(to, "in_flight", row->in_flight);
	put_text(to, "error", row->error);
	put_text(to, "content_type", row->content_type);
	put_text(to, "content_encoding", row->content_encoding);
	put_text(to, "model", row->model);
	put_text(to, "fingerprint", row->fingerprint);
	put_text(to, "finish", row->finish);
	put_usage(to, &row->usage);
}

static void put_arrivals(struct buf *to, int r, struct buf *packed)
{
	put_key(to, "arrivals");
	if (r < 0) {
		buf_append_str(to, "null");
		buf_clear(packed);
		return;
	}
	buf_append_char(to, '[');
	for (size_t i = 0; i + 8 <= packed->len; i += 8) {
		uint32_t pair[2];
		for (size_t k = 0; k < 2; k++) {
			const uint8_t *at = (const uint8_t *)packed->data + i + 4 * k;
			pair[k] = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			          (uint32_t)at[3] << 24;
		}
		buf_printf(to, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "", pair[0], pair[1]);
	}
	buf_append_char(to, ']');
	buf_clear(packed);
}

static void put_leg(struct buf *to, struct capture *c, const struct capture_exchange *e, size_t i)
{
	struct buf part = {0};
	buf_append_char(to, '{');
	put_leg_row(to, &e->legs[i].row);
	put_edits(to, &e->legs[i].row);
	int r = capture_response_head(c, e, i, &part);
	put_part(to, "head", r, &part);
	r = capture_response_body(c, e, i, &part);
	put_part(to, "body", r, &part);
	r = capture_arrivals(c, e, i, &part);
	put_arrivals(to, r, &part);
	put_key(to, "reading");
	struct reading *reading;
	if (capture_reading(c, e, i, &reading) == 0) {
		put_reading(to, reading);
		reading_destroy(reading);
	} else {
		buf_append_str(to, "null");
	}
	buf_append_char(to, '}');
	buf_finish(&part);
}

static void put_exchange_row(struct buf *to, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	put_id(to, "id", row->id);
	put_bool(to, "absent", e->absent);
	if (e->absent) {
		return;
	}
	struct buf time = {0};
	verbs_put_time(&time, row->wall_ns);
	put_text(to, "time", buf_cstr(&time));
	buf_finish(&time);
	put_u64(to, "wall_ns", row->wall_ns);
	put_text(to, "endpoint", endpoint_name(row->endpoint));
	put_text(to, "model", row->model);
	put_bool(to, "streamed", row->streamed);
	put_text(to, "outcome", outcome_name(row->outcome));
}

void exchange_json_put(struct buf *to, struct capture *c, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	buf_append_char(to, '{');
	put_exchange_row(to, e);
	if (!e->absent) {
		put_text(to, "content", verbs_content(row->content));
		put_marks(to, "marks", row->marks, verbs_exchange_mark);
		put_u64(to, "in_flight", row->in_flight);
		put_text(to, "client", row->client);
		put_hash(to, "prompt_hash", row->hashes.prompt);
		put_hash(to, "parent_hash", row->hashes.parent);
		put_hash(to, "session_hash", row->hashes.session);
		put_hash(to, "chain_hash", row->hashes.chain);
		put_facts(to, &row->facts);
		struct buf part = {0};
		put_key(to, "request");
		buf_append_char(to, '{');
		put_text(to, "method", row->method);
		put_text(to, "target", row->target);
		put_u64(to, "body_bytes", row->body_bytes);
		int r = capture_request_head(c, e, &part);
		put_part(to, "head", r, &part);
		r = capture_request_body(c, e, &part);
		put_part(to, "body", r, &part);
		buf_append_char(to, '}');
		buf_finish(&part);
	}
	put_key(to, "legs");
	buf_append_char(to, '[');
	for (size_t i = 0; i < e->n_legs; i++) {
		if (i) {
			buf_append_char(to, ',');
		}
		put_leg(to, c, e, i);
	}
	buf_append_str(to, "]}");
}

void exchange_json_put_row(struct buf *to, const struct capture_exchange *e)
{
	buf_append_char(to, '{');
	put_exchange_row(to, e);
	put_key(to, "legs");
	buf_append_char(to, '[');
	for (size_t i = 0; i < e->n_legs; i++) {
		buf_append_str(to, i ? ",{" : "{");
		put_leg_row(to, &e->legs[i].row);
		buf_append_char(to, '}');
	}
	buf_append_str(to, "]}");
}
