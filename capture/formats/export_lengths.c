/*
 * Formats that contain only times and lengths: Mooncake's trace, BurstGPT's and Azure's tables.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <sodium.h>

#include "base/json.h"
#include "base/moment.h"
#include "capture/formats/export_format.h"

#define BLOCK_TOKENS 512 /* tokens per hash id of Mooncake */
#define BLOCKS_LIMIT 4096

#define NO_COUNTS "none of its answers has a token count"

/* The prompt as the client wrote it: tools, then messages or the prompt member. */
static bool prompt_of(struct span body, struct buf *to)
{
	static const char *const MEMBERS[] = {"tools", "messages", "prompt"};
	struct json_token t;
	struct span all;
	size_t before = to->len;
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		if (json_find_member(body, MEMBERS[i], &t, &all)) {
			buf_append_span(to, all);
		}
	}
	return to->len > before;
}

/* Adds up bytes and tokens for the mean bytes per token: blocks of tokens are cut as blocks of
 * bytes. */
static void scan_mooncake(struct exporter *x, const struct capture_exchange *e)
{
	const struct usage *usage = exporter_usage(x, e);
	struct buf body = {0}, prompt = {0};
	if (usage && !exporter_request(x, e, &body) && prompt_of(buf_span(&body), &prompt)) {
		x->bytes += prompt.len;
		x->tokens += (uint64_t)usage->prompt_tokens;
	}
	buf_finish(&body);
	buf_finish(&prompt);
}

/* Returns the id of the prompt up to the end of this block. Prompts that begin alike share these
 * ids. */
static uint64_t block_id(struct exporter *x, uint8_t chain[DIGEST_KEY_SIZE], struct span block)
{
	crypto_generichash_state h;
	bool is_new;
	crypto_generichash_init(&h, NULL, 0, DIGEST_KEY_SIZE);
	crypto_generichash_update(&h, chain, DIGEST_KEY_SIZE);
	crypto_generichash_update(&h, (const uint8_t *)block.data, block.len);
	crypto_generichash_final(&h, chain, DIGEST_KEY_SIZE);
	struct digest_entry *m = digest_map_at(&x->known, chain, &is_new);
	if (is_new) {
		m->number = x->known.table.n;
	}
	return m->number;
}

static void put_blocks(struct exporter *x, struct span prompt, int64_t tokens, struct buf *to)
{
	uint8_t chain[DIGEST_KEY_SIZE] = {0};
	double each = x->tokens ? (double)x->bytes / (double)x->tokens : 4;
	size_t size = MAX((size_t)lround(each * BLOCK_TOKENS), (size_t)1);
	size_t n = ((size_t)tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
	for (size_t i = 0; i < n; i++) {
		/* The last block contains the remaining bytes. */
		size_t len = i + 1 < n ? MIN(size, prompt.len) : prompt.len;
		buf_printf(to, "%s%" PRIu64, i ? "," : "",
		        block_id(x, chain, (struct span){prompt.data, len}));
		prompt = (struct span){prompt.data + len, prompt.len - len};
	}
}

static const char *put_mooncake(
        struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const struct usage *usage = exporter_usage(x, e);
	struct buf body = {0}, prompt = {0};
	const char *why = exporter_request(x, e, &body);
	if (!why && !usage) {
		why = NO_COUNTS;
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

const struct export_format export_mooncake = {
        .name = "mooncake",
        .title = "Mooncake's trace: milliseconds, lengths, and which prompts share a beginning; no "
                 "texts",
        .content = EXPORT_TIMES,
        .scan = scan_mooncake,
        .put = put_mooncake,
};

/* Tables: the readers of both split lines at commas and know no quotes. */

/* Returns the lengths of an exchange. NULL, or why the table cannot hold it. */
static const char *lengths_of(
        struct exporter *x, const struct capture_exchange *e, const struct usage **ret)
{
	struct buf body = {0};
	const char *why = exporter_request(x, e, &body);
	buf_finish(&body);
	*ret = exporter_usage(x, e);
	return why ? why : *ret ? NULL : NO_COUNTS;
}

static bool is_plain_cell(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] == ',' || s.data[i] == '"' || (unsigned char)s.data[i] < ' ') {
			return false;
		}
	}
	return true;
}

static const char *put_burstgpt(
        struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const struct usage *usage;
	struct span model = span_of(e->row.model ? e->row.model : "");
	uint64_t ns = exporter_ns(x, e);
	const char *why = lengths_of(x, e, &usage);
	if (!why && !is_plain_cell(model)) {
		why = "the name of its model has a comma, a quote or a control character";
	}
	if (!why) {
		buf_printf(to, "%" PRIu64 ".%09" PRIu64 ",", ns / 1000000000, ns % 1000000000);
		buf_append_span(to, model);
		buf_printf(to, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",API log\n",
		        usage->prompt_tokens, usage->completion_tokens,
		        usage->prompt_tokens + usage->completion_tokens);
	}
	return why;
}

const struct export_format export_burstgpt = {
        .name = "burstgpt",
        .title = "BurstGPT's table (CSV): seconds, model, lengths; no texts",
        .content = EXPORT_TIMES,
        .put = put_burstgpt,
        .begin = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n",
};

static const char *put_azure(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const struct usage *usage;
	char at[MOMENT_TEXT_SIZE];
	const char *why = lengths_of(x, e, &usage);
	if (!why) {
		moment_format(e->row.wall_ns, at);
		at[strcspn(at, "T")] = ' ';
		at[strcspn(at, "Z")] = '\0';
		buf_printf(to, "%s.%07" PRIu64 ",%" PRId64 ",%" PRId64 "\n", at,
		        e->row.wall_ns % 1000000000 / 100, usage->prompt_tokens,
		        usage->completion_tokens);
	}
	return why;
}

const struct export_format export_azure = {
        .name = "azure",
        .title = "Azure's table of LLM inference (CSV): times and lengths; no texts",
        .content = EXPORT_TIMES,
        .put = put_azure,
        .begin = "TIMESTAMP,ContextTokens,GeneratedTokens\n",
};
