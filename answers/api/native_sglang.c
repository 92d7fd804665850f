#include "answers/api/native.h"

#include "answers/json_key.h"
#include "answers/tokens/logprobs.h"
#include "answers/members.h"
#include "answers/api/repetition.h"
#include "answers/json_list.h"
#include "answers/api/usage.h"

struct sglang {
	struct json_token text, index, finish;
	struct json finish_at;
	struct span ids;
	struct span output, output_tops, input, input_tops;
	int64_t completion; /* tokens so far; -1: not stated */
	bool fits;
};

/* Reads "meta_info" except for the finish reason, which is read once its choice is known. */
static void read_meta(struct draft *d, struct json *j, struct sglang *in)
{
	struct usage *u = &d->usage;
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		struct json after = *j;
		struct span value = json_skip(j, &v);
		if (KEY_IS(&t, "output_token_logprobs")) {
			in->output = value;
		} else if (KEY_IS(&t, "output_top_logprobs")) {
			in->output_tops = value;
		} else if (KEY_IS(&t, "input_token_logprobs")) {
			in->input = value;
		} else if (KEY_IS(&t, "input_top_logprobs")) {
			in->input_tops = value;
		} else if (KEY_IS(&t, "finish_reason")) {
			in->finish = v;
			in->finish_at = after;
		} else if (KEY_IS(&t, "id")) {
			draft_set_once(&d->response_id, &v);
		} else if (KEY_IS(&t, "prompt_tokens")) {
			usage_count(&u->prompt_tokens, &v);
		} else if (KEY_IS(&t, "completion_tokens")) {
			usage_count(&u->completion_tokens, &v);
			usage_count(&in->completion, &v);
		} else if (KEY_IS(&t, "cached_tokens")) {
			usage_count(&u->cached_tokens, &v);
		} else if (KEY_IS(&t, "reasoning_tokens")) {
			usage_count(&u->reasoning_tokens, &v);
		} else {
			members_check(d, MEMBER_OF_META, &t, value);
		}
	}
}

/* Whether the list has n elements. Each takes at least two bytes, so that most lists need not be
 * counted. */
static bool has_elements(struct span list, size_t n)
{
	return list.len / 2 >= n && json_list_count(list) == n;
}

/* True: the event's lists contain all tokens from the first on. */
static bool add_tokens(struct draft *d, struct draft_choice *c, const struct sglang *in)
{
	uint32_t before = c->columns ? columns_builder_count(c->columns) : 0;
	/* The ids may be those of new tokens only, while the logprobs are those of all tokens. */
	size_t n = in->completion > 0 ? (size_t)in->completion : SIZE_MAX;
	bool whole = has_elements(in->ids, n) || has_elements(in->output, n);
	logprobs_check_lists(d, in->output, in->output_tops);
	if (!json_list_is_empty(in->output)) {
		struct token_sink s = token_sink_answer(d, c);
		logprobs_read_triples(&s, in->output, in->output_tops, whole ? before : 0);
	}
	if (!json_list_is_empty(in->input) && !c->prompt) {
		struct token_sink s = token_sink_prompt(d, c);
		logprobs_read_triples(&s, in->input, in->input_tops, 0);
	}
	return whole;
}

static bool finish_document(struct draft *d, void *form)
{
	struct sglang *in = form;
	int64_t index = d->position;
	if (!in->fits) {
		return false;
	}
	if (in->index.type == JSON_TOKEN_NUMBER && !json_token_integer(&in->index, &index)) {
		index = d->position;
	}
	struct draft_choice *c = draft_choice(d, index);
	if (!c) {
		return true;
	}
	bool whole = add_tokens(d, c, in);
	struct buf *text = &d->scratch;
	buf_clear(text);
	if (in->text.type == JSON_TOKEN_STRING) {
		json_token_unescape(&in->text, text);
	}
	if (in->finish.type != JSON_TOKEN_ERROR) {
		draft_read_finish(c, &in->finish_at, &in->finish);
		d->done |= c->finish != NULL;
	}
	d->may_repeat = c->finish && json_list_is_empty(in->output);
	repetition_add(d, c, STRETCH_TEXT, buf_span(text), whole);
	c->n_ids = whole ? json_list_count(in->ids) : c->n_ids + json_list_count(in->ids);
	return true;
}

static bool read_member(struct draft *d, void *form, struct json *j, const struct json_token *key,
        const struct json_token *v)
{
	struct sglang *in = form;
	if (KEY_IS(key, "text") && v->type == JSON_TOKEN_STRING) {
		in->text = *v;
	} else if (KEY_IS(key, "index")) {
		in->index = *v;
	} else if (KEY_IS(key, "output_ids")) {
		in->ids = json_skip(j, v);
		return true;
	} else if (KEY_IS(key, "meta_info") && v->type == JSON_TOKEN_OBJECT) {
		in->fits = true;
		read_meta(d, j, in);
		return true;
	} else {
		return false;
	}
	json_skip(j, v);
	return true;
}

bool sglang_read(struct draft *d, struct span text, bool is_error)
{
	static const struct native_form FORM = {read_member, finish_document};
	struct sglang in = {.completion = -1};
	return native_read(d, text, is_error, &FORM, &in);
}
