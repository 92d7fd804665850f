#include "proxy/injection.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/http_head.h"
#include "base/letters.h"
#define LOG_MODULE "injection"
#include "base/log.h"
#include "base/reserve.h"
#include "proxy/exchange.h"
#include "proxy/head.h"
#include "proxy/sampler.h"
#include "proxy/shared.h"
#include "proxy/stage.h"

#define SAMPLE_LIMIT ((size_t)1 << 20)
#define EVENT_LIMIT ((size_t)4 << 20)
/* Times the length of what is worked on, that it may take: one buffer that doubles and is moved, or several. */
#define EDIT_ROOM 4
#define CUT_ROOM 4
#define EVENT_ROOM 12
#define LEARN_ROOM 12

/* The body may turn out to be JSON: many clients send it under no type, or that of a form. */
static bool may_be_json(const struct http_head *head)
{
	struct span coding = http_field(head, "content-encoding");
	return !head_type_is(head, "multipart/form-data") &&
	       (!coding.data || span_is_nocase(coding, "identity"));
}

bool injection_holds(struct exchange *e)
{
	const struct settings *conf = e->settings;
	e->injection.wanted = conf->inject == INJECT_BOTH && endpoint_is_openai(e->endpoint) &&
	                      exchange_within_share(e);
	return e->injection.wanted && may_be_json(e->head) && e->head->framing != HTTP_NO_BODY &&
	       (!e->head->has_length || e->head->length <= conf->inject_limit);
}

/* An element of Accept-Encoding: "gzip;q=0" excludes. */
static bool names_coding(struct span element)
{
	const char *end = element.data + element.len;
	const char *semicolon = memchr(element.data, ';', element.len);
	struct span name = {element.data, (size_t)((semicolon ? semicolon : end) - element.data)};
	name = span_trim(name);
	if (!name.len || span_is_nocase(name, "identity")) {
		return false;
	}
	const char *equals = semicolon ? memchr(semicolon, '=', (size_t)(end - semicolon)) : NULL;
	for (const char *p = equals ? equals + 1 : end; p < end; p++) {
		if (*p >= '1' && *p <= '9') {
			return true;
		}
	}
	return !equals;
}

/* The client takes some coding other than identity. */
static bool accepts_codings(const struct http_head *head)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		struct span list = head->fields[i].value, element;
		if (!span_is_nocase(head->fields[i].name, "accept-encoding")) {
			continue;
		}
		while (http_list_next(&list, &element)) {
			if (names_coding(element)) {
				return true;
			}
		}
	}
	return false;
}

static bool is_coded(const struct http_head *head)
{
	struct span coding = http_field(head, "content-encoding");
	return coding.data && !span_is_nocase(coding, "identity");
}

static struct kind_key key_of(const struct exchange *e)
{
	return (struct kind_key){
	        .backend = e->stage->lineup->primary->label,
	        .model = e->facts.model,
	        .endpoint = e->endpoint,
	        .stream = e->facts.stream,
	        .tools = e->facts.has_tools,
	        .codings = accepts_codings(e->head),
	};
}

enum cause { CAUSE_CODING, CAUSE_LONG, CAUSE_LINES, CAUSE_TEXT };

/* Answers like this one are not injected any more, with tools or without. */
static void end_injection(struct exchange *e, enum cause cause)
{
	static const struct {
		enum figure figure;
		const char *text;
	} causes[] = {
	        [CAUSE_CODING] = {FIGURE_ENDED_CODING, "the primary compresses them"},
	        [CAUSE_LONG] = {FIGURE_ENDED_LONG, "they are too long to be cut"},
	        [CAUSE_LINES] = {FIGURE_ENDED_LINES, "their events have other lines between data"},
	        [CAUSE_TEXT] = {FIGURE_ENDED_TEXT, "they are not JSON"},
	};
	struct kind_key key = key_of(e);
	/* Who accepts no codings has shown what the others get too. */
	bool all = cause != CAUSE_CODING || !key.codings;
	bool ends = false;
	for (unsigned i = 0; i < 4; i++) {
		key.tools = i & 1;
		key.codings = i & 2;
		ends |= (all || key.codings) && kinds_end(e->shared->kinds, &key);
	}
	if (ends) {
		shared_count(e->shared, causes[cause].figure, 1);
		log_warn("Nothing is added any more to requests with answers like this one: %s "
		         "model=%s endpoint=%s streamed=%s",
		        causes[cause].text, e->facts.model, endpoint_name(e->endpoint),
		        e->facts.stream ? "yes" : "no");
	}
}

