#include "reading/openai.h"

#include <stdlib.h>

#include "reading/columns.h"
#include "reading/keys.h"
#include "reading/logprobs.h"
#include "reading/tool_calls.h"

/* Members that may tell of an error, until the whole document was read. */
struct failure {
	struct json_token message, detail;
	struct span detail_span;
	bool object_is_error;
	bool has_choices;
};

/* The kinds of text under which a message's thoughts may be found. */
static const char *const reasoning_names[] = {"reasoning_content", "reasoning", "thinking"};

static void read_count(int64_t *to, const struct json_token *t)
{
	int64_t n;
	if (t->type == JSON_NUMBER && json_integer(t, &n) && n >= 0) {
		*to = n;
	}
}

static void read_detail(
        struct json *j, const struct json_token *first, const char *name, int64_t *to)
{
	struct json_token t;
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (json_is_key(&t, name)) {
			read_count(to, &v);
		}
		json_skip(j, &v);
	}
}

/* The last usage said counts: some engines send one with every event. */
static void read_usage(struct draft *d, struct json *j, const struct json_token *first)
{
	struct usage *u = &d->usage;
	struct json_token t;
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "prompt_tokens_details")) {
			read_detail(j, &v, "cached_tokens", &u->cached_tokens);
			continue;
		}
		if (KEY_IS(&t, "completion_tokens_details")) {
			read_detail(j, &v, "reasoning_tokens", &u->reasoning_tokens);
			continue;
		}
		if (KEY_IS(&t, "prompt_tokens")) {
			read_count(&u->prompt_tokens, &v);
		} else if (KEY_IS(&t, "completion_tokens")) {
			read_count(&u->completion_tokens, &v);
		} else if (KEY_IS(&t, "total_tokens")) {
			read_count(&u->total_tokens, &v);
		} else if (KEY_IS(&t, "reasoning_tokens")) {
			read_count(&u->reasoning_tokens, &v);
		}
		json_skip(j, &v);
	}
}

/* One part of a content that is a list: {"type": "text", "text": "..."} and its kin. */
static void read_part(struct draft *d, struct draft_choice *c, struct json *j)
{
	struct json_token t, text = {0};
	enum stretch_kind kind = STRETCH_TEXT;
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "type") &&
		        (json_is_string(&v, "thinking") || json_is_string(&v, "reasoning"))) {
			kind = STRETCH_REASONING;
		} else if (KEY_IS(&t, "text") && v.type == JSON_STRING) {
			text = v;
		} else if (KEY_IS(&t, "thinking") && v.type == JSON_STRING) {
			kind = STRETCH_REASONING;
			text = v;
		} else if (KEY_IS(&t, "refusal") && v.type == JSON_STRING) {
			kind = STRETCH_REFUSAL;
			text = v;
		}
		json_skip(j, &v);
	}
	draft_append(d, c, kind, &text);
}

/* A content: a string, or a list of parts. */
static void read_content(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_ARRAY) {
		draft_append(d, c, STRETCH_TEXT, first);
		return;
	}
	while ((t = json_next(j)).type != JSON_ARRAY_END && t.type != JSON_ERROR) {
		if (t.type == JSON_OBJECT) {
			read_part(d, c, j);
			continue;
		}
		draft_append(d, c, STRETCH_TEXT, &t);
		json_skip(j, &t);
	}
}

/* The same thoughts under two names count once. */
static void append_reasoning(struct draft *d, struct draft_choice *c,
        const struct json_token found[ARRAY_LEN(reasoning_names)])
{
	for (size_t i = 0; i < ARRAY_LEN(reasoning_names); i++) {
		bool again = false;
		for (size_t k = 0; k < i && !again; k++) {
			again = found[k].type == JSON_STRING && found[i].type == JSON_STRING &&
			        span_equal(json_raw(&found[k]), json_raw(&found[i]));
		}
		if (!again) {
			draft_append(d, c, STRETCH_REASONING, &found[i]);
		}
	}
}

/* A message or a delta. Reasoning goes before content, wherever it stands in the text. */
static void read_message(
        struct draft *d, struct draft_choice *c, struct json *j, const struct json_token *first)
{
	struct json_token reasoning[ARRAY_LEN(reasoning_names)] = {0};
	struct json_token t, content = {0}, refusal = {0};
	struct json content_at = {0};
	if (first->type != JSON_OBJECT) {
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (KEY_IS(&t, "content")) {
			content = v;
			content_at = *j;
		} else if (KEY_IS(&t, "refusal")) {
			refusal = v;
		} else if (KEY_IS(&t, "tool_calls")) {
			tool_calls_read(d, c, j, &v);
			continue;
		} else if (KEY_IS(&t, "function_call")) {
			tool_calls_read_legacy(d, c, j, &v);
			continue;
		} else {
			for (size_t i = 0; i < ARRAY_LEN(reasoning_names); i++) {
				if (json_is_key(&t, reasoning_names[i])) {
					reasoning[i] = v;
				}
			}
		}
		json_skip(j, &v);
	}
	append_reasoning(d, c, reasoning);
	read_content(d, c, &content_at, &content);
	draft_append(d, c, STRETCH_REFUSAL, &refusal);
}

static void read_finish(struct draft_choice *c, const struct json_token *t)
{
	char *said = NULL;
	draft_set_once(&said, t);
	if (said) {
		free(c->finish);
		c->finish = said;
	}
}

/* j is within the choice object. Its index may come after what belongs to it. */
static int64_t find_index(struct json j, int64_t position)
{
	struct json_token t;
	int64_t index = position;
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token v = json_next(&j);
		if (KEY_IS(&t, "index") && v.type == JSON_NUMBER && json_integer(&v, &index)) {
			return index;
		}
		json_skip(&j, &v);
	}
	return index;
}

