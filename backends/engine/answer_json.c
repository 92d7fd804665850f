#include "backends/engine/answer_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/engine/prompt_scores.h"

static const char *const FINISH_NAMES[] = {
        [GENERATION_RUNNING] = "null",
        [GENERATION_STOP] = "\"stop\"",
        [GENERATION_LENGTH] = "\"length\"",
        [GENERATION_TOOL_CALLS] = "\"tool_calls\"",
};

static struct json_style pen_for(const struct answer_json *f, struct buf *to)
{
	return (struct json_style){to, f->options->json};
}

static bool is_chat(const struct answer_json *f)
{
	return f->ask->endpoint == ASK_CHAT;
}

static void put_begin(const struct answer_json *f, struct json_style *p, const char *object)
{
	json_style_open(p, '{');
	json_style_key(p, "id");
	json_style_string(p, span_of(f->id));
	json_style_key(p, "object");
	json_style_string(p, span_of(object));
	json_style_key(p, "created");
	json_style_integer(p, f->created);
	json_style_key(p, "model");
	json_style_string(p, span_of(f->ask->model ? f->ask->model : f->options->model));
	json_style_key(p, "system_fingerprint");
	json_style_string(p, span_of(f->fingerprint));
	json_style_key(p, "choices");
	json_style_open(p, '[');
}

void answer_json_init(struct answer_json *f, const struct engine_options *options,
        const struct ask *ask, uint32_t replica, uint64_t id, int64_t created)
{
	*f = (struct answer_json){.options = options, .ask = ask, .created = created};
	snprintf(f->id, sizeof(f->id), "%s-%016llx", is_chat(f) ? "chatcmpl" : "cmpl",
	        (unsigned long long)id);
	int n = snprintf(f->fingerprint, sizeof(f->fingerprint), "simulated-%llu",
	        (unsigned long long)options->seed);
	if (replica > 0) {
		snprintf(f->fingerprint + n, sizeof(f->fingerprint) - (size_t)n, "-%u", replica);
	}
	if (ask->stream) {
		struct json_style p = pen_for(f, &f->prefix);
		put_begin(f, &p, is_chat(f) ? "chat.completion.chunk" : "text_completion");
	}
}

void answer_json_finish(struct answer_json *f)
{
	buf_finish(&f->prefix);
}

static void put_bytes(struct json_style *p, struct span bytes)
{
	json_style_key(p, "bytes");
	json_style_open(p, '[');
	for (size_t i = 0; i < bytes.len; i++) {
		json_style_integer(p, (uint8_t)bytes.data[i]);
	}
	json_style_close(p, ']');
}

static void put_token_members(
        struct json_style *p, const struct vocabulary *v, uint32_t id, double logprob, bool with_id)
{
	struct span name = vocabulary_name(v, id);
	if (with_id) {
		json_style_key(p, "id");
		json_style_integer(p, id);
	}
	json_style_key(p, "token");
	json_style_string(p, name);
	json_style_key(p, "logprob");
	/* OpenAI and vLLM write a probability of zero this way. */
	json_style_number(p, isinf(logprob) ? -9999.0 : logprob);
	put_bytes(p, name);
}

void answer_json_token(
        struct json_style *p, const struct vocabulary *v, uint32_t id, double logprob, bool with_id)
{
	json_style_open(p, '{');
	put_token_members(p, v, id, logprob, with_id);
	json_style_close(p, '}');
}

static void put_chat_logprobs(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	bool with_id = f->options->token_ids;
	json_style_open(p, '{');
	json_style_key(p, "content");
	json_style_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		const struct generation_row *row = &g->rows[i];
		json_style_open(p, '{');
		put_token_members(p, v, row->id, (double)row->logprob, with_id);
		json_style_key(p, "top_logprobs");
		json_style_open(p, '[');
		for (uint32_t k = 0; k < row->n_top; k++) {
			const struct language_item *top = &g->tops[row->top + k];
			answer_json_token(p, v, top->id, (double)top->logit, with_id);
		}
		json_style_close(p, ']');
		json_style_close(p, '}');
	}
	json_style_close(p, ']');
	json_style_close(p, '}');
}

/* Counts characters as the legacy form does: the bytes that begin one. */
static int64_t characters(struct span text)
{
	int64_t n = 0;
	for (size_t i = 0; i < text.len; i++) {
		n += ((uint8_t)text.data[i] & 0xc0) != 0x80;
	}
	return n;
}

