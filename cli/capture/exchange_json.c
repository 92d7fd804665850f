#include "cli/capture/exchange_json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/align.h"
#include "base/json.h"
#include "base/moment.h"
#include "cli/capture/mark_names.h"
#include "capture/formats/member_writer.h"
#include "cli/capture/reading_json.h"

/* A part's bytes, or null when there are none. */
static void put_part(struct buf *to, const char *key, int r, struct buf *part)
{
	member_key(to, key);
	if (r < 0) {
		buf_append_str(to, "null");
	} else {
		member_bytes(to, buf_span(part));
	}
	buf_clear(part);
}

static void put_facts(struct buf *to, const struct request_facts *f)
{
	member_key(to, "facts");
	buf_append_char(to, '{');
	member_bool(to, "is_json", f->is_json);
	member_bool(to, "stream", f->stream);
	member_bool(to, "has_logprobs", f->has_logprobs);
	member_i64(to, "top_logprobs", f->top_logprobs, -1);
	member_bool(to, "include_usage", f->include_usage);
	member_bool(to, "has_tools", f->has_tools);
	member_bool(to, "stateful", f->stateful);
	member_number(to, "temperature", f->temperature);
	member_number(to, "top_p", f->top_p);
	member_number(to, "top_k", f->top_k);
	member_number(to, "min_p", f->min_p);
	member_number(to, "presence_penalty", f->presence_penalty);
	member_number(to, "frequency_penalty", f->frequency_penalty);
	member_number(to, "repetition_penalty", f->repetition_penalty);
	member_key(to, "seed");
	if (f->has_seed) {
		buf_printf(to, "%" PRId64, f->seed);
	} else {
		buf_append_str(to, "null");
	}
	member_u64(to, "n", (uint64_t)f->n);
	member_i64(to, "max_tokens", f->max_tokens, -1);
	member_u64(to, "n_messages", f->n_messages);
	buf_append_char(to, '}');
}

static void put_labels(struct buf *to, const struct exchange_labels *l)
{
	member_key(to, "labels");
	buf_append_char(to, '{');
	member_text(to, "suite", l->suite);
	member_text(to, "item", l->item);
	member_text(to, "category", l->category);
	member_text(to, "gold", l->gold);
	buf_append_char(to, '}');
}

static void put_edits(struct buf *to, const struct leg_row *row)
{
	member_key(to, "edits");
	buf_append_char(to, '[');
	for (size_t i = 0; i < row->n_edits; i++) {
		buf_append_str(to, i ? ",{" : "{");
		member_u64(to, "at", row->edits[i].at);
		member_u64(to, "removed", row->edits[i].removed);
		member_key(to, "inserted");
		member_bytes(to, row->edits[i].inserted);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
}

/* Writes how much of the answer was recorded. */
static void put_kept(struct buf *to, const struct leg_row *row)
{
	member_text(to, "content", content_name(row->content ? row->content : CONTENT_FULL));
	member_u64(to, "redactions", row->redactions);
	member_hash(to, "answer_hash", row->answer_hash);
	member_u64(to, "answer_bytes", row->answer_bytes);
	member_u64(to, "reasoning_bytes", row->reasoning_bytes);
}

static void put_leg_row(struct buf *to, const struct leg_row *row)
{
	char id[ID_TEXT_SIZE];
	member_id(to, "id", row->id);
	member_id(to, "run", row->run);
	member_text(to, "backend", row->backend);
	member_text(to, "url", row->url);
	member_text(to, "role", role_name(row->role));
	member_u64(to, "repeat", row->repeat);
	member_text(to, "outcome", outcome_name(row->outcome));
	member_marks(to, "marks", row->marks, leg_mark_name);
	member_u64(to, "status", (uint64_t)row->status);
	member_u64(to, "start_ns", row->start_ns);
	member_time(to, "queued_us", row->queued_us);
	member_time(to, "head_us", row->head_us);
	member_time(to, "first_body_us", row->first_body_us);
	member_time(to, "first_content_us", row->first_content_us);
	member_time(to, "end_us", row->end_us);
	member_u64(to, "body_bytes", row->body_bytes);
	member_u64(to, "in_flight", row->in_flight);
	member_text(to, "error", row->error);
	member_text(to, "content_type", row->content_type);
	member_text(to, "content_encoding", row->content_encoding);
	member_text(to, "model", row->model);
	member_text(to, "fingerprint", row->fingerprint);
	member_text(to, "finish", row->finish);
	member_text(to, "dialect", row->dialect);
	member_text(
	        to, "manifest", id_is_zero(row->manifest) ? NULL : id_format(row->manifest, id));
	member_text(to, "replica", row->replica);
	member_text(to, "align", row->align < N_ALIGNS ? align_name((enum align)row->align) : NULL);
	bool scored = row->marks & LEG_SCORED;
	member_text(to, "score_of", scored ? id_format(row->score_of, id) : NULL);
	member_i64(to, "score_at", scored ? (int64_t)row->score_at : -1, -1);
	bool judging = row->marks & LEG_JUDGING;
	member_text(to, "judged_against", judging ? id_format(row->judged_against, id) : NULL);
	put_kept(to, row);
	reading_json_usage(to, &row->usage);
}

static void put_arrivals(struct buf *to, int r, struct buf *packed)
{
	member_key(to, "arrivals");
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
	member_key(to, "reading");
	struct reading *reading;
	if (capture_reading(c, e, i, &reading) == 0) {
		reading_json_put(to, reading);
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
	member_id(to, "id", row->id);
	member_bool(to, "absent", e->absent);
	if (e->absent) {
		return;
	}
	struct buf time = {0};
	moment_put(&time, row->wall_ns);
	member_text(to, "time", buf_cstr(&time));
	buf_finish(&time);
	member_u64(to, "wall_ns", row->wall_ns);
	member_text(to, "endpoint", endpoint_name(row->endpoint));
	member_text(to, "model", row->model);
	member_bool(to, "streamed", row->streamed);
	member_text(to, "outcome", outcome_name(row->outcome));
}

void exchange_json_put(struct buf *to, struct capture *c, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	buf_append_char(to, '{');
	put_exchange_row(to, e);
	if (!e->absent) {
		member_text(to, "content", content_name(row->content));
		member_u64(to, "redactions", row->redactions);
		member_marks(to, "marks", row->marks, exchange_mark_name);
		member_u64(to, "in_flight", row->in_flight);
		member_text(to, "client", row->client);
		member_hash(to, "prompt_hash", row->hashes.prompt);
		member_hash(to, "parent_hash", row->hashes.parent);
		member_hash(to, "session_hash", row->hashes.session);
		member_hash(to, "chain_hash", row->hashes.chain);
		put_facts(to, &row->facts);
		put_labels(to, &row->labels);
		struct buf part = {0};
		member_key(to, "request");
		buf_append_char(to, '{');
		member_text(to, "method", row->method);
		member_text(to, "target", row->target);
		member_u64(to, "body_bytes", row->body_bytes);
		member_text(to, "content_encoding", row->content_encoding);
		int r = capture_request_head(c, e, &part);
		put_part(to, "head", r, &part);
		r = capture_request_body(c, e, &part);
		put_part(to, "body", r, &part);
		buf_append_char(to, '}');
		buf_finish(&part);
	}
	member_key(to, "legs");
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
	member_key(to, "legs");
	buf_append_char(to, '[');
	for (size_t i = 0; i < e->n_legs; i++) {
		buf_append_str(to, i ? ",{" : "{");
		put_leg_row(to, &e->legs[i].row);
		buf_append_char(to, '}');
	}
	buf_append_str(to, "]}");
}
