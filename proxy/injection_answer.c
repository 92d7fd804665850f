#include "proxy/injection_parts.h"

#include <string.h>

#include "base/ascii.h"
#include "base/clock.h"
#define LOG_MODULE "injection"
#include "base/log.h"
#include "capture/privacy/secret_scan.h"
#include "proxy/injection_stop.h"
#include "proxy/exchange.h"
#include "proxy/head.h"
#include "proxy/shared.h"

#define EVENT_LIMIT ((size_t)4 << 20)

/* Counts an answer that reaches the client with the added fields still in it. */
static void count_uncut(struct exchange *e)
{
	if (!(e->primary.leg.row.marks & LEG_UNCUT)) {
		shared_count(e->shared, COUNTER_UNCUT, 1);
	}
	e->primary.leg.row.marks |= LEG_UNCUT;
}

/* Stops injection for requests of this kind, with or without tools. */
static void stop_injection(struct exchange *e, enum injection_stop cause)
{
	struct kind_key key = injection_key(e);
	/* If a client that accepts no codings got one, all other clients would get one, too. */
	bool all = cause != INJECTION_STOP_CODING || !key.codings;
	injection_stop_declare(e->shared, &key, cause, all);
}

static void leave_uncut(struct exchange *e, enum injection_stop cause)
{
	count_uncut(e);
	stop_injection(e, cause);
}

/* The answer cannot be cut. True: the client has nothing of it yet, and a second attempt follows,
 * whose head stops injection for this cause. */
static bool ask_again(struct exchange *e, enum injection_stop cause)
{
	struct injection_state *s = &e->injection;
	if (!injection_may_ask_again(e) || !e->client || e->response.state != RESPONSE_WAITING) {
		return false;
	}
	s->stop = cause;
	s->next = RETRY_UNCUT;
	return true;
}

/* The budget is exhausted. That is not the engine's fault. */
static void stop_over_budget(struct exchange *e)
{
	struct kind_key key = injection_key(e);
	kinds_refused(e->shared->kinds, &key, clock_mono());
	log_warn("memory_limit leaves no room to hold an answer with logprobs. The proxy requests "
	         "none for {model} ({endpoint}) for an hour.",
	        log_field("model", secret_scan_hide(e->facts.model)),
	        log_field("endpoint", endpoint_name(e->endpoint)));
}

static enum injection_stop cause_of(const struct cut_stream *c)
{
	switch (cut_stream_uncut(c)) {
	case UNCUT_LONG:
		return INJECTION_STOP_LONG;
	case UNCUT_LINES:
		return INJECTION_STOP_LINES;
	case UNCUT_PLACE:
		return INJECTION_STOP_PLACE;
	case UNCUT_IDS:
		return INJECTION_STOP_IDS;
	default:
		return INJECTION_STOP_TEXT;
	}
}

/* The client already has the head of an answer that was discarded after its comments. Checks
 * that the new head matches it. */
static bool matches_sent_head(const struct http_head *head, const struct http_head *sent)
{
	return head_is_success(head) && !head_is_coded(head) && head_types_match(head, sent);
}

static void begin_plain(struct exchange *e, const struct http_head *head)
{
	struct injection_state *s = &e->injection;
	s->answer = ANSWER_PASSES;
	if (e->response.state == RESPONSE_BODY && !matches_sent_head(head, s->held_head)) {
		char id[ID_TEXT_SIZE];
		log_warn("The proxy cut an answer off, because the client already had the head of "
		         "the first answer, and the second one does not fit it.",
		        log_field("exchange", id_format(e->id, id)));
		exchange_abort_answer(e);
		return;
	}
	response_begin(&e->response, head, RESPONSE_LENGTH_KEPT, e->head->keep_alive);

	s->learning = s->learning && s->attempt != ATTEMPT_INJECTED && head->status == 200;
	if (s->learning && s->stop != N_INJECTION_STOPS) {
		stop_injection(e, s->stop);
		s->learning = false;
	}
	s->learning_stream = head_type_is(head, "text/event-stream");
}

static void begin_cut(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	s->answer = ANSWER_IS_CUT;
	s->undecided = true;
	sse_init(&s->first, EVENT_LIMIT);
	s->first.pieces = true;
	s->cutter = cut_stream_create(&s->added, s->kind, EVENT_LIMIT);
}

/* Streams may have other content types, too. An event begins with a field's name or a colon,
 * which JSON never does. */
static bool begins_stream(const struct exchange *e, const char *data)
{
	return e->facts.stream && memchr("d:eir", *data, 5);
}

static void log_kind(const struct exchange *e, const char *message)
{
	log_info(message, log_field("backend", e->settings->primary.name),
	        log_field("model", secret_scan_hide(e->facts.model)),
	        log_field("endpoint", endpoint_name(e->endpoint)));
}

