#include "answers/api/responses.h"

#include <string.h>

#include "answers/api/failure.h"
#include "answers/api/received.h"
#include "answers/json_key.h"
#include "answers/tokens/logprobs.h"
#include "answers/members.h"
#include "answers/api/output.h"
#include "answers/api/repetition.h"
#include "answers/api/usage.h"
#include "base/ascii.h"

/* The members that are read from events of any kind. */
struct event {
	struct json_token type, delta, text, refusal, arguments, input, name, message, item_id;
	struct span item, part, response, logprobs, error;
	int64_t output; /* -1: not stated */
	int64_t content;
	bool has_logprobs;       /* a delta's logprobs, which were read in place */
	struct json_token other; /* the first unknown member */
};

static bool states_reason(struct span incomplete, struct json_token *ret)
{
	static const char *const path[] = {"reason"};
	return json_find(incomplete, path, 1, ret, NULL) && ret->type == JSON_TOKEN_STRING;
}

/* Uses the chat's finish reason if the response means the same; any other reason is stored
 * unchanged. */
static void set_finish(
        struct draft_choice *c, const struct json_token *status, struct span incomplete)
{
	static const char stop[] = "\"stop\"", length[] = "\"length\"";
	struct json_token reason;
	if (json_token_is_string(status, "completed")) {
		reason = (struct json_token){
		        .type = JSON_TOKEN_STRING, .start = stop, .len = sizeof(stop) - 1};
		draft_set_finish(c, &reason);
	} else if (!json_token_is_string(status, "incomplete") ||
	           !states_reason(incomplete, &reason)) {
		draft_set_finish(c, status);
	} else if (json_token_is_string(&reason, "max_output_tokens")) {
		reason = (struct json_token){
		        .type = JSON_TOKEN_STRING, .start = length, .len = sizeof(length) - 1};
		draft_set_finish(c, &reason);
	} else {
		draft_set_finish(c, &reason);
	}
}

static bool is_terminal(const struct json_token *status)
{
	return json_token_is_string(status, "completed") ||
	       json_token_is_string(status, "incomplete") ||
	       json_token_is_string(status, "failed") || json_token_is_string(status, "cancelled");
}

/* Members of a response that are read when all of it is known. */
struct response_parts {
	struct json_token status, text; /* text: what some servers repeat as "output_text" */
	struct span output, incomplete;
};

static void read_member(struct draft *d, struct json *j, const struct json_token *key,
        const struct json_token *value, struct response_parts *parts)
{
	usage_find(&d->usage, *j, key, value);
	if (KEY_IS(key, "error")) {
		failure_read(d, j, value);
	} else if (KEY_IS(key, "incomplete_details")) {
		parts->incomplete = json_skip(j, value);
	} else if (KEY_IS(key, "output")) {
		parts->output = json_skip(j, value);
	} else if (KEY_IS(key, "output_text") && value->type == JSON_TOKEN_STRING) {
		parts->text = *value;
	} else if (value->type == JSON_TOKEN_STRING &&
	           (KEY_IS(key, "text") || KEY_IS(key, "reasoning"))) {
		/* Not what the request asked for, which is an object. */
		members_add_unread(d, MEMBER_OF_RESPONSE,
		        KEY_IS(key, "text") ? "text" : "reasoning", json_skip(j, value));
	} else {
		if (KEY_IS(key, "id")) {
			draft_set_once(&d->response_id, value);
		} else if (KEY_IS(key, "model")) {
			draft_set_once(&d->model, value);
		} else if (KEY_IS(key, "system_fingerprint")) {
			draft_set_once(&d->fingerprint, value);
		} else if (KEY_IS(key, "status")) {
			parts->status = *value;
		}
		members_skip(d, MEMBER_OF_RESPONSE, j, key, value);
	}
}

static void read_parts(struct draft *d, struct response_parts *parts)
{
	static const char incomplete[] = "\"incomplete\"";
	struct json_token reason;
	if (parts->status.type == JSON_TOKEN_ERROR && states_reason(parts->incomplete, &reason)) {
		/* A server that states no status may state why the response is incomplete. */
		parts->status = (struct json_token){.type = JSON_TOKEN_STRING,
		        .start = incomplete,
		        .len = sizeof(incomplete) - 1};
	}
	bool terminal = is_terminal(&parts->status);
	if (parts->output.len <= 2 && !terminal) {
		return; /* "[]": the response has only begun */
	}
	struct draft_choice *c = draft_choice(d, 0);
	if (!c) {
		return;
	}
	if (d->streamed && terminal) {
		repetition_output(d, c, parts->output);
	} else {
		output_read(d, c, parts->output);
	}
	c->sources |= c->text.len ? HAS_ANY_TEXT : 0;
	(void)repetition_text(d, c, &parts->text, "output_text");
	if (terminal) {
		set_finish(c, &parts->status, parts->incomplete);
		d->done = true;
	} else {
		c->unended |= parts->status.type != JSON_TOKEN_ERROR; /* some servers state none */
	}
}

