/*
 * pairs - writes a capture of made-up pairs of answers, to measure the analyzer's speed with. It
 * writes through the recorder, as the proxy does.
 *
 *	pairs DIR N TOKENS [raw] [mixed] [quiet] [differ=SHARE] [seed=N] > PAIRS.jsonl
 *
 * The capture has N exchanges. Each has an answer of the reference and one of the primary, of TOKENS
 * tokens with five alternatives each. The test's logits are the base's plus a little noise. A share
 * of the pairs (differ, 0.4) differs: of ten such pairs, six continue differently after some token,
 * two have another number, one has other Markdown marks and one other white space.
 *
 *	raw      the recorder does not read the answers: the capture has no columns
 *	mixed    requests have various decoding parameters; otherwise all are greedy
 *	quiet    do not print the pairs
 *
 * Prints each pair as {"base": {"text", "tokens", "tops"}, "test": ...} for other programs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "capture/recorder/recorder.h"

#define TOP 5
#define QUEUE ((size_t)64 << 20)
#define PIECE ((size_t)256 << 10)
#define STOP_NS UINT64_C(600000000000)

static const char *const sentences[] = {
        " The Treaty of Westphalia was signed in 1648 and ended the Thirty Years' War.",
        " In short, you need 3 cups of flour, 2 eggs and about 250 ml of milk for this.",
        "\n\n- First, open the settings and look for `network.timeout` in the list.",
        " It isn't easy to say whether Anna or Peter was right, since both had reasons.",
        " To solve the equation, subtract $4x$ from both sides, which leaves $x = 12$.",
        " However, the price rose by 12.5% to $1,250 between March and June 2021.",
        "\n\n## Background\n\nMost of the river's water comes from glaciers in the Alps.",
        " This means that no further steps are needed once the cache has been cleared.",
        " A **balanced tree** keeps its height within a constant factor of the logarithm.",
        " Researchers at the university in Zürich repeated the measurement in 2019.",
        " If you would rather not wait, ask the clerk at the counter for a receipt.",
        "\n\n1. Whisk the eggs.\n2. Add the sugar.\n3. Fold in the flour, a little at a time.",
        " Its capital is Ulaanbaatar, where nearly half of the population lives today.",
        " There is, as far as anyone knows, no reason to prefer one over the other.",
        " The function returns early when the list is empty, so nothing is allocated.",
        " Both answers are correct, but the second one leaves out the boundary case.",
};

static const char *const questions[] = {
        "Explain this to a new colleague, please.",
        "What is 17 * 23 + 4? Think step by step.",
        "Write a short summary of the report above.",
        "Which of these is right? A) iron B) gold C) lead",
};

/* Decoding parameters of requests; without `mixed` only the first is used. */
static const char *const decodings[] = {
        "\"temperature\":0",
        "\"temperature\":0,\"seed\":7",
        "\"temperature\":0.7,\"top_p\":0.95",
        "\"max_tokens\":4096",
        "\"temperature\":0,\"repetition_penalty\":1.1",
};

struct token {
	uint32_t from, to; /* bytes of the text */
	float lp[TOP];     /* logprobs of the token and of its alternatives */
	uint32_t other[TOP];
};

struct answer {
	struct buf text;
	struct token *tokens;
	size_t n;
};

struct maker {
	struct recorder *recorder;
	struct ledger_book *book;
	uint64_t random;
	double differ;
	size_t length; /* of an answer, in tokens */
	bool raw, mixed;
	struct answer base, test;
	struct buf body;
};

