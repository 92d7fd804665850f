/* The context of an answer: the text before it. For a completion it is the prompt. For a chat it is
 * the output of the model's template, which plumbline never guesses. */
#include <string.h>

#include "backends/json_path.h"
#include "backends/scoring/scorer_parts.h"
#include "backends/templates.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/mem.h"

static const char NO_TEMPLATE[] = "chats need the model's template, which this engine does not "
                                  "show; name a template (score: --template; proxy: "
                                  "completions_template), or record return_token_ids";
static const char NOT_TEXT[] = "the chat holds images or content other than text";
static const char TEMPLATE_FAILED[] = "the template given does not fit the chat's messages";
static const char IDS_ONLY[] =
        "the prompt was sent as token ids, and this engine does not take them";
static const char ANSWER_IDS_ONLY[] =
        "the text is not all that was generated, and its token ids mean nothing to this engine";

static const char NO_PROMPT_IDS[] = "the tokens of its prompt were not recorded "
                                    "(return_token_ids), and they alone are to be scored";
static const char LONG_PROMPT[] = "its prompt is longer than max_prompt_tokens";

/* Bytes that tokens hardly ever exceed. It shows that a text is too long without tokenizing it. */
#define TOKEN_BYTES 16

/* False: a part of a message's content is not text. */
static bool content_is_text(struct span message)
{
	struct json_token t, type;
	struct span content, part;
	struct json j;
	if (!json_find_member(message, "content", &t, &content) || t.type != JSON_TOKEN_ARRAY) {
		return true;
	}
	json_begin_lenient(&j, content);
	while (json_next_element(&j, &t, &part)) {
		if (!json_find_member(part, "type", &type, NULL) ||
		        !json_token_is_string(&type, "text")) {
			return false;
		}
	}
	return true;
}

static bool chat_is_text(struct span body)
{
	struct json_token t;
	struct span messages, message;
	struct json j;
	if (!json_find_member(body, "messages", &t, &messages) || t.type != JSON_TOKEN_ARRAY) {
		return false;
	}
	json_begin_lenient(&j, messages);
	while (json_next_element(&j, &t, &message)) {
		if (!content_is_text(message)) {
			return false;
		}
	}
	return true;
}

static void open_request(struct json_writer *w, const char *model)
{
	json_writer_open(w, NULL, '{');
	if (model) {
		json_writer_text(w, "model", model);
	}
}

/* Writes the chat's messages, under the name that the endpoint needs, and the other members that
 * the template uses. */
static void put_chat(struct span body, const char *name, struct json_writer *w)
{
	static const char *const TEMPLATE_MEMBERS[] = {"tools", "chat_template_kwargs"};
	struct json_token t;
	struct span value = {0};
	(void)!json_find_member(body, "messages", &t, &value);
	json_writer_raw(w, name, value);
	for (size_t i = 0; i < ARRAY_LEN(TEMPLATE_MEMBERS); i++) {
		if (json_find_member(body, TEMPLATE_MEMBERS[i], &t, &value) &&
		        t.type != JSON_TOKEN_NULL) {
			json_writer_raw(w, TEMPLATE_MEMBERS[i], value);
		}
	}
}

/* A missing endpoint is no failure: the scorer does without it. */
static bool is_missing(const struct call_answer *a)
{
	return a->end == CALL_DONE && (a->status == 404 || a->status == 405 || a->status == 501);
}

/* Asks the engine's tokenizer. UNABLE without a why: the engine has none. */
static enum question_end ask_ids(
        struct scorer *s, struct span request, struct score_ids *ret, char **ret_why)
{
	const struct tokenizing *tokenizing = &s->settings.dialect->tokenizing;
	struct call_answer a;
	enum question_end end = QUESTION_DONE;
	scorer_call(s, tokenizing->tokenize, request, &a);
	if (is_missing(&a)) {
		s->no_tokenizer = true;
		end = QUESTION_UNABLE;
	} else if (a.end != CALL_DONE || a.status != 200) {
		end = scorer_failure(s, &a, ret_why);
	} else if (!score_ids_read(
	                   json_path_find(buf_span(&a.body), tokenizing->ids_member), ret)) {
		s->no_tokenizer = true;
		end = QUESTION_UNABLE;
	}
	call_answer_finish(&a);
	return end;
}