static void put_offsets(struct json_style *p, const struct generation *g, uint32_t from)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	int64_t offset = 0;
	json_style_key(p, "text_offset");
	json_style_open(p, '[');
	for (uint32_t i = 0; i < g->n_rows; i++) {
		if (i >= from) {
			json_style_integer(p, offset);
		}
		offset += characters(vocabulary_bytes(v, g->rows[i].id));
	}
	json_style_close(p, ']');
}

static void put_legacy_top(
        struct json_style *p, const struct generation *g, const struct generation_row *row)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	bool chosen = false;
	if (isnan(row->logprob)) {
		json_style_word(p, "null");
		return;
	}
	json_style_open(p, '{');
	for (uint32_t k = 0; k < row->n_top; k++) {
		const struct language_item *top = &g->tops[row->top + k];
		chosen = chosen || top->id == row->id;
		json_style_key_span(p, vocabulary_name(v, top->id));
		json_style_number(p, (double)top->logit);
	}
	if (!chosen) {
		json_style_key_span(p, vocabulary_name(v, row->id));
		json_style_number(p, isinf(row->logprob) ? -9999.0 : (double)row->logprob);
	}
	json_style_close(p, '}');
}

static void put_legacy_logprobs(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	json_style_open(p, '{');
	put_offsets(p, g, from);
	json_style_key(p, "token_logprobs");
	json_style_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_style_number(
		        p, isinf(g->rows[i].logprob) ? -9999.0 : (double)g->rows[i].logprob);
	}
	json_style_close(p, ']');
	json_style_key(p, "tokens");
	json_style_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_style_string(p, vocabulary_name(v, g->rows[i].id));
	}
	json_style_close(p, ']');
	json_style_key(p, "top_logprobs");
	json_style_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		put_legacy_top(p, g, &g->rows[i]);
	}
	json_style_close(p, ']');
	json_style_close(p, '}');
}

/* The logprobs member, where there is one. */
static void put_logprobs(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	if (f->ask->logprobs && from < g->n_rows) {
		json_style_key(p, "logprobs");
		if (is_chat(f)) {
			put_chat_logprobs(f, p, g, from);
		} else {
			put_legacy_logprobs(f, p, g, from);
		}
	} else if (f->options->logprobs_unasked == ENGINE_UNASKED_NULL) {
		json_style_key(p, "logprobs");
		json_style_word(p, "null");
	}
}

/* Prompt ids of a chat are beside its choices; those of a completion are within its choice. */
static void put_prompt_ids(
        const struct answer_json *f, struct json_style *p, const struct generation *g)
{
	if (!f->ask->return_token_ids) {
		return;
	}
	const struct tokens *prompt = &f->ask->prompts[g->index / (uint32_t)f->ask->n];
	json_style_key(p, "prompt_token_ids");
	json_style_open(p, '[');
	for (size_t i = 0; i < prompt->n; i++) {
		json_style_integer(p, prompt->items[i]);
	}
	json_style_close(p, ']');
}

static void put_token_ids(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	if (!f->ask->return_token_ids) {
		return;
	}
	if (!is_chat(f) && from == 0) {
		put_prompt_ids(f, p, g);
	}
	json_style_key(p, "token_ids");
	json_style_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_style_integer(p, g->rows[i].id);
	}
	json_style_close(p, ']');
}

static const char *reasoning_name(const struct answer_json *f)
{
	return f->options->reasoning == ENGINE_REASONING_CONTENT ? "reasoning_content"
	                                                         : "reasoning";
}

static void put_call_head(
        const struct answer_json *f, struct json_style *p, const struct generation *g)
{
	char id[32];
	snprintf(id, sizeof(id), "call_%.12s%02u", strchr(f->id, '-') + 1, g->index % 100);
	json_style_key(p, "id");
	json_style_string(p, span_of(id));
	json_style_key(p, "type");
	json_style_string(p, SPAN("function"));
}

