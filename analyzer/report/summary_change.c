/*
 * The comparison of two analyses.
 */
#include <string.h>

#include "analyzer/report/change.h"
#include "analyzer/report/change_words.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy_words.h"
#include "analyzer/report/summary.h"

#define ITEMS_LIMIT 48

static const struct writer_column COLUMNS[] = {
        {"", 29}, {"before", 8}, {"after", 9}, {"change [95 %]", 23}, {"", 9}};

/* Without its unit, which the values beside it show; and of a range without intervals. */
static void put_change(struct buf *to, const json_t *figure)
{
	struct buf change = {0};
	change_words_change(figure, &change);
	const char *text = buf_cstr(&change), *unit = strstr(text, " points");
	const char *interval = strstr(text, " ["), *range = strstr(text, " to ");
	const char *end = unit ? unit : interval ? interval : text + strlen(text);
	buf_printf(to, "%.*s", (int)(end - text), text);
	buf_append_str(to, interval && !(range && range < interval) ? interval : "");
	buf_finish(&change);
}

static void write_figure(struct writer *w, const json_t *figure)
{
	struct buf *label = writer_cell(w);
	if (change_words_is_excess(figure)) {
		buf_printf(label, "%s over the floor", node_text(figure, "metric"));
	} else {
		buf_append_str(label, change_words_label(figure));
	}
	change_words_value(figure, "before", writer_cell(w));
	change_words_value(figure, "after", writer_cell(w));
	put_change(writer_cell(w), figure);
	buf_append_str(writer_cell(w), change_words_verdict(figure));
	writer_row(w);
}

/* items: texts, or objects with a text. */
static void write_items(struct writer *w, const json_t *items, const char *what)
{
	for (size_t i = 0; i < MIN(json_array_size(items), (size_t)ITEMS_LIMIT); i++) {
		const json_t *item = json_array_get(items, i);
		const char *text = json_string_value(item);
		writer_item(w, what, text ? text : node_text(item, "text"));
	}
}

static void put_sides(struct buf *to, const json_t *group)
{
	buf_printf(to, "%s against %s", node_text(group, "test"), node_text(group, "base"));
}

/* Figures that are tested alone: all are in the document. */
static void write_group(struct writer *w, const json_t *group)
{
	const json_t *figures = change_words_figures(group);
	const json_t *causes = json_object_get(group, "causes");
	const json_t *stacks = json_object_get(group, "stacks");
	const char *before = node_text(json_object_get(group, "verdicts"), "before");
	const char *after = node_text(json_object_get(group, "verdicts"), "after");
	struct buf title = {0};
	put_sides(&title, group);
	if (*after) {
		buf_printf(&title, ": %s, before: %s", after, before);
	}
	buf_append_str(&title, json_object_get(group, "figures") ? ", teacher-forced" : "");
	writer_heading(w, buf_cstr(&title));
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < json_array_size(figures); i++) {
		const json_t *figure = json_array_get(figures, i);
		if (change_words_is_tested(figure)) {
			write_figure(w, figure);
		}
	}
	write_items(w, json_object_get(causes, "new"), "new cause");
	write_items(w, json_object_get(causes, "gone"), "cause that is gone");
	write_items(w, json_object_get(stacks, "new"), "new stack");
	write_items(w, json_object_get(stacks, "gone"), "stack that is gone");
	buf_finish(&title);
}

static void write_groups(struct writer *w, const json_t *groups)
{
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i);
		if (!json_is_true(json_object_get(group, "is_floor"))) {
			write_group(w, group);
		}
	}
}

static void write_pairs(struct writer *w, const json_t *pairs, const char *what)
{
	for (size_t i = 0; i < MIN(json_array_size(pairs), (size_t)ITEMS_LIMIT); i++) {
		struct buf sides = {0};
		put_sides(&sides, json_array_get(pairs, i));
		writer_item(w, what, buf_cstr(&sides));
		buf_finish(&sides);
	}
}

static void write_rule(struct writer *w, const json_t *change)
{
	const json_t *rule = json_object_get(change, "rule");
	struct buf text = {0};
	buf_printf(
	        &text, "%s, before %s: ", node_text(change, "after"), node_text(change, "before"));
	policy_words_subject(rule, &text);
	buf_append_str(&text, " is ");
	policy_words_measured(rule, &text);
	buf_append_str(&text, ", ");
	policy_words_limit(rule, &text);
	writer_item(w, "", buf_cstr(&text));
	buf_finish(&text);
}

static void write_policy(struct writer *w, const json_t *policy)
{
	const json_t *changed = json_object_get(policy, "changed");
	const char *before = node_text(policy, "before"), *after = node_text(policy, "after");
	struct buf title = {0};
	if (*before || *after) {
		buf_printf(&title, "Policy: %.20s, before: %.20s", *after ? after : "none",
		        *before ? before : "none");
		writer_heading(w, buf_cstr(&title));
	}
	for (size_t i = 0; i < MIN(json_array_size(changed), (size_t)ITEMS_LIMIT); i++) {
		write_rule(w, json_array_get(changed, i));
	}
	buf_finish(&title);
}

void summary_of_change(const json_t *change, struct writer *w)
{
	struct buf sentence = {0};
	change_words_sentence(change, &sentence);
	writer_title(w, buf_cstr(&sentence));
	buf_finish(&sentence);
	write_groups(w, json_object_get(change, "groups"));
	write_groups(w, json_object_get(change, "teacher_forced"));
	write_pairs(w, json_object_get(change, "groups_new"), "new");
	write_pairs(w, json_object_get(change, "groups_gone"), "gone");
	write_policy(w, json_object_get(change, "policy"));
	writer_paragraph(w, "A change is worse or better if that holds at 0.01 over all figures "
	                    "together (Holm). p and other figures: --json");
}
