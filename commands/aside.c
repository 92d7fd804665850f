#include "commands/aside.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/shell.h"
#include "capture/capture_meta.h"

#define ANSWER_LIMIT ((size_t)256 << 20)
#define BUDGET ((size_t)256 << 20)
#define SEGMENT_SIZE (UINT64_C(1) << 30)
#define QUEUE_LIMIT ((size_t)128 << 20) /* never spent: recorder_wait_for_room() */
#define NEVER UINT64_MAX

struct capture *aside_capture(const char *dir, const char *to, char **ret_error)
{
	const char *dirs[] = {dir, to};
	uint8_t key[32];
	return capture_open(dirs, to && capture_hash_key(to, key) ? 2 : 1, ret_error);
}

char *aside_open(const char *dir, const char *to, const char *settings, const char *book,
        struct aside_store *ret)
{
	uint8_t key[32];
	char *error = NULL;
	bool has_key = capture_hash_key(dir, key);
	budget_init(&ret->budget, BUDGET);
	const struct recorder_settings s = {
	        .path = to ? to : dir,
	        .segment_size = SEGMENT_SIZE,
	        .queue_limit = QUEUE_LIMIT,
	        .encoders = 1,
	        .budget = &ret->budget,
	        .settings_json = settings,
	        .hash_key = has_key ? key : NULL,
	};
	ret->recorder = recorder_create(&s, &error);
	if (!ret->recorder) {
		return error;
	}
	ret->ledger = ledger_create();
	ret->book = ledger_book(ret->ledger, book);
	return NULL;
}

/* What an answer's head may keep, as the proxy keeps it. */
static void kept_head(const struct call_answer *a, struct buf *to)
{
	static const char *const KEPT[] = {"content-type", "server", "x-request-id"};
	for (size_t i = 0; i < ARRAY_LEN(KEPT); i++) {
		struct span value = call_header(a, KEPT[i]);
		if (value.len) {
			buf_printf(to, "%s: %.*s\n", KEPT[i], (int)value.len, value.data);
		}
	}
}

static void put_parts(const struct aside *aside, struct recorder *recorder, struct leg_row *row)
{
	const struct call_answer *a = aside->answer;
	struct span type = call_header(a, "content-type");
	row->content_type = type.len ? span_dup(type) : NULL;
	const struct reading_hints hints = {
	        .endpoint = aside->endpoint,
	        .status = a->status,
	        .framing = framing_of_type(type),
	        .limit = ANSWER_LIMIT,
	};
	recorder_leg_begin(recorder, row->id, &hints, NULL);
	struct buf head = {0};
	kept_head(a, &head);
	struct chunks pieces = {0};
	recorder_wait_for_room(recorder);
	chunks_push(&pieces, chunk_make(NULL, head.data, head.len));
	bool good = recorder_part(recorder, row->id, PART_RESPONSE_HEAD, 0, &pieces);
	buf_finish(&head);
	if (good) {
		row->body_parts = recorder_put(
		        recorder, row->id, PART_RESPONSE_BODY, buf_span(&a->body), &good);
	}
	row->marks |= good ? 0 : LEG_TRUNCATED;
}

/* The whole body gives way to what was sent. */
static void put_edit(struct leg_row *row, uint64_t body_bytes, struct span request)
{
	row->edits = xcalloc(1, sizeof(*row->edits));
	row->n_edits = 1;
	row->edits[0] = (struct edit){
	        .removed = body_bytes,
	        .inserted = {xmemdup(request.data, request.len), request.len},
	};
}

bool aside_record(const struct aside *aside, struct recorder *recorder, struct ledger_book *book)
{
	const struct call_answer *a = aside->answer;
	const struct dialect *d = aside->dialect;
	struct leg_row row = {
	        .id = id_make(),
	        .exchange = aside->exchange,
	        .run = recorder_run(recorder),
	        .backend = xstrdup(aside->backend->name),
	        .url = xstrdup(aside->backend->url),
	        .role = aside->backend->role,
	        .outcome = OUTCOME_COMPLETE,
	        .marks = aside->marks,
	        .status = a->status,
	        .start_ns = aside->start_ns,
	        .queued_us = NEVER,
	        .head_us = a->first_us,
	        .first_body_us = a->first_us,
	        .first_content_us = NEVER,
	        .end_us = a->total_us,
	        .body_bytes = a->body.len,
	        .in_flight = aside->in_flight,
	        .usage = {-1, -1, -1, -1, -1},
	        .dialect = d == &dialect_generic ? NULL : xstrdup(d->name),
	        .score_of = aside->of,
	        .score_at = aside->at,
	        .judged_against = aside->against,
	};
	put_edit(&row, aside->body_bytes, aside->request);
	put_parts(aside, recorder, &row);
	bool whole = !(row.marks & LEG_TRUNCATED);
	recorder_leg(recorder, &row, whole, book);
	return whole;
}

void aside_see_figures(const char *dir, const char *to, FILE *out)
{
	struct buf words = {0};
	shell_put_path(&words, dir);
	if (to) {
		buf_append_char(&words, ' ');
		shell_put_path(&words, to);
	}
	fprintf(out, "See the figures: plumbline analyze %s\n", buf_cstr(&words));
	buf_finish(&words);
}
