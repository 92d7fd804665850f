#include "backends/engine/answer_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/engine/engine.h"
#include "base/json_text.h"
#include "backends/engine/ranking.h"

/* The prompt's logprobs. */

static void put_item(struct json_writer *w, uint32_t id, double logprob, int64_t rank)
{
	char key[16];
	snprintf(key, sizeof(key), "%u", id);
	json_writer_open(w, key, '{');
	json_writer_number(w, "logprob", (double)(float)logprob);
	json_writer_integer(w, "rank", rank);
	json_writer_string(w, "decoded_token", vocabulary_name(id));
	json_writer_close(w, "}");
}

/* Writes the prompt's token at this position, whatever its rank, and the top tokens beside it. */
static void put_position(struct json_writer *w, const struct generation *g, uint32_t id,
        const struct language_spread *spread)
{
	double z = language_normaliser(g->language, spread);
	struct language_item item;
	struct ranking r;
	int64_t rank = 0;
	ranking_of_spread(&r, g->language, spread);
	json_writer_open(w, NULL, '{');
	while (ranking_next(&r, &item)) {
		rank++;
		if (item.id == id) {
			put_item(w, id, (double)item.logit - z, rank);
			break;
		}
	}
	ranking_rewind(&r);
	for (int i = 0; i < g->request->prompt_top && ranking_next(&r, &item); i++) {
		if (item.id != id) {
			put_item(w, item.id, (double)item.logit - z, i + 1);
		}
	}
	json_writer_close(w, "}");
}

/*
 * Writes the model's probabilities of its prompt in the form of vLLM's prompt_logprobs: null for
 * the first token, then for each position an object from id to logprob, rank and text, which begins
 * with the prompt's own token. key as in json_writer.h.
 */
static void put_prompt_scores(struct json_writer *w, const char *key, const struct generation *g)
{
	const struct tokens *prompt = engine_request_prompt(g->request, g->index);
	struct language_state state;
	language_begin(g->language, &state);
	json_writer_open(w, key, '[');
	for (size_t i = 0; i < prompt->n; i++) {
		if (i == 0) {
			json_writer_null(w, NULL);
		} else {
			struct language_spread spread;
			language_spread(g->language, &state, &spread);
			language_disturb(&g->numerics, &state, &spread);
			put_position(w, g, prompt->items[i], &spread);
		}
		language_push(g->language, &state, prompt->items[i]);
	}
	json_writer_close(w, "]");
}

static const char *const FINISH_NAMES[] = {
        [GENERATION_RUNNING] = NULL,
        [GENERATION_STOP] = "stop",
        [GENERATION_LENGTH] = "length",
        [GENERATION_TOOL_CALLS] = "tool_calls",
};

static struct json_writer writer_for(const struct answer_json *f, struct buf *to)
{
	return (struct json_writer){.to = to, .style = f->options->json};
}

static bool is_chat(const struct answer_json *f)
{
	return f->request->endpoint == ENDPOINT_CHAT;
}

static void put_begin(const struct answer_json *f, struct json_writer *w, const char *object)
{
	json_writer_open(w, NULL, '{');
	json_writer_text(w, "id", f->id);
	json_writer_text(w, "object", object);
	json_writer_integer(w, "created", f->created);
	json_writer_text(w, "model", f->request->model ? f->request->model : f->options->model);
	json_writer_text(w, "system_fingerprint", f->fingerprint);
	json_writer_open(w, "choices", '[');
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
		f->after_prefix = writer_for(f, &f->prefix);
		put_begin(f, &f->after_prefix,
		        is_chat(f) ? "chat.completion.chunk" : "text_completion");
	}
}

void answer_json_finish(struct answer_json *f)
{
	buf_finish(&f->prefix);
}

