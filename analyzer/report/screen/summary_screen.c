/*
 * The first screen of an analysis, at most 15 lines of 80 columns: verdict, figures, likely cause,
 * limitations and the next step.
 */
#include <math.h>
#include <string.h>

#include "analyzer/report/policy/accepted.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy/policy_check.h"
#include "analyzer/report/policy/policy_words.h"
#include "analyzer/report/screen/summary.h"
#include "analyzer/report/screen/summary_parts.h"
#include "base/shell.h"

/* The first of the document's figures. figures_json() in document_verdict.c makes the list: its
 * order, names and labels. */
#define FIGURES_SHOWN 3
/* The table of pairs: columns of its first column, and of the whole line, at least. */
#define NAMES_LEAST ((size_t)22)
#define NAMES_OF_SWEEP ((size_t)11)
#define CURVE_WIDTH 10 /* columns */
#define LINE_LEAST ((size_t)80)
/* Columns of items, so that "; 9 more (--full)" still fits 80 columns beside the label. */
#define LINE_WIDTH 46

static void put_floor(struct buf *to, enum metric_unit unit, const json_t *figure)
{
	double floor = node_number(figure, "floor");
	const char *is = node_text(figure, "floor_is");
	if (isnan(floor) || strcmp(is, "self") == 0) {
		buf_append_char(to, '-');
	} else {
		buf_append_str(to, strcmp(is, "expected") == 0 ? "~" : "");
		metric_put(to, unit, floor);
	}
}

static void write_figure(struct writer *w, const json_t *figure)
{
	enum metric_unit unit = metric_unit_of(node_text(figure, "name"));
	struct metric_value v, bare;
	if (!metric_read_node(figure, NULL, &v)) {
		return;
	}
	bare = v;
	bare.low = NAN;
	summary_put_label(writer_cell(w), figure);
	if (v.n < METRIC_FEW) {
		buf_append_str(writer_cell(w), "too few");
	} else {
		metric_put_value(writer_cell(w), unit, &bare);
	}
	metric_put_interval(writer_cell(w), unit, &v);
	buf_printf(writer_cell(w), "%.0f", node_number(figure, "n"));
	put_floor(writer_cell(w), unit, figure);
	writer_row(w);
}

static void write_figures(struct writer *w, const json_t *document)
{
	static const struct writer_column COLUMNS[] = {
	        {"figure", 35}, {"value", 12}, {"95 % interval", 16}, {"n", 6}, {"noise", 9}};
	const json_t *figures = json_object_get(document, "figures");
	bool has_any = node_number(json_array_get(figures, 0), "n") > 0;
	json_t *draws = has_any ? NULL : summary_draws_figures(document);
	figures = has_any ? figures : draws;
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_SOME(figure, figures, FIGURES_SHOWN) {
		write_figure(w, figure);
	}
	json_decref(draws);
}

static const json_t *figure_of(const json_t *group, const char *name)
{
	return node_find(json_object_get(group, "figures"), "name", name);
}

/* "k3 0.013 [0.012 to 0.014]" */
static void put_k3(struct buf *to, const json_t *figure)
{
	struct metric_value v;
	if (metric_read_node(figure, NULL, &v)) {
		buf_printf(to, "k3 %.2g", v.value);
		if (!isnan(v.low)) {
			buf_printf(to, " [%.2g to %.2g]", v.low, v.high);
		}
	}
}

/* Appends a share, without its interval or with it. */
static void put_share(struct buf *to, const json_t *figure, bool has_interval)
{
	struct metric_value v;
	if (!metric_read_node(figure, NULL, &v)) {
		buf_append_char(to, '-');
	} else if (v.n < METRIC_FEW) {
		buf_append_str(to, "too few");
	} else {
		v.low = has_interval ? v.low : NAN;
		metric_put_value(to, METRIC_SHARE, &v);
	}
}

