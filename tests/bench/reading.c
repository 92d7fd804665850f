/*
 * reading - measures how long plumbline takes to read an answer of 500, 1000 and 2000 tokens with
 * five alternatives each, in every dialect. The time should be proportional to the length.
 *
 *	reading [ROUNDS [DIALECT]]
 *
 * The reader gets an answer in pieces of 16 KiB. Each dialect has one line: milliseconds of one core
 * for 500, 1000 and 2000 tokens (median of the rounds), KiB of the answer of 500 tokens, and the
 * number of allocations for 500 and for 2000 tokens. Buffers double, so this number grows slowly.
 *
 * On a busy machine, count the instructions of one dialect instead:
 *
 *	valgrind --tool=callgrind --toggle-collect=reader_feed --toggle-collect=reader_end reading 1 "tgi native"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "answers/reading.h"

/* The linker's --wrap replaces the allocator by these, which count. */
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);

static unsigned long allocations;

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
	allocations++;
	return __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

#define PIECE 16384
#define TOP 5

static const char *const words[] = {
        " the", " Paris", " is", " capital", "\\n\\n", " of", " 12", "."};

struct dialect {
	const char *name;
	enum framing framing;
	void (*write)(struct buf *to, int tokens);
};

static const char *word(int i)
{
	return words[(unsigned)i % ARRAY_LEN(words)];
}

static double logprob(int i, int row)
{
	return -0.0173912345 * (1 + (i * 7 + row * 13) % 97) - row;
}

static void put_bytes(struct buf *to, const char *text)
{
	buf_append_str(to, ",\"bytes\":[");
	for (const char *p = text; *p; p++) {
		int c = *p;
		if (*p == '\\') {
			c = '\n';
			p++;
		}
		buf_printf(to, "%s%d", p > text + 1 || (p > text && *text != '\\') ? "," : "", c);
	}
	buf_append_char(to, ']');
}

/* The chat API's form, with token ids (llama.cpp) or without. */
static void put_entry(struct buf *to, int i, bool ids)
{
	for (int row = -1; row < TOP; row++) {
		const char *text = word(row < 0 ? i : i + row);
		buf_append_str(to, row > 0 ? ",{" : "{");
		if (ids) {
			buf_printf(to, "\"id\":%d,", 1000 + i + (row < 0 ? 0 : row));
		}
		buf_printf(to, "\"token\":\"%s\",\"logprob\":%.16g", text,
		        logprob(i, row < 0 ? 0 : row));
		put_bytes(to, text);
		buf_append_str(to, row < 0 ? ",\"top_logprobs\":[" : "}");
	}
	buf_append_str(to, "]}");
}

static void begin_chunk(struct buf *to)
{
	buf_append_str(to, "data: {\"id\":\"chatcmpl-9f86d081884c7d65\",\"object\":\"chat."
	                   "completion.chunk\",\"created\":1795233216,\"model\":\"m\","
	                   "\"choices\":[{\"index\":0,");
}

static void end_chat(struct buf *to)
{
	begin_chunk(to);
	buf_append_str(to, "\"delta\":{},\"logprobs\":null,\"finish_reason\":\"stop\"}]}\n\n"
	                   "data: [DONE]\n\n");
}

static void put_chat_event(struct buf *to, int i, bool ids_of_entries, bool token_ids)
{
	begin_chunk(to);
	buf_printf(to, "\"delta\":{\"content\":\"%s\"},\"logprobs\":{\"content\":[", word(i));
	put_entry(to, i, ids_of_entries);
	buf_append_str(to, "]},\"finish_reason\":null");
	if (token_ids) {
		buf_printf(to, ",\"token_ids\":[%d]", 1000 + i);
	}
	buf_append_str(to, "}]}\n\n");
}

static void write_openai(struct buf *to, int n)
{
	for (int i = 0; i < n; i++) {
		put_chat_event(to, i, false, false);
	}
	end_chat(to);
}

static void write_vllm(struct buf *to, int n)
{
	for (int i = 0; i < n; i++) {
		put_chat_event(to, i, false, true);
	}
	end_chat(to);
}

