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
	return f->request->endpoint == ENDPOINT_CHAT;
}

static void put_begin(const struct answer_json *f, struct json_style *p, const char *object)
{
	json_style_open(p, NULL, '{');
	json_style_string(p, "id", span_of(f->id));
	json_style_string(p, "object", span_of(object));
	json_style_integer(p, "created", f->created);
	json_style_string(
	        p, "model", span_of(f->request->model ? f->request->model : f->options->model));
	json_style_string(p, "system_fingerprint", span_of(f->fingerprint));
	json_style_open(p, "choices", '[');
}

void answer_json_init(struct answer_json *f, const struct engine_options *options,
        const struct engine_request *request, uint32_t replica, uint64_t id, int64_t created)
{
	*f = (struct answer_json){.options = options, .request = request, .created = created};
	snprintf(f->id, sizeof(f->id), "%s-%016llx", is_chat(f) ? "chatcmpl" : "cmpl",
	        (unsigned long long)id);
	int n = snprintf(f->fingerprint, sizeof(f->fingerprint), "simulated-%llu",
	        (unsigned long long)options->seed);
	if (replica > 0) {
		snprintf(f->fingerprint + n, sizeof(f->fingerprint) - (size_t)n, "-%u", replica);
	}
	if (request->stream) {
		struct json_style p = pen_for(f, &f->prefix);
		put_begin(f, &p, is_chat(f) ? "chat.completion.chunk" : "text_completion");
	}
}

void answer_json_finish(struct answer_json *f)
{
	buf_finish(&f->prefix);
}

static void put_token_members(struct json_style *p, uint32_t id, double logprob, bool with_id)
{
	struct span name = vocabulary_name(id);
	if (with_id) {
		json_style_integer(p, "id", id);
	}
	json_style_string(p, "token", name);
	/* OpenAI and vLLM write a probability of zero this way. */
	json_style_number(p, "logprob", isinf(logprob) ? -9999.0 : logprob);
	json_style_bytes(p, "bytes", name);
}

void answer_json_token(
        struct json_style *p, const char *key, uint32_t id, double logprob, bool with_id)
{
	json_style_open(p, key, '{');
	put_token_members(p, id, logprob, with_id);
	json_style_close(p, "}");
}

static void put_chat_logprobs(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	bool with_id = f->options->token_ids;
	json_style_open(p, "logprobs", '{');
	json_style_open(p, "content", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		const struct generation_row *row = &g->rows[i];
		json_style_open(p, NULL, '{');
		put_token_members(p, row->id, (double)row->logprob, with_id);
		json_style_open(p, "top_logprobs", '[');
		for (uint32_t k = 0; k < row->n_top; k++) {
			const struct language_item *top = &g->tops[row->top + k];
			answer_json_token(p, NULL, top->id, (double)top->logit, with_id);
		}
		json_style_close(p, "]}");
	}
	json_style_close(p, "]}");
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
	int64_t offset = 0;
	json_style_open(p, "text_offset", '[');
	for (uint32_t i = 0; i < g->n_rows; i++) {
		if (i >= from) {
			json_style_integer(p, NULL, offset);
		}
		offset += characters(vocabulary_bytes(g->rows[i].id));
	}
	json_style_close(p, "]");
}

static void put_legacy_top(
        struct json_style *p, const struct generation *g, const struct generation_row *row)
{
	bool chosen = false;
	if (isnan(row->logprob)) {
		json_style_word(p, NULL, "null");
		return;
	}
	json_style_open(p, NULL, '{');
	for (uint32_t k = 0; k < row->n_top; k++) {
		const struct language_item *top = &g->tops[row->top + k];
		chosen = chosen || top->id == row->id;
		json_style_member(p, vocabulary_name(top->id));
		json_style_number(p, NULL, (double)top->logit);
	}
	if (!chosen) {
		json_style_member(p, vocabulary_name(row->id));
		json_style_number(p, NULL, isinf(row->logprob) ? -9999.0 : (double)row->logprob);
	}
	json_style_close(p, "}");
}

