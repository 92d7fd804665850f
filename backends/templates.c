#include "backends/templates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/injection/inject.h"
#include "base/ascii.h"
#include "base/json.h"

enum speaker { SYSTEM, USER, ASSISTANT, N_SPEAKERS };

struct turn {
	const char *before, *after;
};

struct chat_template {
	const char *name;
	/* The text of a system turn without `before` goes into the user's first turn. */
	struct turn turns[N_SPEAKERS];
	const char *between; /* then separates the system's text from the user's */
	const char *opening; /* begins the answer; NULL: an assistant's `before` */
	bool trims;          /* removes space around texts */
};

static const struct chat_template templates[] = {
        {
                .name = "chatml",
                .turns = {{"<|im_start|>system\n", "<|im_end|>\n"},
                        {"<|im_start|>user\n", "<|im_end|>\n"},
                        {"<|im_start|>assistant\n", "<|im_end|>\n"}},
        },
        {
                .name = "llama2",
                .turns = {{NULL, NULL}, {"[INST] ", " [/INST]"}, {" ", " </s><s>"}},
                .between = "\n<</SYS>>\n\n",
                .opening = "",
                .trims = true,
        },
        {
                .name = "llama3",
                .turns = {{"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
                        {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
                        {"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"}},
                .trims = true,
        },
        {
                .name = "gemma",
                .turns = {{NULL, NULL}, {"<start_of_turn>user\n", "<end_of_turn>\n"},
                        {"<start_of_turn>model\n", "<end_of_turn>\n"}},
                .between = "\n\n",
                .trims = true,
        },
        {
                .name = "mistral",
                .turns = {{NULL, NULL}, {"[INST] ", " [/INST]"}, {" ", "</s>"}},
                .opening = "",
                .between = "\n\n",
        },
        {
                .name = "phi3",
                .turns = {{"<|system|>\n", "<|end|>\n"}, {"<|user|>\n", "<|end|>\n"},
                        {"<|assistant|>\n", "<|end|>\n"}},
        },
        {
                .name = "zephyr",
                .turns = {{"<|system|>\n", "</s>\n"}, {"<|user|>\n", "</s>\n"},
                        {"<|assistant|>\n", "</s>\n"}},
        },
        {
                .name = "vicuna",
                .turns = {{"", " "}, {"USER: ", " "}, {"ASSISTANT:", "</s>"}},
        },
        {
                .name = "plain",
                .turns = {{"System: ", "\n\n"}, {"User: ", "\n\n"}, {"Assistant:", "\n\n"}},
        },
};

static const char *const names[] = {"chatml", "llama2", "llama3", "gemma", "mistral", "phi3",
        "zephyr", "vicuna", "plain", NULL};

const char *const *template_names(void)
{
	return names;
}

const char *template_name(const struct chat_template *t)
{
	return t->name;
}

const struct chat_template *template_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(templates); i++) {
		if (strcmp(templates[i].name, name) == 0) {
			return &templates[i];
		}
	}
	return NULL;
}

/* A chat in progress. */
struct writing {
	const struct chat_template *t;
	struct buf *to;
	struct buf system; /* waits for the user's first turn */
	struct buf text;   /* text of the current message */
	bool begun;
	bool open; /* the last turn was the assistant's, and its end is not written yet */
};

/* Reads the text of one part of a content list. */
static bool read_part(struct json *j, struct buf *text)
{
	struct json_token t = json_next(j);
	bool is_text = false;
	if (t.type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(j);
		if (json_token_is_key(&t, "text") && value.type == JSON_TOKEN_STRING) {
			json_token_unescape(&value, text);
			is_text = true;
		} else if (!json_skip(j, &value).data) {
			return false;
		}
	}
	return is_text && t.type == JSON_TOKEN_OBJECT_END;
}

static bool read_content(struct span content, struct buf *text)
{
	struct json j;
	struct json_token t = json_begin(&j, content);
	if (t.type == JSON_TOKEN_STRING) {
		json_token_unescape(&t, text);
		return true;
	}
	if (t.type != JSON_TOKEN_ARRAY) {
		return false;
	}
	struct json ahead = j;
	while (json_next(&ahead).type == JSON_TOKEN_OBJECT) {
		if (!read_part(&j, text)) {
			return false;
		}
		ahead = j;
	}
	return json_next(&j).type == JSON_TOKEN_ARRAY_END;
}

static bool speaker_of(const struct json_token *role, enum speaker *ret)
{
	if (json_token_is_string(role, "system") || json_token_is_string(role, "developer")) {
		*ret = SYSTEM;
	} else if (json_token_is_string(role, "user")) {
		*ret = USER;
	} else if (json_token_is_string(role, "assistant")) {
		*ret = ASSISTANT;
	} else {
		return false;
	}
	return true;
}

static bool is_set(const struct json_token *value)
{
	return value->type != JSON_TOKEN_NULL && value->type != JSON_TOKEN_FALSE;
}

