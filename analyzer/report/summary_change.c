/*
 * The comparison of two analyses (report/change.h).
 */
#include <math.h>
#include <string.h>

#include "analyzer/report/groups.h"
#include "analyzer/report/change.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/json_node.h"
#include "analyzer/report/policy_words.h"
#include "analyzer/report/summary.h"

#define ITEMS_LIMIT 48

static enum metric_unit unit_of(const json_t *figure)
{
	return metric_unit_of(node_text(figure, "metric"));
}

static const char *label_of(const json_t *figure)
{
	const struct metric *m = metric_find(node_text(figure, "metric"));
	return m ? m->label : "(a figure that is not known)";
}

/* Whether the figure is an excess over the noise floor. */
static bool is_excess(const json_t *figure)
{
	return json_is_true(json_object_get(figure, "excess"));
}

/* side: "before" or "after". */
static void put_value(struct buf *to, const json_t *figure, const char *side)
{
	struct metric_value v;
	if (metric_read_node(json_object_get(figure, side), NULL, &v)) {
		v.low = NAN;
		metric_put_value(to, unit_of(figure), &v);
	}
}

/* "+5.2 points [+3.0 to +7.4]" */
static void put_change(struct buf *to, const json_t *figure)
{
	struct metric_value v;
	json_t *change = json_pack("{s:O?, s:O?, s:O?, s:O?}", "value",
	        json_object_get(figure, "change"), "ci95", json_object_get(figure, "ci95"),
	        "at_least", json_object_get(figure, "at_least"), "at_most",
	        json_object_get(figure, "at_most"));
	if (metric_read_node(change, NULL, &v)) {
		metric_put_change(to, unit_of(figure), &v);
	}
	json_decref(change);
}

/* The same without the unit, which the values beside it show. Also for a range without
 * intervals. */
static void put_bare_change(struct buf *to, const json_t *figure)
{
	struct buf change = {0};
	put_change(&change, figure);
	const char *text = buf_cstr(&change), *unit = strstr(text, " points");
	const char *interval = strstr(text, " ["), *range = strstr(text, " to ");
	const char *end = unit ? unit : interval ? interval : text + strlen(text);
	buf_printf(to, "%.*s", (int)(end - text), text);
	buf_append_str(to, interval && !(range && range < interval) ? interval : "");
	buf_finish(&change);
}

/* Whether a verdict rests on the figure; the others are only in the document. */
static bool is_tested(const json_t *figure)
{
	return strcmp(node_text(figure, "verdict"), "untested") != 0;
}

/* The figures of a group's greedy answers, or of its scores. */
static const json_t *figures_of(const json_t *group)
{
	const json_t *scores = json_object_get(group, "figures");
	return scores ? scores : node_at(group, "by_decoding.greedy");
}

/* Figures by importance; all others come after them. */
static const char *const IMPORTANT[] = {
        "answer_changed", "differ", "score_shift", "k3", "finish_differs", "hazard"};

static size_t rank_of(const json_t *figure)
{
	size_t i = 0;
	while (i < ARRAY_LEN(IMPORTANT) && strcmp(IMPORTANT[i], node_text(figure, "metric")) != 0) {
		i++;
	}
	return i;
}

/* The most important figure with the verdict that counts, and of these the one that changed most
 * for its size. */
struct leading {
	bool worse_only;
	const json_t *group, *figure;
	size_t rank;
	double size;
};

/* How many half intervals the change is away from 0. */
static double clearness(const json_t *figure)
{
	const json_t *ci = json_object_get(figure, "ci95");
	double change = node_number(figure, "change");
	double near = json_number_value(json_array_get(ci, change > 0 ? 0 : 1));
	return fabs(change) / fabs(change - near);
}

/* Figures of one rank have one unit, except those without a rank. */
static double size_of(const json_t *figure, size_t rank)
{
	return rank < ARRAY_LEN(IMPORTANT) ? fabs(node_number(figure, "change"))
	                                   : clearness(figure);
}

