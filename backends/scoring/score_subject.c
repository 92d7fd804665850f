/*
 * Determines which part of a recorded answer can be scored.
 */

#include "backends/scoring/score_request.h"
#include "backends/scoring/score_match.h"
#include "base/json.h"

const char SCORE_NO_ANSWER[] = "it is not an answer (an error, or nothing readable)";
const char SCORE_NOT_OPENAI[] = "only chats and completions can be scored";

static const char NO_TEXT[] = "it is empty";
static const char NOT_WHOLE[] =
        "the answer has reasoning, tool calls or a refusal whose special tokens the engine does "
        "not show, and no token ids were recorded (ask for return_token_ids)";
static const char ECHOED[] = "the client asked for an echo of the prompt";
static const char SEVERAL[] = "the request holds several prompts";
static const char INFIX[] = "the request has a suffix: the answer is in the middle of a text";
static const char NO_PROMPT[] = "the request has no prompt that can be read";

static bool ids_of_columns(const struct columns *c, struct score_ids *to)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->ids[i] < 0 || i == SCORE_TOKENS_LIMIT) {
			score_ids_finish(to);
			return false;
		}
		score_ids_add(to, c->ids[i]);
	}
	return c->n > 0;
}

/* An end of sequence may be counted but absent, or present but not counted. */
static bool has_all_ids(const struct score_ids *ids, const struct usage *usage)
{
	return usage->completion_tokens < 0 || (int64_t)ids->n + 1 >= usage->completion_tokens;
}

static const char *read_answer(const struct reading *r, struct span raw, struct score_subject *to)
{
	const struct choice *c = reading_choice(r, 0);
	uint32_t bad = READING_NOT_JSON | READING_ERROR_BODY | READING_ABORTED | READING_ENCODED |
	               READING_NOT_READ;
	if (!c || (r->marks & bad)) {
		return SCORE_NO_ANSWER;
	}
	to->whole = score_answer_text(r, c, &to->answer);
	if (c->has_columns) {
		ids_of_columns(&c->columns, &to->answer_ids);
	}
	if (to->answer_ids.n == 0) {
		score_ids_of_answer(raw, &to->answer_ids);
	}
	if (r->n_choices == 1 && !has_all_ids(&to->answer_ids, &r->usage)) {
		score_ids_finish(&to->answer_ids);
	}
	to->prompt_tokens = r->usage.prompt_tokens;
	if (c->has_prompt) {
		ids_of_columns(&c->prompt, &to->prompt_ids);
	}
	if (to->answer_ids.n == 0 && !to->whole) {
		return NOT_WHOLE;
	}
	return to->answer_ids.n == 0 && to->answer.len == 0 ? NO_TEXT : NULL;
}

/* Reads a text, ids, or a list of one of these. */
static const char *read_prompt(struct span value, struct json_token t, struct score_subject *to)
{
	struct json j;
	if (t.type == JSON_TOKEN_STRING) {
		json_token_unescape(&t, &to->prompt);
		to->has_prompt = true;
		return NULL;
	}
	if (t.type != JSON_TOKEN_ARRAY) {
		return NO_PROMPT;
	}
	json_begin(&j, value);
	t = json_next(&j);
	if (t.type == JSON_TOKEN_NUMBER) {
		return score_ids_read(value, &to->asked_ids) ? NULL : NO_PROMPT;
	}
	if (t.type != JSON_TOKEN_STRING && t.type != JSON_TOKEN_ARRAY) {
		return NO_PROMPT;
	}
	struct span one = json_skip(&j, &t);
	if (json_next(&j).type != JSON_TOKEN_ARRAY_END) {
		return SEVERAL;
	}
	return t.type == JSON_TOKEN_STRING           ? read_prompt(one, t, to)
	       : score_ids_read(one, &to->asked_ids) ? NULL
	                                             : NO_PROMPT;
}

static const char *read_completion(struct span sent, struct score_subject *to)
{
	struct json_token t;
	struct span value;
	if (json_find_member(sent, "echo", &t, NULL) && t.type == JSON_TOKEN_TRUE) {
		return ECHOED;
	}
	if (json_find_member(sent, "suffix", &t, NULL) && t.type == JSON_TOKEN_STRING &&
	        t.len > 2) {
		return INFIX;
	}
	return json_find_member(sent, "prompt", &t, &value) ? read_prompt(value, t, to) : NO_PROMPT;
}

const char *score_subject_read(enum endpoint endpoint, struct span sent, const struct reading *r,
        struct span raw, struct score_subject *ret)
{
	struct score_subject s = {.endpoint = endpoint};
	struct json_token t;
	const char *why = NULL;
	if (!endpoint_is_openai(endpoint)) {
		return SCORE_NOT_OPENAI;
	}
	/* A copy of a chat may have been sent as a completion. */
	bool is_chat = json_find_member(sent, "messages", &t, NULL) && t.type == JSON_TOKEN_ARRAY;
	s.endpoint = is_chat ? ENDPOINT_CHAT : ENDPOINT_COMPLETION;
	why = is_chat ? NULL : read_completion(sent, &s);
	if (!why) {
		why = read_answer(r, raw, &s);
	}
	if (why) {
		score_subject_finish(&s);
		return why;
	}
	buf_append_span(&s.request, sent);
	*ret = s;
	return NULL;
}

void score_subject_finish(struct score_subject *s)
{
	buf_finish(&s->request);
	buf_finish(&s->answer);
	buf_finish(&s->prompt);
	score_ids_finish(&s->answer_ids);
	score_ids_finish(&s->prompt_ids);
	score_ids_finish(&s->asked_ids);
	*s = (struct score_subject){0};
}