/* with_special: with the special tokens that the engine adds to a text. */
static enum question_end ids_of_text(struct scorer *s, const char *model, struct span text,
        bool with_special, struct score_ids *ret, char **ret_why)
{
	const struct tokenizing *tokenizing = &s->settings.dialect->tokenizing;
	struct buf request = {0};
	struct json_writer w = {.to = &request};
	open_request(&w, model);
	json_writer_string(&w, tokenizing->text_member, text);
	json_writer_bool(&w, "add_special_tokens", with_special);
	json_writer_close(&w, "}");
	enum question_end end = ask_ids(s, buf_span(&request), ret, ret_why);
	buf_finish(&request);
	return end;
}

static enum question_end ids_of_chat(struct scorer *s, const char *model, struct span body,
        struct score_ids *ret, char **ret_why)
{
	struct buf request = {0};
	struct json_writer w = {.to = &request};
	open_request(&w, model);
	json_writer_bool(&w, "add_generation_prompt", true);
	put_chat(body, s->settings.dialect->tokenizing.messages_member, &w);
	json_writer_close(&w, "}");
	enum question_end end = ask_ids(s, buf_span(&request), ret, ret_why);
	buf_finish(&request);
	return end;
}

/* Writes the chat by the engine's own apply-template endpoint. UNABLE without a why: the engine has
 * none. */
static enum question_end text_of_chat(
        struct scorer *s, struct span body, struct buf *ret, char **ret_why)
{
	const struct tokenizing *tokenizing = &s->settings.dialect->tokenizing;
	struct buf request = {0};
	struct json_writer w = {.to = &request};
	struct call_answer a;
	enum question_end end = QUESTION_UNABLE;
	open_request(&w, NULL);
	put_chat(body, "messages", &w);
	json_writer_close(&w, "}");
	scorer_call(s, tokenizing->template_path, buf_span(&request), &a);
	buf_finish(&request);
	if (a.end == CALL_DONE && a.status == 200) {
		struct json j;
		struct json_token t = json_begin_lenient(
		        &j, json_path_find(buf_span(&a.body), tokenizing->template_member));
		if (t.type == JSON_TOKEN_STRING) {
			json_token_unescape(&t, ret);
			end = QUESTION_DONE;
		}
	} else if (!is_missing(&a)) {
		end = scorer_failure(s, &a, ret_why);
	}
	call_answer_finish(&a);
	return end;
}

static enum question_end unable(const char *why, char **ret_why)
{
	*ret_why = xstrdup(why);
	return QUESTION_UNABLE;
}

static bool has_tokenizer(const struct scorer *s)
{
	const struct dialect *d = s->settings.dialect;
	return d->tokenizing.tokenize && d->tokenizing.text_member && d->tokenizing.ids_member &&
	       !s->no_tokenizer && score_takes_ids(d->scoring, d->abilities);
}

/* Returns the chat's prompt as ids or as text. */
static enum question_end chat_prompt(struct scorer *s, const struct score_subject *subject,
        const char *model, struct score_text *to, char **ret_why)
{
	const struct tokenizing *tokenizing = &s->settings.dialect->tokenizing;
	struct span body = buf_span(&subject->request);
	enum question_end end = QUESTION_UNABLE;
	if (!chat_is_text(body)) {
		return unable(NOT_TEXT, ret_why);
	}
	if (s->settings.template) {
		return template_write(s->settings.template, body, &to->prompt)
		               ? QUESTION_DONE
		               : unable(TEMPLATE_FAILED, ret_why);
	}
	if (tokenizing->messages_member && has_tokenizer(s)) {
		end = ids_of_chat(s, model, body, &to->prompt_ids, ret_why);
	} else if (tokenizing->template_path && tokenizing->template_member) {
		end = text_of_chat(s, body, &to->prompt, ret_why);
	}
	if (end == QUESTION_UNABLE && !*ret_why) {
		return unable(NO_TEMPLATE, ret_why);
	}
	return end;
}

/* Converts prompt and answer to ids. They are tokenized separately, since generation began at the
 * boundary of a token. UNABLE without a why: the engine has no tokenizer. */
static enum question_end tokenize_both(struct scorer *s, const struct score_subject *subject,
        const char *model, bool own_ids, struct score_text *to, char **ret_why)
{
	enum question_end end = QUESTION_DONE;
	if (own_ids) {
		score_ids_append(&subject->answer_ids, &to->answer_ids);
	}
	if (to->prompt_ids.n == 0) {
		end = has_tokenizer(s) ? ids_of_text(s, model, buf_span(&to->prompt), true,
		                                 &to->prompt_ids, ret_why)
		                       : QUESTION_UNABLE;
	}
	if (end == QUESTION_DONE && !own_ids) {
		end = has_tokenizer(s) ? ids_of_text(s, model, buf_span(&subject->answer), false,
		                                 &to->answer_ids, ret_why)
		                       : QUESTION_UNABLE;
	}
	to->by_ids = end == QUESTION_DONE && to->prompt_ids.n > 0 && to->answer_ids.n > 0;
	return end;
}

