#include "answers/reading.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/http.h"
#include "base/mem.h"
#include "answers/flaw.h"
#include "answers/pulse.h"
#include "tests/reading_print.h"

/*
 * Recorded answers of real engines, and written ones of others: plumbline reads them like the
 * independent reader in Python (tests/golden/expect.py).
 */

struct answer {
	struct buf body;
	int status;
	enum framing framing;
	enum endpoint endpoint;
	struct request_facts asked;
};

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct answer *a = arg;
	a->status = head->status;
	a->framing = framing_of_type(http_field(head, "content-type"));
}

static void on_body(void *arg, const char *data, size_t len)
{
	buf_append(&((struct answer *)arg)->body, data, len);
}

static void on_complete(void *arg)
{
}

static struct buf load(const char *file)
{
	struct buf all = {0};
	char *path = xasprintf("%s/%s", getenv("GOLDEN_DIR"), file);
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	size_t n;
	while ((n = fread(buf_reserve(&all, 65536), 1, 65536, f)) > 0) {
		all.len += n;
	}
	fclose(f);
	free(path);
	return all;
}

/* The request of NAME.response is in the same directory. */
static enum endpoint endpoint_of_request(const char *file, struct request_facts *ret)
{
	char *path = xasprintf("%.*srequest", (int)(strlen(file) - strlen("response")), file);
	struct buf request = load(path);
	struct span line = buf_span(&request);
	const char *target = memchr(line.data, ' ', line.len);
	cr_assert_not_null(target, "%s", path);
	target++;
	size_t n = strcspn(target, " ");
	enum endpoint endpoint = endpoint_of(SPAN("POST"), (struct span){target, n});
	const char *body = memmem(request.data, request.len, "\r\n\r\n", 4);
	cr_assert_not_null(body, "%s", path);
	request_read(endpoint,
	        (struct span){body + 4, request.len - (size_t)(body + 4 - request.data)}, ret);
	buf_finish(&request);
	free(path);
	return endpoint;
}

static void load_answer(const char *file, struct answer *a)
{
	static const struct http_parser_events events = {on_head, on_body, on_complete};
	struct buf raw = load(file);
	*a = (struct answer){0};
	a->endpoint = endpoint_of_request(file, &a->asked);
	struct http_parser *p = http_parser_create(HTTP_RESPONSE, &events, a);
	ssize_t n = http_parser_feed(p, raw.data, raw.len);
	cr_assert_eq(n, (ssize_t)raw.len, "%s", file);
	(void)!http_parser_eof(p);
	http_parser_destroy(p);
	buf_finish(&raw);
}

/* Pieces of `step` bytes; 0: all at once. */
static struct reading *read_in_steps(
        const struct answer *a, enum framing framing, size_t n, size_t step)
{
	struct reading_hints hints = {.endpoint = a->endpoint,
	        .status = a->status,
	        .framing = framing,
	        .has_tools = a->asked.has_tools,
	        .offered = a->asked.offered};
	struct reader *r = reader_create(&hints);
	for (size_t at = 0; at < n;) {
		size_t piece = step && step < n - at ? step : n - at;
		reader_feed(r, a->body.data + at, piece);
		at += piece;
	}
	return reader_end(r, n == a->body.len);
}

static void check_string(const char *file, const char *what, json_t *want, const char *got)
{
	const char *w = json_string_value(want);
	if (!w) {
		cr_assert_null(got, "%s: %s is '%s'", file, what, got ? got : "");
		return;
	}
	cr_assert_not_null(got, "%s: no %s, wanted '%s'", file, what, w);
	cr_assert_str_eq(got, w, "%s: %s", file, what);
}

static void check_text(const char *file, const char *what, json_t *want, const struct buf *got)
{
	cr_assert_eq(got->len, json_string_length(want), "%s: %s '%.*s'", file, what, (int)got->len,
	        got->data);
	cr_assert(got->len == 0 || memcmp(got->data, json_string_value(want), got->len) == 0,
	        "%s: %s", file, what);
}

