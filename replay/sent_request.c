/*
 * sent_request - one request in progress: sent, its answer measured and recorded as a leg.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/injection/kinds.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/mem.h"
#include "capture/keyset.h"
#include "replay/retry.h"
#include "replay/runner_parts.h"

#define SENT_REQUEST_MAGIC 0x73686f74u
#define PIECE_SIZE ((size_t)256 << 10)
#define HISTORY_ANSWER_LIMIT ((size_t)8 << 20) /* largest answer that goes into a history */

/* Cancels a request after some time. It outlives the request until the timer is closed. */
struct cancel_timer {
	uv_timer_t timer;
	struct sent_request *request;
};

struct sent_request {
	uint32_t magic;
	struct list link; /* in runner.in_progress */
	struct runner *runner;
	struct job *job;
	struct upstream *upstream;
	struct leg leg;
	struct pulse pulse;
	struct reader *reader; /* reads an answer that a later turn waits for */
	uint64_t sent;         /* clock_mono() ns */
	bool warm_up, interrupted;
	bool dropping_fields; /* being cancelled, to be sent again at once without added fields */
	bool refused;         /* it was sent again so, because the engine refused these fields */
	bool to_cancel;       /* it will be cancelled, as settings.cancel demands */
	bool cancelled;       /* it was cancelled for that reason */
	unsigned retries;     /* tries after the first */
	char *retry_reason;   /* why it must be sent again after a pause; NULL: it need not */
	uint64_t retry_pause; /* ns */
	uint64_t retry_at;    /* clock_mono() ns, time of the retry; 0: no retry is pending */
	struct cancel_timer *cancel_timer;
};

static const struct upstream_events EVENTS;

/* Records the exchange if no capture has it yet, because the request was imported. */
static void put_exchange(struct sent_request *s, enum outcome outcome)
{
	struct runner *r = s->runner;
	struct source_body *b = &s->job->source;
	struct span key = {(const char *)s->job->exchange.bytes, 16};
	struct keyset *written = r->s->written ? r->s->written : &r->written;
	if (!b->is_new || !keyset_add(written, 1, key)) {
		return;
	}
	uint32_t n = 0;
	for (size_t at = 0; at < b->body.len; at += PIECE_SIZE) {
		size_t len = MIN(PIECE_SIZE, b->body.len - at);
		struct chunks pieces = {0};
		chunks_push(&pieces, chunk_make(r->s->budget, b->body.data + at, len));
		if (!recorder_part(
		            r->s->recorder, s->job->exchange, PART_REQUEST_BODY, n++, &pieces)) {
			b->row.marks |= EXCHANGE_BODY_CUT;
		}
	}
	b->row.outcome = outcome;
	b->row.in_flight = s->leg.row.in_flight;
	recorder_exchange(r->s->recorder, &b->row, NULL);
}

/* Whether to drop the rest of the answer, because the request is being cancelled. */
static bool drops_answer(const struct sent_request *s)
{
	return s->interrupted || s->dropping_fields || s->cancelled || s->retry_reason;
}

/* Cancels the request, as a client does that closes its connection. */
static void cancel(struct sent_request *s)
{
	if (s->upstream && !drops_answer(s)) {
		s->cancelled = true;
		upstream_cancel(s->upstream);
	}
}

static void on_cancel_timer(uv_timer_t *timer)
{
	cancel(CHECKED(struct sent_request, ((struct cancel_timer *)timer->data)->request,
	        SENT_REQUEST_MAGIC));
}

static void on_cancel_timer_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void set_cancel_timer(struct sent_request *s)
{
	const struct cancel *c = &s->runner->s->cancel;
	bool by_time = c->after && !(c->streams_by_pieces && s->job->source.facts.stream);
	s->to_cancel = cancel_selects(c, s->runner->s->seed, s->job->send);
	if (!s->to_cancel || !by_time) {
		return;
	}
	s->cancel_timer = xcalloc(1, sizeof(*s->cancel_timer));
	s->cancel_timer->request = s;
	expect(uv_timer_init(&s->runner->loop, &s->cancel_timer->timer) == 0);
	s->cancel_timer->timer.data = s->cancel_timer;
	uv_timer_start(&s->cancel_timer->timer, on_cancel_timer, c->after / 1000000, 0);
}

