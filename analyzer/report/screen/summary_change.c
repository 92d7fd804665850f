/*
 * The comparison of two analyses (report/change.h).
 */
#include <math.h>
#include <string.h>

#include "analyzer/report/groups.h"
#include "analyzer/report/policy/change.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy/policy_words.h"
#include "analyzer/report/screen/summary.h"
#include "analyzer/report/screen/summary_parts.h"
#include "base/plural.h"
#include "base/shell.h"

#define ITEMS_LIMIT 48
#define FIGURES_SHOWN ((size_t)3) /* on the first screen */

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
	return node_flag(figure, "excess");
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
	return !node_is(figure, "verdict", "untested");
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

enum result { RESULT_WORSE, RESULT_CHANGED, RESULT_UNCHANGED, RESULT_TOO_FEW };

static enum result result_of(const json_t *figure)
{
	const char *verdict = node_text(figure, "verdict");
	if (strcmp(verdict, "worse") == 0) {
		return RESULT_WORSE;
	}
	if (strcmp(verdict, "better") == 0 || strcmp(verdict, "changed") == 0) {
		return RESULT_CHANGED;
	}
	return strcmp(verdict, "none") == 0 ? RESULT_UNCHANGED : RESULT_TOO_FEW;
}

/* How many half intervals the change is away from 0. */
static double clearness(const json_t *figure)
{
	const json_t *ci = json_object_get(figure, "ci95");
	double change = node_number(figure, "change");
	double near = json_number_value(json_array_get(ci, change > 0 ? 0 : 1));
	return fabs(change) / fabs(change - near);
}

/* Figures of one rank have one unit, except those without a rank. */
static double size_of(const json_t *figure)
{
	return rank_of(figure) < ARRAY_LEN(IMPORTANT) ? fabs(node_number(figure, "change"))
	                                              : clearness(figure);
}

/* Worse figures come first, then changed ones; of these the most important ones; of one rank
 * those that changed most for their size. */
static bool is_before(const json_t *a, const json_t *b)
{
	if (result_of(a) != result_of(b)) {
		return result_of(a) < result_of(b);
	}
	if (rank_of(a) != rank_of(b)) {
		return rank_of(a) < rank_of(b);
	}
	return size_of(a) > size_of(b);
}

/* The first figures of a pair of backends. */
struct leading {
	const json_t *group;
	const json_t *figures[FIGURES_SHOWN];
	size_t n;
};

static struct leading leading_of(const json_t *group)
{
	const json_t *figures = figures_of(group);
	struct leading l = {.group = group};
	NODE_EACH(figure, figures) {
		size_t at = l.n;
		if (!is_tested(figure)) {
			continue;
		}
		while (at > 0 && is_before(figure, l.figures[at - 1])) {
			at--;
		}
		if (at < FIGURES_SHOWN) {
			l.n = MIN(l.n + 1, FIGURES_SHOWN);
			memmove(&l.figures[at + 1], &l.figures[at],
			        (l.n - at - 1) * sizeof(l.figures[0]));
			l.figures[at] = figure;
		}
	}
	return l;
}

/* The lists of pairs whose figures are compared. */
static const char *const PAIRS[] = {"groups", "teacher_forced"};

/* The pair whose first figure is before those of all other pairs. */
static struct leading find_leading(const json_t *change)
{
	struct leading first = {.n = 0};
	for (size_t list = 0; list < ARRAY_LEN(PAIRS); list++) {
		NODE_EACH(group, json_object_get(change, PAIRS[list])) {
			struct leading l = leading_of(group);
			if (l.n > 0 &&
			        (first.n == 0 || is_before(l.figures[0], first.figures[0]))) {
				first = l;
			}
		}
	}
	return first;
}

static void put_pair(struct buf *to, const json_t *group)
{
	buf_printf(to, "%s against %s%s", node_text(group, "test"), node_text(group, "base"),
	        json_object_get(group, "figures") ? ", teacher-forced" : "");
}

/* "prod against trusted: answers that differ went from 10.0 % to 30.0 %, +20.0 points [+15.0 to
 * +25.0]. 3 more figures are worse." */