/* The next requests of this kind get no usage. */
static void give_up_usage(struct exchange *e, const char *message)
{
	struct kind_key key = injection_key(e);
	kinds_learn(e->shared->kinds, &key, e->injection.signature.form,
	        (struct kind){.usage = KIND_MIXED}, clock_mono());
	log_kind(e, message);
}

/* The engine put the usage into an event that says something, so the cut left it there. */
static void note_kept_usage(struct exchange *e)
{
	give_up_usage(e,
	        "With stream_options, {backend} gives the token counts together with text. So the "
	        "proxy requests none for {model} ({endpoint}) for an hour.");
}

/* If token ids or stream_options were among the added fields, the engine may have refused only
 * them. Then the next requests try the other fields without them. */
static void note_refusal(struct exchange *e)
{
	struct kind_key key = injection_key(e);
	if (e->injection.added.token_ids) {
		kinds_ids_refused(e->shared->kinds, &key, clock_mono());
		log_kind(e, "{backend} refuses to give token ids for {model} ({endpoint}); the "
		            "proxy requests logprobs without them.");
	} else if (e->injection.added.usage) {
		give_up_usage(e,
		        "{backend} refuses the added members for {model} ({endpoint}). So the "
		        "proxy requests no token counts for an hour.");
	} else {
		kinds_refused(e->shared->kinds, &key, clock_mono());
		log_kind(e, "{backend} refuses to give logprobs for {model} ({endpoint}); the "
		            "proxy requests none for an hour.");
	}
}

/* The engine closed the connection because of the added fields: it answers without them. */
static void note_loss(struct exchange *e)
{
	struct kind_key key = injection_key(e);
	if (kinds_count_loss(e->shared->kinds, &key, clock_mono())) {
		injection_stop_declare(e->shared, &key, INJECTION_STOP_STRANGE, false);
	}
}

void injection_head(struct exchange *e, const struct http_head *head)
{
	struct injection_state *s = &e->injection;
	if (s->attempt == RETRY_UNCUT && s->first_stop != N_INJECTION_STOPS) {
		stop_injection(e, s->first_stop);
	} else if (s->attempt == RETRY_REFUSED && head_is_success(head)) {
		note_refusal(e);
	} else if (s->attempt == RETRY_LOST && head_is_success(head)) {
		note_loss(e);
	}
	injection_drop_held(e);
	if (s->attempt != ATTEMPT_INJECTED || !head_is_success(head)) {
		begin_plain(e, head);
	} else if (s->stop != N_INJECTION_STOPS) {
		leave_uncut(e, s->stop);
		begin_plain(e, head);
	} else {
		s->answer = ANSWER_IS_HELD;
		s->undecided = true;
		s->held_head = head_copy(head);
		if (head_type_is(head, "text/event-stream")) {
			begin_cut(e);
		}
	}
}

/* A held answer that has become too large is passed on as it comes, with unknown length and
 * uncut. */
static void stop_holding(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	s->answer = ANSWER_PASSES;
	injection_commit(e);
	response_begin(&e->response, s->held_head, RESPONSE_LENGTH_UNKNOWN, e->head->keep_alive);
	response_body(&e->response, s->held.data, s->held.len, exchange_window(e));
	injection_drop_held(e);
}

/* Up to one relay window is taken without a limit check, as for all relayed data. More needs
 * room in the budget. */
static bool take_budget(struct exchange *e, size_t held, size_t more)
{
	if (held + more <= e->settings->relay_window) {
		budget_force(&e->shared->budget, more);
		return true;
	}
	return budget_take(&e->shared->budget, more);
}

/* Some engines send blanks while they work on an answer, so that nobody gives up on it. They are
 * passed on at once. */
static bool is_sign_of_life(const struct injection_state *s, const char *data, size_t len)
{
	return !s->held.len && !s->held_head->has_length &&
	       span_trim((struct span){data, len}).len == 0;
}

static bool hold_piece(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	if (is_sign_of_life(s, data, len)) {
		response_begin(
		        &e->response, s->held_head, RESPONSE_LENGTH_UNKNOWN, e->head->keep_alive);
		return response_body(&e->response, data, len, exchange_window(e));
	}
	bool fits = s->held.len + len <= e->settings->inject_limit;
	if (fits && take_budget(e, s->held.len, len)) {
		buf_append(&s->held, data, len);
		return true;
	}
	if (fits) {
		stop_over_budget(e);
	}
	if (ask_again(e, fits ? N_INJECTION_STOPS : INJECTION_STOP_LONG)) {
		injection_drop_held(e);
		return true;
	}
	if (fits) {
		count_uncut(e);
	} else {
		leave_uncut(e, INJECTION_STOP_LONG);
	}
	stop_holding(e);
	return response_body(&e->response, data, len, exchange_window(e));
}

