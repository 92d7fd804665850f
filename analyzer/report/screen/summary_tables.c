/*
 * Tables of what was measured.
 */
#include <math.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/screen/summary_parts.h"
#include "base/plural.h"

#define COLUMNS_MOST 5
#define LABEL 34
#define CELLS 44 /* columns of a terminal for all values of a row together */
#define BACKENDS_SHOWN 3

/* A figure that only tables show; the path starts at the object that the table is about. */
#define ROW(unit_, path_, label_)                                                                  \
	{                                                                                          \
		.path = (path_), .unit = METRIC_##unit_, .label = (label_)                         \
	}

/* A table with the figures of several objects, one column each. */
struct side_by_side {
	struct writer_column columns[COLUMNS_MOST + 1];
	const json_t *at[COLUMNS_MOST];
	size_t n;
};

static void side_by_side_add(struct side_by_side *b, const char *name, const json_t *at)
{
	if (at && b->n < COLUMNS_MOST) {
		b->at[b->n] = at;
		b->columns[++b->n].head = name;
	}
}

static void side_by_side_begin(struct side_by_side *b, const char *title, struct writer *w)
{
	b->columns[0] = (struct writer_column){title, LABEL};
	for (size_t i = 1; i <= b->n; i++) {
		b->columns[i].width = CELLS / b->n;
	}
	writer_table(w, b->columns, b->n + 1);
}

/* Writes a row, unless no column has the figure; with intervals if there is room. */
static void write_figure(struct writer *w, const struct side_by_side *b, const struct metric *m)
{
	struct metric_value values[COLUMNS_MOST];
	bool known[COLUMNS_MOST], any = false;
	for (size_t i = 0; i < b->n; i++) {
		known[i] = metric_read(m, b->at[i], &values[i]);
		any |= known[i];
	}
	if (!any) {
		return;
	}
	buf_append_str(writer_cell(w), m->label);
	for (size_t i = 0; i < b->n; i++) {
		struct buf *cell = writer_cell(w);
		if (!known[i]) {
			buf_append_char(cell, '-');
			continue;
		}
		bool narrow = w->form != WRITER_HTML;
		values[i].low = narrow && b->n > 1 ? NAN : values[i].low;
		if (narrow && b->n > 2 && m->unit == METRIC_SHARE && metric_is_open(&values[i])) {
			buf_printf(cell, "%.0f to %.0f %%", 100 * values[i].value,
			        100 * values[i].most);
		} else {
			metric_put_value(cell, m->unit, &values[i]);
		}
	}
	writer_row(w);
}

/* Writes the main figures; on a page, which has the room, all of them. */
void summary_figures(const json_t *group, struct writer *w)
{
	static const char *const DECODINGS[] = {"greedy", "sampled", "unlike", "unknown"};
	static const char *const MORE[] = {"tool_calls_differ", "reasoning_differs", "tv_low",
	        "tv_high", "comparable_positions"};
	const json_t *splits = json_object_get(group, "by_decoding");
	bool all = w->form == WRITER_HTML;
	struct side_by_side b = {.n = 0};
	for (size_t i = 0; i < ARRAY_LEN(DECODINGS); i++) {
		bool unset = strcmp(DECODINGS[i], "unknown") == 0;
		side_by_side_add(&b, unset ? "not set" : DECODINGS[i],
		        json_object_get(splits, DECODINGS[i]));
	}
	if (b.n == 0) {
		return;
	}
	side_by_side_begin(&b, "Figures by decoding", w);
	write_figure(w, &b, metric_find("pairs"));
	for (size_t i = 0; i < metric_count(); i++) {
		const struct metric *m = metric_at(i);
		if ((m->is_main || all) && m->place == METRIC_OF_SPLIT) {
			write_figure(w, &b, m);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(MORE) && !all; i++) {
		write_figure(w, &b, metric_find(MORE[i]));
	}
}

void summary_right_answers(const json_t *group, struct writer *w)
{
	static const struct writer_column COLUMNS[] = {{"Right answers by category", 34}, {"n", 8},
	        {"base", 9}, {"test", 9}, {"broke", 8}, {"fixed", 8}};
	const json_t *values = node_at(group, "slices.category.values");
	size_t judged = 0;
	NODE_EACH(each, values) {
		judged += node_number(node_at(each, "gold"), "judged") > 0;
	}
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < json_array_size(values) && judged > 1; i++) {
		const json_t *value = json_array_get(values, i);
		const json_t *gold = json_object_get(value, "gold");
		if (!(node_number(gold, "judged") > 0)) {
			continue;
		}
		buf_append_str(writer_cell(w), node_text(value, "value"));
		buf_printf(writer_cell(w), "%.0f", node_number(gold, "judged"));
		metric_put(writer_cell(w), METRIC_SHARE, node_number(gold, "base_score"));
		metric_put(writer_cell(w), METRIC_SHARE, node_number(gold, "test_score"));
		buf_printf(writer_cell(w), "%.0f", node_number(gold, "broke"));
		buf_printf(writer_cell(w), "%.0f", node_number(gold, "fixed"));
		writer_row(w);
	}
}