void injection_prepare(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (!s->wanted || !e->facts.is_json || !e->upload.kept) {
		return;
	}
	struct kind_key key = key_of(e);
	bool refused;
	s->kind = kinds_get(e->shared->kinds, &key, clock_mono(), &refused);
	s->learning = s->kind.logprobs == KIND_UNKNOWN ||
	              (e->facts.stream && s->kind.usage == KIND_UNKNOWN);
	if (refused) {
		return;
	}
	struct span body = upload_span(&e->upload);
	struct edits edits = {0};
	struct stack_view stack;
	stack_view(e->stage->lineup->primary->stack, &stack);
	if (!inject_request(stack.dialect, e->endpoint, &e->facts, body, e->settings->top_logprobs,
	            kind_can_cut(s->kind.logprobs), kind_can_cut(s->kind.usage), &edits,
	            &s->added)) {
		return;
	}
	bool room = room_enter(EDIT_ROOM * body.len);
	if (room) {
		edits_apply(edits.items, edits.n, body, &s->sent);
		room_leave();
	}
	if (!room || !budget_take(&e->shared->budget, s->sent.len)) {
		buf_finish(&s->sent);
		edits_finish(&edits);
		s->added = (struct injection){0};
		return;
	}
	s->active = true;
	s->edits = edits;
	shared_count(e->shared, FIGURE_INJECTED, 1);
}

ssize_t injection_pull(struct injection_state *s, char *buf, size_t cap)
{
	size_t n = MIN(cap, s->sent.len - s->offset);
	memcpy(buf, s->sent.data + s->offset, n);
	s->offset += n;
	return (ssize_t)n;
}

static bool is_success(int status)
{
	return status >= 200 && status < 300;
}

bool injection_is_refused(struct exchange *e, const struct http_head *head)
{
	if (!e->injection.active || !e->upload.kept) {
		return false;
	}
	e->injection.coded = is_success(head->status) && is_coded(head);
	return e->injection.coded || inject_status_refuses(head->status);
}

static void drop_sent(struct exchange *e)
{
	budget_give(&e->shared->budget, e->injection.sent.len);
	buf_finish(&e->injection.sent);
	e->injection.offset = 0;
}

void injection_give_up(struct exchange *e)
{
	drop_sent(e);
	e->injection.active = false;
	e->injection.refused = true;
	shared_count(e->shared, FIGURE_INJECTION_REFUSED, 1);
}

/* The client will see what was added. */
static void count_uncut(struct exchange *e)
{
	if (!(e->leg.row.marks & LEG_UNCUT)) {
		shared_count(e->shared, FIGURE_UNCUT, 1);
	}
	e->leg.row.marks |= LEG_UNCUT;
}

static void leave_uncut(struct exchange *e, enum cause cause)
{
	count_uncut(e);
	end_injection(e, cause);
}

/* That says nothing of the engine: there may be memory again. */
static void leave_uncut_for_room(struct exchange *e)
{
	struct kind_key key = key_of(e);
	count_uncut(e);
	kinds_refused(e->shared->kinds, &key, clock_mono());
	log_warn("There was no memory to cut an answer: nothing is added to such requests for an "
	         "hour model=%s endpoint=%s",
	        e->facts.model, endpoint_name(e->endpoint));
}

static enum cause cause_of(const struct cutter *c)
{
	switch (cutter_uncut(c)) {
	case UNCUT_LONG:
		return CAUSE_LONG;
	case UNCUT_LINES:
		return CAUSE_LINES;
	default:
		return CAUSE_TEXT;
	}
}