/* The table of pairs. */
struct pair_table {
	const char *base; /* the base of all pairs; NULL: each row names its own */
	bool is_sweep;    /* the rows draw the curve over the targets */
};

/* Writes a row. By the whole names, the page finds the pair for its link (page/main.js). */
static void write_pair(struct writer *w, const json_t *group, const struct pair_table *t)
{
	const json_t *differ = figure_of(group, "differ"), *k3 = figure_of(group, "k3");
	const json_t *meaning = figure_of(group, "answer_changed");
	struct metric_value changed;
	struct buf *name = writer_cell(w);
	buf_append_str(name, node_text(group, "test"));
	if (!t->base) {
		buf_printf(name, " against %s", node_text(group, "base"));
	}
	buf_append_str(writer_cell(w), groups_verdict(group));
	if (k3 && !(node_number(differ, "n") > 0)) {
		put_k3(writer_cell(w), k3);
		differ = k3;
	} else {
		put_share(writer_cell(w), differ, true);
	}
	put_share(writer_cell(w), meaning, false);
	buf_printf(writer_cell(w), "%.0f", fmax(node_number(differ, "n"), 0));
	if (t->is_sweep && metric_read_node(meaning, NULL, &changed)) {
		summary_put_bar(writer_cell(w), changed.value,
		        changed.is_range ? changed.most : changed.value, CURVE_WIDTH);
	}
	writer_row(w);
}

/* The width of the first column: that of the longest name, as far as the line has room for it. */
static size_t width_of_names(const struct groups *groups, bool one_base, size_t least, size_t most)
{
	size_t width = least;
	for (size_t i = 0; i < MIN(groups->n, SUMMARY_ROWS); i++) {
		const json_t *g = groups->items[i];
		size_t name = strlen(node_text(g, "test"));
		name += one_base ? 0 : strlen(" against ") + strlen(node_text(g, "base"));
		width = MAX(width, MIN(name + 2, most));
	}
	return width;
}

/* Writes a row for each pair if several backends are compared. The cliff of a sweep is one of
 * changed meaning, so this is what its curve shows. */
static void write_pairs(struct writer *w, const struct groups *groups, bool is_sweep)
{
	const char *base = node_text(groups->items[0], "base");
	bool scored = false;
	struct pair_table t = {base, is_sweep};
	for (size_t i = 0; i < MIN(groups->n, SUMMARY_ROWS); i++) {
		t.base = node_is(groups->items[i], "base", base) ? t.base : NULL;
		scored = scored || figure_of(groups->items[i], "k3");
	}
	char head[64];
	snprintf(head, sizeof(head), t.base ? "against %.40s" : "pair", base);
	size_t least = is_sweep ? NAMES_OF_SWEEP : NAMES_LEAST;
	size_t most = MAX(w->width, LINE_LEAST) - LINE_LEAST + least;
	const struct writer_column columns[] = {{head, width_of_names(groups, t.base, least, most)},
	        {"verdict", 10}, {scored ? "differ, or k3" : "answers that differ", 25},
	        {"meaning changed", 16}, {"n", 5}, {"0 to 100 %", CURVE_WIDTH + 1, true}};
	writer_table(w, columns, ARRAY_LEN(columns) - !is_sweep);
	for (size_t i = 0; i < MIN(groups->n, SUMMARY_ROWS); i++) {
		write_pair(w, groups->items[i], &t);
	}
	size_t more = groups->n - MIN(groups->n, SUMMARY_ROWS) + groups->beyond;
	if (more > 0) {
		writer_item(w, "", "and %zu more", more);
	}
}