void summary_embeddings(const json_t *group, struct writer *w)
{
	static const struct metric ROWS[] = {ROW(NUMBER, "answers", "answers with vectors"),
	        ROW(NUMBER, "cosine_distance.n", "vectors compared"),
	        ROW(NUMBER, "equal", "equal in every value"),
	        ROW(NUMBER, "cosine_distance.mean", "1 - cosine, mean"),
	        ROW(NUMBER, "cosine_distance.max", "1 - cosine, largest"),
	        ROW(NUMBER, "largest_difference.mean", "largest difference, mean"),
	        ROW(NUMBER, "largest_difference.max", "largest difference"),
	        ROW(NUMBER, "unlike_dimensions", "pairs of other dimensions"),
	        ROW(NUMBER, "unusable", "pairs with a missing value or zeros"),
	        ROW(NUMBER, "unmatched", "vectors of one side alone")};
	const json_t *embeddings = json_object_get(group, "embeddings");
	struct side_by_side b = {.n = 0};
	side_by_side_add(&b, "", json_is_object(embeddings) ? embeddings : NULL);
	side_by_side_begin(&b, "Embeddings", w);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct metric_value v;
		if (metric_read(&ROWS[i], embeddings, &v) && v.value > 0) {
			write_figure(w, &b, &ROWS[i]);
		}
	}
}

/* "12.3 / 45.6"; a dash where neither is known. */
static void write_two(struct writer *w, const struct side_by_side *b, const char *label,
        const char *place, const char *first, const char *second, int digits)
{
	double x[COLUMNS_MOST], y[COLUMNS_MOST];
	bool any = false;
	for (size_t i = 0; i < b->n; i++) {
		const json_t *at = place ? node_at(b->at[i], place) : b->at[i];
		x[i] = node_number(at, first);
		y[i] = node_number(at, second);
		any |= !isnan(x[i]) && !isnan(y[i]);
	}
	if (!any) {
		return;
	}
	buf_append_str(writer_cell(w), label);
	for (size_t i = 0; i < b->n; i++) {
		buf_printf(writer_cell(w), isnan(x[i]) || isnan(y[i]) ? "-" : "%.*f / %.*f", digits,
		        x[i], place ? digits : 0, y[i]);
	}
	writer_row(w);
}

/* 0 where it is not known. */
static double count_of(const json_t *at, const char *name)
{
	double n = node_number(at, name);
	return isnan(n) ? 0 : n;
}

#define PART_LEAST 20 /* answers; a median of fewer says nothing */

/* Writes the times and failures of the clients' answers in two parts, to show whether other work
 * slowed the clients. */
static void write_parts(struct writer *w, const json_t *traffic, const char *const parts[2],
        const char *const names[2])
{
	struct buf *text = writer_text(w);
	for (size_t i = 0; i < 2; i++) {
		const json_t *part = json_object_get(traffic, parts[i]);
		const json_t *times = json_object_get(part, "last_byte");
		const json_t *failed = json_object_get(part, "failed");
		if (!(node_number(times, "n") >= PART_LEAST)) {
			return;
		}
		buf_printf(text, "%s%s: p50 ", i ? "; " : "", names[i]);
		metric_put(text, METRIC_MS, node_number(times, "p50"));
		buf_append_str(text, ", ");
		metric_put(text, METRIC_SHARE, node_number(failed, "rate"));
		buf_printf(text, " of %.0f failed", node_number(failed, "n"));
	}
	writer_item(w, "", "%s", buf_cstr(text));
}

/* What the longer lists of an audit cost the engine. */
static void write_audit(struct writer *w, const json_t *lists)
{
	static const char *const AGAINST[] = {"ordinary", "none"};
	static const char *const WORDS[] = {"ordinary lists", "no lists"};
	double audited = count_of(json_object_get(lists, "audit"), "n");
	for (size_t i = 0; i < ARRAY_LEN(AGAINST); i++) {
		const json_t *other = json_object_get(lists, AGAINST[i]);
		const json_t *ratio =
		        json_object_get(lists, i ? "audit_to_none" : "audit_to_ordinary");
		const json_t *ci = json_object_get(ratio, "ci95");
		if (audited < PART_LEAST || count_of(other, "n") < PART_LEAST) {
			continue;
		}
		writer_item(w, "",
		        "Longer lists (audit): %.2f [%.2f to %.2f] times the time per token of "
		        "answers with %s; answers compared: %.0f and %.0f.",
		        node_number(ratio, "value"), json_number_value(json_array_get(ci, 0)),
		        json_number_value(json_array_get(ci, 1)), WORDS[i], audited,
		        count_of(other, "n"));
	}
}