/* False: the budget has no room for the event that the cutter holds. */
static bool account_cutter(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	size_t now = cut_stream_held(s->cutter) + sse_pending(&s->first);
	if (now <= s->cutter_bytes) {
		budget_give(&e->shared->budget, s->cutter_bytes - now);
	} else if (!take_budget(e, s->cutter_bytes, now - s->cutter_bytes)) {
		return false;
	}
	s->cutter_bytes = now;
	return true;
}

/* Bytes that the client does not take at once go to its queue, so that they are not held twice. */
static bool send_out(struct exchange *e)
{
	struct buf *out = &e->injection.out;
	bool more = response_body(&e->response, out->data, out->len, exchange_window(e));
	buf_reuse(out);
	return more;
}

/*
 * Before the form is known, the head is sent only with the first bytes of the body, so that a
 * second answer can still begin with its own head.
 */
static bool send_cut(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (s->out.len || !s->undecided) {
		response_begin(
		        &e->response, s->held_head, RESPONSE_LENGTH_UNKNOWN, e->head->keep_alive);
	}
	return send_out(e);
}

static void on_first(void *arg, const struct sse_event *event)
{
	struct exchange *e = CHECKED(struct exchange, arg, EXCHANGE_MAGIC);
	if (e->injection.undecided && (event->has_data || event->piece)) {
		injection_decide(e, signature_of_text(e->injection.answerer, event->data));
	}
}

/* data NULL: the stream is over. False: the answer's form is unknown. */
static bool classify(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	if (!s->undecided) {
		return true;
	}
	if (data) {
		int r = sse_feed(&s->first, data, len, on_first, e);
		expect(r == 0);
	} else {
		sse_end(&s->first, on_first, e);
	}
	if (!s->undecided) {
		sse_finish(&s->first);
		s->first = (struct sse){0};
		cut_stream_set_kind(s->cutter, s->kind);
	}
	return !s->next;
}

/* The outline of the held answer, which is complete. */
static const struct outline *held_outline(struct injection_state *s)
{
	if (!s->outline.text.data) {
		outline_read(&s->outline, buf_span(&s->held));
	}
	return &s->outline;
}

/* Cuts the held answer into `out`, and notes in `stop` whether added members are left in it. */
static void cut_held(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	struct cut_facts facts;
	enum cut result = cut_outline(held_outline(s), &s->added, &s->kind, 0, &s->out, &facts);
	s->stop = N_INJECTION_STOPS;
	if (result == CUT_FAILED && cut_shows(buf_span(&s->held), &s->added)) {
		s->stop = INJECTION_STOP_TEXT;
	} else if (result != CUT_FAILED && cut_misses(buf_span(&s->out), &s->added, &s->kind)) {
		s->stop = INJECTION_STOP_PLACE;
	}
}

bool injection_end_is_strange(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (s->undecided && s->answer == ANSWER_IS_HELD) {
		injection_decide(e, signature_of_outline(s->answerer, held_outline(s)));
		if (!s->next) {
			cut_held(e);
			if (s->stop == N_INJECTION_STOPS || !ask_again(e, s->stop)) {
				injection_commit(e);
			}
		}
	} else if (s->answer == ANSWER_IS_CUT) {
		classify(e, NULL, 0);
	}
	return s->next;
}

/* The first events with data are cut, and the client has none of them yet. False: they show that
 * the answer cannot be cut, and a second attempt follows. */
static bool accept_first(struct exchange *e, bool uncut)
{
	struct cut_stream *c = e->injection.cutter;
	if (uncut && ask_again(e, cause_of(c))) {
		return false;
	}
	if (!uncut && cut_stream_kept_usage(c) && ask_again(e, N_INJECTION_STOPS)) {
		note_kept_usage(e);
		return false;
	}
	injection_commit(e);
	return true;
}

static bool cut_piece(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	bool uncut = false, first = s->undecided;
	if (!classify(e, data, len)) {
		return true;
	}
	cut_stream_feed(s->cutter, data, len, &s->out, &uncut);
	if (first && !s->undecided && !accept_first(e, uncut)) {
		return true;
	}
	if (uncut) {
		leave_uncut(e, cause_of(s->cutter));
	}
	if (!account_cutter(e)) {
		stop_over_budget(e);
		if (s->undecided && ask_again(e, N_INJECTION_STOPS)) {
			return true;
		}
		count_uncut(e);
		cut_stream_end(s->cutter, &s->out, &uncut);
		injection_drop_cutter(e);
		injection_commit(e);
		s->answer = ANSWER_PASSES;
	}
	return send_cut(e);
}