static void put_message(
        const struct answer_json *f, struct json_style *p, const struct generation *g)
{
	json_style_key(p, "message");
	json_style_open(p, '{');
	json_style_key(p, "role");
	json_style_string(p, SPAN("assistant"));
	json_style_key(p, "content");
	if (f->ask->call_name) {
		json_style_word(p, "null");
	} else {
		json_style_string(p, buf_span(&g->content.bytes));
	}
	json_style_key(p, "refusal");
	json_style_word(p, "null");
	if (g->reasoning.bytes.len > 0) {
		json_style_key(p, reasoning_name(f));
		json_style_string(p, buf_span(&g->reasoning.bytes));
	}
	if (f->ask->call_name) {
		json_style_key(p, "tool_calls");
		json_style_open(p, '[');
		json_style_open(p, '{');
		put_call_head(f, p, g);
		json_style_key(p, "function");
		json_style_open(p, '{');
		json_style_key(p, "name");
		json_style_string(p, span_of(f->ask->call_name));
		json_style_key(p, "arguments");
		json_style_string(p, buf_span(&g->content.bytes));
		json_style_close(p, '}');
		json_style_close(p, '}');
		json_style_close(p, ']');
	}
	json_style_close(p, '}');
}

static void put_usage(struct json_style *p, const struct answer_json_usage *u)
{
	json_style_open(p, '{');
	json_style_key(p, "prompt_tokens");
	json_style_integer(p, u->prompt);
	json_style_key(p, "total_tokens");
	json_style_integer(p, u->prompt + u->completion);
	json_style_key(p, "completion_tokens");
	json_style_integer(p, u->completion);
	json_style_key(p, "prompt_tokens_details");
	json_style_open(p, '{');
	json_style_key(p, "cached_tokens");
	json_style_integer(p, u->cached);
	json_style_close(p, '}');
	if (u->reasoning > 0) {
		json_style_key(p, "completion_tokens_details");
		json_style_open(p, '{');
		json_style_key(p, "reasoning_tokens");
		json_style_integer(p, u->reasoning);
		json_style_close(p, '}');
	}
	json_style_close(p, '}');
}

void answer_json_unary(struct answer_json *f, struct generation *choices, uint32_t n,
        const struct answer_json_usage *usage, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	put_begin(f, &p, is_chat(f) ? "chat.completion" : "text_completion");
	for (uint32_t i = 0; i < n; i++) {
		struct generation *g = &choices[i];
		json_style_open(&p, '{');
		json_style_key(&p, "index");
		json_style_integer(&p, g->index);
		if (is_chat(f)) {
			put_message(f, &p, g);
		} else {
			json_style_key(&p, "text");
			json_style_string(&p, buf_span(&g->content.bytes));
		}
		put_logprobs(f, &p, g, 0);
		json_style_key(&p, "finish_reason");
		json_style_word(&p, FINISH_NAMES[g->finish]);
		put_token_ids(f, &p, g, 0);
		if (!is_chat(f) && f->ask->prompt_top >= 0) {
			json_style_key(&p, "prompt_logprobs");
			prompt_scores_put(&p, g);
		}
		json_style_close(&p, '}');
	}
	json_style_close(&p, ']');
	json_style_key(&p, "usage");
	put_usage(&p, usage);
	if (is_chat(f) && n > 0) {
		put_prompt_ids(f, &p, choices);
	}
	json_style_close(&p, '}');
}

static void open_event(
        const struct answer_json *f, struct json_style *p, const struct generation *g)
{
	buf_append_span(p->to, buf_span(&f->prefix));
	json_style_open(p, '{');
	json_style_key(p, "index");
	json_style_integer(p, g->index);
}

static void close_choice(
        const struct answer_json *f, struct json_style *p, const struct generation *g, bool last)
{
	json_style_key(p, "finish_reason");
	json_style_word(p, last ? FINISH_NAMES[g->finish] : "null");
	json_style_close(p, '}');
	json_style_close(p, ']');
	enum engine_usage null = f->options->usage_null;
	if (null == ENGINE_USAGE_NULL ||
	        (null == ENGINE_USAGE_WHEN_ASKED && f->ask->include_usage)) {
		json_style_key(p, "usage");
		json_style_word(p, "null");
	}
}

static void close_event(
        const struct answer_json *f, struct json_style *p, const struct generation *g, bool last)
{
	close_choice(f, p, g, last);
	json_style_close(p, '}');
}

