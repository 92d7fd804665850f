#include "proxy/score_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MODULE "score"
#include "backends/copy_body.h"
#include "backends/scoring/score_task.h"
#include "base/inflate.h"
#include "base/log.h"
#include "base/mem.h"

/* Memory that reading a request and an answer takes, as a multiple of their length: each is held
 * in a buffer, and as columns. */
#define READ_FACTOR 10

static const char OVER_BUDGET[] = "memory_limit has no room for it";
static const char BAD_CODING[] = "the content coding of its body can't be decoded";
static const char TOO_LARGE[] = "its decoded body is larger than answer_limit or 64 MiB";

struct score_job *score_job_create(
        const struct score_source *from, struct budget *budget, enum ledger_drop *ret_cause)
{
	size_t weight = sizeof(struct score_job) + from->request->bytes + from->answer->bytes;
	if (!budget_take(budget, sizeof(struct score_job))) {
		*ret_cause = DROP_MEMORY;
		return NULL;
	}
	if (!backend_state_enqueue(from->backend, from->settings->queue_limit, weight)) {
		budget_give(budget, sizeof(struct score_job));
		*ret_cause = DROP_QUEUE;
		return NULL;
	}
	const struct leg *leg = from->leg;
	const char *coding = leg->row.content_encoding;
	const char *renamed = copy_body_model(&from->settings->rules, from->model);
	const char *model = renamed ? renamed : from->model;
	struct score_job *job = xmalloc(sizeof(*job));
	*job = (struct score_job){
	        .snapshot = config_snapshot_ref(from->snapshot),
	        .backend = backend_state_ref(from->backend),
	        .settings = from->settings,
	        .budget = budget,
	        .exchange = from->exchange,
	        .leg = leg->row.id,
	        .hints = leg->hints,
	        .coding = coding ? xstrdup(coding) : NULL,
	        .model = model[0] ? xstrdup(model) : NULL,
	        .body_bytes = from->body_bytes,
	        .request = chunks_copy(from->request),
	        .answer = chunks_copy(from->answer),
	        .weight = weight,
	};
	return job;
}

static void destroy(struct score_job *job)
{
	budget_give(job->budget, sizeof(*job));
	chunks_finish(&job->request);
	chunks_finish(&job->answer);
	free(job->coding);
	free(job->model);
	backend_state_unref(job->backend);
	config_snapshot_unref(job->snapshot);
	free(job);
}

void score_job_drop(struct score_job *job, enum ledger_drop cause)
{
	ledger_dropped(job->backend->book, cause);
	destroy(job);
}

bool score_job_exclude(struct score_job *job, const char *why)
{
	bool is_new = backend_state_count_unscorable(job->backend, why);
	destroy(job);
	return is_new;
}

/* The answer's body without its content coding. NULL, or why there is none. */
static const char *decode(const struct score_job *job, struct claim *claim, struct buf *ret)
{
	struct span coding = span_of(job->coding);
	if (coding.len == 0 || span_is_nocase(coding, "identity")) {
		chunks_gather(&job->answer, ret);
		return NULL;
	}
	struct buf coded = {0};
	chunks_gather(&job->answer, &coded);
	size_t limit = MIN(job->settings->answer_limit, (size_t)DECODED_LIMIT);
	int r = inflate_body_on(claim, coding, buf_span(&coded), limit, ret);
	buf_finish(&coded);
	if (r == -ENOMEM || (r == 0 && !claim_take(claim, READ_FACTOR * ret->len))) {
		return OVER_BUDGET;
	}
	return r == 0 ? NULL : r == -EMSGSIZE ? TOO_LARGE : BAD_CODING;
}