static void write_cause(struct writer *w, const json_t *document)
{
	const json_t *cause = json_object_get(document, "cause");
	/* A command with rules of its own names what it found in its sentence. */
	bool has_sides = json_object_get(json_object_get(document, "verdict"), "base");
	if (json_is_object(cause)) {
		struct buf *text = writer_text(w);
		/* "A repetition penalty (new, seen in its own answers): explains 34 of 40 ...
		 * (85 %)", or the evidence in place of the share. */
		buf_append_str(text, node_text(cause, "title"));
		summary_put_side(text, document, cause);
		buf_append_str(text, ": ");
		if (!summary_put_explained(text, cause)) {
			buf_append_str(text, node_text(cause, "text"));
		}
		writer_labelled(w, "Likely cause", "%s", buf_cstr(text));
	} else if (has_sides && strcmp(groups_verdict(document), "DIFFERENT") == 0) {
		writer_labelled(w, "Likely cause", "none found");
	}
}

/* Returns the first step with a command, or else the first step. */
const json_t *summary_first_step(const json_t *document)
{
	const json_t *next = json_object_get(document, "next");
	NODE_EACH(step, next) {
		if (*node_text(step, "command")) {
			return step;
		}
	}
	return json_array_get(next, 0);
}

void summary_line_add(struct summary_line *l, const char *item)
{
	bool fits = l->text->len + strlen(item) <= LINE_WIDTH;
	if (l->n == 0 || (l->shown == l->n && fits)) {
		buf_printf(l->text, "%s%s", l->n > 0 ? "; " : "", item);
		l->shown++;
	}
	l->n++;
}

void summary_line_write(
        struct summary_line *l, const char *label, const char *end, struct writer *w)
{
	if (l->shown < l->n) {
		buf_printf(l->text, "; %zu more", l->n - l->shown);
	}
	if (l->n > 0) {
		writer_labelled(w, label, "%s%s", buf_cstr(l->text), end);
	}
}

static void write_limits(struct writer *w, const json_t *document, bool is_alone)
{
	struct summary_line line = {.text = writer_text(w)};
	NODE_EACH(limit, json_object_get(document, "limits")) {
		const char *title = node_text(limit, "title");
		summary_line_add(&line, *title ? title : node_text(limit, "text"));
	}
	summary_line_write(&line, "Limitations", is_alone ? " (--full)" : "", w);
}

/* Writes the first sentence of the first step, and the first step with a command. A policy, a sweep
 * and determinism need the lines of one. */
static void write_next(struct writer *w, const json_t *document)
{
	const json_t *step = summary_first_step(document);
	const json_t *first = json_array_get(json_object_get(document, "next"), 0);
	bool both = step != first && !json_is_object(json_object_get(document, "policy")) &&
	            !json_is_true(node_at(document, "standings.is_sweep")) &&
	            !json_is_object(json_object_get(document, "reruns"));
	if (step) {
		const char *text = node_text(first, "text"), *end = strstr(text, ". ");
		int len = !both ? 0 : end ? (int)(end - text) + 1 : (int)strlen(text);
		writer_labelled(
		        w, "Next", "%.*s%s%s", len, text, both ? " " : "", node_text(step, "text"));
		writer_command(w, node_text(step, "command"));
	}
}

/* Appends the first rule that fails, else the first alarm, else the first undecided rule. */
static void put_failure(struct buf *to, const json_t *policy)
{
	const json_t *rules = json_object_get(policy, "rules"),
	             *rule = node_find(rules, "counts_as", "fail"),
	             *alarm = node_find(json_object_get(policy, "alarms"), "counts_as", "fail"),
	             *undecided = node_find(rules, "counts_as", "not-enough");
	if (rule) {
		buf_append_str(to, " The first: ");
		policy_words_subject(rule, to);
		buf_append_str(to, " is ");
		policy_words_measured(rule, to);
		buf_append_str(to, "; the limit is ");
		policy_words_limit(rule, to);
		buf_append_char(to, '.');
	} else if (alarm) {
		buf_append_str(to, " The first: ");
		policy_words_alarm(alarm, to);
		buf_append_char(to, '.');
	} else if (undecided) {
		buf_append_str(to, " The first: ");
		policy_words_subject(undecided, to);
		buf_printf(to, ": %s.", node_text(undecided, "why"));
	}
}