static void begin_plain(struct exchange *e, const struct http_head *head)
{
	struct injection_state *s = &e->injection;
	s->answer = ANSWER_PASSES;
	response_begin(&e->response, head, RESPONSE_LENGTH_KEPT, e->head->keep_alive);

	s->learning = s->learning && !s->active && head->status == 200;
	if (s->learning && is_coded(head)) {
		end_injection(e, CAUSE_CODING);
		s->learning = false;
	}
	s->learning_stream = head_type_is(head, "text/event-stream");
}

static void begin_cut(struct exchange *e, const struct http_head *head)
{
	struct injection_state *s = &e->injection;
	s->answer = ANSWER_IS_CUT;
	s->cutter = cutter_create(&s->added, s->kind, EVENT_LIMIT);
	response_begin(&e->response, head, RESPONSE_LENGTH_UNKNOWN, e->head->keep_alive);
}

/* Streams come under other types too. An event begins with a field's name or a colon, JSON never so. */
static bool begins_stream(const struct exchange *e, const char *data)
{
	return e->facts.stream && memchr("d:eir", *data, 5);
}

void injection_head(struct exchange *e, const struct http_head *head)
{
	struct injection_state *s = &e->injection;
	if (s->coded) {
		end_injection(e, CAUSE_CODING);
	} else if (s->refused && is_success(head->status)) {
		struct kind_key key = key_of(e);
		kinds_refused(e->shared->kinds, &key, clock_mono());
		log_info("The primary does not take the added fields model=%s endpoint=%s",
		        e->facts.model, endpoint_name(e->endpoint));
	}
	if (!s->active || !is_success(head->status)) {
		begin_plain(e, head);
	} else if (is_coded(head)) {
		leave_uncut(e, CAUSE_CODING);
		begin_plain(e, head);
	} else if (head_type_is(head, "text/event-stream")) {
		begin_cut(e, head);
	} else {
		s->answer = ANSWER_IS_HELD;
		s->held_head = head_copy(head);
	}
}

static void let_go_of_held(struct exchange *e)
{
	budget_give(&e->shared->budget, e->injection.held.len);
	buf_finish(&e->injection.held);
}

/* A held answer that has grown too large goes on as it comes, of unknown length and uncut. */
static void stop_holding(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	s->answer = ANSWER_PASSES;
	response_begin(&e->response, s->held_head, RESPONSE_LENGTH_UNKNOWN, e->head->keep_alive);
	response_body(&e->response, s->held.data, s->held.len, exchange_window(e));
	let_go_of_held(e);
}

/* A relay window's worth comes first, as all that is relayed. */
static bool take(struct exchange *e, size_t held, size_t more)
{
	if (held + more <= e->settings->relay_window) {
		budget_force(&e->shared->budget, more);
		return true;
	}
	return budget_take(&e->shared->budget, more);
}

static bool hold(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	if (s->held.len + len > e->settings->inject_limit) {
		leave_uncut(e, CAUSE_LONG);
	} else {
		if (take(e, s->held.len, len)) {
			if (buf_try_append(&s->held, data, len)) {
				return true;
			}
			budget_give(&e->shared->budget, len);
		}
		leave_uncut_for_room(e);
	}
	stop_holding(e);
	return response_body(&e->response, data, len, exchange_window(e));
}

static void drop_cutter(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	cutter_destroy(s->cutter);
	s->cutter = NULL;
	budget_give(&e->shared->budget, s->cutter_bytes);
	s->cutter_bytes = 0;
}

/* False: there is no memory for the event that the cutter holds. */
static bool account_cutter(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	size_t now = cutter_held(s->cutter);
	if (now <= s->cutter_bytes) {
		budget_give(&e->shared->budget, s->cutter_bytes - now);
	} else if (!take(e, s->cutter_bytes, now - s->cutter_bytes)) {
		return false;
	}
	s->cutter_bytes = now;
	return true;
}

/* What the client doesn't take at once is held in its queue, not in both. */
static bool send_out(struct exchange *e)
{
	struct buf *out = &e->injection.out;
	bool more = response_body(&e->response, out->data, out->len, exchange_window(e));
	buf_reuse(out);
	return more;
}