static void read_choice(struct draft *d, struct json *j, int64_t position)
{
	struct json_token t;
	struct span ids = {0};
	struct draft_choice *c = draft_choice(d, find_index(*j, position));
	uint32_t before = c && c->columns ? columns_builder_count(c->columns) : 0;
	while ((t = json_next(j)).type == JSON_KEY) {
		struct json_token v = json_next(j);
		if (!c) {
			json_skip(j, &v);
		} else if (KEY_IS(&t, "delta") || KEY_IS(&t, "message")) {
			read_message(d, c, j, &v);
		} else if (KEY_IS(&t, "logprobs")) {
			logprobs_read(d, c, j, &v);
		} else if (KEY_IS(&t, "token_ids") || KEY_IS(&t, "output_ids")) {
			ids = json_skip(j, &v);
		} else {
			if (KEY_IS(&t, "text")) {
				draft_append(d, c, STRETCH_TEXT, &v);
			} else if (KEY_IS(&t, "finish_reason")) {
				read_finish(c, &v);
			}
			json_skip(j, &v);
		}
	}
	if (c && ids.len) {
		logprobs_read_ids(d, c, before, ids);
	}
}

static void read_choices(struct draft *d, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_ARRAY) {
		json_skip(j, first);
		return;
	}
	for (int64_t i = 0; (t = json_next(j)).type != JSON_ARRAY_END && t.type != JSON_ERROR;
	        i++) {
		if (t.type == JSON_OBJECT) {
			read_choice(d, j, i);
		} else {
			json_skip(j, &t);
		}
	}
}

static void error_from_string(struct draft *d, const struct json_token *t)
{
	buf_clear(&d->scratch);
	json_unescape(t, &d->scratch);
	draft_set_error(d, buf_span(&d->scratch));
}

/* "error": {"message": ...}, or a string, or whatever is not null. */
static void read_error(struct draft *d, struct json *j, const struct json_token *first)
{
	static const char *const path[] = {"message"};
	struct json_token message;
	struct span value = json_skip(j, first);
	if (first->type == JSON_STRING && first->len > 2) {
		error_from_string(d, first);
	} else if (first->type == JSON_OBJECT) {
		if (json_find(value, path, 1, &message, NULL) && message.type == JSON_STRING) {
			error_from_string(d, &message);
		} else {
			draft_set_error(d, value);
		}
	} else if (first->type == JSON_ARRAY || first->type == JSON_NUMBER ||
	           first->type == JSON_TRUE) {
		draft_set_error(d, value);
	}
}

/* FastAPI's "detail": a sentence, or a list whose first element has a "msg". */
static void settle_detail(struct draft *d, const struct failure *f)
{
	static const char *const path[] = {"msg"};
	struct json j;
	struct json_token t, msg;
	if (f->detail.type == JSON_STRING) {
		error_from_string(d, &f->detail);
		return;
	}
	json_init_lenient(&j, f->detail_span.data, f->detail_span.len);
	if (json_next(&j).type == JSON_ARRAY) {
		t = json_next(&j);
		struct span first = json_skip(&j, &t);
		if (t.type == JSON_OBJECT && json_find(first, path, 1, &msg, NULL) &&
		        msg.type == JSON_STRING) {
			error_from_string(d, &msg);
			return;
		}
	}
	draft_set_error(d, f->detail_span);
}

static void settle_failure(
        struct draft *d, const struct failure *f, struct span text, bool is_error)
{
	bool may = is_error || d->status >= 400 || f->object_is_error;
	if (d->error || (f->has_choices && !is_error)) {
		return;
	}
	if (may && f->message.type == JSON_STRING) {
		error_from_string(d, &f->message);
	} else if (f->detail.type != JSON_ERROR && f->detail.type != JSON_NULL) {
		settle_detail(d, f);
	} else if (may) {
		draft_set_error(d, text);
	}
}

/* One member at the top of the document. */
static void read_member(
        struct draft *d, struct json *j, const struct json_token *key, struct failure *f)
{
	struct json_token v = json_next(j);
	if (KEY_IS(key, "choices")) {
		f->has_choices |= v.type == JSON_ARRAY;
		read_choices(d, j, &v);
	} else if (KEY_IS(key, "usage")) {
		read_usage(d, j, &v);
	} else if (KEY_IS(key, "error")) {
		read_error(d, j, &v);
	} else if (KEY_IS(key, "detail")) {
		f->detail = v;
		f->detail_span = json_skip(j, &v);
	} else {
		if (KEY_IS(key, "id")) {
			draft_set_once(&d->response_id, &v);
		} else if (KEY_IS(key, "model")) {
			draft_set_once(&d->model, &v);
		} else if (KEY_IS(key, "system_fingerprint")) {
			draft_set_once(&d->fingerprint, &v);
		} else if (KEY_IS(key, "message")) {
			f->message = v;
		} else if (KEY_IS(key, "object")) {
			f->object_is_error = json_is_string(&v, "error");
		}
		json_skip(j, &v);
	}
}

bool openai_read(struct draft *d, struct span text, bool is_error)
{
	struct json j;
	struct json_token t;
	struct failure f = {0};
	json_init_lenient(&j, text.data, text.len);
	if (json_next(&j).type != JSON_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_KEY) {
		read_member(d, &j, &t, &f);
	}
	bool whole = t.type == JSON_OBJECT_END && json_next(&j).type == JSON_END;
	settle_failure(d, &f, text, is_error);
	return whole;
}
