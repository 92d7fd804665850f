#include "answers/api/failure.h"

#include "answers/json_key.h"
#include "answers/members.h"

static void error_from_string(struct draft *d, const struct json_token *t)
{
	buf_clear(&d->scratch);
	json_token_unescape(t, &d->scratch);
	draft_set_error(d, buf_span(&d->scratch));
}

bool failure_is_reported(const struct json_token *first, struct span value)
{
	struct json j;
	struct json_token t;
	if (value.len == 0) {
		return first->type != JSON_TOKEN_ERROR; /* cut off */
	}
	json_init_lenient(&j, value.data, value.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_TRUE || (t.type == JSON_TOKEN_STRING && t.len > 2) ||
		        (t.type == JSON_TOKEN_NUMBER && json_token_number(&t) != 0)) {
			return true;
		}
	}
	return false;
}

void failure_read(struct draft *d, struct json *j, const struct json_token *first)
{
	struct json_token message;
	struct span value = json_skip(j, first);
	if (!failure_is_reported(first, value)) {
		return;
	}
	if (first->type == JSON_TOKEN_STRING) {
		error_from_string(d, first);
	} else if (json_find_member(value, "message", &message, NULL) &&
	           message.type == JSON_TOKEN_STRING) {
		error_from_string(d, &message);
	} else {
		draft_set_error(d, value);
	}
}

struct span failure_of_gateway(const struct json_token *key, struct span value)
{
	struct json_token t;
	struct span error, message;
	bool is_groq = KEY_IS(key, "x_groq");
	if (!is_groq && !KEY_IS(key, "base_resp")) {
		return (struct span){0};
	}
	if (!json_find_member(value, is_groq ? "error" : "status_code", &t, &error) ||
	        !failure_is_reported(&t, error)) {
		return (struct span){0};
	}
	bool has_message = json_find_member(value, "status_msg", &t, &message);
	return has_message && failure_is_reported(&t, message) ? message : error;
}

static bool is_message(const struct json_token *key)
{
	return KEY_IS(key, "message") || KEY_IS(key, "msg") || KEY_IS(key, "error_msg");
}

bool failure_is_message(struct span text)
{
	struct json j;
	struct json_token t;
	bool has_message = false;
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		struct span value = json_skip(&j, &v);
		if (is_message(&t) && v.type == JSON_TOKEN_STRING) {
			has_message |= v.len > 2;
		} else if (KEY_IS(&t, "choices") || members_may_hold(MEMBER_OF_ANSWER, &t, value)) {
			return false;
		}
	}
	return has_message;
}

bool failure_read_member(struct draft *d, struct failure *f, struct json *j,
        const struct json_token *key, const struct json_token *first)
{
	if (KEY_IS(key, "error")) {
		failure_read(d, j, first);
		return true;
	}
	if (KEY_IS(key, "detail")) {
		f->detail = *first;
		f->detail_span = json_skip(j, first);
		return true;
	}
	if (d->streamed ? KEY_IS(key, "message") : is_message(key)) {
		if (first->type != JSON_TOKEN_STRING) {
			return false;
		}
		if (first->len > 2) {
			f->message = *first;
			f->message_name = json_token_raw(key);
		}
		return true;
	}
	if ((KEY_IS(key, "object") || KEY_IS(key, "type")) && first->type == JSON_TOKEN_STRING) {
		f->object_is_error |= json_token_is_string(first, "error");
		return true;
	}
	return false;
}

/* FastAPI's "detail": a sentence, or a list whose first element has a "msg". */
static void set_detail_error(struct draft *d, const struct failure *f)
{
	static const char *const path[] = {"msg"};
	struct json j;
	struct json_token t, msg;
	if (f->detail.type == JSON_TOKEN_STRING) {
		error_from_string(d, &f->detail);
		return;
	}
	if (json_begin_lenient(&j, f->detail_span).type == JSON_TOKEN_ARRAY) {
		t = json_next(&j);
		struct span first = json_skip(&j, &t);
		if (t.type == JSON_TOKEN_OBJECT && json_find(first, path, 1, &msg, NULL) &&
		        msg.type == JSON_TOKEN_STRING) {
			error_from_string(d, &msg);
			return;
		}
	}
	draft_set_error(d, f->detail_span);
}

void failure_decide(struct draft *d, const struct failure *f, struct span text, bool is_error)
{
	bool is_alone = d->expected && !d->streamed && d->shape == SHAPE_UNKNOWN &&
	                failure_is_message(text);
	bool is_failure = is_error || d->status >= 400 || f->object_is_error || is_alone;
	if (d->error) {
		return;
	}
	if (f->has_answer && !is_error) {
		/* They do not state an error, and their meaning is unknown. */
		if (f->message.len) {
			members_add_unknown(d, MEMBER_OF_ANSWER, f->message_name);
		}
		members_add_unread(d, MEMBER_OF_ANSWER, "detail", f->detail_span);
		return;
	}
	if (is_failure && f->message.type == JSON_TOKEN_STRING) {
		error_from_string(d, &f->message);
	} else if (f->detail.type != JSON_TOKEN_ERROR && f->detail.type != JSON_TOKEN_NULL) {
		set_detail_error(d, f);
	} else if (is_failure) {
		draft_set_error(d, text);
	}
}