static void put_leading(struct buf *to, const json_t *change, const struct leading *l)
{
	const json_t *figure = l->figures[0];
	bool is_worse = result_of(figure) == RESULT_WORSE;
	double more = node_number(change, is_worse ? "figures_worse" : "figures_changed") - 1;
	put_pair(to, l->group);
	buf_printf(to, ": %s%s went from ", label_of(figure),
	        is_excess(figure) ? ", over the noise floor," : "");
	put_value(to, figure, "before");
	buf_append_str(to, " to ");
	put_value(to, figure, "after");
	buf_append_str(to, ", ");
	put_change(to, figure);
	buf_append_char(to, '.');
	if (more > 0 && is_worse) {
		buf_printf(
		        to, " %.0f more %s worse.", more, plural(more, "figure is", "figures are"));
	} else if (more > 0) {
		buf_printf(to, " %.0f more %s changed.", more, plural(more, "figure", "figures"));
	}
}

/* "2 rules of the policy fail that did not fail before." Nothing if no result changed. */
static void put_policy(struct buf *to, const json_t *change)
{
	const json_t *changed = node_at(change, "policy.changed");
	size_t n = json_array_size(changed), fail = 0;
	for (size_t i = 0; i < n; i++) {
		const char *after = node_text(json_array_get(changed, i), "after");
		fail += strcmp(after, "fail") == 0;
	}
	buf_append_str(to, n > 0 && to->len > 0 ? " " : "");
	if (fail > 0) {
		buf_printf(to, "%zu %s of the policy %s that did not fail before.", fail,
		        plural((double)fail, "rule", "rules"),
		        plural((double)fail, "fails", "fail"));
	} else if (n > 0) {
		buf_printf(to, "%zu %s of the policy %s another result than before.", n,
		        plural(n, "rule", "rules"), plural(n, "has", "have"));
	}
}

static void put_sentence(struct buf *to, const json_t *change, const struct leading *l)
{
	enum change_verdict verdict = change_verdict_of(change);
	double tested = node_number(change, "figures_tested");
	if (verdict == CHANGE_NOT_ENOUGH) {
		buf_append_str(to, "No pair of backends has greedy answers with intervals in both "
		                   "analyses.");
	} else if (verdict == CHANGE_NONE) {
		buf_printf(to, "No change is shown in %.0f tested %s.", tested,
		        plural(tested, "figure", "figures"));
	} else if (l->n > 0 && result_of(l->figures[0]) <= RESULT_CHANGED) {
		put_leading(to, change, l);
	}
	put_policy(to, change);
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
	buf_append_str(writer_cell(w), strcmp(verdict, "not-enough") == 0 ? "too few" : verdict);
	writer_row(w);
}

/* items: texts, objects with a text, or pairs of backends. */
static void write_items(struct writer *w, const json_t *items, const char *what)
{
	NODE_SOME(item, items, ITEMS_LIMIT) {
		const char *text = json_string_value(item);
		if (json_object_get(item, "base")) {
			writer_item(w, what, "%s against %s", node_text(item, "test"),
			        node_text(item, "base"));
		} else {
			writer_item(w, what, "%s", text ? text : node_text(item, "text"));
		}
	}
}

static const struct writer_column COLUMNS[] = {
        {"figure", 29}, {"before", 8}, {"after", 9}, {"change [95 %]", 23}, {"result", 9}};