static uint64_t next(struct maker *m)
{
	uint64_t z = m->random += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double uniform(struct maker *m)
{
	return (double)(next(m) >> 11) * 0x1p-53;
}

static double normal(struct maker *m)
{
	return sqrt(-2 * log(1 - uniform(m))) * cos(2 * M_PI * uniform(m));
}

/* A word with the blank before it, or a mark: at most six bytes, and only whole characters. */
static size_t token_end(const struct buf *text, size_t at)
{
	size_t end = at + 1;
	bool word = at < text->len && (text->data[at] == ' ' || text->data[at] >= 'A');
	while (end < text->len && end - at < 6) {
		char c = text->data[end];
		bool goes_on = word && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
		if (!goes_on && !(c & 0x80)) {
			break;
		}
		end++;
	}
	while (end < text->len && (text->data[end] & 0xc0) == 0x80) {
		end++;
	}
	return end;
}

/* Splits the text into tokens with logprobs, from token number `from` on; drops the text after the
 * last token. */
static void tokenise(struct maker *m, struct answer *a, size_t from)
{
	size_t at = from ? a->tokens[from - 1].to : 0;
	a->n = from;
	while (at < a->text.len && a->n < m->length) {
		struct token *t = &a->tokens[a->n++];
		size_t end = token_end(&a->text, at);
		*t = (struct token){.from = (uint32_t)at, .to = (uint32_t)end};
		double p = uniform(m) < 0.7 ? 1 - 0.1 * uniform(m) : 0.3 + 0.6 * uniform(m),
		       rest = 1 - p;
		t->lp[0] = (float)log(p);
		for (size_t i = 1; i < TOP; i++) {
			double share = fmin(p * 0.95, rest * (0.5 + 0.2 * uniform(m)));
			t->lp[i] = (float)log(share + 1e-9);
			rest -= share;
			t->other[i] = (uint32_t)(next(m) % 50000);
		}
		at = end;
	}
	a->text.len = at;
}

static void write_text(struct maker *m, struct buf *to)
{
	while (to->len < m->length * 6) {
		buf_append_str(to, sentences[next(m) % ARRAY_LEN(sentences)]);
	}
}

static void make_base(struct maker *m)
{
	buf_clear(&m->base.text);
	write_text(m, &m->base.text);
	tokenise(m, &m->base, 0);
}

/* The test's side of the same tokens: logits with noise, and sometimes another fifth alternative. */
static void add_noise(struct maker *m, struct answer *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct token *t = &a->tokens[i];
		for (size_t k = 0; k < TOP; k++) {
			t->lp[k] = (float)fmin(
			        0, (double)t->lp[k] + 0.02 * normal(m) * fabs((double)t->lp[k]));
		}
		if (next(m) % 8 == 0) {
			t->other[TOP - 1] = (uint32_t)(next(m) % 50000);
		}
	}
}

static void replace(struct buf *text, size_t at, size_t n, const char *with)
{
	struct buf rest = {0};
	buf_append(&rest, text->data + at + n, text->len - at - n);
	text->len = at;
	buf_append_str(text, with);
	buf_append_span(text, buf_span(&rest));
	buf_finish(&rest);
}

/* The first token at or after `from` that is a digit, or none. */
static size_t digit_from(const struct answer *a, size_t from)
{
	for (size_t i = from; i < a->n; i++) {
		char c = a->text.data[a->tokens[i].from];
		if (c >= '0' && c <= '9') {
			return i;
		}
	}
	return a->n;
}

static void make_test(struct maker *m)
{
	struct answer *a = &m->test;
	buf_clear(&a->text);
	buf_append_span(&a->text, buf_span(&m->base.text));
	a->n = m->base.n;
	memcpy(a->tokens, m->base.tokens, a->n * sizeof(*a->tokens));
	if (uniform(m) < m->differ) {
		size_t kind = next(m) % 10, at = next(m) % a->n, digit = digit_from(a, at);
		size_t byte = a->tokens[at].from;
		if (kind < 6) {
			a->text.len = byte;
			write_text(m, &a->text);
		} else if (kind < 8 && digit < a->n) {
			at = digit;
			a->text.data[a->tokens[at].from] ^= 1;
		} else if (kind < 9) {
			replace(&a->text, byte, 0, "**");
		} else {
			replace(&a->text, byte, 0, " ");
		}
		tokenise(m, a, at);
	}
	add_noise(m, a);
}

static void put_string(struct buf *to, struct span s)
{
	buf_append_char(to, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] == '\n') {
			buf_append_str(to, "\\n");
		} else if (s.data[i] == '"' || s.data[i] == '\\') {
			buf_append_char(to, '\\');
			buf_append_char(to, s.data[i]);
		} else {
			buf_append_char(to, s.data[i]);
		}
	}
	buf_append_char(to, '"');
}

static struct span token_text(const struct answer *a, size_t i)
{
	return (struct span){a->text.data + a->tokens[i].from, a->tokens[i].to - a->tokens[i].from};
}

/* Makes one of 50,000 tokens of two to seven letters. */
static struct span other_text(uint32_t number, char to[16])
{
	size_t n = 0;
	to[n++] = ' ';
	for (uint64_t word = number * UINT64_C(2654435761) % 4294967291u;
	        word && n < 2 + number % 6; word /= 26) {
		to[n++] = (char)('a' + word % 26);
	}
	to[n++] = (char)('a' + number % 26);
	return (struct span){to, n};
}

