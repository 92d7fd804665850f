#include "capture/exchange_json.h"

#include "base/moment.h"
#include "capture/record_json.h"
#include "capture/reading_json.h"

/* A part's bytes, or null when there are none. */
static void put_part(struct json_writer *w, const char *key, int r, struct buf *part)
{
	if (r < 0) {
		json_writer_null(w, key);
	} else {
		record_json_bytes(w, key, buf_span(part));
	}
	buf_clear(part);
}

static void put_facts(struct json_writer *w, const struct request_facts *f)
{
	json_writer_open(w, "facts", '{');
	json_writer_bool(w, "is_json", f->is_json);
	json_writer_bool(w, "stream", f->stream);
	json_writer_bool(w, "has_logprobs", f->has_logprobs);
	record_json_integer(w, "top_logprobs", f->top_logprobs, -1);
	json_writer_bool(w, "include_usage", f->include_usage);
	json_writer_bool(w, "has_tools", f->has_tools);
	json_writer_bool(w, "stateful", f->stateful);
	json_writer_number(w, "temperature", f->temperature);
	json_writer_number(w, "top_p", f->top_p);
	json_writer_number(w, "top_k", f->top_k);
	json_writer_number(w, "min_p", f->min_p);
	json_writer_number(w, "presence_penalty", f->presence_penalty);
	json_writer_number(w, "frequency_penalty", f->frequency_penalty);
	json_writer_number(w, "repetition_penalty", f->repetition_penalty);
	if (f->has_seed) {
		json_writer_integer(w, "seed", f->seed);
	} else {
		json_writer_null(w, "seed");
	}
	json_writer_count(w, "n", (uint64_t)f->n);
	record_json_integer(w, "max_tokens", f->max_tokens, -1);
	json_writer_count(w, "n_messages", f->n_messages);
	json_writer_close(w, "}");
}

static void put_labels(struct json_writer *w, const struct exchange_labels *l)
{
	json_writer_open(w, "labels", '{');
	record_json_text(w, "suite", l->suite);
	record_json_text(w, "item", l->item);
	record_json_text(w, "category", l->category);
	record_json_text(w, "gold", l->gold);
	json_writer_close(w, "}");
}

static void put_edits(struct json_writer *w, const struct leg_row *row)
{
	json_writer_open(w, "edits", '[');
	for (size_t i = 0; i < row->n_edits; i++) {
		json_writer_open(w, NULL, '{');
		json_writer_count(w, "at", row->edits[i].at);
		json_writer_count(w, "removed", row->edits[i].removed);
		record_json_bytes(w, "inserted", row->edits[i].inserted);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "]");
}

static void put_leg_row(struct json_writer *w, const struct leg_row *row)
{
	char id[ID_TEXT_SIZE];
	record_json_id(w, "id", row->id);
	record_json_id(w, "run", row->run);
	record_json_text(w, "backend", row->backend);
	record_json_text(w, "url", row->url);
	json_writer_text(w, "role", role_name(row->role));
	json_writer_count(w, "repeat", row->repeat);
	json_writer_text(w, "outcome", outcome_name(row->outcome));
	record_json_marks(w, "marks", row->marks, leg_mark_name);
	json_writer_count(w, "status", (uint64_t)row->status);
	json_writer_count(w, "start_ns", row->start_ns);
	record_json_time(w, "queued_us", row->queued_us);
	record_json_time(w, "head_us", row->head_us);
	record_json_time(w, "first_body_us", row->first_body_us);
	record_json_time(w, "first_content_us", row->first_content_us);
	record_json_time(w, "end_us", row->end_us);
	json_writer_count(w, "body_bytes", row->body_bytes);
	json_writer_count(w, "in_flight", row->in_flight);
	record_json_text(w, "error", row->error);
	record_json_text(w, "content_type", row->content_type);
	record_json_text(w, "content_encoding", row->content_encoding);
	record_json_text(w, "model", row->model);
	record_json_text(w, "fingerprint", row->fingerprint);
	record_json_text(w, "finish", row->finish);
	record_json_text(w, "dialect", row->dialect);
	record_json_id(w, "manifest", row->manifest);
	record_json_text(w, "replica", row->replica);
	json_writer_text(
	        w, "align", row->align < N_ALIGNS ? align_name((enum align)row->align) : NULL);
	bool scored = row->marks & LEG_SCORED;
	json_writer_text(w, "score_of", scored ? id_format(row->score_of, id) : NULL);
	record_json_integer(w, "score_at", scored ? (int64_t)row->score_at : -1, -1);
	bool judging = row->marks & LEG_JUDGING;
	json_writer_text(w, "judged_against", judging ? id_format(row->judged_against, id) : NULL);
	json_writer_text(w, "content", content_name(row->content ? row->content : CONTENT_FULL));
	json_writer_count(w, "redactions", row->redactions);
	record_json_hash(w, "answer_hash", row->answer_hash);
	json_writer_count(w, "answer_bytes", row->answer_bytes);
	json_writer_count(w, "reasoning_bytes", row->reasoning_bytes);
	reading_json_usage(w, &row->usage);
}

