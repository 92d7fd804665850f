#include "proxy/exchange_record.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "capture/privacy/privacy.h"
#include "capture/recorder/recorder.h"
#include "proxy/exchange.h"
#include "proxy/head.h"
#include "proxy/shared.h"

void exchange_record_init(struct exchange *e)
{
	e->record.opted_out = head_opts_out(e->head);
}

bool exchange_record_wanted(const struct exchange *e)
{
	struct span method = e->head->method;
	bool is_read_only =
	        span_is(method, "GET") || span_is(method, "HEAD") || span_is(method, "OPTIONS");
	return e->shared->recorder && !is_read_only && !e->record.opted_out;
}

/* Whether the decision to record must wait until the request is complete. */
static bool is_decided_late(const struct exchange *e)
{
	const struct settings *s = e->settings;
	return s->record_mirrored_only || s->opt_out_models.n;
}

/* Ignores case, and space around a name, because engines and gateways may ignore them, too. */
static bool rule_matches(const char *rule, struct span model)
{
	struct span name = {rule, strcspn(rule, "*")};
	if (rule[name.len]) {
		model.len = MIN(model.len, name.len);
	}
	return span_equal_nocase(model, name);
}

void exchange_record_check_model(struct exchange *e)
{
	const struct settings *s = e->settings;
	struct span model = span_trim(span_of(e->facts.model));
	bool known =
	        exchange_is_parsed(e) && e->facts.is_json && e->facts.model_is_whole && model.len;
	for (size_t i = 0; i < s->opt_out_models.n && !e->record.opted_out; i++) {
		e->record.opted_out = !known || rule_matches(s->opt_out_models.items[i], model);
	}
}

bool exchange_record_decided(const struct exchange *e)
{
	const struct settings *s = e->settings;
	return exchange_record_wanted(e) &&
	       (!s->record_mirrored_only || e->copies == COPIES_WANTED) &&
	       (!s->opt_out_models.n || e->copies != COPIES_UNDECIDED);
}

/* The rest of the body will not be recorded. */
static void truncate_record(struct exchange *e)
{
	if (!e->record.truncated) {
		shared_count(e->shared, COUNTER_TRUNCATED, 1);
	}
	e->record.truncated = true;
	upload_stop_recording(&e->upload);
}

static void record_body(struct exchange *e)
{
	if (e->record.truncated) {
		return;
	}
	struct chunks pieces = upload_unrecorded(&e->upload);
	if (!pieces.n) {
		chunks_finish(&pieces);
	} else if (recorder_part(e->shared->recorder, e->id, PART_REQUEST_BODY, e->record.n_parts,
	                   &pieces)) {
		e->record.n_parts++;
	} else {
		truncate_record(e);
	}
}

void exchange_record_body(struct exchange *e)
{
	if (!e->upload.record) {
		return;
	}
	/*
	 * Whether the exchange is mirrored is decided when the request is complete. This body
	 * cannot be kept for that long.
	 */
	if (e->upload.over_budget || (is_decided_late(e) && !e->upload.kept)) {
		truncate_record(e);
	} else if (!is_decided_late(e)) {
		record_body(e);
	}
}

static void record_head(struct exchange *e)
{
	struct buf kept = {0};
	const struct settings *s = e->settings;
	const struct privacy_names more = {s->record_headers.items, s->record_headers.n};
	privacy_kept_request(e->head, &more, &kept);
	struct chunk *c = chunk_try_make(&e->shared->budget, kept.data, kept.len);
	buf_finish(&kept);
	struct chunks pieces = {0};
	if (c) {
		chunks_push(&pieces, c);
	}
	if (!c || !recorder_part(e->shared->recorder, e->id, PART_REQUEST_HEAD, 0, &pieces)) {
		truncate_record(e);
	}
}

void exchange_record_request(struct exchange *e)
{
	if (e->record.submitted) {
		return;
	}
	e->record.submitted = true;
	if (!exchange_record_decided(e)) {
		upload_stop_recording(&e->upload);
		return;
	}
	if (e->upload.over_budget) {
		truncate_record(e);
	}
	record_head(e);
	record_body(e);
}

static void fill_row(struct exchange *e, enum outcome outcome, struct exchange_row *row)
{
	*row = (struct exchange_row){
	        .id = e->id,
	        .wall_ns = e->wall_ns,
	        .method = span_dup(e->head->method),
	        .target = privacy_target(e->head->target),
	        .endpoint = e->endpoint,
	        .outcome = outcome,
	        .content = CONTENT_FULL,
	        .body_bytes = e->upload.received,
	        .in_flight = e->in_flight,
	        .streamed = e->facts.stream,
	        .model = e->facts.model[0] ? xstrdup(e->facts.model) : NULL,
	        .client = e->peer[0] ? xstrdup(e->peer) : NULL,
	        .content_encoding = head_coding(e->head),
	        .hashes = e->hashes,
	        .facts = e->facts,
	};
	row->marks |= e->record.truncated ? EXCHANGE_TRUNCATED : 0;
	row->marks |=
	        e->upload.input != UPLOAD_COMPLETE || e->record.truncated ? EXCHANGE_BODY_CUT : 0;
}

void exchange_record_finish(struct exchange *e, enum outcome outcome)
{
	struct ledger_book *book = e->shared->exchanges;
	if (e->interrupted == INTERRUPTED_REFUSED) {
		ledger_excluded(book, EXCLUDED_REFUSED);
	} else if (e->record.opted_out) {
		ledger_excluded(book, EXCLUDED_OPTED_OUT);
	} else if (!e->shared->recorder) {
		ledger_excluded(book, EXCLUDED_NOT_MIRRORED);
	} else if (!exchange_record_wanted(e)) {
		ledger_excluded(book, EXCLUDED_ENDPOINT);
	} else if (!exchange_record_decided(e)) {
		ledger_excluded(book, EXCLUDED_NOT_MIRRORED);
	} else {
		struct exchange_row row;
		exchange_record_request(e);
		fill_row(e, outcome, &row);
		recorder_exchange(e->shared->recorder, &row, book);
	}
}