static void find_leading(struct leading *l, const json_t *groups)
{
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i), *figures = figures_of(group);
		for (size_t k = 0; k < json_array_size(figures); k++) {
			const json_t *figure = json_array_get(figures, k);
			const char *verdict = node_text(figure, "verdict");
			bool worse = strcmp(verdict, "worse") == 0;
			bool moved = worse || strcmp(verdict, "better") == 0 ||
			             strcmp(verdict, "changed") == 0;
			size_t rank = rank_of(figure);
			double size = size_of(figure, rank);
			bool leads =
			        !l->figure || rank < l->rank || (rank == l->rank && size > l->size);
			if ((l->worse_only ? worse : moved) && leads) {
				*l = (struct leading){l->worse_only, group, figure, rank, size};
			}
		}
	}
}

/* "prod against trusted: answers that differ went from 10.0 % to 30.0 %, +20.0 points [+15.0 to
 * +25.0]. 3 more figures are worse." */
static void put_leading(struct buf *to, const json_t *change, bool worse_only)
{
	struct leading l = {.worse_only = worse_only};
	find_leading(&l, json_object_get(change, "groups"));
	find_leading(&l, json_object_get(change, "teacher_forced"));
	if (!l.figure) {
		return;
	}
	buf_printf(to, "%s against %s: %s%s went from ", node_text(l.group, "test"),
	        node_text(l.group, "base"), label_of(l.figure),
	        is_excess(l.figure) ? ", over the noise floor," : "");
	put_value(to, l.figure, "before");
	buf_append_str(to, " to ");
	put_value(to, l.figure, "after");
	buf_append_str(to, ", ");
	put_change(to, l.figure);
	buf_append_char(to, '.');
	double more = node_number(change, worse_only ? "figures_worse" : "figures_changed") - 1;
	if (more > 0) {
		buf_printf(to, " %.0f more %s %s.", more, more > 1 ? "figures" : "figure",
		        !worse_only ? "changed"
		        : more > 1  ? "are worse"
		                    : "is worse");
	}
}

static void put_sentence(struct buf *to, const json_t *change)
{
	enum change_verdict verdict = change_verdict_of(change);
	if (verdict == CHANGE_WORSE || verdict == CHANGE_SEEN) {
		put_leading(to, change, verdict == CHANGE_WORSE);
		if (json_array_size(node_at(change, "policy.changed")) > 0) {
			buf_printf(to, "%sResults of policy rules changed.", to->len ? " " : "");
		}
	} else if (verdict == CHANGE_NONE) {
		buf_printf(to, "No change is shown in any of %.0f figures.",
		        node_number(change, "figures_tested"));
	} else {
		buf_append_str(to, "No pair of backends has greedy answers with intervals in both "
		                   "analyses.");
	}
}

static const char *word_of(const json_t *change)
{
	static const char *const WORDS[] = {[CHANGE_WORSE] = "WORSE",
	        [CHANGE_SEEN] = "CHANGED",
	        [CHANGE_NONE] = "UNCHANGED",
	        [CHANGE_NOT_ENOUGH] = "UNCLEAR"};
	return WORDS[change_verdict_of(change)];
}

/* The label of an excess over the noise floor, short enough for its column. */
static const char *excess_label(const json_t *figure)
{
	static const struct {
		const char *metric, *label;
	} LABELS[] = {{"differ", "differ, over the floor"},
	        {"answer_changed", "meaning changed, over floor"},
	        {"hazard", "first differences, over floor"},
	        {"top_differs", "top token, over the floor"}};
	const char *metric = node_text(figure, "metric");
	for (size_t i = 0; i < ARRAY_LEN(LABELS); i++) {
		if (strcmp(metric, LABELS[i].metric) == 0) {
			return LABELS[i].label;
		}
	}
	return metric;
}