/* The completions API's form; its alternatives are a map. */
static void write_completion(struct buf *to, int n)
{
	for (int i = 0; i < n; i++) {
		buf_printf(to,
		        "data: {\"id\":\"cmpl-9f86d081884c7d65\",\"object\":\"text_completion\","
		        "\"created\":1795233216,\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":"
		        "\"%s\",\"logprobs\":{\"text_offset\":[%d],\"token_logprobs\":[%.16g],"
		        "\"tokens\":[\"%s\"],\"top_logprobs\":[{",
		        word(i), 5 * i, logprob(i, 0), word(i));
		for (int row = 0; row < TOP; row++) {
			buf_printf(to, "%s\"%s\":%.16g", row ? "," : "", word(i + row),
			        logprob(i, row));
		}
		buf_printf(to, "}]},\"finish_reason\":%s}]}\n\n", i + 1 < n ? "null" : "\"stop\"");
	}
	buf_append_str(to, "data: [DONE]\n\n");
}

static void write_llama_chat(struct buf *to, int n)
{
	for (int i = 0; i < n; i++) {
		put_chat_event(to, i, true, false);
	}
	end_chat(to);
}

static void write_llama(struct buf *to, int n)
{
	for (int i = 0; i <= n; i++) {
		buf_printf(to,
		        "data: {\"index\":0,\"content\":\"%s\",\"tokens\":[%d],\"stop\":%s,"
		        "\"stop_type\":\"limit\",\"id_slot\":-1,\"tokens_predicted\":%d,"
		        "\"tokens_evaluated\":7,\"completion_probabilities\":[",
		        i < n ? word(i) : "", 1000 + i, i < n ? "false" : "true", i);
		if (i < n) {
			put_entry(to, i, true);
		}
		buf_append_str(to, "]}\n\n");
	}
}

static void put_triples(struct buf *to, int i, int n)
{
	for (int row = 0; row < n; row++) {
		buf_printf(to, "%s[%.16g,%d,\"%s\"]", row ? "," : "", logprob(i, row),
		        1000 + i + row, word(i + row));
	}
}

static void write_sglang(struct buf *to, int n)
{
	for (int i = 0; i < n; i++) {
		buf_printf(to,
		        "data: {\"text\":\"%s\",\"output_ids\":[%d],\"meta_info\":{\"id\":\"a\","
		        "\"finish_reason\":%s,\"prompt_tokens\":7,\"weight_version\":\"default\","
		        "\"completion_tokens\":%d,\"cached_tokens\":0,\"output_token_logprobs\":[",
		        word(i), 1000 + i, i + 1 < n ? "null" : "{\"type\":\"length\"}", i + 1);
		put_triples(to, i, 1);
		buf_append_str(to, "],\"output_top_logprobs\":[[");
		put_triples(to, i, TOP);
		buf_append_str(to, "]]}}\n\n");
	}
	buf_append_str(to, "data: [DONE]\n\n");
}

static void write_tgi(struct buf *to, int n)
{
	for (int i = 0; i < n; i++) {
		buf_printf(to, "data: {\"index\":%d", i + 1);
		for (int row = -1; row < TOP; row++) {
			int at = row < 0 ? i : i + row;
			buf_printf(to,
			        "%s{\"id\":%d,\"text\":\"%s\",\"logprob\":%.9g,\"special\":false}",
			        row < 0    ? ",\"token\":"
			        : row == 0 ? ",\"top_tokens\":["
			                   : ",",
			        1000 + at, word(at), logprob(i, row < 0 ? 0 : row));
		}
		buf_printf(to, "],\"generated_text\":%s,\"details\":%s}\n\n",
		        i + 1 < n ? "null" : "\"\"",
		        i + 1 < n ? "null" : "{\"finish_reason\":\"length\"}");
	}
}

static void write_ollama(struct buf *to, int n)
{
	for (int i = 0; i <= n; i++) {
		buf_printf(to,
		        "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00.000000Z\","
		        "\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},\"done\":%s",
		        i < n ? word(i) : "", i < n ? "false,\"logprobs\":[" : "true");
		if (i < n) {
			put_entry(to, i, false);
		}
		buf_append_str(to, i < n ? "]}\n" : ",\"done_reason\":\"stop\"}\n");
	}
}

