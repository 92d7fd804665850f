#include "capture/formats/import_store.h"

#include <stdlib.h>
#include <string.h>

#include "capture/manifest.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/capture.h"
#include "capture/capture_meta.h"
#include "capture/recorder/recorder.h"
#include "capture/formats/digest_map.h"
#include "capture/formats/origin_id.h"

#define BUDGET ((size_t)256 << 20)
#define BYTES_LIMIT ((size_t)64 << 20) /* largest body that a reading accepts */
#define STOP_NS (UINT64_C(60) * 1000000000)
#define NEVER UINT64_MAX
#define LEG_EXISTED 1 /* number in `legs`: the capture had this leg before the import began */

struct import_store {
	const char *base;
	struct budget budget;
	struct recorder *recorder;
	struct ledger *ledger;
	struct ledger_book *book;
	struct digest_map
	        exchanges; /* by the end of their ids: time (ms), length of the request's head */
	struct digest_map legs;
	struct digest_map repeats; /* by exchange and backend: number of legs */
	struct import_store_figures figures;
	uint64_t last_ms; /* time of the exchange created last */
	struct buf request, body;
};

static void repeat_key(struct id exchange, struct span backend, uint8_t key[DIGEST_KEY_SIZE])
{
	struct origin_hash h;
	origin_hash_begin(&h, "repeat");
	origin_hash_id(&h, exchange);
	origin_hash_span(&h, backend);
	origin_hash_end(&h, key);
}

/* Returns the offset of the prompt in a request made by imported_answer_put_request(). */
static size_t head_of(struct span body)
{
	static const char *const PROMPTS[] = {"\"messages\":", "\"prompt\":"};
	size_t head = body.len;
	for (size_t i = 0; i < ARRAY_LEN(PROMPTS); i++) {
		/* The match cannot be within a string: its quotes would be escaped there. */
		const char *at =
		        body.len ? memmem(body.data, body.len, PROMPTS[i], strlen(PROMPTS[i]))
		                 : NULL;
		head = at ? MIN(head, (size_t)(at - body.data)) : head;
	}
	return head;
}

static void recall_exchange(
        struct import_store *d, struct capture *c, const struct capture_exchange *e)
{
	uint8_t key[DIGEST_KEY_SIZE];
	struct buf body = {0};
	bool is_new;
	if ((e->row.id.bytes[6] & 0xf0) != 0x80 || capture_request_body(c, e, &body) < 0) {
		buf_finish(&body);
		return;
	}
	origin_id_key(e->row.id, key);
	struct digest_entry *entry = digest_map_at(&d->exchanges, key, &is_new);
	entry->number = id_time_ms(e->row.id);
	entry->extra = (uint32_t)head_of(buf_span(&body));
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		origin_id_key(row->id, key);
		digest_map_at(&d->legs, key, &is_new)->number = LEG_EXISTED;
		repeat_key(e->row.id, span_of(row->backend), key);
		entry = digest_map_at(&d->repeats, key, &is_new);
		entry->number = MAX(entry->number, (uint64_t)row->repeat + 1);
	}
	buf_finish(&body);
}

static char *index_capture(struct import_store *d, const char *dir)
{
	uint8_t hash_key[32];
	char *error = NULL;
	if (!capture_hash_key(dir, hash_key)) {
		return NULL; /* there is no capture yet */
	}
	struct capture *c = capture_open(&dir, 1, &error);
	if (!c) {
		return error;
	}
	struct capture_exchange e;
	while (capture_next(c, &e) == 1) {
		recall_exchange(d, c, &e);
		capture_exchange_finish(&e);
	}
	capture_close(c);
	return NULL;
}

struct import_store *import_store_create(const struct import_store_settings *s, char **ret_error)
{
	struct import_store *d = xcalloc(1, sizeof(*d));
	d->base = s->base;
	budget_init(&d->budget, BUDGET);
	*ret_error = index_capture(d, s->dir);
	const struct recorder_settings settings = {
	        .path = s->dir,
	        .drops_empty = true,
	        .budget = &d->budget,
	        .settings_json = s->settings,
	};
	d->recorder = *ret_error ? NULL : recorder_create(&settings, ret_error);
	if (!d->recorder) {
		digest_map_finish(&d->exchanges);
		digest_map_finish(&d->legs);
		digest_map_finish(&d->repeats);
		free(d);
		return NULL;
	}
	d->ledger = ledger_create();
	d->book = ledger_book(d->ledger, "imported");
	return d;
}