/* Reads one message: its role and its text. False: it has more than a turn can hold. */
static bool read_message(struct json *j, enum speaker *ret, struct buf *text)
{
	struct json_token t;
	bool has_role = false, has_content = false;
	buf_clear(text);
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(j);
		struct span span = json_skip(j, &value);
		if (!span.data) {
			return false;
		}
		if (json_token_is_key(&t, "role")) {
			has_role = value.type == JSON_TOKEN_STRING && speaker_of(&value, ret);
		} else if (json_token_is_key(&t, "content")) {
			buf_clear(text);
			has_content = read_content(span, text);
		} else if ((json_token_is_key(&t, "tool_calls") ||
		                   json_token_is_key(&t, "function_call")) &&
		           is_set(&value)) {
			return false;
		}
	}
	return t.type == JSON_TOKEN_OBJECT_END && has_role && has_content;
}

static struct span trimmed(const struct writing *w, const struct buf *text)
{
	return w->t->trims ? span_trim(buf_span(text)) : buf_span(text);
}

static void put_system(struct writing *w)
{
	if (w->system.len) {
		bool llama2 = strcmp(w->t->name, "llama2") == 0;
		buf_append_str(w->to, llama2 ? "<<SYS>>\n" : "");
		buf_append_span(w->to, trimmed(w, &w->system));
		buf_append_str(w->to, w->t->between);
		buf_clear(&w->system);
	}
}

static void put_turn(struct writing *w, enum speaker who)
{
	const struct turn *turn = &w->t->turns[who];
	if (w->open) {
		buf_append_str(w->to, w->t->turns[ASSISTANT].after);
		w->open = false;
	}
	if (!turn->before) {
		buf_append_span(&w->system, buf_span(&w->text));
		return;
	}
	buf_append_str(w->to, turn->before);
	if (who == USER) {
		put_system(w);
	}
	/* After a colon, a space comes before the text. */
	size_t len = strlen(turn->before);
	if (who == ASSISTANT && len && turn->before[len - 1] == ':') {
		buf_append_char(w->to, ' ');
	}
	buf_append_span(w->to, trimmed(w, &w->text));
	w->open = who == ASSISTANT;
	if (!w->open) {
		buf_append_str(w->to, turn->after);
	}
	w->begun = true;
}

static bool put_messages(struct writing *w, struct span messages)
{
	struct json j;
	struct json_token t;
	enum speaker who = USER;
	json_begin(&j, messages);
	while ((t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
		if (!read_message(&j, &who, &w->text)) {
			return false;
		}
		put_turn(w, who);
	}
	if (t.type != JSON_TOKEN_ARRAY_END || !w->begun || w->system.len) {
		return false;
	}
	if (!w->open) {
		const char *opening = w->t->opening;
		buf_append_str(w->to, opening ? opening : w->t->turns[ASSISTANT].before);
	}
	return true;
}

bool template_write(const struct chat_template *t, struct span body, struct buf *to)
{
	struct json_token value;
	struct span messages;
	if (json_find_member(body, "tools", &value, NULL) && is_set(&value)) {
		return false;
	}
	if (!json_find_member(body, "messages", &value, &messages) ||
	        value.type != JSON_TOKEN_ARRAY) {
		return false;
	}
	struct writing w = {.t = t, .to = to};
	bool done = put_messages(&w, messages);
	buf_finish(&w.system);
	buf_finish(&w.text);
	return done;
}

/* Members that /completions does not have. */
static const char *const chat_only[] = {"messages", "tools", "tool_choice", "parallel_tool_calls",
        "functions", "function_call", "top_logprobs", "max_completion_tokens",
        "chat_template_kwargs", "reasoning_effort", "add_generation_prompt",
        "continue_final_message", "modalities", "audio", "prediction", "verbosity",
        "web_search_options"};

bool template_recast(const struct chat_template *t, const struct request_facts *facts,
        struct span body, struct buf *to)
{
	struct member_edit members[ARRAY_LEN(chat_only) + 3];
	struct buf prompt = {0}, json = {0};
	char max_tokens[24], logprobs[24];
	struct edits edits = {0};
	size_t n = 0;
	bool done = template_write(t, body, &prompt);
	if (done) {
		json_put_string(&json, buf_span(&prompt));
		members[n++] = (struct member_edit){"prompt", buf_cstr(&json)};
		if (facts->max_tokens >= 0) {
			snprintf(max_tokens, sizeof(max_tokens), "%" PRId64, facts->max_tokens);
			members[n++] = (struct member_edit){"max_tokens", max_tokens};
		}
		if (facts->has_logprobs) {
			int64_t top = MAX(facts->top_logprobs, (int64_t)1);
			snprintf(logprobs, sizeof(logprobs), "%" PRId64, top);
			members[n++] = (struct member_edit){"logprobs", logprobs};
		}
		for (size_t i = 0; i < ARRAY_LEN(chat_only); i++) {
			members[n++] = (struct member_edit){chat_only[i], NULL};
		}
		done = rewrite_request(body, members, n, &edits);
	}
	if (done) {
		edits_apply(edits.items, edits.n, body, to);
		edits_finish(&edits);
	}
	buf_finish(&json);
	buf_finish(&prompt);
	return done;
}
