/*
 * infer-check's comparisons, in the form in which its `diff` saves them: each tested answer with
 * the answer that it is compared with.
 *
 * Similarity and tiers are computed as infer-check computes them. The KL divergence is left out,
 * because infer-check's value is dominated by tokens that are missing from a list.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/meaning/sentence.h"
#include "analyzer/compare/pair.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/moment.h"
#include "base/utf8.h"
#include "capture/formats/export_format.h"
#include "capture/record_json.h"

#define NEVER UINT64_MAX
#define NO_LOGPROB SPAN("-9999.0") /* the value that infer-check writes for a missing one */
#define FAILURE 0.5                /* a similarity below it is a failure */

/* The request, in infer-check's terms. */
struct compared_request {
	const struct capture_exchange *e;
	struct buf question, sent;
};

struct side {
	const struct leg_row *row;
	struct reading *reading; /* NULL: the answer has nothing that can be compared */
	const struct choice *choice;
	struct span *tokens; /* or words, where no tokens are known */
	uint32_t *columns;   /* the column of each token; NULL: they are words */
	uint32_t n;
	double temperature; /* as sent; NaN: the request had none, so the engine chose */
};

/* Sides. */

static void take_words(struct side *s)
{
	struct span text = buf_span(&s->choice->text);
	s->tokens = xmalloc((text.len / 2 + 1) * sizeof(*s->tokens));
	for (size_t i = 0; i < text.len;) {
		size_t from = i;
		while (i < text.len && !(text.data[i] && strchr(" \t\n\r\f\v", text.data[i]))) {
			i++;
		}
		if (i > from) {
			s->tokens[s->n++] = (struct span){text.data + from, i - from};
		}
		i += i < text.len;
	}
}

/* Takes the tokens of the compared text. If the reasoning was separate, its tokens were, too. */
static void take_tokens(struct side *s)
{
	const struct columns *c = &s->choice->columns;
	bool is_separate = s->choice->reasoning.len > 0;
	s->tokens = xmalloc((c->n + 1) * sizeof(*s->tokens));
	s->columns = xmalloc((c->n + 1) * sizeof(*s->columns));
	for (uint32_t i = 0; i < c->n; i++) {
		if (!is_separate || (c->flags[i] & TOKEN_OF_ANSWER)) {
			s->columns[s->n] = i;
			s->tokens[s->n++] = columns_token(c, i);
		}
	}
}

static double temperature_of(struct exporter *x, struct compared_request *q, size_t leg)
{
	struct json_token t;
	buf_clear(&q->sent);
	if (capture_sent_body(x->capture, q->e, leg, &q->sent) < 0 ||
	        !json_find_member(buf_span(&q->sent), "temperature", &t, NULL) ||
	        t.type != JSON_TOKEN_NUMBER) {
		return NAN;
	}
	return json_token_number(&t);
}

static struct side side_of(struct exporter *x, struct compared_request *q, size_t leg)
{
	struct side s = {.row = &q->e->legs[leg].row, .reading = exporter_reading(x, q->e, leg)};
	if (s.reading && s.reading->choices[0].n_calls) {
		reading_destroy(s.reading);
		s.reading = NULL;
	}
	if (!s.reading) {
		return s;
	}
	s.choice = &s.reading->choices[0];
	s.temperature = temperature_of(x, q, leg);
	if (s.choice->has_columns && s.choice->columns.n) {
		take_tokens(&s);
	} else {
		take_words(&s);
	}
	return s;
}

static void side_finish(struct side *s)
{
	reading_destroy(s->reading);
	free(s->tokens);
	free(s->columns);
}

/* Counts what the format has no place for, and whether tokens could not be written unchanged. */
static void count_lost(struct exporter *x, const struct side *s)
{
	bool lossy = false;
	for (uint32_t i = 0; i < s->n; i++) {
		lossy |= !utf8_valid(s->tokens[i]);
	}
	exporter_lose(x, s->reading, true);
	if (lossy) {
		error_tally_add(
		        &x->lost, "answers' tokens that are no whole characters: as U+FFFD");
	}
}

/* One result. */

static void put_list(struct json_writer *w, const char *key, const struct side *s,
        void (*each)(struct json_writer *w, const struct side *s, uint32_t i))
{
	json_writer_open(w, key, '[');
	for (uint32_t i = 0; i < s->n; i++) {
		each(w, s, i);
	}
	json_writer_close(w, "]");
}

static void put_token(struct json_writer *w, const struct side *s, uint32_t i)
{
	json_writer_string(w, NULL, s->tokens[i]);
}

/* Some engines' rounding gives a log probability slightly above 0. Readers of the file would
 * take it for a probability. */