/* Uses the recorded ids of the prompt, or those that the client sent. */
static enum question_end recorded_prompt(
        const struct score_subject *subject, bool takes_ids, struct score_text *to, char **ret_why)
{
	const struct score_ids *ids =
	        subject->prompt_ids.n > 0 ? &subject->prompt_ids : &subject->asked_ids;
	if (ids->n == 0 || !takes_ids) {
		return unable(ids->n == 0 ? NO_PROMPT_IDS : IDS_ONLY, ret_why);
	}
	score_ids_append(ids, &to->prompt_ids);
	to->marks = LEG_GIVEN_PROMPT;
	return QUESTION_DONE;
}

static enum question_end find_prompt(struct scorer *s, const struct score_subject *subject,
        const char *model, bool takes_ids, struct score_text *to, char **ret_why)
{
	if (s->settings.prompt == SCORE_PROMPT_PRIMARY) {
		return recorded_prompt(subject, takes_ids, to, ret_why);
	}
	if (subject->endpoint == ENDPOINT_CHAT) {
		return chat_prompt(s, subject, model, to, ret_why);
	}
	if (subject->has_prompt) {
		buf_append_span(&to->prompt, buf_span(&subject->prompt));
		return QUESTION_DONE;
	}
	if (!takes_ids) {
		return unable(IDS_ONLY, ret_why);
	}
	score_ids_append(&subject->asked_ids, &to->prompt_ids);
	return QUESTION_DONE;
}

/* Whether the prompt is too long, as far as known before any request. */
static bool is_too_long(const struct scorer *s, const struct score_subject *subject)
{
	int64_t limit = s->settings.max_prompt_tokens;
	int64_t known = MAX(subject->prompt_tokens, (int64_t)(subject->prompt.len / TOKEN_BYTES));
	return limit && MAX(known, (int64_t)subject->asked_ids.n) > limit;
}

static enum question_end long_prompt(struct scorer *s, char **ret_why)
{
	s->too_long = true;
	return unable(LONG_PROMPT, ret_why);
}

static enum question_end check_prompt(struct scorer *s, const struct score_subject *subject,
        struct score_text *text, char **ret_why)
{
	const struct score_ids *own = &text->prompt_ids, *recorded = &subject->prompt_ids;
	size_t limit = s->settings.max_prompt_tokens;
	if (limit && MAX(own->n, text->prompt.len / TOKEN_BYTES) > limit) {
		return long_prompt(s, ret_why);
	}
	bool differs =
	        own->n != recorded->n || (own->n > 0 && memcmp(own->items, recorded->items,
	                                                        own->n * sizeof(*own->items)) != 0);
	if (own->n > 0 && recorded->n > 0 && differs) {
		text->marks |= LEG_PROMPT_DIFFERS;
	}
	return QUESTION_DONE;
}

enum question_end scorer_context(struct scorer *s, const struct score_subject *subject,
        const char *model, bool own_ids, struct score_text *ret, char **ret_why)
{
	const struct dialect *d = s->settings.dialect;
	bool takes_ids = score_takes_ids(d->scoring, d->abilities);
	own_ids = own_ids && takes_ids && subject->answer_ids.n > 0;
	struct score_text text = {0};
	enum question_end end = QUESTION_DONE;
	buf_append_span(&text.answer, buf_span(&subject->answer));
	if (is_too_long(s, subject)) {
		end = long_prompt(s, ret_why);
	} else if (!subject->whole && !own_ids) {
		end = unable(ANSWER_IDS_ONLY, ret_why);
	} else {
		end = find_prompt(s, subject, model, takes_ids, &text, ret_why);
	}
	bool has_text = text.prompt_ids.n == 0 && subject->whole;
	if (end == QUESTION_DONE && takes_ids) {
		end = tokenize_both(s, subject, model, own_ids, &text, ret_why);
		if (end == QUESTION_UNABLE && !*ret_why) {
			end = QUESTION_DONE;
		}
	}
	if (end == QUESTION_DONE) {
		end = check_prompt(s, subject, &text, ret_why);
	}
	if (end == QUESTION_DONE && !text.by_ids && !has_text) {
		end = unable(subject->whole ? IDS_ONLY : ANSWER_IDS_ONLY, ret_why);
	}
	if (end == QUESTION_DONE) {
		*ret = text;
	} else {
		score_text_finish(&text);
	}
	return end;
}
