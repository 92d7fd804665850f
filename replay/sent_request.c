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
#define LATER_LIMIT ((size_t)8 << 20) /* largest answer that goes into a history */

/* The timer for giving up a request. It outlives the request until the timer is closed. */
struct patience {
	uv_timer_t timer;
	struct sent_request *request;
};

struct sent_request {
	uint32_t magic;
	struct sent_request *next, *prev; /* links in the list of all requests in progress */
	struct runner *runner;
	struct job *job;
	struct upstream *upstream;
	struct leg leg;
	struct pulse pulse;
	struct reader *reader; /* reads an answer that a later turn waits for */
	size_t offset;         /* bytes of the body that the transport has taken */
	uint64_t sent;         /* clock_mono() ns */
	bool warm_up, retrying, refused, broken;
	bool leaves;      /* the request is to be given up */
	bool left;        /* was */
	unsigned retries; /* tries after the first */
	char *away;       /* why the target turned the request away; NULL: it did not */
	uint64_t rest;    /* ns to wait before the retry */
	uint64_t due;     /* clock_mono() ns, time of the retry; 0: no retry is pending */
	struct patience *patience;
};

static const struct upstream_events EVENTS;

static ssize_t pull(void *arg, char *to, size_t room)
{
	struct sent_request *s = CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC);
	struct span body = job_body(s->job);
	size_t n = MIN(room, body.len - s->offset);
	memcpy(to, body.data + s->offset, n);
	s->offset += n;
	return (ssize_t)n;
}

static void rewind_body(void *arg)
{
	CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC)->offset = 0;
}

static void put_piece(
        struct runner *r, struct id owner, uint32_t n, struct span piece, struct exchange_row *row)
{
	struct chunks pieces = {0};
	chunks_push(&pieces, chunk_make(r->s->budget, piece.data, piece.len));
	if (!recorder_part(r->s->recorder, owner, PART_REQUEST_BODY, n, &pieces)) {
		row->marks |= EXCHANGE_BODY_CUT;
	}
}

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
		struct span piece = {b->body.data + at, MIN(PIECE_SIZE, b->body.len - at)};
		put_piece(r, s->job->exchange, n++, piece, &b->row);
	}
	b->row.outcome = outcome;
	b->row.in_flight = s->leg.row.in_flight;
	recorder_exchange(r->s->recorder, &b->row, NULL);
}

/* Gives the request up, like a client that closes its connection. */
static void leave(struct sent_request *s)
{
	if (s->upstream && !s->left && !s->broken && !s->retrying && !s->away) {
		s->left = true;
		upstream_cancel(s->upstream);
	}
}

static void on_patience_over(uv_timer_t *timer)
{
	leave(CHECKED(struct sent_request, ((struct patience *)timer->data)->request,
	        SENT_REQUEST_MAGIC));
}

static void on_patience_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void set_patience(struct sent_request *s)
{
	const struct cancel *c = &s->runner->s->cancel;
	bool by_time = c->after && !(c->streams_by_pieces && s->job->source.facts.stream);
	s->leaves = cancel_selects(c, s->runner->s->seed, s->job->send);
	if (!s->leaves || !by_time) {
		return;
	}
	s->patience = xcalloc(1, sizeof(*s->patience));
	s->patience->request = s;
	expect(uv_timer_init(&s->runner->loop, &s->patience->timer) == 0);
	s->patience->timer.data = s->patience;
	uv_timer_start(&s->patience->timer, on_patience_over, c->after / 1000000, 0);
}

static void destroy(struct sent_request *s)
{
	struct runner *r = s->runner;
	if (s->patience) {
		uv_close((uv_handle_t *)&s->patience->timer, on_patience_closed);
	}
	expect(!s->upstream && !s->leg.begun);
	r->n_resting -= s->due > 0;
	if (s->prev) {
		s->prev->next = s->next;
	} else {
		r->in_progress = s->next;
	}
	if (s->next) {
		s->next->prev = s->prev;
	}
	pulse_finish(&s->pulse);
	reader_destroy(s->reader);
	job_destroy(s->job);
	free(s->away);
	s->magic = 0;
	free(s);
}

