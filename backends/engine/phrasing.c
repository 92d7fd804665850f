#include "backends/engine/phrasing.h"

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

static struct pen pen_for(const struct phrasing *f, struct buf *to)
{
	return (struct pen){to, f->options->json};
}

static bool is_chat(const struct phrasing *f)
{
	return f->ask->endpoint == ASK_CHAT;
}

static void put_begin(const struct phrasing *f, struct pen *p, const char *object)
{
	pen_open(p, '{');
	pen_key(p, "id");
	pen_string(p, span_of(f->id));
	pen_key(p, "object");
	pen_string(p, span_of(object));
	pen_key(p, "created");
	pen_integer(p, f->created);
	pen_key(p, "model");
	pen_string(p, span_of(f->ask->model ? f->ask->model : f->options->model));
	pen_key(p, "system_fingerprint");
	pen_string(p, span_of(f->fingerprint));
	pen_key(p, "choices");
	pen_open(p, '[');
}

void phrasing_init(struct phrasing *f, const struct engine_options *options, const struct ask *ask,
        uint32_t replica, uint64_t id, int64_t created)
{
	*f = (struct phrasing){.options = options, .ask = ask, .created = created};
	snprintf(f->id, sizeof(f->id), "%s-%016llx", is_chat(f) ? "chatcmpl" : "cmpl",
	        (unsigned long long)id);
	int n = snprintf(f->fingerprint, sizeof(f->fingerprint), "simulated-%llu",
	        (unsigned long long)options->seed);
	if (replica > 0) {
		snprintf(f->fingerprint + n, sizeof(f->fingerprint) - (size_t)n, "-%u", replica);
	}
	if (ask->stream) {
		struct pen p = pen_for(f, &f->prefix);
		put_begin(f, &p, is_chat(f) ? "chat.completion.chunk" : "text_completion");
	}
}

void phrasing_finish(struct phrasing *f)
{
	buf_finish(&f->prefix);
}

static void put_bytes(struct pen *p, struct span bytes)
{
	pen_key(p, "bytes");
	pen_open(p, '[');
	for (size_t i = 0; i < bytes.len; i++) {
		pen_integer(p, (uint8_t)bytes.data[i]);
	}
	pen_close(p, ']');
}

static void put_token_members(
        struct pen *p, const struct vocabulary *v, uint32_t id, double logprob, bool with_id)
{
	struct span name = vocabulary_name(v, id);
	if (with_id) {
		pen_key(p, "id");
		pen_integer(p, id);
	}
	pen_key(p, "token");
	pen_string(p, name);
	pen_key(p, "logprob");
	/* OpenAI and vLLM write a probability of zero this way. */
	pen_number(p, isinf(logprob) ? -9999.0 : logprob);
	put_bytes(p, name);
}

void phrasing_token(
        struct pen *p, const struct vocabulary *v, uint32_t id, double logprob, bool with_id)
{
	pen_open(p, '{');
	put_token_members(p, v, id, logprob, with_id);
	pen_close(p, '}');
}

static void put_chat_logprobs(
        const struct phrasing *f, struct pen *p, const struct generation *g, uint32_t from)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	bool with_id = f->options->token_ids;
	pen_open(p, '{');
	pen_key(p, "content");
	pen_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		const struct generation_row *row = &g->rows[i];
		pen_open(p, '{');
		put_token_members(p, v, row->id, (double)row->logprob, with_id);
		pen_key(p, "top_logprobs");
		pen_open(p, '[');
		for (uint32_t k = 0; k < row->n_top; k++) {
			const struct language_item *top = &g->tops[row->top + k];
			phrasing_token(p, v, top->id, (double)top->logit, with_id);
		}
		pen_close(p, ']');
		pen_close(p, '}');
	}
	pen_close(p, ']');
	pen_close(p, '}');
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

static void put_offsets(struct pen *p, const struct generation *g, uint32_t from)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	int64_t offset = 0;
	pen_key(p, "text_offset");
	pen_open(p, '[');
	for (uint32_t i = 0; i < g->n_rows; i++) {
		if (i >= from) {
			pen_integer(p, offset);
		}
		offset += characters(vocabulary_bytes(v, g->rows[i].id));
	}
	pen_close(p, ']');
}