static void write_policy(struct writer *w, const json_t *document)
{
	const json_t *policy = json_object_get(document, "policy");
	static const char *const words[] = {[POLICY_RESULT_PASS] = "PASS",
	        [POLICY_RESULT_FAIL] = "FAIL",
	        [POLICY_RESULT_NOT_ENOUGH] = "UNDECIDED"};
	if (!json_is_object(policy)) {
		return;
	}
	struct buf *text = writer_text(w);
	buf_printf(text, "The policy %s ", node_text(policy, "file"));
	policy_words_summary(policy, text);
	buf_append_char(text, '.');
	put_failure(text, policy);
	writer_verdict(w, "", words[policy_result_of(document)], buf_cstr(text));
}

static void write_accepted(struct writer *w, const json_t *document)
{
	if (json_is_object(json_object_get(document, "accepted"))) {
		struct buf *text = writer_text(w);
		accepted_words(document, text);
		writer_labelled(w, "Accepted", "%s", buf_cstr(text));
	}
}

/* Writes what the command measured; each recipe has a result of its own. */
static void write_result(struct writer *w, const json_t *document)
{
	bool is_sweep = json_is_true(node_at(document, "standings.is_sweep"));
	struct groups groups;
	groups_read(document, &groups);
	if (json_is_object(json_object_get(document, "stress"))) {
		summary_levels(document, w);
	} else if (json_is_object(json_object_get(document, "reruns"))) {
		summary_rerun_figures(document, w);
	} else if (json_is_object(json_object_get(document, "ablation"))) {
		summary_effects(document, w);
	} else if (groups.n > 0 && (is_sweep || groups.n > 1)) {
		write_pairs(w, &groups, is_sweep);
	} else {
		write_figures(w, document);
	}
}

/* A recipe's report is saved beside its capture: it has what analyze would not compute again. The
 * document may be somebody else's: its command is shown only if it does nothing but analyze. */
static void write_more(struct writer *w, const json_t *document)
{
	static const char ANALYZE[] = "plumbline analyze ";
	const char *line = node_text(document, "command");
	bool analyzed = strncmp(line, ANALYZE, strlen(ANALYZE)) == 0;
	bool is_safe = analyzed && shell_is_pastable_command(line);
	struct buf command = {0};
	const json_t *captures = json_object_get(document, "captures");
	const char *dir = json_string_value(json_array_get(captures, 0));
	bool is_recipe = json_is_object(json_object_get(document, "recipe"));
	buf_append_str(&command, is_safe     ? line
	                         : is_recipe ? "plumbline report "
	                                     : "plumbline analyze");
	if (analyzed        ? is_safe
	        : is_recipe ? dir && shell_put_pastable_path(&command, dir)
	                    : summary_put_captures(&command, captures)) {
		writer_labelled(w, "More", "all figures, causes and pairs of answers:");
		buf_append_str(&command, " --full");
		writer_command(w, buf_cstr(&command));
	} else {
		writer_labelled(
		        w, "More", "--full prints all figures, causes and pairs of answers");
	}
	buf_finish(&command);
}

void summary_screen(const json_t *document, bool is_alone, struct writer *w)
{
	struct buf *text;
	write_policy(w, document);
	writer_verdict(w, "", groups_verdict(document), groups_sentence(document));
	text = writer_text(w);
	groups_selection(document, text);
	if (text->len > 0) {
		writer_paragraph(w, "%s", buf_cstr(text));
	}
	write_result(w, document);
	if (!json_is_object(json_object_get(document, "policy"))) {
		writer_gap(w);
	}
	summary_cliff(document, w);
	write_accepted(w, document);
	write_cause(w, document);
	write_limits(w, document, is_alone);
	write_next(w, document);
	bool no_limits = json_array_size(json_object_get(document, "limits")) == 0;
	if (is_alone && (no_limits || !summary_first_step(document))) {
		write_more(w, document);
	}
}
