#include "proxy/exchange.h"

#include <stdlib.h>
#include <string.h>

#define LOG_MODULE "exchange"
#include "base/clock.h"
#include "base/inflate.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/client.h"
#include "proxy/head.h"
#include "proxy/worker.h"

#define SMALL_PIECE 4096

#define ONE_READ 16384 /* bytes that one more read may add before the faster side pauses */

/* Memory that parsing a body may take, as a multiple of its length: one string may be unescaped. */
#define READ_FACTOR 4

void exchange_set_state(struct exchange *e, enum exchange_state state)
{
	expect(e->state != EXCHANGE_ENDED);
	e->state = state;
}

/* The largest body that is worth keeping, in bytes. */
static uint64_t keep_limit(const struct exchange *e)
{
	const struct settings *conf = e->settings;
	uint64_t limit = !endpoint_is_openai(e->endpoint) ? conf->relay_window : conf->inject_limit;
	if (mirror_may_copy(e)) {
		for (size_t i = 0; i < conf->n_references; i++) {
			limit = MAX(limit, conf->references[i].queue_limit);
		}
	}
	return limit;
}

/* The exchange's memory besides bodies: its head, and a second copy of it on the way to the
 * primary. */
static size_t own_weight(const struct exchange *e)
{
	return sizeof(*e) + 2 * (e->head->raw.len + e->head->n_fields * sizeof(*e->head->fields));
}

struct exchange *exchange_create(struct client *client, const struct http_head *head)
{
	struct worker *w = client->worker;
	struct exchange *e = xcalloc(1, sizeof(*e));
	e->magic = EXCHANGE_MAGIC;
	e->refs = 1;
	e->worker = w;
	e->shared = w->shared;
	e->config = worker_config_ref(w->config);
	e->settings = e->config->snapshot->settings;
	e->client = client;
	e->id = id_make();
	e->head = head_copy(head);
	budget_force(&w->shared->budget, own_weight(e));
	e->endpoint = endpoint_of(head->method, head->target);
	e->wall_ns = clock_wall();
	e->mono_ns = clock_mono();
	e->in_flight =
	        atomic_fetch_add_explicit(&w->shared->in_flight, 1, memory_order_relaxed) + 1;
	memcpy(e->peer, client->peer, sizeof(e->peer));
	list_append(&w->exchanges, &e->link);
	exchange_record_init(e);
	upload_init(&e->upload, &w->shared->budget, keep_limit(e), exchange_record_wanted(e));
	bool hold = !e->record.opted_out && injection_needs_body(e);
	e->state = hold ? EXCHANGE_HOLDING : EXCHANGE_READY;
	response_init(&e->response, client, head);
	shared_count(w->shared, COUNTER_EXCHANGES, 1);
	return e;
}

struct exchange *exchange_ref(struct exchange *e)
{
	e->refs++;
	return e;
}

void exchange_unref(struct exchange *e)
{
	if (--e->refs) {
		return;
	}
	expect(e->state == EXCHANGE_ENDED && !e->primary.upstream);
	upload_finish(&e->upload);
	chunk_unref(e->decoded);
	budget_give(&e->shared->budget, own_weight(e));
	free(e->head);
	worker_config_unref(e->config);
	e->magic = 0;
	free(e);
}

static void count_metrics(struct exchange *e, enum outcome outcome)
{
	shared_count_answer(e->shared, e->endpoint, e->response.status);
	uint64_t now = clock_mono();
	buckets_add(&e->shared->total_time, (now - e->mono_ns) / 1000);
	if (e->primary.head_us) {
		buckets_add(&e->shared->head_time, e->primary.head_us);
	}
	/* If the request was forwarded while it arrived, only the time after its last byte
	 * counts. */
	if (outcome == OUTCOME_COMPLETE && e->primary.sent_ns && e->complete_ns) {
		uint64_t before = e->primary.sent_ns > e->complete_ns
		                          ? e->primary.sent_ns - e->complete_ns
		                          : 0;
		buckets_add(&e->shared->added_time, (before + now - e->primary.ended_ns) / 1000);
	}
}

static void detach_client(struct exchange *e)
{
	e->client = NULL;
	e->response.client = NULL;
}

void exchange_complete(struct exchange *e, enum outcome outcome, const char *text)
{
	exchange_set_state(e, EXCHANGE_ENDED);
	if (e->copies == COPIES_UNDECIDED) {
		exchange_record_check_model(e);
		mirror_decide(e);
	}
	answer_scoring_submit(e, outcome);
	primary_leg_finish(e, outcome, text);
	/* Count status and times before the ledger counts the exchange: a scrape that has
		 * the exchange then has these, too. */
	count_metrics(e, outcome);
	exchange_record_finish(e, outcome);
	injection_finish(e);
	detach_client(e);
	list_remove(&e->link);
	if (e->tunnel == TUNNEL_OPEN) {
		atomic_fetch_sub_explicit(&e->shared->tunnels, 1, memory_order_relaxed);
	}
	atomic_fetch_sub_explicit(&e->shared->in_flight, 1, memory_order_relaxed);
	exchange_unref(e);
}