static void put_legacy_logprobs(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	json_style_open(p, "logprobs", '{');
	put_offsets(p, g, from);
	json_style_open(p, "token_logprobs", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_style_number(
		        p, NULL, isinf(g->rows[i].logprob) ? -9999.0 : (double)g->rows[i].logprob);
	}
	json_style_close(p, "]");
	json_style_open(p, "tokens", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_style_string(p, NULL, vocabulary_name(g->rows[i].id));
	}
	json_style_close(p, "]");
	json_style_open(p, "top_logprobs", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		put_legacy_top(p, g, &g->rows[i]);
	}
	json_style_close(p, "]}");
}

/* The logprobs member, where there is one. */
static void put_logprobs(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	if (f->request->logprobs && from < g->n_rows && is_chat(f)) {
		put_chat_logprobs(f, p, g, from);
	} else if (f->request->logprobs && from < g->n_rows) {
		put_legacy_logprobs(f, p, g, from);
	} else if (f->options->logprobs_unasked == ENGINE_UNASKED_NULL) {
		json_style_word(p, "logprobs", "null");
	}
}

/* Prompt ids of a chat are beside its choices; those of a completion are within its choice. */
static void put_prompt_ids(
        const struct answer_json *f, struct json_style *p, const struct generation *g)
{
	if (!f->request->return_token_ids) {
		return;
	}
	const struct tokens *prompt = engine_request_prompt(f->request, g->index);
	json_style_open(p, "prompt_token_ids", '[');
	for (size_t i = 0; i < prompt->n; i++) {
		json_style_integer(p, NULL, prompt->items[i]);
	}
	json_style_close(p, "]");
}

static void put_token_ids(const struct answer_json *f, struct json_style *p,
        const struct generation *g, uint32_t from)
{
	if (!f->request->return_token_ids) {
		return;
	}
	if (!is_chat(f) && from == 0) {
		put_prompt_ids(f, p, g);
	}
	json_style_open(p, "token_ids", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_style_integer(p, NULL, g->rows[i].id);
	}
	json_style_close(p, "]");
}

static const char *reasoning_name(const struct answer_json *f)
{
	return f->options->reasoning == ENGINE_REASONING_CONTENT ? "reasoning_content"
	                                                         : "reasoning";
}

/* The member with the choice's only call. */
static void put_call(const struct answer_json *f, struct json_style *p, const struct generation *g,
        struct span arguments)
{
	char id[32];
	snprintf(id, sizeof(id), "call_%.12s%02u", strchr(f->id, '-') + 1, g->index % 100);
	json_style_open(p, "tool_calls", '[');
	json_style_open(p, NULL, '{');
	if (f->request->stream) {
		json_style_integer(p, "index", 0);
	}
	json_style_string(p, "id", span_of(id));
	json_style_string(p, "type", SPAN("function"));
	json_style_open(p, "function", '{');
	json_style_string(p, "name", span_of(f->request->call_name));
	json_style_string(p, "arguments", arguments);
	json_style_close(p, "}}]");
}

static void put_message(
        const struct answer_json *f, struct json_style *p, const struct generation *g)
{
	json_style_open(p, "message", '{');
	json_style_string(p, "role", SPAN("assistant"));
	if (f->request->call_name) {
		json_style_word(p, "content", "null");
	} else {
		json_style_string(p, "content", buf_span(&g->content.bytes));
	}
	json_style_word(p, "refusal", "null");
	if (g->reasoning.bytes.len > 0) {
		json_style_string(p, reasoning_name(f), buf_span(&g->reasoning.bytes));
	}
	if (f->request->call_name) {
		put_call(f, p, g, buf_span(&g->content.bytes));
	}
	json_style_close(p, "}");
}

static void put_usage(struct json_style *p, const struct answer_json_usage *u)
{
	json_style_open(p, "usage", '{');
	json_style_integer(p, "prompt_tokens", u->prompt);
	json_style_integer(p, "total_tokens", u->prompt + u->completion);
	json_style_integer(p, "completion_tokens", u->completion);
	json_style_open(p, "prompt_tokens_details", '{');
	json_style_integer(p, "cached_tokens", u->cached);
	json_style_close(p, "}");
	if (u->reasoning > 0) {
		json_style_open(p, "completion_tokens_details", '{');
		json_style_integer(p, "reasoning_tokens", u->reasoning);
		json_style_close(p, "}");
	}
	json_style_close(p, "}");
}