/* Ends the send. failure NULL: it was answered. */
static void conclude(struct sent_request *s, const char *failure, bool unsent)
{
	struct runner *r = s->runner;
	uint32_t send = s->job->send;
	const struct load_figures_answer a = {
	        .intended = s->job->intended,
	        .sent = s->sent,
	        .ended = clock_mono(),
	        .warm_up = s->warm_up,
	        .failure = failure,
	        .cancelled = s->left,
	        .resting = s->due > 0,
	        .pulse = &s->pulse,
	};
	sends_answered(r, send, &a);
	destroy(s);
	sends_over(r, send, unsent);
}

/* Notes the send's state. A failure only means that a crash could lose count of it. If the disk
 * is the cause, other errors follow soon. */
static void note(struct sent_request *s, enum resume_entry what)
{
	const struct job *j = s->job;
	if (resume_add(s->runner->s->sent, j->exchange, j->what.repeat, what) < 0) {
		s->runner->figures->unlogged++;
	}
}

static int send_request(struct sent_request *s)
{
	struct runner *r = s->runner;
	struct job *j = s->job;
	const struct target *t = runner_target(r, j);
	char *path = target_path(t, j->source.target, j->made.endpoint != j->source.endpoint);
	char *key = t->api_key ? xasprintf("Bearer %s", t->api_key) : NULL;
	const struct http_field fields[] = {
	        {SPAN("Content-Type"), SPAN("application/json")},
	        {SPAN("Accept"), j->source.facts.stream ? SPAN("text/event-stream")
	                                                : SPAN("application/json")},
	        {SPAN("Accept-Encoding"), SPAN("identity")},
	        {SPAN("User-Agent"), SPAN("plumbline-replay/" PLUMBLINE_VERSION)},
	        {SPAN("Authorization"), span_of(key)},
	};
	const struct upstream_request request = {
	        .method = SPAN("POST"),
	        .target = span_of(path),
	        .fields = fields,
	        .n_fields = ARRAY_LEN(fields) - !key,
	        .has_body = true,
	        .body_length = (int64_t)job_body(j).len,
	        .pull = pull,
	        .replayable = true,
	        .rewind = rewind_body,
	};
	s->offset = 0;
	s->upstream = upstream_create(r->outlets[j->what.target].transport, &EVENTS, s);
	int code = upstream_start(s->upstream, &request);
	free(path);
	free(key);
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
	leg_begin(&s->leg, &r->outlets[j->what.target].frame, j->exchange, t->dialect, t->manifest,
	        true);
	s->leg.row.repeat = j->what.repeat;
	s->leg.row.align = (uint32_t)t->rules.align;
	s->leg.row.queued_us = s->leg.mono > j->intended ? (s->leg.mono - j->intended) / 1000 : 0;
	s->leg.row.marks |= s->refused ? LEG_INJECTION_REFUSED : 0;
	s->leg.row.marks |= j->made.marks;
	leg_set_edits(&s->leg, &j->made.edits, &j->made.added);
	if (send_request(s) < 0) {
		leg_end(&s->leg, OUTCOME_BAD_REQUEST, "a field that can't be sent", r->s->book);
		conclude(s, "a request that can't be sent", false);
	}
}

void sent_request_start(struct runner *r, struct job *j, uint64_t due)
{
	struct sent_request *s = xcalloc(1, sizeof(*s));
	*s = (struct sent_request){
	        .magic = SENT_REQUEST_MAGIC,
	        .runner = r,
	        .job = j,
	        .next = r->in_progress,
	        .warm_up = r->n_begun < r->s->warm_up,
	};
	if (r->in_progress) {
		r->in_progress->prev = s;
	}
	r->in_progress = s;
	if (r->n_begun++ == r->s->warm_up && r->s->warm_up > 0) {
		load_figures_restart(r->figures, clock_mono());
	}
	pulse_begin(&s->pulse, false);
	set_patience(s);
	s->sent = clock_mono();
	load_figures_sent(r->figures, r->s->load != LOAD_CLOSED, j->blocked, due, s->sent);
	note(s, RESUME_SENT);
	try_once(s);
}

