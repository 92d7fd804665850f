#include "backends/annotation.h"

#include "base/buf.h"
#include "base/chunk.h"
#include "base/json_writer.h"
#include "base/mem.h"

#define ANSWER_LIMIT ((size_t)256 << 20)
#define NEVER UINT64_MAX

/* Writes those fields of the answer's head that the proxy records too. */
static void put_head(const struct call_answer *a, struct buf *to)
{
	static const char *const KEPT[] = {"content-type", "server", "x-request-id"};
	for (size_t i = 0; i < ARRAY_LEN(KEPT); i++) {
		struct span value = call_header(a, KEPT[i]);
		if (value.len) {
			buf_printf(to, "%s: %.*s\n", KEPT[i], (int)value.len, value.data);
		}
	}
}

static void put_parts(
        const struct annotation *annotation, struct recorder *recorder, struct leg_row *row)
{
	const struct call_answer *a = annotation->answer;
	struct span type = call_header(a, "content-type");
	row->content_type = type.len ? span_dup(type) : NULL;
	const struct reading_hints hints = {
	        .endpoint = annotation->endpoint,
	        .status = a->status,
	        .framing = framing_of_type(type),
	        .limit = ANSWER_LIMIT,
	};
	recorder_leg_begin(recorder, row->id, &hints, NULL);
	struct buf head = {0};
	put_head(a, &head);
	struct chunks pieces = {0};
	if (annotation->waits) {
		recorder_wait_for_room(recorder);
	}
	chunks_push(&pieces, chunk_make(NULL, head.data, head.len));
	bool stored = recorder_part(recorder, row->id, PART_RESPONSE_HEAD, 0, &pieces);
	buf_finish(&head);
	if (stored) {
		row->body_parts = recorder_put(recorder, row->id, PART_RESPONSE_BODY,
		        buf_span(&a->body), annotation->waits, &stored);
	}
	row->marks |= stored ? 0 : LEG_TRUNCATED;
}

/* Records one edit that replaces the whole body by the request that was sent. */
static void put_edit(struct leg_row *row, uint64_t body_bytes, struct span request)
{
	row->edits = xcalloc(1, sizeof(*row->edits));
	row->n_edits = 1;
	row->edits[0] = (struct edit){
	        .removed = body_bytes,
	        .inserted = {xmemdup(request.data, request.len), request.len},
	};
}

bool annotation_record(
        const struct annotation *annotation, struct recorder *recorder, struct ledger_book *book)
{
	const struct call_answer *a = annotation->answer;
	const struct dialect *d = annotation->dialect;
	struct leg_row row = {
	        .id = id_make(),
	        .exchange = annotation->exchange,
	        .run = recorder_run(recorder),
	        .backend = xstrdup(annotation->backend),
	        .url = xstrdup(annotation->url),
	        .role = annotation->role,
	        .manifest = annotation->manifest,
	        .outcome = OUTCOME_COMPLETE,
	        .marks = annotation->marks,
	        .status = a->status,
	        .start_ns = annotation->start_ns,
	        .queued_us = NEVER,
	        .head_us = a->first_us,
	        .first_body_us = a->first_us,
	        .first_content_us = NEVER,
	        .end_us = a->total_us,
	        .body_bytes = a->body.len,
	        .in_flight = annotation->in_flight,
	        .usage = {-1, -1, -1, -1, -1},
	        .dialect = d == &dialect_generic ? NULL : xstrdup(d->name),
	        .score_of = annotation->of,
	        .score_at = annotation->at,
	        .judged_against = annotation->against,
	};
	put_edit(&row, annotation->body_bytes, annotation->request);
	put_parts(annotation, recorder, &row);
	bool whole = !(row.marks & LEG_TRUNCATED);
	recorder_leg(recorder, &row, whole, book);
	return whole;
}

void annotation_put_reply(
        const char *model, struct span words, uint64_t took_us, struct call_answer *ret)
{
	*ret = (struct call_answer){.status = 200, .total_us = took_us, .first_us = took_us};
	buf_append_str(&ret->head, "content-type: application/json\n");
	struct json_writer w = {.to = &ret->body};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "object", "chat.completion");
	json_writer_string(&w, "model", span_of(model));
	json_writer_open(&w, "choices", '[');
	json_writer_open(&w, NULL, '{');
	json_writer_integer(&w, "index", 0);
	json_writer_text(&w, "finish_reason", "stop");
	json_writer_open(&w, "message", '{');
	json_writer_text(&w, "role", "assistant");
	json_writer_string(&w, "content", words);
	json_writer_close(&w, "}}]}");
}
