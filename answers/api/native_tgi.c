#include "answers/api/native.h"

#include "answers/json_key.h"
#include "answers/tokens/logprobs.h"
#include "answers/members.h"
#include "answers/api/repetition.h"
#include "answers/json_list.h"
#include "answers/api/usage.h"

/* Details of an answer, or of one of the sequences from which the best was chosen. */
struct details {
	struct span tokens, tops, prefill;
	struct span others; /* best_of_sequences */
	struct json_token finish;
	struct json_token generated_text; /* of a sequence */
	int64_t generated, input;         /* -1: not stated */
};

struct tgi {
	struct json_token generated;
	struct span token; /* read after its alternatives */
	struct span tops;  /* alternatives that preceded the token */
	struct details details;
};

static void read_details(
        struct draft *d, struct json *j, const struct json_token *first, struct details *ret)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_OBJECT) {
		members_add_unread(d, MEMBER_OF_NATIVE, "details", json_skip(j, first));
		return;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		struct span value = json_skip(j, &v);
		if (KEY_IS(&t, "tokens")) {
			ret->tokens = value;
		} else if (KEY_IS(&t, "top_tokens")) {
			ret->tops = value;
		} else if (KEY_IS(&t, "prefill")) {
			ret->prefill = value;
		} else if (KEY_IS(&t, "best_of_sequences")) {
			ret->others = value;
		} else if (KEY_IS(&t, "generated_text")) {
			ret->generated_text = v;
		} else if (KEY_IS(&t, "finish_reason")) {
			ret->finish = v;
		} else if (KEY_IS(&t, "generated_tokens")) {
			usage_count(&ret->generated, &v);
		} else if (KEY_IS(&t, "input_length")) {
			usage_count(&ret->input, &v);
		} else {
			members_check(d, MEMBER_OF_DETAILS, &t, value);
		}
	}
}

/* Appends the text of a streamed token. A special token's text is not part of the answer. */
static void append_token(struct draft *d, struct draft_choice *c, struct span token)
{
	struct json j;
	struct json_token t, text = {0};
	bool special = false;
	json_begin_lenient(&j, token);
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (KEY_IS(&t, "text")) {
			text = v;
		} else if (KEY_IS(&t, "special")) {
			special = v.type == JSON_TOKEN_TRUE;
		}
		json_skip(&j, &v);
	}
	if (!special) {
		draft_append(d, c, STRETCH_TEXT, &text);
	}
}

static void add_tokens(struct draft *d, struct draft_choice *c, const struct details *in)
{
	logprobs_check_lists(d, in->tokens, in->tops);
	if (!json_list_is_empty(in->tokens)) {
		struct token_sink s = token_sink_answer(d, c);
		logprobs_read_parallel(&s, in->tokens, in->tops);
	}
	if (!json_list_is_empty(in->prefill)) {
		struct token_sink s = token_sink_prompt(d, c);
		logprobs_read_parallel(&s, in->prefill, (struct span){0});
	}
	draft_set_finish(c, &in->finish);
}

/* The sequences that were not the best are further choices; the usage does not count them. */
static void add_other_sequences(struct draft *d, struct span list)
{
	struct json_list side;
	json_list_begin(&side, list);
	for (int64_t i = 1; json_list_next(&side); i++) {
		struct details in = {.generated = -1, .input = -1};
		read_details(d, &side.j, &side.t, &in);
		struct draft_choice *c =
		        in.generated_text.type == JSON_TOKEN_STRING ? draft_choice(d, i) : NULL;
		if (c) {
			draft_append(d, c, STRETCH_TEXT, &in.generated_text);
			add_tokens(d, c, &in);
		}
	}
}

static void add_details(struct draft *d, struct draft_choice *c, const struct details *in)
{
	size_t n_prefill = json_list_count(in->prefill);
	add_tokens(d, c, in);
	if (in->generated >= 0) {
		d->usage.completion_tokens = in->generated;
	}
	if (in->input >= 0) {
		d->usage.prompt_tokens = in->input;
	} else if (n_prefill) {
		d->usage.prompt_tokens = (int64_t)n_prefill;
	}
	/* If the body is a list of answers, each answer is a choice. */
	if (d->position == 0) {
		add_other_sequences(d, in->others);
	}
}

static bool finish_document(struct draft *d, void *form)
{
	const struct tgi *in = form;
	if (!in->token.len && in->generated.type != JSON_TOKEN_STRING) {
		return false;
	}
	struct draft_choice *c = draft_choice(d, d->position);
	if (!c) {
		return true;
	}
	if (in->token.len) {
		struct token_sink sink = token_sink_answer(d, c);
		if (in->tops.len) {
			struct json j;
			struct json_token first = json_begin_lenient(&j, in->tops);
			logprobs_read_alternatives(&sink, &j, &first);
		}
		logprobs_read_token(&sink, in->token);
		append_token(d, c, in->token);
		c->sources |= HAS_ANY_TEXT;
	}
	(void)repetition_text(d, c, &in->generated, "generated_text");
	c->sources |= HAS_ANY_TEXT;
	add_details(d, c, &in->details);
	d->done |= in->generated.type == JSON_TOKEN_STRING;
	return true;
}

/* Reads a token's alternatives. They are most of the body, so they are read in place if their
 * token is known. */
static void read_alternatives(
        struct draft *d, struct tgi *in, struct json *j, const struct json_token *v)
{
	struct draft_choice *c = in->token.len ? draft_choice(d, d->position) : NULL;
	if (!c) {
		in->tops = json_skip(j, v);
		return;
	}
	struct token_sink sink = token_sink_answer(d, c);
	in->tops = (struct span){0};
	logprobs_read_alternatives(&sink, j, v);
	if (j->error) {
		columns_builder_drop_rows(sink.b);
	}
}

static bool read_member(struct draft *d, void *form, struct json *j, const struct json_token *key,
        const struct json_token *v)
{
	struct tgi *in = form;
	if (KEY_IS(key, "generated_text") && v->type == JSON_TOKEN_STRING) {
		in->generated = *v;
	} else if (KEY_IS(key, "token") && v->type == JSON_TOKEN_OBJECT) {
		in->token = json_skip(j, v);
		return true;
	} else if (KEY_IS(key, "top_tokens")) {
		read_alternatives(d, in, j, v);
		return true;
	} else if (KEY_IS(key, "details")) {
		read_details(d, j, v, &in->details);
		return true;
	} else {
		return false;
	}
	json_skip(j, v);
	return true;
}

bool tgi_read(struct draft *d, struct span text, bool is_error)
{
	static const struct native_form FORM = {read_member, finish_document};
	struct tgi in = {.details = {.generated = -1, .input = -1}};
	return native_read(d, text, is_error, &FORM, &in);
}