static void put_arrivals(struct json_writer *w, int r, struct buf *packed)
{
	if (r < 0) {
		json_writer_null(w, "arrivals");
		buf_clear(packed);
		return;
	}
	json_writer_open(w, "arrivals", '[');
	for (size_t i = 0; i + 8 <= packed->len; i += 8) {
		json_writer_open(w, NULL, '[');
		for (size_t k = 0; k < 2; k++) {
			const uint8_t *at = (const uint8_t *)packed->data + i + 4 * k;
			json_writer_count(w, NULL,
			        at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			                (uint32_t)at[3] << 24);
		}
		json_writer_close(w, "]");
	}
	json_writer_close(w, "]");
	buf_clear(packed);
}

static void put_leg(
        struct json_writer *w, struct capture *c, const struct capture_exchange *e, size_t i)
{
	struct buf part = {0};
	json_writer_open(w, NULL, '{');
	put_leg_row(w, &e->legs[i].row);
	put_edits(w, &e->legs[i].row);
	int r = capture_response_head(c, e, i, &part);
	put_part(w, "head", r, &part);
	r = capture_response_body(c, e, i, &part);
	put_part(w, "body", r, &part);
	r = capture_arrivals(c, e, i, &part);
	put_arrivals(w, r, &part);
	struct reading *reading;
	if (capture_reading(c, e, i, &reading) == 0) {
		reading_json_put(w, "reading", reading);
		reading_destroy(reading);
	} else {
		json_writer_null(w, "reading");
	}
	json_writer_close(w, "}");
	buf_finish(&part);
}

static void put_exchange_row(struct json_writer *w, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	record_json_id(w, "id", row->id);
	json_writer_bool(w, "absent", e->absent);
	if (e->absent) {
		return;
	}
	struct buf time = {0};
	moment_put(&time, row->wall_ns);
	json_writer_string(w, "time", buf_span(&time));
	buf_finish(&time);
	json_writer_count(w, "wall_ns", row->wall_ns);
	json_writer_text(w, "endpoint", endpoint_name(row->endpoint));
	record_json_text(w, "model", row->model);
	json_writer_bool(w, "streamed", row->streamed);
	json_writer_text(w, "outcome", outcome_name(row->outcome));
}

void exchange_json_put(struct buf *to, struct capture *c, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	put_exchange_row(&w, e);
	if (!e->absent) {
		json_writer_text(&w, "content", content_name(row->content));
		json_writer_count(&w, "redactions", row->redactions);
		record_json_marks(&w, "marks", row->marks, exchange_mark_name);
		json_writer_count(&w, "in_flight", row->in_flight);
		record_json_text(&w, "client", row->client);
		record_json_hash(&w, "prompt_hash", row->hashes.prompt);
		record_json_hash(&w, "parent_hash", row->hashes.parent);
		record_json_hash(&w, "session_hash", row->hashes.session);
		record_json_hash(&w, "chain_hash", row->hashes.chain);
		put_facts(&w, &row->facts);
		put_labels(&w, &row->labels);
		struct buf part = {0};
		json_writer_open(&w, "request", '{');
		record_json_text(&w, "method", row->method);
		record_json_text(&w, "target", row->target);
		json_writer_count(&w, "body_bytes", row->body_bytes);
		record_json_text(&w, "content_encoding", row->content_encoding);
		int r = capture_request_head(c, e, &part);
		put_part(&w, "head", r, &part);
		r = capture_request_body(c, e, &part);
		put_part(&w, "body", r, &part);
		json_writer_close(&w, "}");
		buf_finish(&part);
	}
	json_writer_open(&w, "legs", '[');
	for (size_t i = 0; i < e->n_legs; i++) {
		put_leg(&w, c, e, i);
	}
	json_writer_close(&w, "]}");
}

void exchange_json_put_row(struct buf *to, const struct capture_exchange *e)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	put_exchange_row(&w, e);
	json_writer_open(&w, "legs", '[');
	for (size_t i = 0; i < e->n_legs; i++) {
		json_writer_open(&w, NULL, '{');
		put_leg_row(&w, &e->legs[i].row);
		json_writer_close(&w, "}");
	}
	json_writer_close(&w, "]}");
}