static void put_legacy_top(
        struct pen *p, const struct generation *g, const struct generation_row *row)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	bool chosen = false;
	if (isnan(row->logprob)) {
		pen_word(p, "null");
		return;
	}
	pen_open(p, '{');
	for (uint32_t k = 0; k < row->n_top; k++) {
		const struct language_item *top = &g->tops[row->top + k];
		chosen = chosen || top->id == row->id;
		pen_key_span(p, vocabulary_name(v, top->id));
		pen_number(p, (double)top->logit);
	}
	if (!chosen) {
		pen_key_span(p, vocabulary_name(v, row->id));
		pen_number(p, isinf(row->logprob) ? -9999.0 : (double)row->logprob);
	}
	pen_close(p, '}');
}

static void put_legacy_logprobs(
        const struct phrasing *f, struct pen *p, const struct generation *g, uint32_t from)
{
	const struct vocabulary *v = language_vocabulary(g->language);
	pen_open(p, '{');
	put_offsets(p, g, from);
	pen_key(p, "token_logprobs");
	pen_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		pen_number(p, isinf(g->rows[i].logprob) ? -9999.0 : (double)g->rows[i].logprob);
	}
	pen_close(p, ']');
	pen_key(p, "tokens");
	pen_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		pen_string(p, vocabulary_name(v, g->rows[i].id));
	}
	pen_close(p, ']');
	pen_key(p, "top_logprobs");
	pen_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		put_legacy_top(p, g, &g->rows[i]);
	}
	pen_close(p, ']');
	pen_close(p, '}');
}

/* The logprobs member, where there is one. */
static void put_logprobs(
        const struct phrasing *f, struct pen *p, const struct generation *g, uint32_t from)
{
	if (f->ask->logprobs && from < g->n_rows) {
		pen_key(p, "logprobs");
		if (is_chat(f)) {
			put_chat_logprobs(f, p, g, from);
		} else {
			put_legacy_logprobs(f, p, g, from);
		}
	} else if (f->options->logprobs_unasked == ENGINE_UNASKED_NULL) {
		pen_key(p, "logprobs");
		pen_word(p, "null");
	}
}

/* Prompt ids of a chat are beside its choices; those of a completion are within its choice. */
static void put_prompt_ids(const struct phrasing *f, struct pen *p, const struct generation *g)
{
	if (!f->ask->return_token_ids) {
		return;
	}
	const struct tokens *prompt = &f->ask->prompts[g->index / (uint32_t)f->ask->n];
	pen_key(p, "prompt_token_ids");
	pen_open(p, '[');
	for (size_t i = 0; i < prompt->n; i++) {
		pen_integer(p, prompt->items[i]);
	}
	pen_close(p, ']');
}

static void put_token_ids(
        const struct phrasing *f, struct pen *p, const struct generation *g, uint32_t from)
{
	if (!f->ask->return_token_ids) {
		return;
	}
	if (!is_chat(f) && from == 0) {
		put_prompt_ids(f, p, g);
	}
	pen_key(p, "token_ids");
	pen_open(p, '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		pen_integer(p, g->rows[i].id);
	}
	pen_close(p, ']');
}

static const char *reasoning_name(const struct phrasing *f)
{
	return f->options->reasoning == ENGINE_REASONING_CONTENT ? "reasoning_content"
	                                                         : "reasoning";
}

static void put_call_head(const struct phrasing *f, struct pen *p, const struct generation *g)
{
	char id[32];
	snprintf(id, sizeof(id), "call_%.12s%02u", strchr(f->id, '-') + 1, g->index % 100);
	pen_key(p, "id");
	pen_string(p, span_of(id));
	pen_key(p, "type");
	pen_string(p, SPAN("function"));
}