static enum role role_of(const struct import_store *d, const struct imported_answer *a)
{
	return !d->base ? a->role : span_is(a->backend, d->base) ? ROLE_REFERENCE : ROLE_CANDIDATE;
}

static struct id put_manifest(
        struct import_store *d, const char *name, const struct imported_answer *a)
{
	struct manifest *m = manifest_create(name, NULL, NULL);
	m->wall_ns = a->start_ns ? a->start_ns : clock_wall();
	for (size_t i = 0; i < a->n_facts; i++) {
		char *value = span_dup(a->facts[i].value);
		manifest_set(m, a->facts[i].name, value, a->format);
		free(value);
	}
	manifest_set(m, "note.imported", "its answers were imported, not recorded", a->format);
	char *json = manifest_json(m);
	struct manifest_row row = {
	        .id = id_make(),
	        .backend = (char *)name,
	        .role = role_of(d, a),
	        .wall_ns = m->wall_ns,
	        .json = json,
	};
	manifest_digest(m, row.digest);
	recorder_manifest(d->recorder, &row);
	free(json);
	manifest_destroy(m);
	return row.id;
}

/* NULL: there are too many. */
static struct import_store_backend *backend_of(
        struct import_store *d, const struct imported_answer *a)
{
	struct import_store_figures *f = &d->figures;
	for (size_t i = 0; i < f->n_backends; i++) {
		if (span_is(a->backend, f->backends[i].name)) {
			return &f->backends[i];
		}
	}
	if (f->n_backends == IMPORT_STORE_BACKENDS_LIMIT) {
		return NULL;
	}
	f->backends = xrealloc(f->backends, (f->n_backends + 1) * sizeof(*f->backends));
	struct import_store_backend *b = &f->backends[f->n_backends++];
	*b = (struct import_store_backend){.name = span_dup(a->backend), .role = role_of(d, a)};
	b->manifest = put_manifest(d, b->name, a);
	return b;
}

static bool make_labels(const struct imported_answer *a, struct exchange_labels *ret)
{
	const struct {
		struct span text;
		size_t limit;
		char **to;
	} labels[] = {
	        {a->suite, LABEL_LIMIT, &ret->suite},
	        {a->item, LABEL_LIMIT, &ret->item},
	        {a->category, LABEL_LIMIT, &ret->category},
	        {a->gold, LABEL_GOLD_LIMIT, &ret->gold},
	};
	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		if (labels[i].text.len &&
		        !exchange_label_make(labels[i].text, labels[i].limit, labels[i].to)) {
			exchange_labels_finish(ret);
			return false;
		}
	}
	return true;
}

/* Returns NULL, or why the exchange is refused. */
static const char *put_exchange(
        struct import_store *d, const struct imported_answer *a, struct id id)
{
	struct span body = buf_span(&d->request);
	enum endpoint endpoint = imported_answer_endpoint(a);
	struct exchange_row row = {
	        .id = id,
	        .wall_ns = a->start_ns ? a->start_ns : id_time_ms(id) * 1000000,
	        .endpoint = endpoint,
	        .outcome = OUTCOME_COMPLETE,
	        .content = CONTENT_FULL,
	        .body_bytes = body.len,
	};
	bool whole;
	if (!make_labels(a, &row.labels)) {
		return "a label is too long, or holds a NUL";
	}
	request_read(endpoint, body, &row.facts);
	if (!row.facts.is_json ||
	        !request_hash(endpoint, body, recorder_hash_key(d->recorder), &row.hashes)) {
		exchange_row_finish(&row);
		return "its prompt is not JSON";
	}
	row.method = xstrdup("POST");
	row.target = a->sent.len
	                     ? span_dup(a->target)
	                     : xstrdup(endpoint == ENDPOINT_COMPLETION ? "/v1/completions"
	                                                               : "/v1/chat/completions");
	row.streamed = row.facts.stream;
	row.model = *row.facts.model ? xstrdup(row.facts.model) : NULL;
	recorder_put(d->recorder, id, PART_REQUEST_BODY, body, true, &whole);
	row.marks = whole ? 0 : EXCHANGE_TRUNCATED;
	d->figures.gold += row.labels.gold != NULL;
	d->figures.exchanges++;
	recorder_exchange(d->recorder, &row, d->book);
	return NULL;
}