static void write_figure(struct writer *w, const json_t *figure)
{
	const char *verdict = node_text(figure, "verdict");
	buf_append_str(writer_cell(w), is_excess(figure) ? excess_label(figure) : label_of(figure));
	put_value(writer_cell(w), figure, "before");
	put_value(writer_cell(w), figure, "after");
	put_bare_change(writer_cell(w), figure);
	buf_append_str(writer_cell(w), strcmp(verdict, "none") == 0         ? "-"
	                               : strcmp(verdict, "not-enough") == 0 ? "too few"
	                                                                    : verdict);
	writer_row(w);
}

/* items: texts, objects with a text, or pairs of backends. */
static void write_items(struct writer *w, const json_t *items, const char *what)
{
	for (size_t i = 0; i < MIN(json_array_size(items), (size_t)ITEMS_LIMIT); i++) {
		const json_t *item = json_array_get(items, i);
		const char *text = json_string_value(item);
		if (json_object_get(item, "base")) {
			writer_item(w, what, "%s against %s", node_text(item, "test"),
			        node_text(item, "base"));
		} else {
			writer_item(w, what, "%s", text ? text : node_text(item, "text"));
		}
	}
}

/* Writes only figures that are tested; the document has all of them. */
static void write_group(struct writer *w, const json_t *group)
{
	static const struct writer_column COLUMNS[] = {
	        {"figure", 29}, {"before", 8}, {"after", 9}, {"change [95 %]", 23}, {"result", 9}};
	const json_t *figures = figures_of(group), *verdicts = json_object_get(group, "verdicts");
	const char *before = node_text(verdicts, "before"), *after = node_text(verdicts, "after");
	writer_heading(w, "%s against %s%s%s%s%s%s", node_text(group, "test"),
	        node_text(group, "base"), *after ? ": " : "", after, *after ? ", before: " : "",
	        before, json_object_get(group, "figures") ? ", teacher-forced" : "");
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < json_array_size(figures); i++) {
		const json_t *figure = json_array_get(figures, i);
		if (is_tested(figure)) {
			write_figure(w, figure);
		}
	}
	write_items(w, node_at(group, "causes.new"), "new cause");
	write_items(w, node_at(group, "causes.gone"), "cause that is gone");
	write_items(w, node_at(group, "stacks.new"), "new stack");
	write_items(w, node_at(group, "stacks.gone"), "stack that is gone");
}

static void write_groups(struct writer *w, const json_t *groups)
{
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i);
		if (!groups_is_floor(group)) {
			write_group(w, group);
		}
	}
}

static void write_rule(struct writer *w, const json_t *change)
{
	const json_t *rule = json_object_get(change, "rule");
	struct buf *text = writer_text(w);
	policy_words_subject(rule, text);
	buf_append_str(text, " is ");
	policy_words_measured(rule, text);
	buf_append_str(text, ", ");
	policy_words_limit(rule, text);
	writer_item(w, "", "%s, before %s: %s", node_text(change, "after"),
	        node_text(change, "before"), buf_cstr(text));
}

static void write_policy(struct writer *w, const json_t *policy)
{
	const json_t *changed = json_object_get(policy, "changed");
	const char *before = node_text(policy, "before"), *after = node_text(policy, "after");
	if (*before || *after) {
		writer_heading(w, "Policy: %.20s, before: %.20s", *after ? after : "none",
		        *before ? before : "none");
	}
	for (size_t i = 0; i < MIN(json_array_size(changed), (size_t)ITEMS_LIMIT); i++) {
		write_rule(w, json_array_get(changed, i));
	}
}

void summary_of_change(const json_t *change, struct writer *w)
{
	struct buf *sentence = writer_text(w);
	put_sentence(sentence, change);
	writer_verdict(w, "", word_of(change), buf_cstr(sentence));
	write_groups(w, json_object_get(change, "groups"));
	write_groups(w, json_object_get(change, "teacher_forced"));
	write_items(w, json_object_get(change, "groups_new"), "new");
	write_items(w, json_object_get(change, "groups_gone"), "gone");
	write_policy(w, json_object_get(change, "policy"));
	writer_paragraph(w,
	        "Worse or better: significant at 0.01 over all figures together (Holm); -: no "
	        "change is shown. "
	        "--json has p and all other figures.");
}