/* Writes only figures that are tested; the document has all of them. */
static void write_group(struct writer *w, const json_t *group)
{
	const json_t *figures = figures_of(group), *verdicts = json_object_get(group, "verdicts");
	const char *before = node_text(verdicts, "before"), *after = node_text(verdicts, "after");
	struct buf *title = writer_text(w);
	put_pair(title, group);
	writer_heading(w, "%s%s%s%s%s", buf_cstr(title), *after ? ": " : "", after,
	        *after ? ", before: " : "", before);
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_EACH(figure, figures) {
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
	NODE_EACH(group, groups) {
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
	const char *before = node_text(policy, "before"), *after = node_text(policy, "after");
	if (*before || *after) {
		writer_heading(w, "Policy: %.20s, before: %.20s", *after ? after : "none",
		        *before ? before : "none");
	}
	NODE_SOME(change, json_object_get(policy, "changed"), ITEMS_LIMIT) {
		write_rule(w, change);
	}
}

/* What became of the other pairs: "canary against trusted: worse". */
static void write_other_pairs(struct writer *w, const json_t *change, const json_t *leading)
{
	static const char *const WORDS[] = {"worse", "changed", "no change", "too few"};
	static const struct {
		const char *list, *word;
	} ONE_SIDED[] = {{"groups_new", "only in the later analysis"},
	        {"groups_gone", "only in the earlier one"}};
	struct summary_line line = {.text = writer_text(w)};
	struct buf item = {0};
	for (size_t list = 0; list < ARRAY_LEN(PAIRS); list++) {
		NODE_EACH(each, json_object_get(change, PAIRS[list])) {
			struct leading l = leading_of(each);
			if (l.n > 0 && l.group != leading) {
				buf_clear(&item);
				put_pair(&item, l.group);
				buf_printf(&item, ": %s", WORDS[result_of(l.figures[0])]);
				summary_line_add(&line, buf_cstr(&item));
			}
		}
	}
	for (size_t list = 0; list < ARRAY_LEN(ONE_SIDED); list++) {
		NODE_EACH(pair, json_object_get(change, ONE_SIDED[list].list)) {
			buf_clear(&item);
			put_pair(&item, pair);
			buf_printf(&item, ": %s", ONE_SIDED[list].word);
			summary_line_add(&line, buf_cstr(&item));
		}
	}
	buf_finish(&item);
	summary_line_write(&line, "Other pairs", "", w);
}

/* Writes the items that are new in any pair. path: "causes.new". Returns false if there are none. */
static bool write_news(struct writer *w, const json_t *change, const char *path, const char *label)
{
	struct summary_line line = {.text = writer_text(w)};
	json_t *seen = json_object(); /* pairs may have the same items */
	NODE_EACH(group, json_object_get(change, "groups")) {
		const json_t *items = node_at(group, path);
		NODE_EACH(item, items) {
			const char *of_text = json_string_value(item);
			const char *text = of_text ? of_text : node_text(item, "text");
			if (!json_object_get(seen, text)) {
				json_object_set_new(seen, text, json_true());
				summary_line_add(&line, text);
			}
		}
	}
	json_decref(seen);
	summary_line_write(&line, label, "", w);
	return line.n > 0;
}

static void write_next(struct writer *w, const json_t *change)
{
	enum change_verdict verdict = change_verdict_of(change);
	struct buf *command = writer_text(w);
	buf_append_str(command, "plumbline report ");
	if ((verdict == CHANGE_WORSE || verdict == CHANGE_SEEN) &&
	        shell_put_pastable_path(command, node_text(node_at(change, "after"), "file"))) {
		writer_labelled(w, "Next", "See the likely causes in the later analysis:");
		writer_command(w, buf_cstr(command));
	}
}

void summary_change_screen(const json_t *change, bool is_alone, struct writer *w)
{
	static const char *const WORDS[] = {[CHANGE_WORSE] = "WORSE",
	        [CHANGE_SEEN] = "CHANGED",
	        [CHANGE_NONE] = "UNCHANGED",
	        [CHANGE_NOT_ENOUGH] = "UNCLEAR"};
	struct leading l = find_leading(change);
	struct buf *sentence = writer_text(w);
	put_sentence(sentence, change, &l);
	writer_verdict(w, "", WORDS[change_verdict_of(change)], buf_cstr(sentence));
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < l.n; i++) {
		write_figure(w, l.figures[i]);
	}
	writer_gap(w);
	write_other_pairs(w, change, l.group);
	if (!write_news(w, change, "causes.new", "New causes")) {
		(void)write_news(w, change, "causes.gone", "Gone causes");
	}
	if (!write_news(w, change, "stacks.new", "New stacks")) {
		(void)write_news(w, change, "stacks.gone", "Gone stacks");
	}
	write_next(w, change);
	if (is_alone) {
		writer_labelled(w, "More", "--full prints all tested figures, causes and stacks");
	}
}

void summary_of_change(const json_t *change, struct writer *w)
{
	summary_change_screen(change, false, w);
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