void sent_request_interrupt_all(struct sent_request *all)
{
	for (struct sent_request *s = all; s; s = s->next) {
		if (!s->broken && s->upstream) {
			s->broken = true;
			upstream_cancel(s->upstream);
		}
	}
}

/* Reads an answer that goes into the history of a later turn. */
static void read_for_later(
        struct sent_request *s, const struct http_head *head, const struct reading_hints *as)
{
	const struct sessions *sessions = s->runner->s->sessions;
	struct reading_hints hints = *as;
	if (!sessions || !sessions_wants(sessions, s->job->send) || head->status >= 300) {
		return;
	}
	hints.status = head->status;
	hints.framing = framing_of_type(http_field(head, "content-type"));
	hints.limit = LATER_LIMIT;
	reader_destroy(s->reader);
	s->reader = reader_create(&hints);
}

/* Whether a retry is allowed. Requests that are to be given up, like those of impatient clients,
 * are not retried. */
static bool may_retry(const struct sent_request *s)
{
	return s->retries < s->runner->s->retries && !s->leaves;
}

static void turn_away(struct sent_request *s, char *why, struct span after)
{
	s->away = why;
	s->rest = retry_pause(s->retries, after, clock_wall());
}

static void on_head(void *arg, const struct http_head *head)
{
	struct sent_request *s = CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC);
	const struct injection *added = &s->job->made.added;
	if (s->broken || s->retrying || s->left || s->away) {
		return;
	}
	if ((added->logprobs || added->usage) && inject_status_refuses(head->status)) {
		s->retrying = true;
		upstream_cancel(s->upstream);
		return;
	}
	if (may_retry(s) && retry_applies(head->status)) {
		turn_away(s, xasprintf("status %d", head->status), http_field(head, "retry-after"));
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
	read_for_later(s, head, &hints);
}

static bool on_body(void *arg, const char *data, size_t len)
{
	struct sent_request *s = CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC);
	if (!s->broken && !s->retrying && !s->left && !s->away) {
		pulse_feed(&s->pulse, clock_mono(), data, len);
		leg_body(&s->leg, data, len);
		if (s->reader) {
			reader_feed(s->reader, data, len);
		}
		const struct cancel *c = &s->runner->s->cancel;
		if (s->leaves && c->pieces && s->pulse.n_contents >= c->pieces) {
			leave(s);
		}
	}
	return true;
}

/* The second try, without the added fields that the engine refused. */
static void try_again(struct sent_request *s)
{
	s->retrying = false;
	s->refused = true;
	sends_retried(s->runner, s->job->send, NULL);
	leg_discard(&s->leg);
	const char *why = job_make(s->job, runner_target(s->runner, s->job), false);
	expect(!why); /* it could be made before */
	try_once(s);
}

/* Waits until the next try. Notes the request as not sent, so that nothing is lost if this
 * process ends before that. */
static void rest(struct sent_request *s)
{
	struct runner *r = s->runner;
	leg_discard(&s->leg);
	note(s, RESUME_NOT_SENT);
	load_figures_rest(r->figures);
	s->due = clock_mono() + s->rest;
	r->n_resting++;
	uv_async_send(&r->wake);
}

static void retry(struct sent_request *s)
{
	struct runner *r = s->runner;
	const struct injection *added = &s->job->made.added;
	s->due = 0;
	s->retries++;
	r->n_resting--;
	sends_retried(r, s->job->send, s->away);
	free(s->away);
	s->away = NULL;
	note(s, RESUME_SENT);
	bool with_fields = added->logprobs || added->usage; /* of the previous try */
	const char *why = job_make(s->job, runner_target(r, s->job), with_fields);
	expect(!why); /* it could be made before */
	try_once(s);
}