void answer_json_role(struct answer_json *f, const struct generation *g, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	open_event(f, &p, g);
	json_style_key(&p, "delta");
	json_style_open(&p, '{');
	json_style_key(&p, "role");
	json_style_string(&p, SPAN("assistant"));
	json_style_key(&p, "content");
	if (f->ask->call_name) {
		json_style_word(&p, "null");
		json_style_key(&p, "tool_calls");
		json_style_open(&p, '[');
		json_style_open(&p, '{');
		json_style_key(&p, "index");
		json_style_integer(&p, 0);
		put_call_head(f, &p, g);
		json_style_key(&p, "function");
		json_style_open(&p, '{');
		json_style_key(&p, "name");
		json_style_string(&p, span_of(f->ask->call_name));
		json_style_key(&p, "arguments");
		json_style_string(&p, SPAN(""));
		json_style_close(&p, '}');
		json_style_close(&p, '}');
		json_style_close(&p, ']');
	} else {
		json_style_string(&p, SPAN(""));
	}
	json_style_close(&p, '}');
	put_logprobs(f, &p, g, g->n_rows);
	close_choice(f, &p, g, false);
	put_prompt_ids(f, &p, g);
	json_style_close(&p, '}');
}

static void put_call_delta(struct json_style *p, struct span arguments)
{
	json_style_key(p, "tool_calls");
	json_style_open(p, '[');
	json_style_open(p, '{');
	json_style_key(p, "index");
	json_style_integer(p, 0);
	json_style_key(p, "function");
	json_style_open(p, '{');
	json_style_key(p, "arguments");
	json_style_string(p, arguments);
	json_style_close(p, '}');
	json_style_close(p, '}');
	json_style_close(p, ']');
}

static void put_delta(const struct answer_json *f, struct json_style *p, struct generation *g)
{
	struct span reasoning = generation_release(&g->reasoning, g);
	struct span content = generation_release(&g->content, g);
	json_style_key(p, "delta");
	json_style_open(p, '{');
	if (reasoning.len > 0) {
		json_style_key(p, reasoning_name(f));
		json_style_string(p, reasoning);
	}
	if (f->ask->call_name) {
		put_call_delta(p, content);
	} else if (content.len > 0 || (reasoning.len == 0 && !g->in_reasoning)) {
		json_style_key(p, "content");
		json_style_string(p, content);
	}
	json_style_close(p, '}');
}

void answer_json_delta(struct answer_json *f, struct generation *g, uint32_t row, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	open_event(f, &p, g);
	if (is_chat(f)) {
		put_delta(f, &p, g);
	} else {
		json_style_key(&p, "text");
		json_style_string(&p, generation_release(&g->content, g));
	}
	put_logprobs(f, &p, g, row);
	put_token_ids(f, &p, g, row);
	close_event(f, &p, g, false);
}

void answer_json_end(struct answer_json *f, const struct generation *g, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	open_event(f, &p, g);
	if (is_chat(f)) {
		json_style_key(&p, "delta");
		json_style_open(&p, '{');
		json_style_close(&p, '}');
	} else {
		json_style_key(&p, "text");
		json_style_string(&p, SPAN(""));
	}
	put_logprobs(f, &p, g, g->n_rows);
	close_event(f, &p, g, true);
}

void answer_json_usage(struct answer_json *f, const struct answer_json_usage *usage, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	buf_append_span(to, buf_span(&f->prefix));
	json_style_close(&p, ']');
	json_style_key(&p, "usage");
	put_usage(&p, usage);
	json_style_close(&p, '}');
}

void answer_json_error(int status, const char *message, const char *param, struct buf *to)
{
	struct json_style p = {to, ENGINE_JSON_COMPACT};
	const char *type = status == 429   ? "rate_limit_error"
	                   : status == 404 ? "not_found_error"
	                   : status >= 500 ? "server_error"
	                                   : "invalid_request_error";
	json_style_open(&p, '{');
	json_style_key(&p, "error");
	json_style_open(&p, '{');
	json_style_key(&p, "message");
	json_style_string(&p, span_of(message));
	json_style_key(&p, "type");
	json_style_string(&p, span_of(type));
	json_style_key(&p, "param");
	if (param) {
		json_style_string(&p, span_of(param));
	} else {
		json_style_word(&p, "null");
	}
	json_style_key(&p, "code");
	json_style_integer(&p, status);
	json_style_close(&p, '}');
	json_style_close(&p, '}');
}
