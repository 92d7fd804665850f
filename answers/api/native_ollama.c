#include "answers/api/native.h"

#include "answers/api/failure.h"
#include "answers/keys.h"
#include "answers/reasoning.h"
#include "answers/tokens/logprobs.h"
#include "answers/members.h"
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

static bool note_member(struct draft *d, struct line *l, struct json *j,
        const struct json_token *key, const struct json_token *v)
{
	struct draft_choice *c;
	if (KEY_IS(key, "message") && v->type == JSON_OBJECT) {
		l->message = *v;
		l->message_at = *j;
	} else if (KEY_IS(key, "logprobs") && (c = draft_choice(d, d->position))) {
		l->has_logprobs = v->type == JSON_ARRAY;
		logprobs_read_entries(d, c, j, v);
		return true;
	} else if (KEY_IS(key, "tool_calls")) {
		l->calls = *v;
		l->calls_at = *j;
	} else if (KEY_IS(key, "response") && v->type == JSON_STRING) {
		l->response = *v;
	} else if (reasoning_source_of(key) == REASONING_OF_THINKING && v->type == JSON_STRING) {
		l->thinking = *v;
	} else if (KEY_IS(key, "done_reason")) {
		l->reason = *v;
	} else if (KEY_IS(key, "done")) {
		l->done = v->type == JSON_TRUE;
	} else {
		return false;
	}
	json_skip(j, v);
	return true;
}

static void settle_line(struct draft *d, struct line *l)
{
	struct draft_choice *c = draft_choice(d, d->position);
	if (!c) {
		return;
	}
	d->may_repeat = l->done && !l->has_logprobs;
	draft_append(d, c, STRETCH_REASONING, &l->thinking);
	draft_append(d, c, STRETCH_TEXT, &l->response);
	if (l->message.type == JSON_OBJECT) {
		message_read(d, c, &l->message_at, &l->message);
	}
	if (l->calls.type != JSON_ERROR) {
		tool_calls_read(d, c, &l->calls_at, &l->calls);
	}
	draft_set_finish(c, &l->reason);
	c->unended |= !l->done;
	if (l->done) {
		d->done = true;
		/* Old versions give no reason. */
		static const struct json_token none = {JSON_STRING, false, "\"done\"", 6};
		if (!c->finish) {
			draft_set_finish(c, &none);
		}
	}
}

bool ollama_read(struct draft *d, struct span text, bool is_error)
{
	struct json j;
	struct json_token t;
	struct line line = {0};
	struct failure failure = {0};
	json_init_lenient(&j, text.data, text.len);
	if (json_next(&j).type != JSON_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token v = json_next(&j);
		if (note_member(d, &line, &j, &t, &v) ||
		        failure_read_member(d, &failure, &j, &t, &v)) {
			continue;
		}
		if (KEY_IS(&t, "model")) {
			draft_set_once(&d->model, &v);
		} else if (KEY_IS(&t, "prompt_eval_count")) {
			usage_count(&d->usage.prompt_tokens, &v);
		} else if (KEY_IS(&t, "eval_count")) {
			usage_count(&d->usage.completion_tokens, &v);
		}
		members_skip(d, MEMBER_OF_NATIVE, &j, &t, &v);
	}
	d->fits = line.message.type == JSON_OBJECT || line.response.type == JSON_STRING;
	failure.has_answer = d->fits;
	if (d->fits) {
		settle_line(d, &line);
	}
	failure_decide(d, &failure, text, is_error);
	return t.type == JSON_OBJECT_END && json_next(&j).type == JSON_END;
}