void exchange_client_caught_up(struct exchange *e)
{
	if (e->primary.paused && client_queued(e->client) <= exchange_window(e) / 2) {
		primary_leg_resume(e);
	}
}

static bool fits_limit(const struct exchange *e)
{
	return e->upload.kept && e->upload.received <= e->settings->inject_limit;
}

static void append_body(struct exchange *e, struct span piece)
{
	upload_add(&e->upload, piece.data, piece.len);
	if (e->state == EXCHANGE_HOLDING && !fits_limit(e)) {
		exchange_set_state(e, EXCHANGE_READY);
	}
}

/* Joins small chunks that came in one read into one piece. Single chunks would cost far more
 * memory than they hold. */
static void append_gathered(struct exchange *e)
{
	struct buf *gathered = &e->worker->gathered;
	if (gathered->len) {
		append_body(e, buf_span(gathered));
		buf_clear(gathered);
	}
}

void exchange_body(struct exchange *e, const char *data, size_t len)
{
	if (len < SMALL_PIECE) {
		buf_append(&e->worker->gathered, data, len);
		return;
	}
	append_gathered(e);
	append_body(e, (struct span){data, len});
}

/* Removes the content coding of the body. False: it cannot be decoded. */
static bool decode(struct exchange *e)
{
	struct claim claim = {.budget = &e->shared->budget};
	struct buf text = {0};
	size_t limit = MIN(e->settings->inject_limit, (size_t)DECODED_LIMIT);
	char *coding = head_coding(e->head);
	if (inflate_body_on(&claim, span_of(coding), upload_span(&e->upload), limit, &text) == 0) {
		e->decoded = chunk_try_make(claim.budget, text.data, text.len);
	}
	free(coding);
	buf_finish(&text);
	claim_close(&claim);
	return e->decoded;
}

struct span exchange_decoded_body(const struct exchange *e)
{
	return e->decoded ? chunk_span(e->decoded) : upload_span(&e->upload);
}

struct chunks exchange_body_for_copy(const struct exchange *e)
{
	struct chunks list = {0};
	if (!e->decoded) {
		return chunks_copy(&e->upload.body);
	}
	chunks_push(&list, chunk_ref(e->decoded));
	return list;
}

/* Reads the facts that sampling, copies and records depend on. */
static void parse_request(struct exchange *e)
{
	if (exchange_is_parsed(e) || e->endpoint == ENDPOINT_OTHER || !e->upload.kept ||
	        e->upload.received > e->settings->inject_limit || e->upload.recorded) {
		return;
	}
	upload_join(&e->upload);
	if (head_is_coded(e->head) && !decode(e)) {
		return;
	}
	struct span text = exchange_decoded_body(e);
	size_t most = READ_FACTOR * text.len;
	if (budget_take(&e->shared->budget, most)) {
		request_read(e->endpoint, text, &e->facts);
		e->body = EXCHANGE_BODY_PARSED;
		budget_give(&e->shared->budget, most);
	}
}

static void hash_request(struct exchange *e)
{
	struct span body = exchange_decoded_body(e);
	size_t most = request_hash_room(body);
	if (budget_take(&e->shared->budget, most)) {
		if (request_hash(e->endpoint, body, e->shared->hash_key, &e->hashes)) {
			e->body = EXCHANGE_BODY_HASHED;
		}
		budget_give(&e->shared->budget, most);
	}
}

/* Does what the primary need not wait for. */
static void finish_request(struct exchange *e)
{
	/* The facts are needed only for records and copies. */
	if ((e->shared->recorder || e->settings->n_references) && !e->record.opted_out) {
		parse_request(e);
		if (exchange_is_parsed(e) && e->facts.is_json) {
			hash_request(e);
		}
	}
	exchange_record_check_model(e);
	mirror_decide(e);
	exchange_record_request(e);
}

void exchange_body_end(struct exchange *e)
{
	append_gathered(e);
	upload_end(&e->upload);
	e->complete_ns = clock_mono();
	exchange_ref(e);
	if (e->state == EXCHANGE_HOLDING) {
		parse_request(e);
		exchange_record_check_model(e);
		if (!e->record.opted_out) {
			injection_prepare(e);
		}
	}
	if (e->state == EXCHANGE_HOLDING || e->state == EXCHANGE_READY) {
		primary_leg_start(e);
	} else {
		primary_leg_body_ready(e);
	}
	if (e->state != EXCHANGE_ENDED) {
		finish_request(e);
	}
	exchange_unref(e);
}