void answer_json_unary(struct answer_json *f, struct generation *choices, uint32_t n,
        const struct answer_json_usage *usage, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	put_begin(f, &p, is_chat(f) ? "chat.completion" : "text_completion");
	for (uint32_t i = 0; i < n; i++) {
		struct generation *g = &choices[i];
		json_style_open(&p, NULL, '{');
		json_style_integer(&p, "index", g->index);
		if (is_chat(f)) {
			put_message(f, &p, g);
		} else {
			json_style_string(&p, "text", buf_span(&g->content.bytes));
		}
		put_logprobs(f, &p, g, 0);
		json_style_word(&p, "finish_reason", FINISH_NAMES[g->finish]);
		put_token_ids(f, &p, g, 0);
		if (!is_chat(f) && f->request->prompt_top >= 0) {
			prompt_scores_put(&p, "prompt_logprobs", g);
		}
		json_style_close(&p, "}");
	}
	json_style_close(&p, "]");
	put_usage(&p, usage);
	if (is_chat(f) && n > 0) {
		put_prompt_ids(f, &p, choices);
	}
	json_style_close(&p, "}");
}

static void open_event(
        const struct answer_json *f, struct json_style *p, const struct generation *g)
{
	buf_append_span(p->to, buf_span(&f->prefix));
	json_style_open(p, NULL, '{');
	json_style_integer(p, "index", g->index);
}

static void close_choice(
        const struct answer_json *f, struct json_style *p, const struct generation *g, bool last)
{
	json_style_word(p, "finish_reason", last ? FINISH_NAMES[g->finish] : "null");
	json_style_close(p, "}]");
}

static void close_event(
        const struct answer_json *f, struct json_style *p, const struct generation *g, bool last)
{
	close_choice(f, p, g, last);
	json_style_close(p, "}");
}

void answer_json_role(struct answer_json *f, const struct generation *g, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	open_event(f, &p, g);
	json_style_open(&p, "delta", '{');
	json_style_string(&p, "role", SPAN("assistant"));
	if (f->request->call_name) {
		json_style_word(&p, "content", "null");
		put_call(f, &p, g, SPAN(""));
	} else {
		json_style_string(&p, "content", SPAN(""));
	}
	json_style_close(&p, "}");
	put_logprobs(f, &p, g, g->n_rows);
	close_choice(f, &p, g, false);
	put_prompt_ids(f, &p, g);
	json_style_close(&p, "}");
}

static void put_call_delta(struct json_style *p, struct span arguments)
{
	json_style_open(p, "tool_calls", '[');
	json_style_open(p, NULL, '{');
	json_style_integer(p, "index", 0);
	json_style_open(p, "function", '{');
	json_style_string(p, "arguments", arguments);
	json_style_close(p, "}}]");
}

static void put_delta(const struct answer_json *f, struct json_style *p, struct generation *g)
{
	struct span reasoning = generation_release(&g->reasoning, g);
	struct span content = generation_release(&g->content, g);
	json_style_open(p, "delta", '{');
	if (reasoning.len > 0) {
		json_style_string(p, reasoning_name(f), reasoning);
	}
	if (f->request->call_name) {
		put_call_delta(p, content);
	} else if (content.len > 0 || (reasoning.len == 0 && !g->in_reasoning)) {
		json_style_string(p, "content", content);
	}
	json_style_close(p, "}");
}

void answer_json_delta(struct answer_json *f, struct generation *g, uint32_t row, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	open_event(f, &p, g);
	if (is_chat(f)) {
		put_delta(f, &p, g);
	} else {
		json_style_string(&p, "text", generation_release(&g->content, g));
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
		json_style_open(&p, "delta", '{');
		json_style_close(&p, "}");
	} else {
		json_style_string(&p, "text", SPAN(""));
	}
	put_logprobs(f, &p, g, g->n_rows);
	close_event(f, &p, g, true);
}

void answer_json_usage(struct answer_json *f, const struct answer_json_usage *usage, struct buf *to)
{
	struct json_style p = pen_for(f, to);
	buf_append_span(to, buf_span(&f->prefix));
	json_style_close(&p, "]");
	put_usage(&p, usage);
	json_style_close(&p, "}");
}