/* Finds the answer's exchange, or creates it. */
static const char *find_exchange(struct import_store *d, const struct imported_answer *a,
        size_t head, struct id *ret, size_t *ret_head)
{
	uint8_t hash[DIGEST_KEY_SIZE], key[DIGEST_KEY_SIZE];
	struct span request = buf_span(&d->request);
	struct origin_hash h;
	origin_hash_begin(&h, "exchange");
	origin_hash_span(&h, (struct span){request.data + head, request.len - head});
	origin_hash_span(&h, a->suite);
	origin_hash_span(&h, a->item);
	origin_hash_span(&h, a->category);
	origin_hash_span(&h, a->gold);
	origin_hash_end(&h, hash);
	origin_id_key(origin_id(0, hash), key);
	bool is_new;
	struct digest_entry *e = digest_map_at(&d->exchanges, key, &is_new);
	if (is_new) {
		/* Times increase in the order of import, so that lists show that order. */
		uint64_t ms = a->start_ns / 1000000;
		d->last_ms = ms > d->last_ms ? ms : d->last_ms + 1;
		e->number = d->last_ms;
		e->extra = (uint32_t)head;
	}
	if (e->extra == UINT32_MAX) {
		return "its exchange was refused";
	}
	*ret = origin_id(e->number, hash);
	*ret_head = e->extra;
	const char *why = is_new ? put_exchange(d, a, *ret) : NULL;
	if (why) {
		e->extra = UINT32_MAX;
	}
	return why;
}

/* Records the request as this backend received it: another head before the same prompt. */
static void put_edit(
        const struct import_store *d, size_t head, size_t exchange_head, struct leg_row *row)
{
	row->edits = xcalloc(1, sizeof(*row->edits));
	row->n_edits = 1;
	row->edits[0] = (struct edit){
	        .removed = exchange_head,
	        .inserted = {xmemdup(d->request.data, head), head},
	};
}

/* Copies a value for a header field. NULL: there is no value, or a line end in it would begin a
 * second field. */
static char *field_of(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.data[i] < ' ' || s.data[i] == 0x7f) {
			return NULL;
		}
	}
	return s.len ? span_dup(s) : NULL;
}

static void put_answer(struct import_store *d, const struct imported_answer *a, struct leg_row *row)
{
	struct request_facts facts;
	request_read(imported_answer_endpoint(a), buf_span(&d->request), &facts);
	const struct reading_hints hints = {
	        .endpoint = imported_answer_endpoint(a),
	        .has_tools = facts.has_tools,
	        .offered = facts.offered,
	        .status = row->status,
	        .framing = framing_of_type(span_of(row->content_type)),
	};
	struct buf fields = {0};
	bool whole, head;
	buf_printf(&fields, "content-type: %s\n", row->content_type);
	if (row->content_encoding) {
		buf_printf(&fields, "content-encoding: %s\n", row->content_encoding);
	}
	recorder_leg_begin(d->recorder, row->id, &hints, row->content_encoding);
	recorder_put(d->recorder, row->id, PART_RESPONSE_HEAD, buf_span(&fields), true, &head);
	buf_finish(&fields);
	row->body_bytes = d->body.len;
	row->body_parts = recorder_put(
	        d->recorder, row->id, PART_RESPONSE_BODY, buf_span(&d->body), true, &whole);
	row->marks |= whole ? 0 : LEG_TRUNCATED;
	recorder_leg(d->recorder, row, whole, d->book);
}

/* False: the capture already has this leg, from before or (*ret_repeated) from this import. */
static bool add_leg(struct import_store *d, const struct imported_answer *a, struct id exchange,
        struct id *ret, bool *ret_repeated)
{
	uint8_t hash[DIGEST_KEY_SIZE], key[DIGEST_KEY_SIZE];
	struct origin_hash h;
	bool is_new;
	origin_hash_begin(&h, "leg");
	origin_hash_id(&h, exchange);
	origin_hash_span(&h, a->backend);
	origin_hash_span(&h, a->identity);
	origin_hash_end(&h, hash);
	*ret = origin_id(a->start_ns ? a->start_ns / 1000000 : id_time_ms(exchange), hash);
	origin_id_key(*ret, key);
	*ret_repeated = digest_map_at(&d->legs, key, &is_new)->number != LEG_EXISTED && !is_new;
	return is_new;
}