/* What mirrored and replayed requests cost, which no client sent. */
static void write_cost(struct writer *w, const json_t *backends)
{
	double requests = 0, in = 0, out = 0, seconds = 0;
	NODE_EACH(each, backends) {
		if (!node_is(each, "role", "primary")) {
			requests += count_of(each, "answers");
			in += count_of(each, "prompt_tokens");
			out += count_of(each, "completion_tokens");
			seconds += count_of(each, "busy_seconds");
		}
	}
	if (requests > 0) {
		writer_item(w, "",
		        "Mirrored and replayed requests: %.0f; tokens in: %.0f; tokens out: %.0f; "
		        "engine time: %.1f s.",
		        requests, in, out, seconds);
	}
}

void summary_traffic(const json_t *document, struct writer *w)
{
	static const char *const TIMES[][2] = {{"TTFT, p50 / p99 ms", "milliseconds.ttft"},
	        {"ITL, p50 / p99 ms", "milliseconds.itl"},
	        {"TPOT, p50 / p99 ms", "milliseconds.tpot"},
	        {"E2E, p50 / p99 ms", "milliseconds.e2e"},
	        {"copy waited, p50 / p99 ms", "milliseconds.queued"}};
	static const char *const INJECTED[] = {"injected", "uninjected"};
	static const char *const MIRRORED[] = {"mirrored", "unmirrored"};
	const json_t *traffic = json_object_get(document, "traffic");
	const json_t *backends = json_object_get(traffic, "backends");
	struct side_by_side b = {.n = 0};
	NODE_SOME(each, backends, BACKENDS_SHOWN) {
		side_by_side_add(&b, node_text(each, "backend"), each);
	}
	if (b.n == 0) {
		return;
	}
	side_by_side_begin(&b, "Traffic", w);
	write_two(w, &b, "answers / failed", NULL, "answers", "failed", 0);
	for (size_t i = 0; i < ARRAY_LEN(TIMES); i++) {
		write_two(w, &b, TIMES[i][0], TIMES[i][1], "p50", "p99", 1);
	}
	write_two(w, &b, "tokens in / out", NULL, "prompt_tokens", "completion_tokens", 0);
	write_two(w, &b, "answers / tokens a second", NULL, "answers_per_second",
	        "completion_tokens_per_second", 1);
	size_t more = json_array_size(backends) - b.n;
	if (more > 0) {
		writer_item(w, "", "And %zu more backend%s.", more, plural(more, "", "s"));
	}
	write_cost(w, backends);
	write_parts(w, traffic, INJECTED, (const char *const[]){"Fields injected", "none"});
	write_parts(w, traffic, MIRRORED, (const char *const[]){"A copy sent", "none sent"});
	write_audit(w, json_object_get(traffic, "lists"));
}

/* What scoring cost the scorer, beside what generating the same answers cost their engine. */
static void write_score_cost(struct writer *w, const json_t *cost)
{
	double answers = node_number(cost, "answers"), read = node_number(cost, "tokens_read");
	if (!(answers > 0)) {
		return;
	}
	struct buf *text = writer_text(w);
	buf_printf(text, "Scoring %.0f %s took %.3g s of engine time", answers,
	        plural(answers, "answer", "answers"), node_number(cost, "scoring_seconds"));
	if (!isnan(read)) {
		buf_printf(text, " for %.0f tokens of prompts and answers", read);
	}
	buf_printf(text,
	        "; generating them took %.3g s for %.0f tokens (%.2f times as long as scoring).",
	        node_number(cost, "generating_seconds"), node_number(cost, "tokens_generated"),
	        1 / node_number(cost, "ratio"));
	writer_item(w, "", "%s", buf_cstr(text));
}

static void write_scores(struct writer *w, const json_t *g)
{
	static const struct metric ROWS[] = {ROW(COUNT, "answers", "answers"),
	        ROW(COUNT, "positions.count", "tokens compared"),
	        ROW(SHARE, "same_top", "the scorer ranks first"),
	        ROW(NUMBER, "logprob", "logprob, mean difference"),
	        ROW(NUMBER, "logprob.rms", "logprob, root mean square"),
	        ROW(NUMBER, "perplexity", "perplexity by its own engine"),
	        ROW(NUMBER, "scorer_perplexity", "perplexity by the scorer")};
	struct side_by_side b = {.n = 0};
	const char *of = node_text(g, "of"), *scorer = node_text(g, "scorer");
	NODE_MEMBERS(split, json_object_get(g, "by_decoding")) {
		side_by_side_add(&b, split.key, split.value);
	}
	if (b.n > 1) {
		side_by_side_add(&b, "all", json_object_get(g, "all"));
	}
	writer_heading(w, "Teacher forcing: the tokens of %s, scored by %s (%s - %s)", of, scorer,
	        of, scorer);
	side_by_side_begin(&b, "", w);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		write_figure(w, &b, &ROWS[i]);
	}
	summary_count(w, g, "without_logprobs",
	        "scored answers were recorded without logprobs of their own");
	summary_count(w, g, "unmatched", "scored answers share no token with their scores");
	summary_count(w, g, "unreadable", "scores can't be read");
	write_score_cost(w, json_object_get(g, "cost"));
}

void summary_teacher_forced(const json_t *document, struct writer *w)
{
	NODE_EACH(group, json_object_get(document, "teacher_forced")) {
		write_scores(w, group);
	}
}