static void destroy(struct sent_request *s)
{
	struct runner *r = s->runner;
	if (s->cancel_timer) {
		uv_close((uv_handle_t *)&s->cancel_timer->timer, on_cancel_timer_closed);
	}
	expect(!s->upstream && !s->leg.begun);
	r->n_awaiting_retry -= s->retry_at > 0;
	list_remove(&s->link);
	pulse_finish(&s->pulse);
	reader_destroy(s->reader);
	job_destroy(s->job);
	free(s->retry_reason);
	s->magic = 0;
	free(s);
}

/* Ends the send. failure NULL: it was answered. */
static void finish_send(struct sent_request *s, const char *failure, bool unsent)
{
	struct runner *r = s->runner;
	uint32_t send = s->job->send;
	const struct load_figures_answer a = {
	        .intended = s->job->intended,
	        .sent = s->sent,
	        .ended = clock_mono(),
	        .warm_up = s->warm_up,
	        .failure = failure,
	        .cancelled = s->cancelled,
	        .was_awaiting_retry = s->retry_at > 0,
	        .pulse = &s->pulse,
	};
	sends_answered(r, send, &a);
	destroy(s);
	sends_ended(r, send, unsent);
}

/* Writes the send's state to the progress file. A failure is only counted: after a crash, a resumed
 * replay may send the request twice. */
static void log_state(struct sent_request *s, enum resume_entry state)
{
	const struct job *j = s->job;
	if (resume_add(s->runner->s->sent, j->exchange, j->planned.repeat, state) < 0) {
		s->runner->figures->unlogged++;
	}
}

static int send_request(struct sent_request *s)
{
	struct runner *r = s->runner;
	struct job *j = s->job;
	const struct target *t = runner_target(r, j);
	char *path = target_path(t, j->source.target, j->made.endpoint != j->source.endpoint);
	const struct target_post post = {
	        .path = path,
	        .agent = "plumbline-replay/" PLUMBLINE_VERSION,
	        .stream = j->source.facts.stream,
	        .body = job_body(j),
	};
	s->upstream = upstream_create(r->connections[j->planned.target].transport, &EVENTS, s);
	int code = target_post(t, s->upstream, &post);
	free(path);
	if (code < 0) {
		upstream_destroy(s->upstream);
		s->upstream = NULL;
	}
	return code;
}

static void try_once(struct sent_request *s)
{
	struct runner *r = s->runner;
	struct job *j = s->job;
	const struct target *t = runner_target(r, j);
	leg_begin(&s->leg, &r->connections[j->planned.target].frame, j->exchange, t->dialect,
	        t->manifest, true);
	s->leg.row.repeat = j->planned.repeat;
	s->leg.row.align = (uint32_t)t->rules.align;
	s->leg.row.queued_us = s->leg.mono > j->intended ? (s->leg.mono - j->intended) / 1000 : 0;
	s->leg.row.marks |= s->refused ? LEG_INJECTION_REFUSED : 0;
	s->leg.row.marks |= j->made.marks;
	leg_set_edits(&s->leg, &j->made.edits, &j->made.added);
	if (send_request(s) < 0) {
		leg_end(&s->leg, OUTCOME_BAD_REQUEST, "a field that can't be sent", r->s->book);
		finish_send(s, "a request that can't be sent", false);
	}
}

void sent_request_start(struct runner *r, struct job *j, uint64_t due)
{
	struct sent_request *s = xcalloc(1, sizeof(*s));
	*s = (struct sent_request){
	        .magic = SENT_REQUEST_MAGIC,
	        .runner = r,
	        .job = j,
	        .warm_up = r->n_begun < r->s->warm_up,
	};
	list_append(&r->in_progress, &s->link);
	if (r->n_begun++ == r->s->warm_up && r->s->warm_up > 0) {
		load_figures_restart(r->figures, clock_mono());
	}
	pulse_begin(&s->pulse, false);
	set_cancel_timer(s);
	s->sent = clock_mono();
	load_figures_sent(r->figures, r->s->load != LOAD_CLOSED, j->blocked, due, s->sent);
	log_state(s, RESUME_SENT);
	try_once(s);
}

void sent_request_interrupt_all(struct runner *r)
{
	LIST_EACH(struct sent_request, s, link, &r->in_progress)
	{
		if (!s->interrupted && s->upstream) {
			s->interrupted = true;
			upstream_cancel(s->upstream);
		}
	}
}