static void check_usage(const char *file, json_t *want, const struct usage *u)
{
	const int64_t got[] = {u->prompt_tokens, u->completion_tokens, u->total_tokens,
	        u->cached_tokens, u->reasoning_tokens};
	for (size_t i = 0; i < ARRAY_LEN(got); i++) {
		json_t *w = i < 3 ? json_array_get(json_object_get(want, "usage"), i)
		                  : json_array_get(json_object_get(want, "usage_details"), i - 3);
		cr_assert_eq(got[i], json_is_integer(w) ? json_integer_value(w) : -1,
		        "%s: usage %zu", file, i);
	}
}

/* Arguments that were written in another notation. */
static void check_json(const char *file, json_t *want, const char *got)
{
	json_t *a = json_loads(json_string_value(want), 0, NULL), *b = json_loads(got, 0, NULL);
	cr_assert(a && b && json_equal(a, b), "%s: arguments %s", file, got);
	json_decref(a);
	json_decref(b);
}

/* The answer and the reasoning in the text. */
static void check_parts(const char *file, json_t *want, const struct choice *c)
{
	struct buf answer = {0}, thought = {0};
	if (json_object_get(want, "answer")) {
		choice_answer(c, &answer);
		choice_reasoning(c, &thought);
		check_text(file, "answer", json_object_get(want, "answer"), &answer);
		check_text(file, "thought", json_object_get(want, "thought"), &thought);
		cr_assert_eq(c->place == REASONING_INLINE, thought.len > 0, "%s", file);
	}
	buf_finish(&answer);
	buf_finish(&thought);
}

static void check_calls(const char *file, json_t *want, const struct choice *c)
{
	cr_assert_eq(c->n_calls, json_array_size(want), "%s: calls", file);
	for (size_t i = 0; i < c->n_calls; i++) {
		json_t *call = json_array_get(want, i);
		check_string(file, "call name", json_object_get(call, "name"), c->calls[i].name);
		bool in_text = json_is_true(json_object_get(call, "in_text"));
		cr_assert_eq(c->calls[i].in_text, in_text, "%s", file);
		if (in_text) {
			check_json(file, json_object_get(call, "arguments"), c->calls[i].arguments);
		} else {
			check_string(file, "call id", json_object_get(call, "id"), c->calls[i].id);
			check_string(file, "call arguments", json_object_get(call, "arguments"),
			        c->calls[i].arguments);
		}
	}
}

/* Checks that exactly the tokens with the listed numbers have the flag. */
static void check_flag(
        const char *file, const char *what, json_t *want, const struct columns *c, unsigned flag)
{
	size_t k = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		bool listed = k < json_array_size(want) &&
		              json_integer_value(json_array_get(want, k)) == i;
		cr_assert_eq((c->flags[i] & flag) != 0, listed, "%s: token %u %s", file, i, what);
		k += listed;
	}
	cr_assert_eq(k, json_array_size(want), "%s: %s", file, what);
}

static void check_token(const char *file, json_t *want, const struct columns *c, uint32_t i)
{
	struct buf hex = {0};
	struct span token = columns_token(c, i);
	for (size_t k = 0; k < token.len; k++) {
		buf_printf(&hex, "%02x", (unsigned char)token.data[k]);
	}
	cr_assert_str_eq(buf_cstr(&hex),
	        json_string_value(json_array_get(json_object_get(want, "tokens"), i)),
	        "%s: token %u", file, i);
	buf_finish(&hex);
	cr_assert_eq(c->ids[i], json_integer_value(json_array_get(json_object_get(want, "ids"), i)),
	        "%s: id of token %u", file, i);
	uint32_t rows = c->top_end[i] - (i ? c->top_end[i - 1] : 0);
	cr_assert_eq(rows, json_integer_value(json_array_get(json_object_get(want, "tops"), i)),
	        "%s: alternatives of token %u", file, i);
}

static double sum_of(const float *values, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		sum += isnan(values[i]) ? 0 : (double)values[i];
	}
	return sum;
}