uint64_t sent_request_send_rested(struct runner *r)
{
	while (r->n_resting > 0 && r->figures->in_flight < r->places) {
		struct sent_request *first = NULL;
		for (struct sent_request *s = r->in_progress; s; s = s->next) {
			first = s->due && (!first || s->due < first->due) ? s : first;
		}
		expect(first);
		if (first->due > clock_mono()) {
			return first->due;
		}
		retry(first);
	}
	return 0;
}

void sent_request_drop_resting(struct runner *r)
{
	for (struct sent_request *next, *s = r->in_progress; s; s = next) {
		next = s->next;
		if (s->due) {
			conclude(s, s->away, true);
		}
	}
}

/* Whether the request got no answer, or one that calls for a retry. */
static bool is_turned_away(struct sent_request *s, const struct upstream_end *end)
{
	bool unanswered = end->reason == UPSTREAM_REFUSED ||
	                  (end->reason == UPSTREAM_BROKEN && !end->head_seen);
	if (!s->away && unanswered && !s->left && may_retry(s)) {
		turn_away(s, xstrdup(end->text ? end->text : "no answer"), (struct span){0});
	}
	return s->away && !s->broken;
}

/* NULL: answered. */
static const char *failure_of(
        struct sent_request *s, const struct upstream_end *end, char text[FLAW_TEXT_SIZE])
{
	if (s->broken) {
		return "interrupted";
	}
	if (s->left) {
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

/* A later turn of the same session needs the answer. */
static void give_answer_to_session(struct sent_request *s)
{
	struct reading *reading = reader_end(s->reader, true);
	s->reader = NULL;
	sessions_answer_read(
	        s->runner->s->sessions, s->job->send, s->job->source.facts.n_messages, reading);
	reading_destroy(reading);
}

/* Records a request that reached the target, and its answer as far as it came. */
static void finish_answer(struct sent_request *s, const struct upstream_end *end)
{
	char why[FLAW_TEXT_SIZE];
	enum outcome ours = s->left ? OUTCOME_CLIENT_GONE : OUTCOME_BROKEN;
	enum outcome outcome = s->broken ? OUTCOME_STOPPED : leg_outcome(end->reason, ours);
	const char *text = end->reason == UPSTREAM_DONE ? NULL
	                   : s->left                    ? "cancelled on purpose"
	                                                : end->text;
	pulse_end(&s->pulse, clock_mono());
	const char *failure = failure_of(s, end, why);
	s->leg.row.marks |= end->retried || s->retries ? LEG_RETRIED : 0;
	if (s->broken) {
		note(s, RESUME_NOT_SENT);
	}
	if (s->reader && !failure) {
		give_answer_to_session(s);
	}
	put_exchange(s, outcome);
	leg_end(&s->leg, outcome, text, s->runner->s->book);
	conclude(s, failure, s->broken);
}

static void on_end(void *arg, const struct upstream_end *end)
{
	struct sent_request *s = CHECKED(struct sent_request, arg, SENT_REQUEST_MAGIC);
	struct upstream *over = s->upstream; /* keeps end->text alive */
	s->upstream = NULL;
	if (s->retrying && !s->broken) {
		try_again(s);
	} else if (is_turned_away(s, end)) {
		rest(s);
	} else if (end->reason == UPSTREAM_REFUSED) {
		/* Nothing reached the target. The request remains to be sent. */
		leg_discard(&s->leg);
		note(s, RESUME_NOT_SENT);
		conclude(s, end->text ? end->text : "refused", true);
	} else {
		finish_answer(s, end);
	}
	upstream_destroy(over);
}

static const struct upstream_events EVENTS = {NULL, on_head, on_body, on_end};