static void put_value(struct json_writer *w, float lp)
{
	if (isfinite(lp)) {
		json_writer_number(w, NULL, fmin((double)lp, 0));
	} else {
		json_writer_raw(w, NULL, NO_LOGPROB);
	}
}

static void put_logprob(struct json_writer *w, const struct side *s, uint32_t i)
{
	put_value(w, s->choice->columns.lp[s->columns[i]]);
}

static uint32_t top_of(const struct side *s, uint32_t i, uint32_t *ret_to)
{
	const struct columns *c = &s->choice->columns;
	uint32_t at = s->columns[i];
	*ret_to = c->top_end[at];
	return at ? c->top_end[at - 1] : 0;
}

static void put_distribution(struct json_writer *w, const struct side *s, uint32_t i)
{
	uint32_t end, from = top_of(s, i, &end);
	json_writer_open(w, NULL, '[');
	for (uint32_t row = from; row < end; row++) {
		put_value(w, s->choice->columns.top_lp[row]);
	}
	json_writer_close(w, "]");
}

static void put_names(struct json_writer *w, const struct side *s, uint32_t i)
{
	uint32_t end, from = top_of(s, i, &end);
	json_writer_open(w, NULL, '{');
	for (uint32_t row = from; row < end; row++) {
		char key[16];
		snprintf(key, sizeof(key), "id_%" PRIu32, row - from);
		json_writer_string(w, key, columns_top_token(&s->choice->columns, row));
	}
	json_writer_close(w, "}");
}

/* Writes when the answer was complete. The format stores microseconds, not nanoseconds. */
static void put_times(struct json_writer *w, const struct leg_row *row)
{
	char at[MOMENT_TEXT_SIZE];
	uint64_t took_us = row->end_us != NEVER ? row->end_us : 0;
	uint64_t ns = row->start_ns + took_us * 1000;
	int64_t tokens = row->usage.completion_tokens;
	json_writer_number(w, "latency_ms", (double)took_us / 1000);
	json_writer_number(w, "tokens_per_second",
	        tokens > 0 && took_us ? (double)tokens * 1e6 / (double)took_us : NAN);
	moment_format(ns, at);
	at[strcspn(at, "Z")] = '\0';
	json_writer_printf(w, "timestamp", "\"%s.%06" PRIu64 "Z\"", at, ns % 1000000000 / 1000);
}

static void put_about(struct json_writer *w, const struct compared_request *q)
{
	const char *category = q->e->row.labels.category;
	json_writer_string(w, "prompt_text", buf_span(&q->question));
	record_json_text(w, "prompt_category", category ? category : "general");
}

static void put_result(struct json_writer *w, const char *key, const struct compared_request *q,
        const struct side *s, double temperature)
{
	const char *model = s->row->model ? s->row->model : q->e->row.model;
	json_writer_open(w, key, '{');
	record_json_id(w, "prompt_id", q->e->row.id);
	record_json_text(w, "backend_name", s->row->backend ? s->row->backend : "unknown");
	record_json_text(w, "model_id", model ? model : "unknown");
	put_list(w, "tokens", s, put_token);
	if (s->columns) {
		put_list(w, "logprobs", s, put_logprob);
		put_list(w, "distributions", s, put_distribution);
		put_list(w, "distribution_metadata", s, put_names);
	}
	json_writer_string(w, "text", buf_span(&s->choice->text));
	put_times(w, s->row);
	json_writer_open(w, "metadata", '{');
	put_about(w, q);
	json_writer_number(w, "temperature", temperature);
	json_writer_close(w, "}}");
}

/* One comparison. */

/* Any incomplete character becomes U+FFFD in the file, whatever its bytes are. */
static bool are_written_alike(struct span a, struct span b)
{
	struct buf one = {0}, other = {0};
	bool are_equal = span_equal(a, b);
	if (!are_equal && !(utf8_valid(a) && utf8_valid(b))) {
		json_put_string(&one, a);
		json_put_string(&other, b);
		are_equal = span_equal(buf_span(&one), buf_span(&other));
		buf_finish(&one);
		buf_finish(&other);
	}
	return are_equal;
}

/* The index of the first difference; -1: none. */
static int64_t first_difference_of_lists(const struct side *a, const struct side *b)
{
	uint32_t shorter = MIN(a->n, b->n);
	for (uint32_t i = 0; i < shorter; i++) {
		if (!are_written_alike(a->tokens[i], b->tokens[i])) {
			return i;
		}
	}
	return a->n == b->n ? -1 : (int64_t)shorter;
}