/* A response, whole or (in the first events) empty. False: malformed. */
static bool read_response(struct draft *d, struct span value)
{
	struct json j;
	struct json_token t;
	struct response_parts parts = {0};
	if (json_begin_lenient(&j, value).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		read_member(d, &j, &t, &v, &parts);
	}
	read_parts(d, &parts);
	return t.type == JSON_TOKEN_OBJECT_END;
}

static void read_number(int64_t *to, const struct json_token *t)
{
	int64_t n;
	if (t->type == JSON_TOKEN_NUMBER && json_token_integer(t, &n)) {
		*to = n;
	}
}

/* Reads a delta's logprobs. They are most of the event's text, so they are read in place, once. */
static bool read_delta_logprobs(
        struct draft *d, struct event *e, struct json *j, const struct json_token *first)
{
	struct json ahead = *j;
	bool is_delta = json_token_is_string(&e->type, "response.output_text.delta");
	struct draft_choice *c = is_delta ? draft_choice(d, 0) : NULL;
	if (!c || first->type != JSON_TOKEN_ARRAY || json_next(&ahead).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	logprobs_read_entries(d, c, j, first);
	e->has_logprobs = true;
	return true;
}

static void read_event_member(
        struct draft *d, struct event *e, struct json *j, const struct json_token *key)
{
#define MEMBER(literal, token, span)                                                               \
	{                                                                                          \
		literal, sizeof(literal) - 1, token, span                                          \
	}
	const struct {
		const char *name;
		size_t len;
		struct json_token *token;
		struct span *span;
	} members[] = {
	        MEMBER("type", &e->type, NULL),
	        MEMBER("delta", &e->delta, NULL),
	        MEMBER("text", &e->text, NULL),
	        MEMBER("refusal", &e->refusal, NULL),
	        MEMBER("arguments", &e->arguments, NULL),
	        MEMBER("input", &e->input, NULL),
	        MEMBER("name", &e->name, NULL),
	        MEMBER("message", &e->message, NULL),
	        MEMBER("item_id", &e->item_id, NULL),
	        MEMBER("item", NULL, &e->item),
	        MEMBER("part", NULL, &e->part),
	        MEMBER("response", NULL, &e->response),
	        MEMBER("logprobs", NULL, &e->logprobs),
	        MEMBER("error", NULL, &e->error),
	};
#undef MEMBER
	struct json_token v = json_next(j);
	if (KEY_IS(key, "logprobs") && read_delta_logprobs(d, e, j, &v)) {
		return;
	}
	struct json before = *j;
	struct span whole = json_skip(j, &v);
	if (KEY_IS(key, "output_index")) {
		read_number(&e->output, &v);
	} else if (KEY_IS(key, "content_index") || KEY_IS(key, "summary_index")) {
		read_number(&e->content, &v);
	}
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		if (!key_is_bytes(key, members[i].name, members[i].len)) {
			continue;
		}
		if (members[i].token) {
			*members[i].token = v;
		} else {
			*members[i].span = whole;
		}
		return;
	}
	usage_find(&d->usage, before, key, &v);
	if (e->other.type == JSON_TOKEN_ERROR && members_may_hold(MEMBER_OF_EVENT, key, whole)) {
		e->other = *key;
	}
}

/* The kind of text in an event's deltas, by the event's name. */
static const struct {
	const char *delta, *done;
	enum received_kind kind;
} texts[] = {
        {"response.output_text.delta", "response.output_text.done", RECEIVED_TEXT},
        {"response.refusal.delta", "response.refusal.done", RECEIVED_REFUSAL},
        {"response.reasoning_text.delta", "response.reasoning_text.done", RECEIVED_REASONING},
        {"response.reasoning.delta", "response.reasoning.done", RECEIVED_REASONING},
        {"response.reasoning_summary_text.delta", "response.reasoning_summary_text.done",
                RECEIVED_SUMMARY},
        {"response.reasoning_summary.delta", "response.reasoning_summary.done", RECEIVED_SUMMARY},
};