static void put_token_members(struct json_writer *w, uint32_t id, double logprob, bool with_id)
{
	struct span name = vocabulary_name(id);
	if (with_id) {
		json_writer_integer(w, "id", id);
	}
	json_writer_string(w, "token", name);
	/* OpenAI and vLLM write a probability of zero this way. */
	json_writer_number(w, "logprob", isinf(logprob) ? -9999.0 : logprob);
	json_writer_open(w, "bytes", '[');
	for (size_t i = 0; i < name.len; i++) {
		json_writer_integer(w, NULL, (uint8_t)name.data[i]);
	}
	json_writer_close(w, "]");
}

void answer_json_token(
        struct json_writer *w, const char *key, uint32_t id, double logprob, bool with_id)
{
	json_writer_open(w, key, '{');
	put_token_members(w, id, logprob, with_id);
	json_writer_close(w, "}");
}

static void put_chat_logprobs(const struct answer_json *f, struct json_writer *w,
        const struct generation *g, uint32_t from)
{
	bool with_id = f->options->token_ids;
	json_writer_open(w, "logprobs", '{');
	json_writer_open(w, "content", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		const struct generation_row *row = &g->rows[i];
		json_writer_open(w, NULL, '{');
		put_token_members(w, row->id, (double)row->logprob, with_id);
		json_writer_open(w, "top_logprobs", '[');
		for (uint32_t k = 0; k < row->n_top; k++) {
			const struct language_item *top = &g->tops[row->top + k];
			answer_json_token(w, NULL, top->id, (double)top->logit, with_id);
		}
		json_writer_close(w, "]}");
	}
	json_writer_close(w, "]}");
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

static void put_offsets(struct json_writer *w, const struct generation *g, uint32_t from)
{
	int64_t offset = 0;
	json_writer_open(w, "text_offset", '[');
	for (uint32_t i = 0; i < g->n_rows; i++) {
		if (i >= from) {
			json_writer_integer(w, NULL, offset);
		}
		offset += characters(vocabulary_bytes(g->rows[i].id));
	}
	json_writer_close(w, "]");
}

static void put_legacy_top(
        struct json_writer *w, const struct generation *g, const struct generation_row *row)
{
	bool chosen = false;
	if (isnan(row->logprob)) {
		json_writer_null(w, NULL);
		return;
	}
	json_writer_open(w, NULL, '{');
	for (uint32_t k = 0; k < row->n_top; k++) {
		const struct language_item *top = &g->tops[row->top + k];
		chosen = chosen || top->id == row->id;
		json_writer_begin(w, vocabulary_name(top->id));
		json_put_number(w->to, (double)top->logit);
	}
	if (!chosen) {
		json_writer_begin(w, vocabulary_name(row->id));
		json_put_number(w->to, isinf(row->logprob) ? -9999.0 : (double)row->logprob);
	}
	json_writer_close(w, "}");
}

static void put_legacy_logprobs(const struct answer_json *f, struct json_writer *w,
        const struct generation *g, uint32_t from)
{
	json_writer_open(w, "logprobs", '{');
	put_offsets(w, g, from);
	json_writer_open(w, "token_logprobs", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_writer_number(
		        w, NULL, isinf(g->rows[i].logprob) ? -9999.0 : (double)g->rows[i].logprob);
	}
	json_writer_close(w, "]");
	json_writer_open(w, "tokens", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_writer_string(w, NULL, vocabulary_name(g->rows[i].id));
	}
	json_writer_close(w, "]");
	json_writer_open(w, "top_logprobs", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		put_legacy_top(w, g, &g->rows[i]);
	}
	json_writer_close(w, "]}");
}

/* Writes the logprobs member, if the answer has one. */
static void put_logprobs(const struct answer_json *f, struct json_writer *w,
        const struct generation *g, uint32_t from)
{
	if (f->request->logprobs && from < g->n_rows && is_chat(f)) {
		put_chat_logprobs(f, w, g, from);
	} else if (f->request->logprobs && from < g->n_rows) {
		put_legacy_logprobs(f, w, g, from);
	} else if (f->options->logprobs_unasked == ENGINE_UNASKED_NULL) {
		json_writer_null(w, "logprobs");
	}
}

/* Prompt ids of a chat are beside its choices; those of a completion are within its choice. */
static void put_prompt_ids(
        const struct answer_json *f, struct json_writer *w, const struct generation *g)
{
	if (!f->request->return_token_ids) {
		return;
	}
	const struct tokens *prompt = engine_request_prompt(f->request, g->index);
	json_writer_open(w, "prompt_token_ids", '[');
	for (size_t i = 0; i < prompt->n; i++) {
		json_writer_integer(w, NULL, prompt->items[i]);
	}
	json_writer_close(w, "]");
}

static void put_token_ids(const struct answer_json *f, struct json_writer *w,
        const struct generation *g, uint32_t from)
{
	if (!f->request->return_token_ids) {
		return;
	}
	if (!is_chat(f) && from == 0) {
		put_prompt_ids(f, w, g);
	}
	json_writer_open(w, "token_ids", '[');
	for (uint32_t i = from; i < g->n_rows; i++) {
		json_writer_integer(w, NULL, g->rows[i].id);
	}
	json_writer_close(w, "]");
}

static const char *reasoning_name(const struct answer_json *f)
{
	return f->options->reasoning == ENGINE_REASONING_CONTENT ? "reasoning_content"
	                                                         : "reasoning";
}

/* Writes the member with the choice's only call. */
static void put_call(const struct answer_json *f, struct json_writer *w, const struct generation *g,
        struct span arguments)
{
	char id[32];
	snprintf(id, sizeof(id), "call_%.12s%02u", strchr(f->id, '-') + 1, g->index % 100);
	json_writer_open(w, "tool_calls", '[');
	json_writer_open(w, NULL, '{');
	if (f->request->stream) {
		json_writer_integer(w, "index", 0);
	}
	json_writer_text(w, "id", id);
	json_writer_text(w, "type", "function");
	json_writer_open(w, "function", '{');
	json_writer_text(w, "name", f->request->call_name);
	json_writer_string(w, "arguments", arguments);
	json_writer_close(w, "}}]");
}

static void put_message(
        const struct answer_json *f, struct json_writer *w, const struct generation *g)
{
	json_writer_open(w, "message", '{');
	json_writer_text(w, "role", "assistant");
	if (f->request->call_name) {
		json_writer_null(w, "content");
	} else {
		json_writer_string(w, "content", buf_span(&g->content.bytes));
	}
	json_writer_null(w, "refusal");
	if (g->reasoning.bytes.len > 0) {
		json_writer_string(w, reasoning_name(f), buf_span(&g->reasoning.bytes));
	}
	if (f->request->call_name) {
		put_call(f, w, g, buf_span(&g->content.bytes));
	}
	json_writer_close(w, "}");
}

static void put_usage(struct json_writer *w, const struct answer_json_usage *u)
{
	json_writer_open(w, "usage", '{');
	json_writer_integer(w, "prompt_tokens", u->prompt);
	json_writer_integer(w, "total_tokens", u->prompt + u->completion);
	json_writer_integer(w, "completion_tokens", u->completion);
	json_writer_open(w, "prompt_tokens_details", '{');
	json_writer_integer(w, "cached_tokens", u->cached);
	json_writer_close(w, "}");
	if (u->reasoning > 0) {
		json_writer_open(w, "completion_tokens_details", '{');
		json_writer_integer(w, "reasoning_tokens", u->reasoning);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "}");
}

static void open_choice(struct json_writer *w, const struct generation *g)
{
	json_writer_open(w, NULL, '{');
	json_writer_integer(w, "index", g->index);
}

void answer_json_unary(struct answer_json *f, struct generation *choices, uint32_t n,
        const struct answer_json_usage *usage, struct buf *to)
{
	struct json_writer w = writer_for(f, to);
	put_begin(f, &w, is_chat(f) ? "chat.completion" : "text_completion");
	for (uint32_t i = 0; i < n; i++) {
		struct generation *g = &choices[i];
		open_choice(&w, g);
		if (is_chat(f)) {
			put_message(f, &w, g);
		} else {
			json_writer_string(&w, "text", buf_span(&g->content.bytes));
		}
		put_logprobs(f, &w, g, 0);
		json_writer_text(&w, "finish_reason", FINISH_NAMES[g->finish]);
		put_token_ids(f, &w, g, 0);
		if (!is_chat(f) && f->request->prompt_top >= 0) {
			put_prompt_scores(&w, "prompt_logprobs", g);
		}
		json_writer_close(&w, "}");
	}
	json_writer_close(&w, "]");
	put_usage(&w, usage);
	if (is_chat(f) && n > 0) {
		put_prompt_ids(f, &w, choices);
	}
	json_writer_close(&w, "}");
}

static struct json_writer begin_event(const struct answer_json *f, struct buf *to)
{
	struct json_writer w = f->after_prefix;
	w.to = to;
	buf_append_span(to, buf_span(&f->prefix));
	return w;
}

static void close_choice(
        const struct answer_json *f, struct json_writer *w, const struct generation *g, bool last)
{
	json_writer_text(w, "finish_reason", last ? FINISH_NAMES[g->finish] : NULL);
	json_writer_close(w, "}]");
}

static void close_event(
        const struct answer_json *f, struct json_writer *w, const struct generation *g, bool last)
{
	close_choice(f, w, g, last);
	json_writer_close(w, "}");
}

void answer_json_role(struct answer_json *f, const struct generation *g, struct buf *to)
{
	struct json_writer w = begin_event(f, to);
	open_choice(&w, g);
	json_writer_open(&w, "delta", '{');
	json_writer_text(&w, "role", "assistant");
	if (f->request->call_name) {
		json_writer_null(&w, "content");
		put_call(f, &w, g, SPAN(""));
	} else {
		json_writer_text(&w, "content", "");
	}
	json_writer_close(&w, "}");
	put_logprobs(f, &w, g, g->n_rows);
	close_choice(f, &w, g, false);
	put_prompt_ids(f, &w, g);
	json_writer_close(&w, "}");
}

static void put_call_delta(struct json_writer *w, struct span arguments)
{
	json_writer_open(w, "tool_calls", '[');
	json_writer_open(w, NULL, '{');
	json_writer_integer(w, "index", 0);
	json_writer_open(w, "function", '{');
	json_writer_string(w, "arguments", arguments);
	json_writer_close(w, "}}]");
}

static void put_delta(const struct answer_json *f, struct json_writer *w, struct generation *g)
{
	struct span reasoning = generation_release(&g->reasoning, g);
	struct span content = generation_release(&g->content, g);
	json_writer_open(w, "delta", '{');
	if (reasoning.len > 0) {
		json_writer_string(w, reasoning_name(f), reasoning);
	}
	if (f->request->call_name) {
		put_call_delta(w, content);
	} else if (content.len > 0 || (reasoning.len == 0 && !g->in_reasoning)) {
		json_writer_string(w, "content", content);
	}
	json_writer_close(w, "}");
}

void answer_json_delta(struct answer_json *f, struct generation *g, uint32_t row, struct buf *to)
{
	struct json_writer w = begin_event(f, to);
	open_choice(&w, g);
	if (is_chat(f)) {
		put_delta(f, &w, g);
	} else {
		json_writer_string(&w, "text", generation_release(&g->content, g));
	}
	put_logprobs(f, &w, g, row);
	put_token_ids(f, &w, g, row);
	close_event(f, &w, g, false);
}

void answer_json_end(struct answer_json *f, const struct generation *g, struct buf *to)
{
	struct json_writer w = begin_event(f, to);
	open_choice(&w, g);
	if (is_chat(f)) {
		json_writer_open(&w, "delta", '{');
		json_writer_close(&w, "}");
	} else {
		json_writer_text(&w, "text", "");
	}
	put_logprobs(f, &w, g, g->n_rows);
	close_event(f, &w, g, true);
}

void answer_json_usage(struct answer_json *f, const struct answer_json_usage *usage, struct buf *to)
{
	struct json_writer w = begin_event(f, to);
	json_writer_close(&w, "]");
	put_usage(&w, usage);
	json_writer_close(&w, "}");
}
