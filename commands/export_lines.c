/*
 * Forms with a JSON object a line: OpenAI's batch files, bodies alone, evalscope's workload, vLLM's data sets,
 * Mooncake's and AIPerf's traces.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <sodium.h>

#include "base/json.h"
#include "capture/resend.h"
#include "commands/exchange_json.h"
#include "commands/export_form.h"
#include "commands/members.h"
#include "commands/request_line.h"

#define BLOCK_TOKENS 512 /* of a hash id of Mooncake's */
#define BLOCKS_LIMIT 4096

static const char *put_jsonl(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	exchange_json_put(to, x->capture, e);
	buf_append_char(to, '\n');
	return NULL;
}

const struct export_form export_jsonl = {
        .name = "jsonl",
        .title = "all of it, as JSON lines (docs/format.md)",
        .room = EXPORT_ALL,
        .put = put_jsonl,
};

static const char *put_batch(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	return request_line_put(to, x->capture, e);
}

const struct export_form export_batch = {
        .name = "batch",
        .title = "OpenAI's batch input, with labels and times",
        .room = EXPORT_BODIES | EXPORT_TIMES | EXPORT_LABELS,
        .put = put_batch,
};

/* What OpenAI's batches give back, to be joined to their input by custom_id. */
static const char *put_batch_output(
        struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	size_t leg;
	if (!exporter_leg(x, e, &leg)) {
		return "nobody answered";
	}
	const struct leg_row *row = &e->legs[leg].row;
	/* Its request has no place in the batch's input, so that nothing could be joined to it. */
	const char *why = e->absent ? NULL : resend_unfit(&e->row, false);
	if (why || export_is_redacted(row)) {
		return why ? why : "something private in its answer was replaced";
	}
	struct buf body = {0};
	bool whole = exporter_answer(x, e, leg, &body);
	if (!whole || !json_is_one_object(buf_span(&body))) {
		buf_finish(&body);
		return whole ? "its answer is not one JSON object (a stream, perhaps)"
		             : "its answer was not recorded whole";
	}
	buf_append_char(to, '{');
	member_id(to, "id", row->id);
	member_id(to, "custom_id", e->row.id);
	member_key(to, "response");
	buf_append_char(to, '{');
	member_u64(to, "status_code", (uint64_t)row->status);
	member_id(to, "request_id", row->id);
	member_key(to, "body");
	json_put_on_one_line(to, buf_span(&body));
	buf_append_str(to, "},\"error\":null}\n");
	buf_finish(&body);
	return NULL;
}

const struct export_form export_batch_output = {
        .name = "batch-output",
        .title = "OpenAI's batch output: the answers that --as batch asks for",
        .room = EXPORT_ANSWERS,
        .put = put_batch_output,
};

/* A line with the body in it; NULL or why not. */
static const char *put_body(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0};
	const char *why = exporter_request(x, e, &body);
	if (!why) {
		json_put_on_one_line(to, buf_span(&body));
	}
	buf_finish(&body);
	return why;
}

static const char *put_raw(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const char *why = put_body(x, e, to);
	buf_append_char(to, '\n');
	return why;
}

const struct export_form export_raw = {
        .name = "raw",
        .title = "requests' bodies, one a line (AIPerf's raw payload)",
        .room = EXPORT_BODIES,
        .put = put_raw,
};

static const char *put_evalscope(
        struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	uint64_t ns = exporter_ns(x, e);
	buf_append_char(to, '{');
	member_id(to, "request_id", e->row.id);
	buf_printf(to, ",\"timestamp\":%" PRIu64 ".%09" PRIu64 ",\"body\":", ns / 1000000000,
	        ns % 1000000000);
	const char *why = put_body(x, e, to);
	buf_append_str(to, "}\n");
	return why;
}

const struct export_form export_evalscope = {
        .name = "evalscope",
        .title = "evalscope's workload: bodies with the seconds since the first",
        .room = EXPORT_BODIES | EXPORT_TIMES,
        .put = put_evalscope,
};

/* vLLM's custom data sets: one text, to which a template is put. */

struct only_text {
	struct buf text;
	size_t n;
	bool by_user;
};

static void take_only(void *arg, struct span role, struct span text)
{
	struct only_text *o = arg;
	o->n++;
	o->by_user = span_is(role, "user");
	buf_clear(&o->text);
	buf_append_span(&o->text, text);
}

/* What the request allows, or else what its answer took. */
static int64_t output_tokens(const struct exporter *x, const struct capture_exchange *e)
{
	size_t leg;
	if (e->row.facts.max_tokens >= 0) {
		return e->row.facts.max_tokens;
	}
	return exporter_leg(x, e, &leg) ? e->legs[leg].row.usage.completion_tokens : -1;
}

static const char *put_vllm(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct buf body = {0};
	struct only_text only = {0};
	int64_t most = output_tokens(x, e);
	const char *why = exporter_request(x, e, &body);
	why = why ? why : exporter_messages(buf_span(&body), take_only, &only);
	if (!why && (only.n != 1 || !only.by_user)) {
		why = "it is not one message of a user alone";
	} else if (!why && most <= 0) {
		why = "nothing says how many tokens are wanted";
	}
	if (!why) {
		buf_append_str(to, "{\"prompt\":");
		json_put_string(to, buf_span(&only.text));
		buf_printf(to, ",\"output_tokens\":%" PRId64 "}\n", most);
	}
	buf_finish(&only.text);
	buf_finish(&body);
	return why;
}