void exchange_flush(struct exchange *e)
{
	append_gathered(e);
	if (e->state != EXCHANGE_ENDED && (!fits_limit(e) || !endpoint_is_openai(e->endpoint))) {
		exchange_record_body(e);
	}
	if (e->state == EXCHANGE_READY) {
		primary_leg_start(e);
	} else if (e->state == EXCHANGE_SENDING && e->upload.fresh &&
	           e->head->framing != HTTP_NO_BODY) {
		primary_leg_body_ready(e);
	}
}

bool exchange_takes_body(const struct exchange *e)
{
	return e->state == EXCHANGE_HOLDING || upload_waiting(&e->upload) <= exchange_window(e);
}

size_t exchange_window(const struct exchange *e)
{
	size_t window = budget_window(&e->shared->budget, e->settings->relay_window);
	return window - MIN(window, (size_t)ONE_READ);
}

uint64_t exchange_draw(const struct exchange *e, const char *salt)
{
	const struct sample by_exchange = {.share = 1.0, .by_exchange = true, .salt = (char *)salt};
	return sampler_key(&by_exchange, e->id, e->head, (struct span){0}, NULL);
}

static bool is_drawn(const struct exchange *e, double share, const char *salt)
{
	return share >= 1.0 || sampler_within(share, exchange_draw(e, salt));
}

bool exchange_within_share(const struct exchange *e)
{
	return is_drawn(e, e->settings->inject_share, "");
}

bool exchange_is_audited(const struct exchange *e)
{
	return e->settings->audit_share > 0 && is_drawn(e, e->settings->audit_share, "audit");
}

uint32_t exchange_audit_mark(const struct exchange *e, const struct injection *added)
{
	return added->logprobs && exchange_is_audited(e) ? LEG_AUDITED : 0;
}

int exchange_top_logprobs(const struct exchange *e)
{
	int top = e->settings->top_logprobs;
	return exchange_is_audited(e) ? MAX(top, e->settings->audit_top) : top;
}

static void interrupt(struct exchange *e, enum exchange_interruption why)
{
	e->interrupted = MAX(e->interrupted, why);
}

static void cancel_primary(struct exchange *e, enum outcome outcome, const char *text)
{
	bool ends = e->state == EXCHANGE_RETRYING || primary_leg_cancel(e);
	if (!ends) {
		exchange_complete(e, outcome, text);
	}
}

void exchange_body_failed(struct exchange *e, const struct http_problem *problem)
{
	interrupt(e, INTERRUPTED_BAD_BODY);
	upload_fail(&e->upload);
	if (e->response.state == RESPONSE_WAITING) {
		response_error(&e->response, problem->status, "bad_request", problem->text, false);
	} else {
		response_abort(&e->response);
	}
	detach_client(e);
	cancel_primary(e, OUTCOME_BAD_REQUEST, problem->text);
}

void exchange_refuse(struct exchange *e, int status, const char *code, const char *message)
{
	char id[ID_TEXT_SIZE];
	log_info("Request refused: {error}", log_field("error", message),
	        log_field("status", status), log_field("exchange", id_format(e->id, id)));
	shared_count(e->shared, COUNTER_REFUSED, 1);
	interrupt(e, INTERRUPTED_REFUSED);
	response_error(&e->response, status, code, message, false);
	exchange_complete(e, OUTCOME_BAD_REQUEST, message);
}

void exchange_abort_answer(struct exchange *e)
{
	response_abort(&e->response);
	detach_client(e);
	primary_leg_cancel(e);
}

void exchange_client_gone(struct exchange *e)
{
	detach_client(e);
	if (e->state == EXCHANGE_ENDED) {
		return;
	}
	interrupt(e, INTERRUPTED_CLIENT_LEFT);
	shared_count(e->shared, COUNTER_CLIENT_GONE, 1);
	mirror_client_gone(e);
	if (e->tunnel) {
		upload_fail(&e->upload);
		cancel_primary(e, OUTCOME_CLIENT_GONE, "the client left");
	} else if (e->upload.input != UPLOAD_COMPLETE) {
		upload_fail(&e->upload);
		cancel_primary(e, OUTCOME_CLIENT_GONE, "the client left within its request");
	} else if (e->settings->primary.on_client_gone == GONE_CANCEL) {
		cancel_primary(e, OUTCOME_CLIENT_GONE, "the client left");
	} else {
		primary_leg_resume(e);
	}
}

void exchange_stop(struct exchange *e)
{
	interrupt(e, INTERRUPTED_STOPPED);
	if (!e->primary.upstream) {
		primary_leg_answer_stopped(e);
	}
	cancel_primary(e, OUTCOME_STOPPED, "the proxy was stopped");
}