static uint32_t next_repeat(
        struct import_store *d, const struct imported_answer *a, struct id exchange)
{
	uint8_t key[DIGEST_KEY_SIZE];
	bool is_new;
	repeat_key(exchange, a->backend, key);
	return (uint32_t)digest_map_at(&d->repeats, key, &is_new)->number++;
}

static void put_leg(struct import_store *d, const struct imported_answer *a, struct id id,
        struct id exchange, const struct import_store_backend *b, size_t head, size_t exchange_head)
{
	char *type = field_of(a->content_type);
	struct leg_row row = {
	        .id = id,
	        .exchange = exchange,
	        .run = recorder_run(d->recorder),
	        .backend = span_dup(a->backend),
	        .url = field_of(a->url),
	        .role = role_of(d, a),
	        .repeat = next_repeat(d, a, exchange),
	        .outcome = imported_answer_outcome(a),
	        .marks = LEG_IMPORTED,
	        .status = a->sent.len ? a->status : 200,
	        .start_ns = a->start_ns,
	        .queued_us = NEVER,
	        .head_us = a->head_us ? a->head_us : NEVER,
	        .first_body_us = NEVER,
	        .first_content_us = NEVER,
	        .end_us = a->took_us,
	        .in_flight = a->concurrency,
	        .usage = {-1, -1, -1, -1, -1},
	        .content_type = type ? type : xstrdup("application/json"),
	        .content_encoding = field_of(a->content_encoding),
	        .manifest = b->manifest,
	};
	if (!a->sent.len) {
		put_edit(d, head, exchange_head, &row);
	}
	put_answer(d, a, &row);
}

/* Whether the body can be parsed again later; otherwise it is not stored. Values are nested more
 * deeply here than in the imported file. */
static bool is_json(struct span body)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, body);
	return json_skip(&j, &t).len > 0 && json_next(&j).type == JSON_TOKEN_END;
}

enum import_store_result import_store_add(
        struct import_store *d, const struct imported_answer *a, const char **ret_why)
{
	size_t head, exchange_head;
	struct id exchange, leg;
	if (a->backend.len > 0 && memchr(a->backend.data, '\0', a->backend.len)) {
		*ret_why = "its backend's name holds a NUL";
		return IMPORT_STORE_REFUSED;
	}
	buf_clear(&d->request);
	buf_clear(&d->body);
	imported_answer_put_request(a, &d->request, &head);
	imported_answer_put_body(a, &d->body);
	struct import_store_backend *b = backend_of(d, a);
	if (!b || d->request.len > BYTES_LIMIT || d->body.len > BYTES_LIMIT) {
		*ret_why = b ? "it is too long" : "it has too many backends";
		return IMPORT_STORE_REFUSED;
	}
	/* else the body is recorded bytes, as from the proxy, and stored as it is */
	bool repeated, made = !a->sent.len;
	if ((made && !is_json(buf_span(&d->body))) || !is_json(buf_span(&d->request))) {
		*ret_why = made ? "it is nested too deeply"
		                : "its body is not one JSON object, or is nested too deeply";
		return IMPORT_STORE_REFUSED;
	}
	*ret_why = find_exchange(d, a, head, &exchange, &exchange_head);
	if (*ret_why) {
		return IMPORT_STORE_REFUSED;
	}
	if (!add_leg(d, a, exchange, &leg, &repeated)) {
		d->figures.known++;
		d->figures.repeated += repeated;
		return IMPORT_STORE_KNOWN;
	}
	put_leg(d, a, leg, exchange, b, head, exchange_head);
	d->figures.answers++;
	b->answers++;
	return IMPORT_STORE_NEW;
}

void import_store_end(struct import_store *d, struct import_store_figures *ret)
{
	recorder_stop(d->recorder, STOP_NS);
	d->figures.lost = ledger_lost(d->ledger);
	*ret = d->figures;
	ledger_destroy(d->ledger);
	digest_map_finish(&d->exchanges);
	digest_map_finish(&d->legs);
	digest_map_finish(&d->repeats);
	buf_finish(&d->request);
	buf_finish(&d->body);
	free(d);
}

void import_store_figures_finish(struct import_store_figures *f)
{
	for (size_t i = 0; i < f->n_backends; i++) {
		free(f->backends[i].name);
	}
	free(f->backends);
	*f = (struct import_store_figures){0};
}