/* Reads an answer that goes into the history of a later turn. */
static void read_for_history(
        struct sent_request *s, const struct http_head *head, const struct reading_hints *as)
{
	const struct sessions *sessions = s->runner->s->sessions;
	struct reading_hints hints = *as;
	if (!sessions || !sessions_wants(sessions, s->job->send) || head->status >= 300) {
		return;
	}
	hints.status = head->status;
	hints.framing = framing_of_type(http_field(head, "content-type"));
	hints.limit = HISTORY_ANSWER_LIMIT;
	reader_destroy(s->reader);
	s->reader = reader_create(&hints);
}

/* Whether a retry is allowed. A request that will be cancelled is not retried. */
static bool may_retry(const struct sent_request *s)
{
	return s->retries < s->runner->s->retries && !s->to_cancel;
}

static void plan_retry(struct sent_request *s, char *why, struct span after)
{
	s->retry_reason = why;
	s->retry_pause = retry_pause(s->retries, after, clock_wall());
}

static void on_head(void *arg, const struct http_head *head)
{
	struct sent_request *s = CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC);
	const struct injection *added = &s->job->made.added;
	if (drops_answer(s)) {
		return;
	}
	if ((added->logprobs || added->usage) && inject_status_refuses(head->status)) {
		s->dropping_fields = true;
		upstream_cancel(s->upstream);
		return;
	}
	if (may_retry(s) && retry_applies(head->status)) {
		plan_retry(
		        s, xasprintf("status %d", head->status), http_field(head, "retry-after"));
		upstream_cancel(s->upstream);
		return;
	}
	if (s->refused && head->status >= 200 && head->status < 300) {
		struct kind_key key = job_kind(s->job, runner_target(s->runner, s->job));
		kinds_refused(s->runner->kinds, &key, clock_mono());
	}
	bool stream = framing_of_type(http_field(head, "content-type")) == FRAMING_SSE;
	pulse_finish(&s->pulse);
	pulse_begin(&s->pulse, stream);
	s->pulse.coded = http_field(head, "content-encoding").len > 0;
	if (s->job->source.has_recorded && head->status < 300) {
		pulse_compare(&s->pulse, buf_span(&s->job->source.recorded));
	}
	const struct reading_hints hints = {
	        .endpoint = s->job->made.endpoint,
	        .wants_logprobs = s->job->wants_logprobs,
	        .has_tools = s->job->made.facts.has_tools,
	        .offered = s->job->made.facts.offered,
	};
	leg_head(&s->leg, head, &hints);
	read_for_history(s, head, &hints);
}

static bool on_body(void *arg, const char *data, size_t len)
{
	struct sent_request *s = CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC);
	const struct cancel *c = &s->runner->s->cancel;
	if (drops_answer(s)) {
		return true;
	}
	pulse_feed(&s->pulse, clock_mono(), data, len);
	leg_body(&s->leg, data, len);
	if (s->reader) {
		reader_feed(s->reader, data, len);
	}
	if (s->to_cancel && c->pieces && s->pulse.n_contents >= c->pieces) {
		cancel(s);
	}
	return true;
}

/* Sends the request again, without the added fields that the engine refused. */
static void try_without_fields(struct sent_request *s)
{
	s->dropping_fields = false;
	s->refused = true;
	sends_retried(s->runner, s->job->send, NULL);
	leg_discard(&s->leg);
	const char *why = job_make(s->job, runner_target(s->runner, s->job), false);
	expect(!why); /* because it succeeded with the fields */
	try_once(s);
}

/* Waits before the retry. Until then the progress file has the request as not sent, so that a
 * resumed replay sends it if this process ends. */
static void await_retry(struct sent_request *s)
{
	struct runner *r = s->runner;
	leg_discard(&s->leg);
	log_state(s, RESUME_NOT_SENT);
	load_figures_await_retry(r->figures);
	s->retry_at = clock_mono() + s->retry_pause;
	r->n_awaiting_retry++;
	uv_async_send(&r->wake);
}

static void retry(struct sent_request *s)
{
	struct runner *r = s->runner;
	const struct injection *added = &s->job->made.added;
	s->retry_at = 0;
	s->retries++;
	r->n_awaiting_retry--;
	sends_retried(r, s->job->send, s->retry_reason);
	free(s->retry_reason);
	s->retry_reason = NULL;
	log_state(s, RESUME_SENT);
	bool with_fields = added->logprobs || added->usage; /* of the previous try */
	const char *why = job_make(s->job, runner_target(r, s->job), with_fields);
	expect(!why); /* because it succeeded for the previous try */
	try_once(s);
}