static void check_rows(const char *file, json_t *want, const struct columns *c)
{
	uint32_t rows = c->n ? c->top_end[c->n - 1] : 0;
	int64_t ids = 0;
	for (uint32_t row = 0; row < rows; row++) {
		ids += c->top_ids[row];
	}
	cr_assert_eq(ids, json_integer_value(json_object_get(want, "top_ids")),
	        "%s: ids of the alternatives", file);
	cr_assert_float_eq(sum_of(c->top_lp, rows),
	        json_number_value(json_object_get(want, "top_sum")), 1e-3, "%s", file);
	cr_assert_eq(rows ? c->top_bytes_end[rows - 1] : 0,
	        json_integer_value(json_object_get(want, "top_bytes")),
	        "%s: bytes of the alternatives", file);
}

static void check_columns(const char *file, json_t *want, const struct columns *c)
{
	cr_assert_eq(c->n, json_array_size(json_object_get(want, "tokens")), "%s: tokens", file);
	for (uint32_t i = 0; i < c->n; i++) {
		check_token(file, want, c, i);
	}
	cr_assert_float_eq(sum_of(c->lp, c->n),
	        json_number_value(json_object_get(want, "logprob_sum")), 1e-4, "%s", file);
	check_rows(file, want, c);
	check_flag(file, "missing", json_object_get(want, "missing"), c, TOKEN_MISSING);
	check_flag(file, "not top", json_object_get(want, "not_top"), c, TOKEN_NOT_TOP);
	check_flag(file, "unlisted", json_object_get(want, "unlisted"), c, TOKEN_UNLISTED);
	check_flag(file, "misnamed", json_object_get(want, "misnamed"), c, TOKEN_MISNAMED);
}

/* The peculiarities of the tokens of all choices. */
struct oddity {
	bool misspell, zeros, keyless, positive;
};

static void check_choice(const char *file, json_t *want, const struct choice *c, struct oddity *odd)
{
	json_t *tokens = json_object_get(want, "tokens"), *prompt = json_object_get(want, "prompt");
	cr_assert_eq(c->index, json_integer_value(json_object_get(want, "index")), "%s", file);
	check_text(file, "text", json_object_get(want, "text"), &c->text);
	check_text(file, "reasoning", json_object_get(want, "reasoning"), &c->reasoning);
	check_text(file, "refusal", json_object_get(want, "refusal"), &c->refusal);
	check_string(file, "finish", json_object_get(want, "finish"), c->finish);
	check_calls(file, json_object_get(want, "calls"), c);
	check_parts(file, want, c);
	cr_assert_eq(c->has_columns, json_is_array(tokens), "%s: columns", file);
	cr_assert_eq(c->has_prompt, json_is_object(prompt), "%s: prompt", file);
	if (c->has_columns) {
		check_columns(file, want, &c->columns);
		odd->misspell |= json_is_false(json_object_get(want, "spells"));
		odd->zeros |= json_is_true(json_object_get(want, "zeros"));
		odd->positive |= json_is_true(json_object_get(want, "positive"));
		odd->keyless |= json_array_size(json_object_get(want, "keyless")) > 0;
	}
	if (c->has_prompt) {
		check_columns(file, prompt, &c->prompt);
	}
}

static void check_embeddings(const char *file, json_t *want, const struct reading *r)
{
	cr_assert_eq(r->n_embeddings, json_array_size(want), "%s: embeddings", file);
	for (size_t i = 0; i < r->n_embeddings; i++) {
		const struct embedding *e = &r->embeddings[i];
		json_t *w = json_array_get(want, i);
		cr_assert_eq(e->index, json_integer_value(json_array_get(w, 0)), "%s", file);
		cr_assert_eq(e->n, json_integer_value(json_array_get(w, 1)), "%s", file);
		cr_assert_float_eq(sum_of(e->values, e->n), json_number_value(json_array_get(w, 2)),
		        1e-4, "%s", file);
	}
}