static bool cut(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	bool uncut = false;
	if (!room_enter(EVENT_ROOM * (s->cutter_bytes + len))) {
		exchange_starve(e);
		return true;
	}
	cutter_feed(s->cutter, data, len, &s->out, &uncut);
	if (uncut) {
		leave_uncut(e, cause_of(s->cutter));
	}
	if (!account_cutter(e)) {
		cutter_end(s->cutter, &s->out, &uncut);
		drop_cutter(e);
		s->answer = ANSWER_PASSES;
		leave_uncut_for_room(e);
	}
	room_leave();
	return send_out(e);
}

static void stop_learning(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	s->learning = false;
	budget_give(&e->shared->budget, s->sample.len);
	buf_finish(&s->sample);
}

static void sample(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	s->learning_stream |= !s->sample.len && begins_stream(e, data);
	if (s->sample.len + len > SAMPLE_LIMIT) {
		/* The beginning of a stream tells enough, that of a document nothing. */
		if (!s->learning_stream) {
			stop_learning(e);
		}
	} else if (!budget_take(&e->shared->budget, len)) {
		stop_learning(e);
	} else if (!buf_try_append(&s->sample, data, len)) {
		budget_give(&e->shared->budget, len);
		stop_learning(e);
	}
}

bool injection_body(struct exchange *e, const char *data, size_t len)
{
	struct injection_state *s = &e->injection;
	if (s->answer == ANSWER_IS_HELD && !s->held.len && begins_stream(e, data)) {
		begin_cut(e, s->held_head);
	}
	switch (s->answer) {
	case ANSWER_IS_HELD:
		return hold(e, data, len);
	case ANSWER_IS_CUT:
		return cut(e, data, len);
	case ANSWER_PASSES:
		break;
	}
	if (s->learning) {
		sample(e, data, len);
	}
	return response_body(&e->response, data, len, exchange_window(e));
}

static void learn(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	struct span body = buf_span(&s->sample);
	if (room_enter(LEARN_ROOM * body.len)) {
		struct kind kind = kind_of_answer(body, s->learning_stream, &e->facts, NULL);
		struct kind_key key = key_of(e);
		kinds_learn(e->shared->kinds, &key, kind, clock_mono());
		room_leave();
	}
}

static void send_held(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (!room_enter(CUT_ROOM * s->held.len)) {
		leave_uncut_for_room(e);
		response_begin(
		        &e->response, s->held_head, (int64_t)s->held.len, e->head->keep_alive);
		response_body(&e->response, s->held.data, s->held.len, exchange_window(e));
		return;
	}
	enum cut result = cut_json(buf_span(&s->held), &s->added, s->kind, &s->out);
	if (result == CUT_FAILED && cut_shows(buf_span(&s->held), &s->added)) {
		leave_uncut(e, CAUSE_TEXT);
	}
	room_leave();
	let_go_of_held(e);
	response_begin(&e->response, s->held_head, (int64_t)s->out.len, e->head->keep_alive);
	send_out(e);
}

/* What broke off shows nothing of the engine. */
static void send_rest(struct exchange *e, bool whole)
{
	struct injection_state *s = &e->injection;
	if (!room_enter(EVENT_ROOM * s->cutter_bytes)) {
		exchange_starve(e);
		return;
	}
	bool uncut = false;
	cutter_end(s->cutter, &s->out, &uncut);
	room_leave();
	if (uncut && whole) {
		leave_uncut(e, cause_of(s->cutter));
	} else if (uncut) {
		count_uncut(e);
	}
	send_out(e);
}

void injection_end(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	if (s->answer == ANSWER_IS_HELD) {
		send_held(e);
	} else if (s->answer == ANSWER_IS_CUT) {
		send_rest(e, true);
	} else if (s->learning) {
		learn(e);
	}
}

void injection_broken(struct exchange *e)
{
	if (e->injection.answer == ANSWER_IS_CUT) {
		send_rest(e, false);
	}
}

void injection_finish(struct exchange *e)
{
	struct injection_state *s = &e->injection;
	drop_sent(e);
	let_go_of_held(e);
	stop_learning(e);
	buf_finish(&s->out);
	drop_cutter(e);
	edits_finish(&s->edits);
	free(s->held_head);
	*s = (struct injection_state){0};
}
