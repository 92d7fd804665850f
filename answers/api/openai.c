#include "answers/api/openai.h"

#include "answers/api/failure.h"
#include "answers/json_key.h"
#include "answers/tokens/logprobs.h"
#include "answers/members.h"
#include "answers/api/message.h"
#include "answers/api/repetition.h"
#include "answers/json_list.h"
#include "answers/api/usage.h"

/* What engines add about a choice's tokens. It is read after the whole choice was parsed. */
struct scores {
	struct span ids, prompt_ids, prompt_logprobs;
	struct span output, output_tops, input, input_tops; /* triples */
};

/* Finds the choice's index, which may come after its other members. An index of another type tells
 * nobody which choice it is. j is within the choice object. */
static int64_t find_index(struct draft *d, struct json j, int64_t position)
{
	struct json_token t;
	int64_t index = position;
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		struct span value = json_skip(&j, &v);
		if (KEY_IS(&t, "index")) {
			if (v.type == JSON_TOKEN_NUMBER && json_token_integer(&v, &index)) {
				return index;
			}
			members_add_unread(d, MEMBER_OF_CHOICE, "index", value);
		}
	}
	return index;
}

static void read_meta_info(
        struct draft *d, struct scores *s, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_OBJECT) {
		members_add_unread(d, MEMBER_OF_CHOICE, "meta_info", json_skip(j, first));
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		struct span value = json_skip(j, &v);
		if (KEY_IS(&t, "output_token_logprobs")) {
			s->output = value;
		} else if (KEY_IS(&t, "output_top_logprobs")) {
			s->output_tops = value;
		} else if (KEY_IS(&t, "input_token_logprobs")) {
			s->input = value;
		} else if (KEY_IS(&t, "input_top_logprobs")) {
			s->input_tops = value;
		} else {
			members_check(d, MEMBER_OF_META, &t, value);
		}
	}
}

/* False: not a member of this kind; j is unchanged. */
static bool read_score(struct draft *d, struct scores *s, struct json *j,
        const struct json_token *key, const struct json_token *first)
{
	if (KEY_IS(key, "token_ids") || KEY_IS(key, "output_ids")) {
		s->ids = json_skip(j, first);
	} else if (KEY_IS(key, "prompt_token_ids")) {
		s->prompt_ids = json_skip(j, first);
	} else if (KEY_IS(key, "prompt_logprobs")) {
		s->prompt_logprobs = json_skip(j, first);
	} else if (KEY_IS(key, "output_token_logprobs")) {
		s->output = json_skip(j, first);
	} else if (KEY_IS(key, "meta_info")) {
		read_meta_info(d, s, j, first);
	} else {
		return false;
	}
	return true;
}

static void add_prompt_scores(struct draft *d, struct draft_choice *c, const struct scores *s)
{
	if (!json_list_is_empty(s->input)) {
		struct token_sink sink = token_sink_prompt(d, c);
		columns_builder_truncate(sink.b, 0);
		logprobs_read_triples(&sink, s->input, s->input_tops, 0);
	}
	if (s->prompt_logprobs.len) {
		logprobs_read_prompt(d, c, s->prompt_logprobs);
	}
	if (s->prompt_ids.len) {
		logprobs_read_prompt_ids(d, c, s->prompt_ids);
	}
}

/* before: how many tokens the choice had before this document. */
static void add_scores(
        struct draft *d, struct draft_choice *c, uint32_t before, const struct scores *s)
{
	logprobs_check_lists(d, s->output, s->output_tops);
	if (!json_list_is_empty(s->output) &&
	        (!c->columns || columns_builder_count(c->columns) == before)) {
		struct token_sink sink = token_sink_answer(d, c);
		logprobs_read_triples(&sink, s->output, s->output_tops, 0);
	} else if (s->output.len) {
		logprobs_read_triple_ids(c, before, s->output);
	}
	if (s->ids.len) {
		logprobs_read_ids(c, before, s->ids);
		c->n_ids += json_list_count(s->ids);
	}
	add_prompt_scores(d, c, s);
}

/* Members of a choice that are read after the whole choice was parsed. */
struct contents {
	struct json_token delta, message, text;
	struct json delta_at, message_at;
};

static uint32_t count_tokens(const struct draft_choice *c)
{
	return c->columns ? columns_builder_count(c->columns) : 0;
}

/* A delta contains new text. A message or a text next to it, or after it, repeats that text. */
static void add_contents(
        struct draft *d, struct draft_choice *c, uint32_t before, struct contents *contents)
{
	bool repeated = false, has_delta = contents->delta.type != JSON_TOKEN_ERROR;
	uint32_t tokens = count_tokens(c) - before;
	d->may_repeat = c->finish && tokens == 0;
	if (contents->delta.type == JSON_TOKEN_OBJECT) {
		c->sources |= FROM_DELTAS;
	}
	if (has_delta) {
		message_read(d, c, &contents->delta_at, &contents->delta);
	}
	if (contents->message.type == JSON_TOKEN_OBJECT) {
		repeated |= repetition_message(d, c, &contents->message_at, &contents->message);
	} else if (contents->message.type != JSON_TOKEN_ERROR) {
		message_read(d, c, &contents->message_at, &contents->message);
	}
	repeated |= repetition_text(d, c, &contents->text, "text");
	/* Its tokens were repeated too. */
	if (repeated && before && tokens == before) {
		columns_builder_truncate(c->columns, before);
	}
}