static void check_marks(const char *file, json_t *want, const struct reading *r)
{
	bool stream = json_is_true(json_object_get(want, "stream"));
	cr_assert_eq((r->marks & READING_ERROR_BODY) != 0,
	        json_is_string(json_object_get(want, "error")), "%s", file);
	cr_assert_eq((r->marks & READING_NOT_JSON) != 0,
	        json_is_false(json_object_get(want, "json")), "%s", file);
	cr_assert_eq((r->marks & READING_NO_DONE) != 0,
	        stream && !json_is_true(json_object_get(want, "done")), "%s: done", file);
	cr_assert_eq((r->marks & READING_NOT_READ) != 0, r->shape == SHAPE_ANTHROPIC, "%s", file);
	cr_assert_eq((r->marks & READING_CONTRADICTORY_USAGE) != 0,
	        json_is_true(json_object_get(want, "contradictory")), "%s: usage", file);
	cr_assert_eq((r->marks & READING_UNKNOWN_MEMBERS) != 0,
	        json_is_string(json_object_get(want, "unknown")), "%s: %s", file,
	        r->unknown ? r->unknown : "all members known");
	cr_assert_eq(r->marks & (READING_TOO_LARGE | READING_ENCODED | READING_MALFORMED_LOGPROBS),
	        0, "%s: marks %x", file, r->marks);
}

static void check_reading(const char *file, json_t *want, const struct reading *r)
{
	json_t *choices = json_object_get(want, "choices");
	struct oddity odd = {0};
	bool cut = false;
	check_string(file, "error", json_object_get(want, "error"), r->error);
	check_marks(file, want, r);
	cr_assert_eq(r->n_events, json_integer_value(json_object_get(want, "events")), "%s: events",
	        file);
	cr_assert_eq(r->n_choices, json_array_size(choices), "%s: choices", file);
	if (json_is_false(json_object_get(want, "json"))) {
		return;
	}
	cr_assert_str_eq(reading_shape_name(r->shape),
	        json_string_value(json_object_get(want, "shape")), "%s", file);
	check_string(file, "model", json_object_get(want, "model"), r->model);
	check_string(file, "id", json_object_get(want, "id"), r->response_id);
	check_string(file, "fingerprint", json_object_get(want, "fingerprint"), r->fingerprint);
	check_usage(file, want, &r->usage);
	check_string(file, "unknown members", json_object_get(want, "unknown"), r->unknown);
	check_embeddings(file, json_object_get(want, "embeddings"), r);
	for (size_t i = 0; i < r->n_choices; i++) {
		check_choice(file, json_array_get(choices, i), &r->choices[i], &odd);
		cut |= !r->choices[i].finish && json_is_true(json_object_get(want, "stream"));
	}
	cr_assert_eq((r->marks & READING_CUT) != 0, cut, "%s: cut", file);
	cr_assert_eq((r->marks & READING_TOKENS_MISSPELL) != 0, odd.misspell, "%s: spelling", file);
	cr_assert_eq((r->marks & READING_ZERO_LOGPROBS) != 0, odd.zeros, "%s: zeros", file);
	cr_assert_eq(
	        (r->marks & READING_POSITIVE_LOGPROBS) != 0, odd.positive, "%s: positive", file);
	cr_assert_eq((r->marks & READING_KEYLESS_TOKENS) != 0, odd.keyless, "%s: keyless", file);
}

/* Calls check for each line of the expectations; they must not be fewer than the recordings. */
static void for_each_answer(void (*check)(const char *file, json_t *want, const struct answer *a))
{
	struct buf lines = load("expected.jsonl");
	size_t n = 0;
	char *save = NULL;
	buf_cstr(&lines);
	for (char *line = strtok_r(lines.data, "\n", &save); line;
	        line = strtok_r(NULL, "\n", &save)) {
		json_t *want = json_loads(line, 0, NULL);
		const char *file = json_string_value(json_object_get(want, "file"));
		struct answer a;
		load_answer(file, &a);
		check(file, want, &a);
		buf_finish(&a.body);
		json_decref(want);
		n++;
	}
	cr_assert_geq(n, 200);
	buf_finish(&lines);
}

static void check_whole(const char *file, json_t *want, const struct answer *a)
{
	struct reading *r = read_in_steps(a, a->framing, a->body.len, 0);
	cr_assert_eq(a->status, json_integer_value(json_object_get(want, "status")), "%s", file);
	check_reading(file, want, r);
	reading_destroy(r);
}