static void put_entry(struct buf *to, struct span token, double lp)
{
	buf_append_str(to, "{\"token\":");
	put_string(to, token);
	buf_printf(to, ",\"logprob\":%.9g,\"bytes\":[", lp);
	for (size_t i = 0; i < token.len; i++) {
		buf_printf(to, "%s%d", i ? "," : "", (uint8_t)token.data[i]);
	}
	buf_append_char(to, ']');
}

static void put_tokens(struct buf *to, const struct answer *a)
{
	char other[16];
	for (size_t i = 0; i < a->n; i++) {
		const struct token *t = &a->tokens[i];
		buf_append_str(to, i ? "," : "");
		put_entry(to, token_text(a, i), (double)t->lp[0]);
		buf_append_str(to, ",\"top_logprobs\":[");
		for (size_t k = 0; k < TOP; k++) {
			buf_append_str(to, k ? "," : "");
			put_entry(to, k ? other_text(t->other[k], other) : token_text(a, i),
			        (double)t->lp[k]);
			buf_append_char(to, '}');
		}
		buf_append_str(to, "]}");
	}
}

static void write_body(struct buf *to, const struct answer *a)
{
	buf_clear(to);
	buf_append_str(to, "{\"id\":\"chatcmpl-9f86d081884c7d65\",\"object\":\"chat.completion\","
	                   "\"created\":1795233216,\"model\":\"m\",\"choices\":[{\"index\":0,"
	                   "\"message\":{\"role\":\"assistant\",\"content\":");
	put_string(to, buf_span(&a->text));
	buf_append_str(to, "},\"logprobs\":{\"content\":[");
	put_tokens(to, a);
	buf_printf(to,
	        "]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":64,"
	        "\"completion_tokens\":%zu,\"total_tokens\":%zu}}",
	        a->n, a->n + 64);
}

/* Large limits: the recorder must drop nothing. */
static void wait_for_room(const struct maker *m)
{
	const struct timespec nap = {.tv_nsec = 200000};
	struct recorder_figures f;
	recorder_figures(m->recorder, &f);
	while (f.queued_bytes > QUEUE / 4) {
		nanosleep(&nap, NULL);
		recorder_figures(m->recorder, &f);
	}
}

static uint32_t put_part(struct maker *m, struct id owner, enum part_type type, struct span body)
{
	uint32_t n = 0;
	for (size_t at = 0; at < body.len; at += PIECE) {
		struct chunks pieces = {0};
		wait_for_room(m);
		chunks_push(&pieces, chunk_make(NULL, body.data + at, MIN(PIECE, body.len - at)));
		expect(recorder_part(m->recorder, owner, type, n++, &pieces));
		chunks_finish(&pieces);
	}
	return n;
}

static void put_leg(struct maker *m, struct id exchange, bool primary, const struct answer *a)
{
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_CHAT, .status = 200, .wants_logprobs = true};
	struct leg_row row = {
	        .id = id_make(),
	        .exchange = exchange,
	        .run = recorder_run(m->recorder),
	        .backend = xstrdup(primary ? "primary" : "reference"),
	        .url = xstrdup(primary ? "http://127.0.0.1:8001" : "http://127.0.0.1:8002"),
	        .role = primary ? ROLE_PRIMARY : ROLE_REFERENCE,
	        .outcome = OUTCOME_COMPLETE,
	        .status = 200,
	        .start_ns = UINT64_C(1795233216000000000),
	        .queued_us = 0,
	        .head_us = 20000,
	        .first_body_us = 20000,
	        .first_content_us = UINT64_MAX,
	        .end_us = 20000 + 7000 * a->n,
	        .in_flight = 1 + (uint32_t)(next(m) % 8),
	        .content_type = xstrdup("application/json"),
	        .usage = {-1, -1, -1, -1, -1},
	};
	write_body(&m->body, a);
	recorder_leg_begin(m->recorder, row.id, &hints, NULL);
	row.body_parts = put_part(m, row.id, PART_RESPONSE_BODY, buf_span(&m->body));
	row.body_bytes = m->body.len;
	recorder_leg(m->recorder, &row, !m->raw, NULL);
}