static void put_message(const struct phrasing *f, struct pen *p, const struct generation *g)
{
	pen_key(p, "message");
	pen_open(p, '{');
	pen_key(p, "role");
	pen_string(p, SPAN("assistant"));
	pen_key(p, "content");
	if (f->ask->call_name) {
		pen_word(p, "null");
	} else {
		pen_string(p, buf_span(&g->content.bytes));
	}
	pen_key(p, "refusal");
	pen_word(p, "null");
	if (g->reasoning.bytes.len > 0) {
		pen_key(p, reasoning_name(f));
		pen_string(p, buf_span(&g->reasoning.bytes));
	}
	if (f->ask->call_name) {
		pen_key(p, "tool_calls");
		pen_open(p, '[');
		pen_open(p, '{');
		put_call_head(f, p, g);
		pen_key(p, "function");
		pen_open(p, '{');
		pen_key(p, "name");
		pen_string(p, span_of(f->ask->call_name));
		pen_key(p, "arguments");
		pen_string(p, buf_span(&g->content.bytes));
		pen_close(p, '}');
		pen_close(p, '}');
		pen_close(p, ']');
	}
	pen_close(p, '}');
}

static void put_usage(struct pen *p, const struct phrasing_usage *u)
{
	pen_open(p, '{');
	pen_key(p, "prompt_tokens");
	pen_integer(p, u->prompt);
	pen_key(p, "total_tokens");
	pen_integer(p, u->prompt + u->completion);
	pen_key(p, "completion_tokens");
	pen_integer(p, u->completion);
	pen_key(p, "prompt_tokens_details");
	pen_open(p, '{');
	pen_key(p, "cached_tokens");
	pen_integer(p, u->cached);
	pen_close(p, '}');
	if (u->reasoning > 0) {
		pen_key(p, "completion_tokens_details");
		pen_open(p, '{');
		pen_key(p, "reasoning_tokens");
		pen_integer(p, u->reasoning);
		pen_close(p, '}');
	}
	pen_close(p, '}');
}

void phrasing_unary(struct phrasing *f, struct generation *choices, uint32_t n,
        const struct phrasing_usage *usage, struct buf *to)
{
	struct pen p = pen_for(f, to);
	put_begin(f, &p, is_chat(f) ? "chat.completion" : "text_completion");
	for (uint32_t i = 0; i < n; i++) {
		struct generation *g = &choices[i];
		pen_open(&p, '{');
		pen_key(&p, "index");
		pen_integer(&p, g->index);
		if (is_chat(f)) {
			put_message(f, &p, g);
		} else {
			pen_key(&p, "text");
			pen_string(&p, buf_span(&g->content.bytes));
		}
		put_logprobs(f, &p, g, 0);
		pen_key(&p, "finish_reason");
		pen_word(&p, FINISH_NAMES[g->finish]);
		put_token_ids(f, &p, g, 0);
		if (!is_chat(f) && f->ask->prompt_top >= 0) {
			pen_key(&p, "prompt_logprobs");
			prompt_scores_put(&p, g);
		}
		pen_close(&p, '}');
	}
	pen_close(&p, ']');
	pen_key(&p, "usage");
	put_usage(&p, usage);
	if (is_chat(f) && n > 0) {
		put_prompt_ids(f, &p, choices);
	}
	pen_close(&p, '}');
}

static void open_event(const struct phrasing *f, struct pen *p, const struct generation *g)
{
	buf_append_span(p->to, buf_span(&f->prefix));
	pen_open(p, '{');
	pen_key(p, "index");
	pen_integer(p, g->index);
}

static void close_choice(
        const struct phrasing *f, struct pen *p, const struct generation *g, bool last)
{
	pen_key(p, "finish_reason");
	pen_word(p, last ? FINISH_NAMES[g->finish] : "null");
	pen_close(p, '}');
	pen_close(p, ']');
	enum engine_usage null = f->options->usage_null;
	if (null == ENGINE_USAGE_NULL ||
	        (null == ENGINE_USAGE_WHEN_ASKED && f->ask->include_usage)) {
		pen_key(p, "usage");
		pen_word(p, "null");
	}
}

static void close_event(
        const struct phrasing *f, struct pen *p, const struct generation *g, bool last)
{
	close_choice(f, p, g, last);
	pen_close(p, '}');
}