static bool read_text_event(
        struct draft *d, const struct event *e, struct span name, const struct part *at)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		bool is_delta = span_is(name, texts[i].delta);
		if (!is_delta && !span_is(name, texts[i].done)) {
			continue;
		}
		if (is_delta &&
		        (e->delta.type == JSON_TOKEN_OBJECT || e->delta.type == JSON_TOKEN_ARRAY)) {
			members_add_unknown(d, MEMBER_OF_EVENT, SPAN("delta"));
		} else if (is_delta) {
			received_add_piece(d, texts[i].kind, at, &e->delta);
		} else {
			received_add_whole(d, texts[i].kind, at,
			        texts[i].kind == RECEIVED_REFUSAL ? &e->refusal : &e->text);
		}
		if (e->has_logprobs) {
			(void)received_add(d, RECEIVED_LOGPROBS, at);
		} else if (e->logprobs.len) {
			output_read_logprobs(d, at, e->logprobs, is_delta);
		}
		return true;
	}
	return false;
}

static bool read_call_event(
        struct draft *d, const struct event *e, struct span name, struct part *at)
{
	bool is_delta = span_is(name, "response.function_call_arguments.delta") ||
	                span_is(name, "response.custom_tool_call_input.delta");
	bool is_done = span_is(name, "response.function_call_arguments.done") ||
	               span_is(name, "response.custom_tool_call_input.done");
	if (!is_delta && !is_done) {
		return false;
	}
	at->part = 0;
	struct call_piece p = {.name = e->name};
	p.is_text = span_starts(name, "response.custom_tool_call_input");
	p.arguments = is_delta                             ? e->delta
	              : e->input.type == JSON_TOKEN_STRING ? e->input
	                                                   : e->arguments;
	p.arguments_span = json_token_raw(&p.arguments);
	output_add_call(d, at, &p, is_done);
	return true;
}

static void read_failure(struct draft *d, const struct event *e)
{
	struct json j;
	if (e->message.type == JSON_TOKEN_STRING) {
		buf_clear(&d->scratch);
		json_token_unescape(&e->message, &d->scratch);
		draft_set_error(d, buf_span(&d->scratch));
		return;
	}
	struct json_token first = json_begin_lenient(&j, e->error);
	failure_read(d, &j, &first);
}

/* llama.cpp omits an item's index. */
static int64_t number_of_item(struct draft *d, const struct event *e)
{
	if (e->output >= 0) {
		return e->output;
	}
	struct json_token id = e->item.len ? output_text_of(e->item, "id") : e->item_id;
	return received_item(
	        d, id.type == JSON_TOKEN_STRING ? json_token_raw(&id) : (struct span){0});
}

/* False: the event's other members are not examined. */
static bool read_event(struct draft *d, const struct event *e, struct span name, struct span text)
{
	bool is_error = name.len == 0 && e->error.len > 0; /* as in other dialects */
	if (is_error || span_is(name, "error")) {
		read_failure(d, e);
		return false;
	}
	if (e->response.len) {
		(void)read_response(d, e->response);
		return true;
	}
	struct draft_choice *c = draft_choice(d, 0);
	struct part at = {.item = number_of_item(d, e), .part = e->content, .choice = c};
	if (!c || read_text_event(d, e, name, &at) || read_call_event(d, e, name, &at)) {
		return true;
	}
	static const char *const begun[] = {"response.content_part.added",
	        "response.reasoning_part.added", "response.reasoning_summary_part.added", NULL};
	static const char *const done[] = {"response.content_part.done",
	        "response.reasoning_part.done", "response.reasoning_summary_part.done", NULL};
	if (e->item.len) {
		output_read_item(d, c, at.item, e->item);
	} else if (e->part.len && span_is_one_of(name, done)) {
		enum received_kind kind = span_is(name, done[0])   ? RECEIVED_TEXT
		                          : span_is(name, done[1]) ? RECEIVED_REASONING
		                                                   : RECEIVED_SUMMARY;
		output_read_part(d, kind, &at, e->part);
	} else if (!span_is_one_of(name, begun)) {
		members_check_event(d, text, name);
		return false;
	}
	return true;
}

bool responses_read(struct draft *d, struct span text, struct span event_name, bool is_error)
{
	struct json j;
	struct json_token t;
	struct event e = {.output = -1};
	bool is_response = false;
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		is_response |= KEY_IS(&t, "object") || KEY_IS(&t, "output");
		read_event_member(d, &e, &j, &t);
	}
	bool whole = t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
	d->fits = true;
	if (is_response) {
		return read_response(d, text) && whole;
	}
	struct span name = e.type.type == JSON_TOKEN_STRING ? json_token_raw(&e.type) : event_name;
	bool known = read_event(d, &e, is_error ? SPAN("error") : name, text);
	if (known && e.other.type == JSON_TOKEN_KEY) {
		members_add_unknown(d, MEMBER_OF_EVENT, json_token_raw(&e.other));
	}
	return whole;
}