static void put_exchange(struct maker *m, size_t number)
{
	struct exchange_row row = {
	        .id = id_make(),
	        .wall_ns = UINT64_C(1795233216000000000),
	        .method = xstrdup("POST"),
	        .target = xstrdup("/v1/chat/completions"),
	        .endpoint = ENDPOINT_CHAT,
	        .outcome = OUTCOME_COMPLETE,
	        .content = CONTENT_FULL,
	        .model = xstrdup("m"),
	        .in_flight = 1,
	};
	struct buf request = {0};
	struct id id = row.id;
	buf_printf(&request,
	        "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"You are a "
	        "helpful "
	        "assistant. Answer in plain words.\"},{\"role\":\"user\",\"content\":\"Request "
	        "number "
	        "%zu. %s\"}],%s}",
	        number, questions[number % ARRAY_LEN(questions)],
	        decodings[m->mixed ? number % ARRAY_LEN(decodings) : 0]);
	request_read(ENDPOINT_CHAT, buf_span(&request), &row.facts);
	expect(request_hash(
	        ENDPOINT_CHAT, buf_span(&request), recorder_hash_key(m->recorder), &row.hashes));
	row.body_bytes = request.len;
	(void)put_part(m, id, PART_REQUEST_BODY, buf_span(&request));
	buf_finish(&request);
	make_base(m);
	make_test(m);
	put_leg(m, id, true, &m->test);
	put_leg(m, id, false, &m->base);
	recorder_exchange(m->recorder, &row, m->book);
}

static void print_side(struct buf *to, const struct answer *a)
{
	char other[16];
	buf_append_str(to, "{\"text\":");
	put_string(to, buf_span(&a->text));
	buf_append_str(to, ",\"tokens\":[");
	for (size_t i = 0; i < a->n; i++) {
		buf_append_str(to, i ? "," : "");
		put_string(to, token_text(a, i));
	}
	buf_append_str(to, "],\"tops\":[");
	for (size_t i = 0; i < a->n; i++) {
		buf_append_str(to, i ? ",[" : "[");
		for (size_t k = 0; k < TOP; k++) {
			const struct token *t = &a->tokens[i];
			buf_append_str(to, k ? ",[" : "[");
			put_string(to, k ? other_text(t->other[k], other) : token_text(a, i));
			buf_printf(to, ",%.9g]", (double)t->lp[k]);
		}
		buf_append_char(to, ']');
	}
	buf_append_str(to, "]}");
}

static void print_pair(struct maker *m)
{
	buf_clear(&m->body);
	buf_append_str(&m->body, "{\"base\":");
	print_side(&m->body, &m->base);
	buf_append_str(&m->body, ",\"test\":");
	print_side(&m->body, &m->test);
	buf_append_str(&m->body, "}\n");
	fwrite(m->body.data, 1, m->body.len, stdout);
}

static struct recorder *begin(struct maker *m, const char *dir)
{
	const struct recorder_settings s = {
	        .path = dir,
	        .segment_size = UINT64_C(1) << 30,
	        .queue_limit = QUEUE,
	        .encoders = 2,
	        .settings_json = "{}",
	};
	char *error = NULL;
	struct recorder *r = recorder_create(&s, &error);
	if (!r) {
		fprintf(stderr, "%s\n", error);
		exit(3);
	}
	m->base.tokens = xcalloc(m->length + 1, sizeof(struct token));
	m->test.tokens = xcalloc(m->length + 1, sizeof(struct token));
	return r;
}

int main(int argc, char **argv)
{
	if (argc < 4 || strtoul(argv[3], NULL, 10) == 0) {
		fputs("usage: pairs DIR N TOKENS [raw] [mixed] [quiet] [differ=SHARE] [seed=N]\n",
		        stderr);
		return 2;
	}
	size_t n = strtoul(argv[2], NULL, 10);
	struct ledger *ledger = ledger_create();
	struct maker m = {.differ = 0.4, .random = 1, .book = ledger_book(ledger, "exchanges")};
	bool quiet = false;
	m.length = strtoul(argv[3], NULL, 10);
	for (int i = 4; i < argc; i++) {
		m.raw |= strcmp(argv[i], "raw") == 0;
		m.mixed |= strcmp(argv[i], "mixed") == 0;
		quiet |= strcmp(argv[i], "quiet") == 0;
		m.differ =
		        strncmp(argv[i], "differ=", 7) == 0 ? strtod(argv[i] + 7, NULL) : m.differ;
		m.random = strncmp(argv[i], "seed=", 5) == 0 ? strtoul(argv[i] + 5, NULL, 10)
		                                             : m.random;
	}
	m.recorder = begin(&m, argv[1]);
	for (size_t i = 0; i < n; i++) {
		put_exchange(&m, i);
		if (!quiet) {
			print_pair(&m);
		}
	}
	recorder_stop(m.recorder, STOP_NS);
	ledger_destroy(ledger);
	free(m.base.tokens);
	free(m.test.tokens);
	buf_finish(&m.base.text);
	buf_finish(&m.test.text);
	buf_finish(&m.body);
	return 0;
}
