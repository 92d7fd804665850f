/*
 * source_capture - reads requests from a capture.
 */
#include <errno.h>
#include <string.h>

#include "backends/manifest_collect.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"
#include "capture/resend.h"
#include "replay/source_kind.h"
#include "replay/target.h"

/* Why the exchange cannot be sent; NULL: it can. */
static const char *unfit(const struct capture_exchange *e, bool placeholders)
{
	const struct exchange_row *row = &e->row;
	if (e->absent) {
		return "its request is in another capture";
	}
	if (!endpoint_is_openai(row->endpoint) || !row->method ||
	        strcmp(row->method, "POST") != 0) {
		return "neither a chat nor a completion";
	}
	if (row->outcome == OUTCOME_BAD_REQUEST) {
		return "the proxy had refused it";
	}
	const char *why = resend_unfit(row, placeholders);
	if (why) {
		return why;
	}
	if (!row->facts.is_json) {
		return "its body is not one JSON object";
	}
	return row->facts.stateful ? "it refers to a state that the engine had stored" : NULL;
}

int source_scan_capture(struct source *s, struct source_scan *scan)
{
	struct capture_exchange e;
	bool room = true;
	int r = 1;
	s->placeholders = scan->placeholders;
	capture_rewind(s->capture);
	while (room && (r = capture_next(s->capture, &e)) == 1) {
		const struct exchange_row *row = &e.row;
		const char *why = unfit(&e, scan->placeholders);
		scan->found++;
		if (why) {
			error_tally_add(scan->unfit, why);
		} else {
			const struct plan_request request = {
			        .exchange = row->id,
			        .wall_ns = row->wall_ns,
			        .bytes = row->body_bytes,
			};
			const char *model = row->model ? row->model : row->facts.model;
			size_t planned = scan->plan->n_requests;
			room = source_plan_request(scan, &request, row->endpoint, &row->facts,
			        &row->hashes, model, row->labels.category);
			scan->redacted +=
			        scan->plan->n_requests > planned && resend_is_redacted(row);
		}
		capture_exchange_finish(&e);
	}
	return room ? r : -E2BIG;
}

/* The sampling defaults of the engine that answered, from its manifest. */
static struct sampling sampling_defaults(struct source *s, struct id manifest)
{
	if (id_compare(manifest, s->defaults_of) == 0) {
		return s->defaults;
	}
	const struct manifest_row *row = capture_manifest(s->capture, manifest);
	struct manifest *m = row && row->json ? manifest_parse(row->json) : NULL;
	s->defaults = m ? manifest_sampling(m) : UNKNOWN_SAMPLING;
	s->defaults_of = manifest;
	manifest_destroy(m);
	return s->defaults;
}

static void load_recorded_answer(
        struct source *s, const struct capture_exchange *e, size_t leg, struct source_body *ret)
{
	struct reading *reading = leg_whole_reading(s->capture, e, leg);
	if (reading) {
		buf_append_span(&ret->recorded, buf_span(&reading->choices[0].text));
		ret->has_recorded = true;
		reading_destroy(reading);
	}
}

const char *source_load_capture(
        struct source *s, const struct plan_request *r, struct source_body *ret)
{
	struct capture_exchange e;
	struct source_body b = {.from = &dialect_generic, .defaults = UNKNOWN_SAMPLING};
	if (capture_find(s->capture, r->exchange, &e) < 0) {
		return "the exchange is no longer in the capture";
	}
	const char *why = resend_unfit(&e.row, s->placeholders);
	if (why) {
		capture_exchange_finish(&e);
		return why;
	}
	int error = capture_request_body(s->capture, &e, &b.body);
	b.endpoint = e.row.endpoint;
	b.target = capture_is_imported(&e) ? target_of_engine(e.row.target) : xstrdup(e.row.target);
	b.facts = e.row.facts;
	size_t first = capture_first_answer(&e);
	if (first < e.n_legs) {
		const struct leg_row *leg = &e.legs[first].row;
		const struct dialect *d = leg->dialect ? dialect_find(leg->dialect) : NULL;
		b.from = d ? d : &dialect_generic;
		b.defaults = sampling_defaults(s, leg->manifest);
		b.answered_ns = leg->end_us != UINT64_MAX ? leg->start_ns + leg->end_us * 1000 : 0;
		if (s->loads_answers) {
			load_recorded_answer(s, &e, first, &b);
		}
	}
	capture_exchange_finish(&e);
	if (error < 0) {
		source_body_finish(&b);
		return resend_unread(error);
	}
	*ret = b;
	return NULL;
}
