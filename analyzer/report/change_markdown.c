#include <string.h>

#include "analyzer/report/change.h"
#include "analyzer/report/change_words.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy_words.h"

#define COMMENT_LIMIT 50000 /* bytes, from where on nothing is begun */
#define ITEMS_LIMIT 12

/* Empties text. */
static void put_text(struct buf *to, struct buf *text)
{
	escape_markdown(to, buf_cstr(text));
	buf_clear(text);
}

static const char *mark_of(const char *verdict)
{
	return strcmp(verdict, "worse") == 0    ? "&#10060; "
	       : strcmp(verdict, "better") == 0 ? "&#9989; "
	                                        : "";
}

static void put_figure(struct buf *to, const json_t *figure)
{
	buf_printf(to, "| %s%s | ", change_words_label(figure),
	        change_words_is_excess(figure) ? ", over the floor" : "");
	change_words_value(figure, "before", to);
	buf_append_str(to, " | ");
	change_words_value(figure, "after", to);
	buf_append_str(to, " | ");
	change_words_change(figure, to);
	buf_printf(to, " | %s%s | ", mark_of(node_text(figure, "verdict")),
	        change_words_verdict(figure));
	change_words_p(figure, to);
	buf_append_str(to, " |\n");
}

static void put_items(struct buf *to, const json_t *items, const char *what)
{
	for (size_t i = 0; i < MIN(json_array_size(items), (size_t)ITEMS_LIMIT); i++) {
		const json_t *item = json_array_get(items, i);
		const char *text = json_string_value(item);
		buf_printf(to, "* %s: ", what);
		escape_markdown(to, text ? text : node_text(item, "text"));
		buf_append_char(to, '\n');
		if (to->len > COMMENT_LIMIT) {
			return;
		}
	}
}

static void put_group(struct buf *to, const json_t *group)
{
	const json_t *figures = change_words_figures(group);
	const json_t *causes = json_object_get(group, "causes");
	const json_t *stacks = json_object_get(group, "stacks");
	buf_append_str(to, "\n**");
	escape_markdown(to, node_text(group, "test"));
	buf_append_str(to, " against ");
	escape_markdown(to, node_text(group, "base"));
	buf_append_str(to, json_object_get(group, "figures") ? ", teacher-forced**\n" : "**\n");
	buf_append_str(
	        to, "\n| | before | after | change [95 %] | | |\n|---|--:|--:|---|---|---|\n");
	for (size_t i = 0; i < json_array_size(figures); i++) {
		const json_t *figure = json_array_get(figures, i);
		if (change_words_is_tested(figure) && to->len < COMMENT_LIMIT) {
			put_figure(to, figure);
		}
	}
	buf_append_char(to, '\n');
	put_items(to, json_object_get(causes, "new"), "new cause");
	put_items(to, json_object_get(causes, "gone"), "cause that is gone");
	put_items(to, json_object_get(stacks, "new"), "new stack");
	put_items(to, json_object_get(stacks, "gone"), "stack that is gone");
}

static void put_groups(struct buf *to, const json_t *groups)
{
	for (size_t i = 0; i < json_array_size(groups) && to->len < COMMENT_LIMIT; i++) {
		const json_t *group = json_array_get(groups, i);
		if (!json_is_true(json_object_get(group, "is_floor"))) {
			put_group(to, group);
		}
	}
}

static void put_pairs(struct buf *to, const json_t *pairs, const char *what)
{
	for (size_t i = 0; i < json_array_size(pairs) && to->len < COMMENT_LIMIT; i++) {
		const json_t *pair = json_array_get(pairs, i);
		buf_printf(to, "* %s: ", what);
		escape_markdown(to, node_text(pair, "test"));
		buf_append_str(to, " against ");
		escape_markdown(to, node_text(pair, "base"));
		buf_append_char(to, '\n');
	}
}

static void put_policy(struct buf *to, const json_t *policy)
{
	const json_t *changed = json_object_get(policy, "changed");
	struct buf text = {0};
	if (json_array_size(changed) > 0) {
		buf_append_str(to, "\n| rule of the policy | before | after | measured | limit |\n"
		                   "|---|---|---|---|---|\n");
	}
	for (size_t i = 0; i < json_array_size(changed) && to->len < COMMENT_LIMIT; i++) {
		const json_t *each = json_array_get(changed, i);
		const json_t *rule = json_object_get(each, "rule");
		buf_append_str(to, "| ");
		policy_words_subject(rule, &text);
		put_text(to, &text);
		buf_append_str(to, " | ");
		escape_markdown(to, node_text(each, "before"));
		buf_append_str(to, " | ");
		escape_markdown(to, node_text(each, "after"));
		buf_append_str(to, " | ");
		policy_words_measured(rule, to);
		buf_append_str(to, " | ");
		policy_words_limit(rule, to);
		buf_append_str(to, " |\n");
	}
	buf_finish(&text);
}

void change_write_markdown(const json_t *change, FILE *to)
{
	struct buf text = {0}, sentence = {0};
	buf_append_str(&text, "### ");
	change_words_sentence(change, &sentence);
	put_text(&text, &sentence);
	buf_append_char(&text, '\n');
	put_groups(&text, json_object_get(change, "groups"));
	put_groups(&text, json_object_get(change, "teacher_forced"));
	buf_append_char(&text, '\n');
	put_pairs(&text, json_object_get(change, "groups_new"), "new");
	put_pairs(&text, json_object_get(change, "groups_gone"), "gone");
	put_policy(&text, json_object_get(change, "policy"));
	buf_append_str(
	        &text, "\n<sub>p is adjusted over all figures that are shown (Holm)</sub>\n");
	fwrite(text.data, 1, text.len, to);
	buf_finish(&text);
	buf_finish(&sentence);
}