bool injection_body(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	if (s->answer == ANSWER_IS_HELD && !s->held.len && begins_stream(e, data)) {
		begin_cut(e);
	}
	switch (s->answer) {
	case ANSWER_IS_HELD:
		return hold_piece(e, data, len);
	case ANSWER_IS_CUT:
		return cut_piece(e, data, len);
	case ANSWER_PASSES:
		break;
	}
	if (s->learning) {
		s->learning_stream |= !s->sample.len && begins_stream(e, data);
		injection_sample_add(e, data, len);
	}
	return response_body(&e->response, data, len, exchange_window(e));
}

static void send_held(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (!s->out.len) { /* it is the first answer, which was kept */
		cut_held(e);
	}
	if (s->stop != N_INJECTION_STOPS) {
		leave_uncut(e, s->stop);
	}
	injection_drop_held(e);
	response_begin(&e->response, s->held_head, (int64_t)s->out.len, e->head->keep_alive);
	send_out(e);
}

/* An answer that broke off shows nothing about the engine. The same is true of text without an
 * end, since for some answers only the end of the connection marks the end. */
static void send_rest(struct exchange *e, bool whole)
{
	struct injection_state *s = &e->injection;
	bool uncut = false;
	cut_stream_end(s->cutter, &s->out, &uncut);
	if (uncut && whole && cut_stream_uncut(s->cutter) != UNCUT_TEXT) {
		leave_uncut(e, cause_of(s->cutter));
	} else if (uncut) {
		count_uncut(e);
	}
	if (whole) {
		injection_commit(e);
	}
	if (whole && cut_stream_kept_usage(s->cutter)) {
		note_kept_usage(e);
	}
	if (whole) {
		injection_count_stream(e, cut_stream_has_error(s->cutter));
	}
	send_cut(e);
}

/* Added to each time, so that a slowdown too small to notice does not count. */
#define UNNOTICED 0.02

/* The duration of the answer, in us. For a stream it begins with the first byte, because the
 * time before that is not spent on generating tokens. */
static uint64_t time_of(const struct exchange *e)
{
	uint64_t took = (clock_mono() - e->primary.leg.mono) / 1000;
	uint64_t before = e->primary.leg.streamed ? MIN(e->primary.leg.row.first_body_us, took) : 0;
	return took - before;
}

/* Seconds per byte that the client gets. The client's bytes are the same with added fields and
 * without. */
static double pace_of(const struct exchange *e)
{
	return ((double)time_of(e) / 1e6 + UNNOTICED) / (double)e->response.sent;
}

/* Counts the cost of longer lists, for the metrics. */
static void count_list_cost(struct exchange *e)
{
	const struct injection_state *s = &e->injection;
	int status = e->primary.leg.row.status;
	if (!endpoint_is_openai(e->endpoint) || e->facts.has_logprobs || !e->response.sent ||
	        status < 200 || status >= 300) {
		return;
	}
	bool asked = s->attempt == ATTEMPT_INJECTED && s->added.logprobs;
	enum lists lists = !asked                   ? LISTS_NONE
	                   : exchange_is_audited(e) ? LISTS_AUDIT
	                                            : LISTS_ORDINARY;
	struct list_cost *cost = &e->shared->list_costs[lists];
	atomic_fetch_add_explicit(&cost->answers, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&cost->us, time_of(e), memory_order_relaxed);
	atomic_fetch_add_explicit(&cost->bytes, e->response.sent, memory_order_relaxed);
}

static void compare_pace(struct exchange *e)
{
	const struct injection_state *s = &e->injection;
	struct kind_key key = injection_key(e);
	struct slowdown_ratio ratio;
	double limit = e->settings->max_slowdown;
	if (!s->timed || !e->client || !e->response.sent || limit < 0 ||
	        !kinds_add_time(e->shared->kinds, &key, s->attempt == ATTEMPT_INJECTED, pace_of(e),
	                &ratio) ||
	        ratio.low <= 1 + limit) {
		return;
	}
	log_info("With logprobs, answers of {backend} take {ratio} times as long (99 % interval: "
	         "{low} to {high}).",
	        log_field("backend", e->settings->primary.name), log_field("ratio", ratio.middle),
	        log_field("low", ratio.low), log_field("high", ratio.high),
	        log_field("model", secret_scan_hide(e->facts.model)),
	        log_field("endpoint", endpoint_name(e->endpoint)));
	injection_stop_declare(e->shared, &key, INJECTION_STOP_SLOW, false);
}

void injection_end(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (s->answer == ANSWER_IS_HELD) {
		send_held(e);
	} else if (s->answer == ANSWER_IS_CUT) {
		send_rest(e, true);
	} else if (s->learning) {
		injection_sample_learn(e);
	}
	compare_pace(e);
	count_list_cost(e);
}

void injection_broken(struct exchange *e)
{
	if (e->injection.answer == ANSWER_IS_CUT) {
		send_rest(e, false);
	}
}
