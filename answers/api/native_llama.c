#include "answers/api/native.h"

#include "answers/json_key.h"
#include "answers/json_list.h"
#include "answers/tokens/logprobs.h"
#include "answers/api/usage.h"

struct llama {
	struct json_token content, stop_type;
	struct draft_choice *choice; /* from the index, which comes first; NULL: too many choices */
	uint32_t before;             /* the choice's number of tokens before this document */
	struct span ids;
	int64_t cached; /* -1: not stated */
	bool stop, limit, ended;
	bool fits;
};

static void begin_choice(struct draft *d, struct llama *l, int64_t index)
{
	l->choice = draft_choice(d, index);
	l->before = l->choice && l->choice->columns ? columns_builder_count(l->choice->columns) : 0;
}

static void read_probabilities(
        struct draft *d, struct llama *l, struct json *j, const struct json_token *v)
{
	l->fits = true;
	if (!l->choice) {
		begin_choice(d, l, d->position);
	}
	if (!l->choice) {
		json_skip(j, v);
		return;
	}
	if (l->choice->columns) {
		columns_builder_truncate(l->choice->columns, l->before);
	}
	logprobs_read_entries(d, l->choice, j, v);
}

static bool read_member(struct draft *d, void *form, struct json *j, const struct json_token *key,
        const struct json_token *v)
{
	struct llama *l = form;
	int64_t index;
	if (KEY_IS(key, "content") && v->type == JSON_TOKEN_STRING) {
		l->content = *v;
		l->fits = true;
	} else if (KEY_IS(key, "completion_probabilities")) {
		read_probabilities(d, l, j, v);
		return true;
	} else if (KEY_IS(key, "tokens")) {
		l->ids = json_skip(j, v);
		return true;
	} else if (KEY_IS(key, "stop")) {
		l->stop = v->type == JSON_TOKEN_TRUE;
	} else if (KEY_IS(key, "stop_type")) {
		l->stop_type = *v;
	} else if (KEY_IS(key, "stopped_limit")) {
		l->limit = v->type == JSON_TOKEN_TRUE;
	} else if (KEY_IS(key, "stopped_eos") || KEY_IS(key, "stopped_word")) {
		l->ended |= v->type == JSON_TOKEN_TRUE;
	} else if (KEY_IS(key, "index") && v->type == JSON_TOKEN_NUMBER &&
	           json_token_integer(v, &index)) {
		begin_choice(d, l, index);
	} else if (KEY_IS(key, "timings")) {
		usage_read_timings(&d->usage, j, v);
		return true;
	} else if (KEY_IS(key, "model")) {
		draft_set_once(&d->model, v);
	} else if (KEY_IS(key, "tokens_evaluated")) {
		usage_count(&d->usage.prompt_tokens, v);
	} else if (KEY_IS(key, "tokens_predicted")) {
		usage_count(&d->usage.completion_tokens, v);
	} else if (KEY_IS(key, "tokens_cached")) {
		usage_count(&l->cached, v);
	} else {
		return false;
	}
	json_skip(j, v);
	return true;
}

/* Uses the finish reasons of llama.cpp's own chat endpoint: limit is "length", eos and word are
 * "stop". */
static void set_finish(struct draft *d, struct draft_choice *c, const struct llama *l)
{
	static const struct json_token stop = {JSON_TOKEN_STRING, false, "\"stop\"", 6};
	static const struct json_token length = {JSON_TOKEN_STRING, false, "\"length\"", 8};
	if (!l->stop) {
		c->unended = true;
		return;
	}
	d->done = true;
	if (json_token_is_string(&l->stop_type, "limit") || l->limit) {
		draft_set_finish(c, &length);
	} else if (json_token_is_string(&l->stop_type, "eos") ||
	           json_token_is_string(&l->stop_type, "word") || l->ended) {
		draft_set_finish(c, &stop);
	} else {
		draft_set_finish(c, &l->stop_type);
	}
}

static bool finish_document(struct draft *d, void *form)
{
	struct llama *l = form;
	if (!l->fits) {
		return false;
	}
	if (!l->choice) {
		begin_choice(d, l, d->position);
	}
	struct draft_choice *c = l->choice;
	if (!c) {
		return true;
	}
	bool has_new_tokens = c->columns && columns_builder_count(c->columns) > l->before;
	d->may_repeat = l->stop && !has_new_tokens;
	draft_append(d, c, STRETCH_TEXT, &l->content);
	if (l->ids.len) {
		logprobs_read_ids(c, l->before, l->ids);
		c->n_ids += json_list_count(l->ids);
	}
	set_finish(d, c, l);
	/* A value above the prompt's size counts all tokens in the slot, not those found in its
	 * cache. */
	if (d->usage.cached_tokens < 0 && l->cached <= d->usage.prompt_tokens) {
		d->usage.cached_tokens = l->cached;
	}
	return true;
}

bool llama_read(struct draft *d, struct span text, bool is_error)
{
	static const struct native_form FORM = {read_member, finish_document};
	struct llama l = {.cached = -1};
	return native_read(d, text, is_error, &FORM, &l);
}