uint64_t sent_request_send_retries(struct runner *r)
{
	while (r->n_awaiting_retry > 0 && r->figures->in_flight < r->in_flight_limit) {
		struct sent_request *first = NULL;
		LIST_EACH(struct sent_request, s, link, &r->in_progress)
		{
			first = s->retry_at && (!first || s->retry_at < first->retry_at) ? s
			                                                                 : first;
		}
		expect(first);
		if (first->retry_at > clock_mono()) {
			return first->retry_at;
		}
		retry(first);
	}
	return 0;
}

void sent_request_drop_retries(struct runner *r)
{
	LIST_EACH(struct sent_request, s, link, &r->in_progress)
	{
		if (s->retry_at) {
			finish_send(s, s->retry_reason, true);
		}
	}
}

/* Whether to send the request again after a pause: it got no answer, or on_head() decided so. */
static bool needs_retry(struct sent_request *s, const struct upstream_end *end)
{
	bool unanswered = end->reason == UPSTREAM_REFUSED ||
	                  (end->reason == UPSTREAM_BROKEN && !end->has_head);
	if (!s->retry_reason && unanswered && !s->cancelled && may_retry(s)) {
		plan_retry(s, xstrdup(end->text ? end->text : "no answer"), (struct span){0});
	}
	return s->retry_reason && !s->interrupted;
}

/* NULL: answered. */
static const char *failure_of(
        struct sent_request *s, const struct upstream_end *end, char text[FLAW_TEXT_SIZE])
{
	if (s->interrupted) {
		return "interrupted";
	}
	if (s->cancelled) {
		return "cancelled";
	}
	if (end->reason != UPSTREAM_DONE) {
		return end->reason == UPSTREAM_TIMEOUT ? "timeout"
		       : end->reason == UPSTREAM_BAD_ANSWER
		               ? "no HTTP"
		               : "the connection broke within the answer";
	}
	if (s->leg.row.status >= 400) {
		snprintf(text, FLAW_TEXT_SIZE, "status %d", s->leg.row.status);
		return text;
	}
	return pulse_failure(&s->pulse, text);
}

/* Records a request that reached the target, and as much of the answer as arrived. */
static void finish_answer(struct sent_request *s, const struct upstream_end *end)
{
	char text[FLAW_TEXT_SIZE];
	enum outcome if_cancelled = s->cancelled ? OUTCOME_CLIENT_GONE : OUTCOME_BROKEN;
	enum outcome outcome =
	        s->interrupted ? OUTCOME_STOPPED : leg_outcome(end->reason, if_cancelled);
	pulse_end(&s->pulse, clock_mono());
	const char *failure = failure_of(s, end, text);
	s->leg.row.marks |= end->retried || s->retries ? LEG_RETRIED : 0;
	if (s->interrupted) {
		log_state(s, RESUME_NOT_SENT);
	}
	if (s->reader && !failure) { /* a later turn of the session needs the answer */
		struct reading *reading = reader_end(s->reader, true);
		s->reader = NULL;
		sessions_answer_read(s->runner->s->sessions, s->job->send,
		        s->job->source.facts.n_messages, reading);
		reading_destroy(reading);
	}
	put_exchange(s, outcome);
	const char *why = s->cancelled ? "cancelled on purpose" : end->text;
	leg_end(&s->leg, outcome, end->reason == UPSTREAM_DONE ? NULL : why, s->runner->s->book);
	finish_send(s, failure, s->interrupted);
}

static void on_end(void *arg, const struct upstream_end *end)
{
	struct sent_request *s = CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC);
	struct upstream *over = s->upstream; /* keeps end->text alive */
	s->upstream = NULL;
	if (s->dropping_fields && !s->interrupted) {
		try_without_fields(s);
	} else if (needs_retry(s, end)) {
		await_retry(s);
	} else if (end->reason == UPSTREAM_REFUSED) {
		/* Nothing reached the target. The request remains to be sent. */
		leg_discard(&s->leg);
		log_state(s, RESUME_NOT_SENT);
		finish_send(s, end->text ? end->text : "refused", true);
	} else {
		finish_answer(s, end);
	}
	upstream_destroy(over);
}

static const struct upstream_events EVENTS = {NULL, on_head, on_body, on_end};