void phrasing_role(struct phrasing *f, const struct generation *g, struct buf *to)
{
	struct pen p = pen_for(f, to);
	open_event(f, &p, g);
	pen_key(&p, "delta");
	pen_open(&p, '{');
	pen_key(&p, "role");
	pen_string(&p, SPAN("assistant"));
	pen_key(&p, "content");
	if (f->ask->call_name) {
		pen_word(&p, "null");
		pen_key(&p, "tool_calls");
		pen_open(&p, '[');
		pen_open(&p, '{');
		pen_key(&p, "index");
		pen_integer(&p, 0);
		put_call_head(f, &p, g);
		pen_key(&p, "function");
		pen_open(&p, '{');
		pen_key(&p, "name");
		pen_string(&p, span_of(f->ask->call_name));
		pen_key(&p, "arguments");
		pen_string(&p, SPAN(""));
		pen_close(&p, '}');
		pen_close(&p, '}');
		pen_close(&p, ']');
	} else {
		pen_string(&p, SPAN(""));
	}
	pen_close(&p, '}');
	put_logprobs(f, &p, g, g->n_rows);
	close_choice(f, &p, g, false);
	put_prompt_ids(f, &p, g);
	pen_close(&p, '}');
}

static void put_call_delta(struct pen *p, struct span arguments)
{
	pen_key(p, "tool_calls");
	pen_open(p, '[');
	pen_open(p, '{');
	pen_key(p, "index");
	pen_integer(p, 0);
	pen_key(p, "function");
	pen_open(p, '{');
	pen_key(p, "arguments");
	pen_string(p, arguments);
	pen_close(p, '}');
	pen_close(p, '}');
	pen_close(p, ']');
}

static void put_delta(const struct phrasing *f, struct pen *p, struct generation *g)
{
	struct span reasoning = generation_release(&g->reasoning, g);
	struct span content = generation_release(&g->content, g);
	pen_key(p, "delta");
	pen_open(p, '{');
	if (reasoning.len > 0) {
		pen_key(p, reasoning_name(f));
		pen_string(p, reasoning);
	}
	if (f->ask->call_name) {
		put_call_delta(p, content);
	} else if (content.len > 0 || (reasoning.len == 0 && !g->in_reasoning)) {
		pen_key(p, "content");
		pen_string(p, content);
	}
	pen_close(p, '}');
}

void phrasing_delta(struct phrasing *f, struct generation *g, uint32_t row, struct buf *to)
{
	struct pen p = pen_for(f, to);
	open_event(f, &p, g);
	if (is_chat(f)) {
		put_delta(f, &p, g);
	} else {
		pen_key(&p, "text");
		pen_string(&p, generation_release(&g->content, g));
	}
	put_logprobs(f, &p, g, row);
	put_token_ids(f, &p, g, row);
	close_event(f, &p, g, false);
}

void phrasing_end(struct phrasing *f, const struct generation *g, struct buf *to)
{
	struct pen p = pen_for(f, to);
	open_event(f, &p, g);
	if (is_chat(f)) {
		pen_key(&p, "delta");
		pen_open(&p, '{');
		pen_close(&p, '}');
	} else {
		pen_key(&p, "text");
		pen_string(&p, SPAN(""));
	}
	put_logprobs(f, &p, g, g->n_rows);
	close_event(f, &p, g, true);
}

void phrasing_usage(struct phrasing *f, const struct phrasing_usage *usage, struct buf *to)
{
	struct pen p = pen_for(f, to);
	buf_append_span(to, buf_span(&f->prefix));
	pen_close(&p, ']');
	pen_key(&p, "usage");
	put_usage(&p, usage);
	pen_close(&p, '}');
}

void phrasing_error(int status, const char *message, const char *param, struct buf *to)
{
	struct pen p = {to, ENGINE_JSON_COMPACT};
	const char *type = status == 429   ? "rate_limit_error"
	                   : status == 404 ? "not_found_error"
	                   : status >= 500 ? "server_error"
	                                   : "invalid_request_error";
	pen_open(&p, '{');
	pen_key(&p, "error");
	pen_open(&p, '{');
	pen_key(&p, "message");
	pen_string(&p, span_of(message));
	pen_key(&p, "type");
	pen_string(&p, span_of(type));
	pen_key(&p, "param");
	if (param) {
		pen_string(&p, span_of(param));
	} else {
		pen_word(&p, "null");
	}
	pen_key(&p, "code");
	pen_integer(&p, status);
	pen_close(&p, '}');
	pen_close(&p, '}');
}
