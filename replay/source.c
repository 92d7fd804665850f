#include "replay/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "backends/align.h"
#include "backends/manifest_collect.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"
#include "capture/resend.h"
#include "capture/formats/plain_file.h"
#include "replay/source_kind.h"

#define UNKNOWN_SAMPLING ((struct sampling){NAN, NAN, NAN, NAN, NAN, NAN, NAN})

struct source *source_capture(struct capture *c)
{
	struct source *s = xcalloc(1, sizeof(*s));
	s->capture = c;
	s->told = UNKNOWN_SAMPLING;
	return s;
}

struct source *source_lines(const char *path, const uint8_t hash_key[32],
        const struct trace_units *units, char **ret_error)
{
	FILE *file = plain_file_open(path, ret_error);
	if (!file) {
		return NULL;
	}
	struct source *s = xcalloc(1, sizeof(*s));
	s->file = file;
	s->path = xstrdup(path);
	s->told = UNKNOWN_SAMPLING;
	memcpy(s->hash_key, hash_key, sizeof(s->hash_key));
	source_open_suite(s);
	*ret_error = source_is_suite(s) ? NULL : source_spool(s, units);
	if (*ret_error) {
		source_destroy(s);
		return NULL;
	}
	return s;
}

void source_destroy(struct source *s)
{
	if (!s) {
		return;
	}
	if (s->file) {
		fclose(s->file);
	}
	error_tally_finish(&s->bad);
	free(s->path);
	free(s->suite_name);
	buf_finish(&s->line);
	buf_finish(&s->record);
	free(s);
}

void source_load_answers(struct source *s)
{
	s->recalls = true;
}

const struct request_format *source_format(const struct source *s)
{
	return s->format;
}

bool source_is_suite(const struct source *s)
{
	return s->suite.form != SUITE_NONE;
}

static void note_model(struct source_scan *scan, const char *model)
{
	for (size_t i = 0; i < scan->n_models; i++) {
		if (strcmp(scan->models[i], model) == 0) {
			return;
		}
	}
	if (scan->n_models < SOURCE_MODELS_LIMIT) {
		scan->models[scan->n_models++] = xstrdup(model);
	}
}

/* Notes the values that exist, for the message if a selection leaves nothing. */
static void note_values(struct source_scan *scan, const struct filter_request *facts)
{
	const struct filters *f = &scan->rules->filters;
	struct buf value = {0};
	for (size_t i = 0; i < f->n; i++) {
		buf_clear(&value);
		if (filter_request_put(f->items[i].key, facts, &value)) {
			error_tally_add(
			        &scan->values[i], value.len ? buf_cstr(&value) : "not said");
		}
	}
	buf_finish(&value);
}

bool source_plan_request(struct source_scan *scan, const struct filter_request *facts,
        const struct plan_request *request)
{
	bool full = !scan->even && scan->plan->n_requests >= scan->limit;
	note_values(scan, facts);
	if (full || !request_choice_selects(scan->rules, facts)) {
		scan->not_chosen++;
		return true;
	}
	note_model(scan, facts->model ? facts->model : "");
	scan->timed += request->wall_ns != 0;
	scan->open += request->open;
	struct plan_request added = *request;
	const char *category = facts->category;
	added.category = category ? XXH3_64bits(category, strlen(category)) | 1 : 0;
	return plan_add(scan->plan, &added);
}

int source_scan(struct source *s, struct source_scan *scan)
{
	if (s->capture) {
		return source_scan_capture(s, scan);
	}
	return source_is_suite(s) ? source_scan_suite(s, scan) : source_scan_lines(s, scan);
}

void source_scan_finish(struct source_scan *scan)
{
	for (size_t i = 0; i < scan->n_models; i++) {
		free(scan->models[i]);
	}
	scan->n_models = 0;
	for (size_t i = 0; i < ARRAY_LEN(scan->values); i++) {
		error_tally_finish(&scan->values[i]);
	}
}

const char *source_load(struct source *s, const struct plan_request *r, struct source_body *ret)
{
	if (s->capture) {
		return source_load_capture(s, r, ret);
	}
	return source_is_suite(s) ? source_load_suite(s, r, ret) : source_load_line(s, r, ret);
}

void source_body_finish(struct source_body *b)
{
	free(b->target);
	buf_finish(&b->recorded);
	buf_finish(&b->body);
	exchange_row_finish(&b->row);
	*b = (struct source_body){0};
}

/* A capture. */

/* Why the exchange cannot be sent; NULL: it can. */
static const char *unfit(const struct capture_exchange *e, bool placeholders)
{
	const struct exchange_row *row = &e->row;
	if (e->absent) {
		return "the exchange itself is in another capture";
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
	return row->facts.stateful ? "it refers to what the engine had stored" : NULL;
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
			const struct filter_request facts = {
			        .exchange = row->id,
			        .model = row->model ? row->model : row->facts.model,
			        .endpoint = row->endpoint,
			        .stream = row->facts.stream,
			        .tools = row->facts.has_tools,
			        .session = row->hashes.session,
			        .category = row->labels.category,
			};
			struct plan_request request = {
			        .exchange = row->id,
			        .wall_ns = row->wall_ns,
			        .bytes = row->body_bytes,
			};
			memcpy(request.chain, row->hashes.chain, REQUEST_HASH_SIZE);
			memcpy(request.parent, row->hashes.parent, REQUEST_HASH_SIZE);
			size_t planned = scan->plan->n_requests;
			room = source_plan_request(scan, &facts, &request);
			scan->redacted +=
			        scan->plan->n_requests > planned && resend_is_redacted(row);
		}
		capture_exchange_finish(&e);
	}
	return room ? r : -E2BIG;
}

/* The sampling defaults of the engine that answered, from its manifest. */
static struct sampling told_by(struct source *s, struct id manifest)
{
	if (id_compare(manifest, s->told_by) == 0) {
		return s->told;
	}
	const struct manifest_row *row = capture_manifest(s->capture, manifest);
	struct manifest *m = row && row->json ? manifest_parse(row->json) : NULL;
	s->told = m ? manifest_sampling(m) : UNKNOWN_SAMPLING;
	s->told_by = manifest;
	manifest_destroy(m);
	return s->told;
}

static void note_answerer(struct source *s, const struct leg_row *leg, struct source_body *ret)
{
	const struct dialect *d = leg->dialect ? dialect_find(leg->dialect) : NULL;
	ret->from = d ? d : &dialect_generic;
	ret->told = told_by(s, leg->manifest);
	ret->answered_ns = leg->end_us != UINT64_MAX ? leg->start_ns + leg->end_us * 1000 : 0;
}

static void recall(
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
	struct source_body b = {.from = &dialect_generic, .told = UNKNOWN_SAMPLING};
	if (capture_find(s->capture, r->exchange, &e) < 0) {
		return "the exchange is not in the capture any more";
	}
	const char *why = resend_unfit(&e.row, s->placeholders);
	if (why) {
		capture_exchange_finish(&e);
		return why;
	}
	int error = capture_request_body(s->capture, &e, &b.body);
	b.endpoint = e.row.endpoint;
	b.target = xstrdup(e.row.target);
	b.facts = e.row.facts;
	size_t first = capture_first_answer(&e);
	if (first < e.n_legs) {
		note_answerer(s, &e.legs[first].row, &b);
	}
	if (first < e.n_legs && s->recalls) {
		recall(s, &e, first, &b);
	}
	capture_exchange_finish(&e);
	if (error < 0) {
		source_body_finish(&b);
		return resend_unread(error);
	}
	*ret = b;
	return NULL;
}