/* False: not one of these members; j is unchanged. */
static bool read_content(struct draft *d, struct contents *contents, struct json *j,
        const struct json_token *key, const struct json_token *v)
{
	if (KEY_IS(key, "delta")) {
		contents->delta = *v;
		contents->delta_at = *j;
	} else if (KEY_IS(key, "message")) {
		contents->message = *v;
		contents->message_at = *j;
	} else if (KEY_IS(key, "text")) {
		contents->text = *v;
	} else {
		return false;
	}
	struct span value = json_skip(j, v);
	if (KEY_IS(key, "text") && v->type != JSON_TOKEN_STRING) {
		members_add_unread(d, MEMBER_OF_CHOICE, "text", value);
	}
	return true;
}

/* NULL: there are too many choices. */
static struct draft_choice *read_choice(struct draft *d, struct json *j, int64_t position)
{
	struct json_token t;
	struct contents contents = {0};
	struct scores scores = {0};
	struct draft_choice *c = draft_choice(d, find_index(d, *j, position));
	uint32_t before = c ? count_tokens(c) : 0;
	if (c && c->is_read) {
		/* Two choices with one index: it is unknown which of them is meant. */
		members_add_unknown(d, MEMBER_OF_CHOICE, SPAN("index"));
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		if (!c) {
			json_skip(j, &v);
		} else if (KEY_IS(&t, "logprobs")) {
			/* If a member occurs twice, the last one is used. */
			if (c->columns) {
				columns_builder_truncate(c->columns, before);
			}
			logprobs_read(d, c, j, &v);
		} else if (KEY_IS(&t, "usage")) {
			usage_read(&c->usage, j, &v);
		} else if (KEY_IS(&t, "error")) {
			failure_read(d, j, &v);
		} else if (KEY_IS(&t, "finish_reason")) {
			draft_read_finish(c, j, &v);
		} else if (!read_content(d, &contents, j, &t, &v) &&
		           !read_score(d, &scores, j, &t, &v)) {
			members_skip(d, MEMBER_OF_CHOICE, j, &t, &v);
		}
	}
	if (c) {
		add_contents(d, c, before, &contents);
		add_scores(d, c, before, &scores);
		c->is_read = true;
		c->has_copy |= d->has_copy;
		d->has_copy = false;
	}
	return c;
}

/* Returns the last one; NULL: there is none. */
static struct draft_choice *read_choices(
        struct draft *d, struct json *j, const struct json_token *first)
{
	struct draft_choice *last = NULL;
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		members_add_unread(d, MEMBER_OF_ANSWER, "choices", json_skip(j, first));
		return NULL;
	}
	for (size_t i = 0; i < d->n_choices; i++) {
		d->choices[i]->is_read &= !d->streamed;
	}
	for (int64_t i = 0;
	        (t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR;
	        i++) {
		if (t.type == JSON_TOKEN_OBJECT) {
			last = read_choice(d, j, i);
		} else {
			members_add_unread(d, MEMBER_OF_ANSWER, "choices", json_skip(j, &t));
		}
	}
	return last;
}

/* Members next to the choices, kept until the choices are known. */
struct document {
	struct failure failure;
	struct scores scores;
	struct draft_choice *choice; /* the last one; NULL: none so far */
};

/* An object beside the choices, in which a gateway may state usage or an error. */
static void read_gateway(
        struct draft *d, struct json j, const struct json_token *key, const struct json_token *v)
{
	struct json within = j;
	struct span error = failure_of_gateway(key, json_skip(&within, v));
	usage_find(&d->usage, j, key, v);
	if (error.len) {
		struct json_token first = json_begin_lenient(&j, error);
		failure_read(d, &j, &first);
	}
}

/* One member at the top of the document. */
static void read_member(
        struct draft *d, struct json *j, const struct json_token *key, struct document *doc)
{
	struct json_token v = json_next(j);
	if (KEY_IS(key, "choices")) {
		doc->failure.has_answer |= v.type == JSON_TOKEN_ARRAY;
		d->fits = true;
		doc->choice = read_choices(d, j, &v);
	} else if (KEY_IS(key, "usage")) {
		usage_read(&d->usage, j, &v);
	} else if (KEY_IS(key, "timings")) {
		/* llama.cpp ends each choice of a stream with the timings of that choice. */
		struct draft_choice *of = doc->choice    ? doc->choice
		                          : d->n_choices ? d->choices[0]
		                                         : NULL;
		usage_read_timings(of ? &of->usage : &d->usage, j, &v);
	} else if (!failure_read_member(d, &doc->failure, j, key, &v) &&
	           !read_score(d, &doc->scores, j, key, &v)) {
		if (KEY_IS(key, "id")) {
			draft_set_once(&d->response_id, &v);
		} else if (KEY_IS(key, "model")) {
			draft_set_once(&d->model, &v);
		} else if (KEY_IS(key, "system_fingerprint")) {
			draft_set_once(&d->fingerprint, &v);
		}
		if (v.type == JSON_TOKEN_OBJECT) {
			read_gateway(d, *j, key, &v);
		}
		members_skip(d, MEMBER_OF_ANSWER, j, key, &v);
	}
}

bool openai_read(struct draft *d, struct span text, bool is_error)
{
	struct json j;
	struct json_token t;
	struct document doc = {0};
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		read_member(d, &j, &t, &doc);
	}
	bool whole = t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
	if (d->n_choices) {
		/* vLLM's chat has the prompt's scores next to its choices. */
		add_prompt_scores(d, d->choices[0], &doc.scores);
	}
	failure_decide(d, &doc.failure, text, is_error);
	return whole;
}
