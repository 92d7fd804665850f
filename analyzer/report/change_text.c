#include <string.h>

#include "analyzer/report/change.h"
#include "analyzer/report/change_words.h"
#include "analyzer/report/lines.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy_words.h"

#define LABEL_COLUMNS 33
#define CHANGE_COLUMNS 32
#define VALUE_COLUMNS 9
#define NAME_COLUMNS 60

static void write_figure(const json_t *figure, FILE *to)
{
	struct buf before = {0}, after = {0}, change = {0};
	change_words_value(figure, "before", &before);
	change_words_value(figure, "after", &after);
	change_words_short_change(figure, &change);
	size_t wider = MAX(before.len, (size_t)VALUE_COLUMNS) +
	               MAX(after.len, (size_t)VALUE_COLUMNS) - (size_t)2 * VALUE_COLUMNS;
	fprintf(to, "  %-*s %*s %*s  %-*s %s\n", LABEL_COLUMNS, change_words_label(figure),
	        VALUE_COLUMNS, buf_cstr(&before), VALUE_COLUMNS, buf_cstr(&after),
	        CHANGE_COLUMNS - (int)MIN(wider, (size_t)CHANGE_COLUMNS), buf_cstr(&change),
	        change_words_verdict(figure));
	buf_finish(&before);
	buf_finish(&after);
	buf_finish(&change);
}

/* Those that are tested: the figures themselves, then what is left of them over the floor. */
static void write_figures(const json_t *figures, bool excess, FILE *to)
{
	bool any = false;
	for (size_t i = 0; i < json_array_size(figures); i++) {
		const json_t *figure = json_array_get(figures, i);
		if (!change_words_is_tested(figure) || change_words_is_excess(figure) != excess) {
			continue;
		}
		if (!any) {
			fprintf(to, "  %-*s %*s %*s  change [95 %%]\n", LABEL_COLUMNS,
			        excess ? "over the noise floor" : "", VALUE_COLUMNS, "before",
			        VALUE_COLUMNS, "after");
			any = true;
		}
		write_figure(figure, to);
	}
}

/* items: texts, or objects with a text. */
static void write_items(const json_t *items, const char *what, FILE *to)
{
	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *item = json_array_get(items, i);
		const char *text = json_string_value(item);
		fputs("  ", to);
		lines_wrapped(text ? text : node_text(item, "text"), what, "      ", to);
	}
}

static void write_group(const json_t *group, FILE *to)
{
	const json_t *figures = change_words_figures(group);
	const json_t *causes = json_object_get(group, "causes");
	const json_t *stacks = json_object_get(group, "stacks");
	fputc('\n', to);
	lines_put(node_text(group, "test"), NAME_COLUMNS, to);
	fputs(" against ", to);
	lines_put(node_text(group, "base"), NAME_COLUMNS, to);
	fputs(json_object_get(group, "figures") ? ", teacher-forced\n" : "\n", to);
	write_figures(figures, false, to);
	write_figures(figures, true, to);
	write_items(json_object_get(causes, "new"), "new cause: ", to);
	write_items(json_object_get(causes, "gone"), "cause that is gone: ", to);
	write_items(json_object_get(stacks, "new"), "new stack: ", to);
	write_items(json_object_get(stacks, "gone"), "stack that is gone: ", to);
}

static void write_groups(const json_t *groups, FILE *to)
{
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i);
		if (!json_is_true(json_object_get(group, "is_floor"))) {
			write_group(group, to);
		}
	}
}

static void write_pairs(const json_t *pairs, const char *what, FILE *to)
{
	for (size_t i = 0; i < json_array_size(pairs); i++) {
		const json_t *pair = json_array_get(pairs, i);
		fputs(what, to);
		lines_put(node_text(pair, "test"), NAME_COLUMNS, to);
		fputs(" against ", to);
		lines_put(node_text(pair, "base"), NAME_COLUMNS, to);
		fputc('\n', to);
	}
}

static void write_policy(const json_t *policy, FILE *to)
{
	const json_t *changed = json_object_get(policy, "changed");
	const char *before = node_text(policy, "before"), *after = node_text(policy, "after");
	if (*before || *after) {
		fprintf(to, "\nPolicy: %.20s, before: %.20s\n", *after ? after : "none",
		        *before ? before : "none");
	}
	for (size_t i = 0; i < json_array_size(changed); i++) {
		const json_t *each = json_array_get(changed, i);
		const json_t *rule = json_object_get(each, "rule");
		struct buf text = {0};
		buf_printf(&text, "%s, before %s: ", node_text(each, "after"),
		        node_text(each, "before"));
		policy_words_subject(rule, &text);
		buf_append_str(&text, " is ");
		policy_words_measured(rule, &text);
		buf_append_str(&text, ", ");
		policy_words_limit(rule, &text);
		lines_wrapped(buf_cstr(&text), "  ", "    ", to);
		buf_finish(&text);
	}
}

void change_write_text(const json_t *change, FILE *to)
{
	struct buf sentence = {0};
	change_words_sentence(change, &sentence);
	lines_wrapped(buf_cstr(&sentence), "", "", to);
	buf_finish(&sentence);
	write_groups(json_object_get(change, "groups"), to);
	write_groups(json_object_get(change, "teacher_forced"), to);
	fputc('\n', to);
	write_pairs(json_object_get(change, "groups_new"), "New: ", to);
	write_pairs(json_object_get(change, "groups_gone"), "Gone: ", to);
	write_policy(json_object_get(change, "policy"), to);
	fputs("Shown is what holds at 0.01 over all of these together (Holm). p, other figures: "
	      "--json\n",
	        to);
}