/* Compares tokens with tokens. If one side has no tokens, compares words with words. */
static int64_t first_difference_of(const struct side *a, const struct side *b)
{
	if (!a->columns == !b->columns) {
		return first_difference_of_lists(a, b);
	}
	struct side words = {.choice = a->choice}, others = {.choice = b->choice};
	take_words(&words);
	take_words(&others);
	int64_t difference = first_difference_of_lists(&words, &others);
	free(words.tokens);
	free(others.tokens);
	return difference;
}

static const char *tier_of(bool equal, double similarity)
{
	return equal                   ? "identical"
	       : similarity >= 0.8     ? "minor"
	       : similarity >= FAILURE ? "moderate"
	                               : "severe";
}

static void put_comparison(struct buf *to, const struct compared_request *q,
        const struct side *base, const struct side *test, double similarity)
{
	/* The format has one temperature per exchange: the one that was sent to both, else the
	 * one that the client asked for. */
	bool are_equal = base->temperature == test->temperature ||
	                 (isnan(base->temperature) && isnan(test->temperature));
	double temperature = are_equal ? base->temperature : q->e->row.facts.temperature;
	bool equal = span_equal(buf_span(&base->choice->text), buf_span(&test->choice->text));
	bool failed = similarity < FAILURE;
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	put_result(&w, "baseline", q, base, temperature);
	put_result(&w, "test", q, test, temperature);
	json_writer_null(&w, "kl_divergence");
	record_json_integer(&w, "token_divergence_index", first_difference_of(base, test), -1);
	json_writer_number(&w, "text_similarity", similarity);
	json_writer_bool(&w, "is_failure", failed);
	if (failed) {
		json_writer_printf(&w, "failure_reason",
		        "\"[%s] Text similarity %.3f below threshold\"", tier_of(equal, similarity),
		        similarity);
	} else {
		json_writer_null(&w, "failure_reason");
	}
	json_writer_open(&w, "metadata", '{');
	json_writer_text(&w, "severity", tier_of(equal, similarity));
	put_about(&w, q);
	json_writer_close(&w, "}}");
}

/* NULL, or why the pair cannot be exported. */
static const char *put_pair(
        struct exporter *x, struct compared_request *q, const struct pair *pair, struct buf *to)
{
	struct side base = side_of(x, q, pair->base), test = side_of(x, q, pair->test);
	const char *why = NULL;
	double similarity = 0;
	if (!base.reading || !test.reading) {
		why = "an answer of each pair is an error, interrupted, redacted, or calls tools";
	} else {
		similarity = sentence_similarity_of(
		        buf_span(&base.choice->text), buf_span(&test.choice->text));
	}
	if (!why) {
		buf_append_str(to, x->n_answers ? ",\n" : "");
		put_comparison(to, q, &base, &test, similarity);
		count_lost(x, &base);
		count_lost(x, &test);
	}
	side_finish(&base);
	side_finish(&test);
	return why;
}

/* Writes all pairs of an exchange. Sets x->n_answers to the number of answers in them. */
static const char *put_pairs(struct exporter *x, struct compared_request *q, struct buf *to)
{
	static const struct pair_names BY_ROLE;
	struct pair *pairs = xcalloc(q->e->n_legs + 1, sizeof(*pairs));
	size_t n = pair_find(q->e, &BY_ROLE, pairs);
	const char *why = "there is no second answer to compare the first with";
	bool *held = xcalloc(q->e->n_legs + 1, sizeof(*held));
	for (size_t i = 0; i < n; i++) {
		const char *backend = q->e->legs[pairs[i].test].row.backend;
		if (x->backend && !span_is(span_of(backend), x->backend)) {
			continue;
		}
		const char *wrong = put_pair(x, q, &pairs[i], to);
		why = wrong ? wrong : why;
		if (!wrong) {
			x->n_answers += !held[pairs[i].base];
			held[pairs[i].base] = true;
			x->n_answers += !held[pairs[i].test];
			held[pairs[i].test] = true;
		}
	}
	free(held);
	free(pairs);
	return x->n_answers ? NULL : why;
}

static const char *put(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const struct exchange_labels *l = &e->row.labels;
	struct compared_request q = {.e = e};
	const char *why = exporter_question(x, e, &q.question);
	why = why ? why : put_pairs(x, &q, to);
	if (!why && (l->suite || l->item || l->gold)) {
		error_tally_add(&x->lost, "suites, items and right answers");
	}
	buf_finish(&q.question);
	buf_finish(&q.sent);
	return why;
}

const struct export_format export_infer_check = {
        .name = "infer-check",
        .title = "infer-check's comparisons: single questions, and pairs of answers",
        .content = EXPORT_PAIRS | EXPORT_TIMES | EXPORT_LABELS,
        .put = put,
        .begin = "[\n",
        .between = ",\n",
        .end = "\n]\n",
};