static void write_responses(struct buf *to, int n)
{
	for (int i = 0; i < n; i++) {
		buf_printf(to,
		        "event: response.output_text.delta\n"
		        "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":%d,"
		        "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,"
		        "\"delta\":\"%s\",\"logprobs\":[",
		        i, word(i));
		put_entry(to, i, false);
		buf_append_str(to, "]}\n\n");
	}
	buf_append_str(to,
	        "event: response.completed\ndata: {\"type\":\"response.completed\","
	        "\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[]}}\n\n");
}

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Reads one answer and checks that the reading has all that was written. */
static double time_once(
        const struct dialect *d, const struct buf *body, int tokens, unsigned long *ret_allocations)
{
	struct reading_hints hints = {.endpoint = ENDPOINT_CHAT,
	        .status = 200,
	        .framing = d->framing,
	        .wants_logprobs = true};
	allocations = 0;
	double began = now_ms();
	struct reader *r = reader_create(&hints);
	for (size_t at = 0; at < body->len; at += PIECE) {
		reader_feed(r, body->data + at, MIN((size_t)PIECE, body->len - at));
	}
	struct reading *got = reader_end(r, true);
	double took = now_ms() - began;
	*ret_allocations = allocations;
	if (got->n_choices != 1 || got->marks || (int)got->choices[0].columns.n != tokens) {
		fprintf(stderr, "%s: marks %x, %u tokens\n", d->name, got->marks,
		        got->n_choices ? got->choices[0].columns.n : 0);
		exit(3);
	}
	reading_destroy(got);
	return took;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const struct dialect *d, const struct buf *body, int tokens, int rounds,
        unsigned long *ret_allocations)
{
	double *times = xcalloc((size_t)rounds, sizeof(double));
	for (int i = 0; i < rounds; i++) {
		times[i] = time_once(d, body, tokens, ret_allocations);
	}
	qsort(times, (size_t)rounds, sizeof(double), compare);
	double m = times[rounds / 2];
	free(times);
	return m;
}

int main(int argc, char **argv)
{
	static const struct dialect dialects[] = {
	        {"openai chat", FRAMING_SSE, write_openai},
	        {"vllm with ids", FRAMING_SSE, write_vllm},
	        {"completions", FRAMING_SSE, write_completion},
	        {"llama.cpp chat", FRAMING_SSE, write_llama_chat},
	        {"llama.cpp native", FRAMING_SSE, write_llama},
	        {"sglang native", FRAMING_SSE, write_sglang},
	        {"tgi native", FRAMING_SSE, write_tgi},
	        {"ollama ndjson", FRAMING_NDJSON, write_ollama},
	        {"responses", FRAMING_SSE, write_responses},
	};
	int rounds = argc > 1 ? atoi(argv[1]) : 101;
	const char *only = argc > 2 ? argv[2] : NULL;
	if (rounds < 1 || argc > 3) {
		fprintf(stderr, "usage: reading [ROUNDS [DIALECT]]\n");
		return 2;
	}
	printf("%-18s %9s %9s %9s %9s %13s\n", "ms for tokens", "500", "1000", "2000", "KiB",
	        "allocations");
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++) {
		size_t size = 0;
		unsigned long asked = 0, first_asked = 0;
		if (only && strcmp(only, dialects[i].name) != 0) {
			continue;
		}
		printf("%-18s", dialects[i].name);
		for (int tokens = 500; tokens <= 2000; tokens *= 2) {
			struct buf body = {0};
			dialects[i].write(&body, tokens);
			size = size ? size : body.len;
			printf(" %9.3f", median(&dialects[i], &body, tokens, rounds, &asked));
			first_asked = first_asked ? first_asked : asked;
			buf_finish(&body);
		}
		printf(" %9zu %6lu %6lu\n", size / 1024, first_asked, asked);
	}
	return 0;
}
