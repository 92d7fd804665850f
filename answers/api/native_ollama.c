#include "answers/api/native.h"

#include "answers/json_key.h"
#include "answers/reasoning.h"
#include "answers/tokens/logprobs.h"
#include "answers/api/message.h"
#include "answers/calls/tool_calls.h"
#include "answers/api/usage.h"

/* Members of a line that are read after the whole line was parsed. */
struct line {
	struct json_token response, thinking, reason;
	struct json_token message;
	struct json message_at, calls_at;
	struct json_token calls; /* of /api/generate */
	bool done, has_logprobs;
};

static bool read_member(struct draft *d, void *form, struct json *j, const struct json_token *key,
        const struct json_token *v)
{
	struct line *l = form;
	struct draft_choice *c;
	if (KEY_IS(key, "message") && v->type == JSON_TOKEN_OBJECT) {
		l->message = *v;
		l->message_at = *j;
	} else if (KEY_IS(key, "logprobs") && (c = draft_choice(d, d->position))) {
		l->has_logprobs = v->type == JSON_TOKEN_ARRAY;
		logprobs_read_entries(d, c, j, v);
		return true;
	} else if (KEY_IS(key, "tool_calls")) {
		l->calls = *v;
		l->calls_at = *j;
	} else if (KEY_IS(key, "response") && v->type == JSON_TOKEN_STRING) {
		l->response = *v;
	} else if (reasoning_source_of(key) == REASONING_OF_THINKING &&
	           v->type == JSON_TOKEN_STRING) {
		l->thinking = *v;
	} else if (KEY_IS(key, "done_reason")) {
		l->reason = *v;
	} else if (KEY_IS(key, "done")) {
		l->done = v->type == JSON_TOKEN_TRUE;
	} else if (KEY_IS(key, "model")) {
		draft_set_once(&d->model, v);
	} else if (KEY_IS(key, "prompt_eval_count")) {
		usage_count(&d->usage.prompt_tokens, v);
	} else if (KEY_IS(key, "eval_count")) {
		usage_count(&d->usage.completion_tokens, v);
	} else {
		return false;
	}
	json_skip(j, v);
	return true;
}

static bool finish_document(struct draft *d, void *form)
{
	struct line *l = form;
	if (l->message.type != JSON_TOKEN_OBJECT && l->response.type != JSON_TOKEN_STRING) {
		return false;
	}
	struct draft_choice *c = draft_choice(d, d->position);
	if (!c) {
		return true;
	}
	d->may_repeat = l->done && !l->has_logprobs;
	draft_append(d, c, STRETCH_REASONING, &l->thinking);
	draft_append(d, c, STRETCH_TEXT, &l->response);
	if (l->message.type == JSON_TOKEN_OBJECT) {
		message_read(d, c, &l->message_at, &l->message);
	}
	if (l->calls.type != JSON_TOKEN_ERROR) {
		tool_calls_read(d, c, &l->calls_at, &l->calls);
	}
	draft_set_finish(c, &l->reason);
	c->unended |= !l->done;
	if (l->done) {
		d->done = true;
		/* Old versions state no reason. */
		static const struct json_token none = {JSON_TOKEN_STRING, false, "\"done\"", 6};
		if (!c->finish) {
			draft_set_finish(c, &none);
		}
	}
	return true;
}

bool ollama_read(struct draft *d, struct span text, bool is_error)
{
	static const struct native_form FORM = {read_member, finish_document};
	struct line line = {0};
	return native_read(d, text, is_error, &FORM, &line);
}