Test(reading_golden, reads_every_recorded_answer_as_python_does)
{
	for_each_answer(check_whole);
}

/* The answers that the available engines and their documents show as complete. */
static enum flaw expected_flaw(json_t *want)
{
	json_t *choices = json_object_get(want, "choices"), *choice;
	bool stream = json_is_true(json_object_get(want, "stream")), cut = false, aborted = false;
	size_t i;
	json_array_foreach(choices, i, choice) {
		const char *finish = json_string_value(json_object_get(choice, "finish"));
		cut |= stream && !finish;
		aborted |= finish && strcmp(finish, "parse_error") == 0;
	}
	return json_is_string(json_object_get(want, "error")) ? FLAW_ERROR
	       : json_is_false(json_object_get(want, "json")) ? FLAW_MALFORMED
	       : aborted                                      ? FLAW_ABORTED
	       : cut                                          ? FLAW_UNFINISHED
	                                                      : FLAW_NONE;
}

static void check_flaw(const char *file, json_t *want, const struct answer *a)
{
	struct reading *r = read_in_steps(a, a->framing, a->body.len, 0);
	enum flaw expected = expected_flaw(want);
	cr_expect_eq(flaw_of_marks(r->marks), expected, "%s: marks %x", file, r->marks);
	if (endpoint_is_openai(a->endpoint) && a->status < 400) {
		struct pulse p;
		pulse_begin(&p, a->framing == FRAMING_SSE);
		pulse_feed(&p, 1, a->body.data, a->body.len);
		pulse_end(&p, 2);
		cr_expect_eq(flaw_of_marks(pulse_marks(&p)), expected, "%s: pulse", file);
		pulse_finish(&p);
	}
	reading_destroy(r);
}

Test(reading_golden, only_answers_that_failed_or_were_cut_have_a_flaw)
{
	for_each_answer(check_flaw);
}

/* A single line is distinguished from a whole body only by its Content-Type. */
static bool is_told_by_bytes(const struct answer *a)
{
	const char *end = a->body.len ? memchr(a->body.data, '\n', a->body.len - 1) : NULL;
	return a->framing != FRAMING_NDJSON || end;
}

static void check_pieces(const char *file, json_t *want, const struct answer *a)
{
	/* The framing is also detected from the bytes alone. */
	static const size_t steps[] = {0, 0, 1, 1, 7, 1000};
	struct buf first = {0}, text = {0};
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct reading *r = read_in_steps(a,
		        i % 2 && is_told_by_bytes(a) ? FRAMING_UNKNOWN : a->framing, a->body.len,
		        steps[i]);
		buf_clear(&text);
		print_reading(i ? &text : &first, r);
		cr_assert(i == 0 || span_equal(buf_span(&text), buf_span(&first)),
		        "%s in steps of %zu", file, steps[i]);
		reading_destroy(r);
	}
	buf_finish(&first);
	buf_finish(&text);
}

Test(reading_golden, however_an_answer_is_cut_into_pieces_the_reading_is_the_same)
{
	for_each_answer(check_pieces);
}

/* The reading of a truncated answer must be the beginning of the whole one's. */
static void check_cuts(const char *file, json_t *want, const struct answer *a)
{
	struct reading *whole = read_in_steps(a, a->framing, a->body.len, 0);
	for (size_t n = 0; n < a->body.len; n += 1 + a->body.len / 97) {
		struct reading *r = read_in_steps(a, a->framing, n, 0);
		for (size_t i = 0; i < r->n_choices && i < whole->n_choices; i++) {
			struct choice *c = &r->choices[i], *w = &whole->choices[i];
			cr_assert_leq(c->text.len, w->text.len, "%s cut at %zu", file, n);
			cr_assert(c->text.len == 0 ||
			                  memcmp(c->text.data, w->text.data, c->text.len) == 0,
			        "%s cut at %zu", file, n);
			cr_assert_leq(c->columns.n, w->columns.n, "%s cut at %zu", file, n);
		}
		reading_destroy(r);
	}
	reading_destroy(whole);
}

Test(reading_golden, an_answer_cut_anywhere_gives_its_beginning)
{
	for_each_answer(check_cuts);
}