static const char *read_subject(
        const struct score_job *job, struct claim *claim, struct score_subject *ret)
{
	struct buf request = {0}, raw = {0};
	const char *why = decode(job, claim, &raw);
	if (!why) {
		chunks_gather(&job->request, &request);
		struct reader *reader = reader_create(&job->hints);
		reader_feed(reader, raw.data, raw.len);
		struct reading *r = reader_end(reader, true);
		why = score_subject_read(
		        job->hints.endpoint, buf_span(&request), r, buf_span(&raw), ret);
		reading_destroy(r);
	}
	buf_finish(&request);
	buf_finish(&raw);
	return why;
}

static void record_failure(struct score_job *job, const struct scorer_result *r)
{
	struct ledger_book *book = job->backend->book;
	char id[ID_TEXT_SIZE];
	if (r->end == QUESTION_UNABLE) {
		if (backend_state_count_unscorable(job->backend, r->why)) {
			log_warn("{backend} can't score some answers: {reason}. "
			         "plumbline_unscorable_total counts them.",
			        log_field("backend", job->settings->name),
			        log_field("reason", r->why),
			        log_field("exchange", id_format(job->exchange, id)));
		}
		return;
	}
	if (r->end != QUESTION_STOPPED) {
		log_warn("{backend} did not score an answer: {error}.",
		        log_field("backend", job->settings->name), log_field("error", r->why),
		        log_field("exchange", id_format(job->exchange, id)));
	}
	ledger_dropped(book, r->end == QUESTION_STOPPED   ? DROP_STOPPED
	                     : r->end == QUESTION_TIMEOUT ? DROP_TIMEOUT
	                     : r->end == QUESTION_NO_ROOM ? DROP_MEMORY
	                                                  : DROP_ERROR);
}

static void score(struct score_job *job, struct scorer *s, const struct score_subject *subject,
        struct recorder *recorder, unsigned in_flight)
{
	struct engine_view view;
	engine_info_view(job->backend->engine, &view);
	/* primary.self is the same engine as the primary, so it has the same model name. */
	const struct backend_settings *named =
	        job->settings->of_primary ? &job->snapshot->settings->primary : job->settings;
	const struct score_task task = {
	        .about = {.backend = named->name,
	                .url = named->url,
	                .role = named->role,
	                .manifest = view.manifest,
	                .in_flight = in_flight,
	                .exchange = job->exchange,
	                .body_bytes = job->body_bytes,
	                .of = job->leg},
	        .model = job->model,
	        .subject = subject,
	        .recorder = recorder,
	        .book = job->backend->book,
	};
	struct scorer_result r;
	uint64_t tokens;
	bool recorded = score_task_run(s, &task, &r, &tokens);
	if (r.answer.total_us) {
		buckets_add(&job->backend->score_time, r.answer.total_us);
	}
	atomic_fetch_add_explicit(&job->backend->tokens_scored, tokens, memory_order_relaxed);
	if (r.reading && r.reading->usage.prompt_tokens > 0) {
		atomic_fetch_add_explicit(&job->backend->tokens_read,
		        (uint64_t)r.reading->usage.prompt_tokens, memory_order_relaxed);
	}
	if (!recorded) {
		record_failure(job, &r);
	}
	scorer_result_finish(&r);
}

static void read_and_score(struct score_job *job, struct scorer *s, struct claim *claim,
        struct recorder *recorder, unsigned in_flight)
{
	struct score_subject subject;
	const char *why = OVER_BUDGET;
	if (claim_take(claim, READ_FACTOR * (job->request.bytes + job->answer.bytes))) {
		why = read_subject(job, claim, &subject);
	}
	if (why == OVER_BUDGET) {
		ledger_dropped(job->backend->book, DROP_MEMORY);
	} else if (why) {
		backend_state_count_unscorable(job->backend, why);
	} else {
		score(job, s, &subject, recorder, in_flight);
		score_subject_finish(&subject);
	}
}

void score_job_run(
        struct score_job *job, struct scorer *s, struct recorder *recorder, unsigned in_flight)
{
	struct claim claim = {.budget = job->budget};
	read_and_score(job, s, &claim, recorder, in_flight);
	claim_close(&claim);
	destroy(job);
}