const struct export_form export_vllm = {
        .name = "vllm",
        .title = "vLLM's custom data sets: prompt and output_tokens, of single questions",
        .put = put_vllm,
};

/* Mooncake. */

/* What stands before the answer, as the client wrote it: tools, then messages or the prompt. */
static bool prompt_of(struct span body, struct buf *to)
{
	static const char *const MEMBERS[] = {"tools", "messages", "prompt"};
	struct json_token t;
	struct span all;
	size_t before = to->len;
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		if (json_find(body, &MEMBERS[i], 1, &t, &all)) {
			buf_append_span(to, all);
		}
	}
	return to->len > before;
}

static const struct usage *usage_of(const struct exporter *x, const struct capture_exchange *e)
{
	size_t leg;
	if (!exporter_leg(x, e, &leg)) {
		return NULL;
	}
	const struct usage *u = &e->legs[leg].row.usage;
	return u->prompt_tokens > 0 && u->completion_tokens >= 0 ? u : NULL;
}

/* How many bytes a token takes, by and large: blocks of tokens are cut as blocks of bytes. */
static void look_mooncake(struct exporter *x, const struct capture_exchange *e)
{
	const struct usage *usage = usage_of(x, e);
	struct buf body = {0}, prompt = {0};
	if (usage && !exporter_request(x, e, &body) && prompt_of(buf_span(&body), &prompt)) {
		x->bytes += prompt.len;
		x->tokens += (uint64_t)usage->prompt_tokens;
	}
	buf_finish(&body);
	buf_finish(&prompt);
}

/* The number of all that stands up to the end of this block; the same beginnings have the same numbers. */
static uint64_t block_id(struct exporter *x, uint8_t chain[MEMO_KEY_SIZE], struct span block)
{
	crypto_generichash_state h;
	bool is_new;
	crypto_generichash_init(&h, NULL, 0, MEMO_KEY_SIZE);
	crypto_generichash_update(&h, chain, MEMO_KEY_SIZE);
	crypto_generichash_update(&h, (const uint8_t *)block.data, block.len);
	crypto_generichash_final(&h, chain, MEMO_KEY_SIZE);
	struct memo_entry *m = memo_at(&x->seen, chain, &is_new);
	if (is_new) {
		m->number = x->seen.n;
	}
	return m->number;
}

static void put_blocks(struct exporter *x, struct span prompt, int64_t tokens, struct buf *to)
{
	uint8_t chain[MEMO_KEY_SIZE] = {0};
	double each = x->tokens ? (double)x->bytes / (double)x->tokens : 4;
	size_t size = MAX((size_t)lround(each * BLOCK_TOKENS), (size_t)1);
	size_t n = ((size_t)tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
	for (size_t i = 0; i < n; i++) {
		/* The last one has all that is left. */
		size_t len = i + 1 < n ? MIN(size, prompt.len) : prompt.len;
		buf_printf(to, "%s%" PRIu64, i ? "," : "",
		        block_id(x, chain, (struct span){prompt.data, len}));
		prompt = (struct span){prompt.data + len, prompt.len - len};
	}
}

static const char *put_mooncake(
        struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const struct usage *usage = usage_of(x, e);
	struct buf body = {0}, prompt = {0};
	const char *why = exporter_request(x, e, &body);
	if (!why && !usage) {
		why = "no answer of it counts its tokens";
	} else if (!why && usage->prompt_tokens > (int64_t)BLOCKS_LIMIT * BLOCK_TOKENS) {
		why = "its prompt has over two million tokens";
	} else if (!why && !prompt_of(buf_span(&body), &prompt)) {
		why = "it has no prompt";
	}
	if (!why) {
		buf_printf(to,
		        "{\"timestamp\":%" PRIu64 ",\"input_length\":%" PRId64
		        ",\"output_length\":%" PRId64 ",\"hash_ids\":[",
		        exporter_ns(x, e) / 1000000, usage->prompt_tokens,
		        usage->completion_tokens);
		put_blocks(x, buf_span(&prompt), usage->prompt_tokens, to);
		buf_append_str(to, "]}\n");
	}
	buf_finish(&prompt);
	buf_finish(&body);
	return why;
}

const struct export_form export_mooncake = {
        .name = "mooncake",
        .title = "Mooncake's trace: milliseconds, lengths, and which prompts begin alike; no texts",
        .room = EXPORT_TIMES,
        .look = look_mooncake,
        .put = put_mooncake,
};

static const char *put_aiperf(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	uint64_t us = exporter_ns(x, e) / 1000;
	buf_printf(
	        to, "{\"timestamp\":%" PRIu64 ".%03" PRIu64 ",\"payload\":", us / 1000, us % 1000);
	const char *why = put_body(x, e, to);
	buf_append_str(to, "}\n");
	return why;
}

const struct export_form export_aiperf = {
        .name = "aiperf",
        .title = "AIPerf's trace (--custom-dataset-type mooncake_trace): bodies with milliseconds",
        .room = EXPORT_BODIES | EXPORT_TIMES,
        .put = put_aiperf,
};
