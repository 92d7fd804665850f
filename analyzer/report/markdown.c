#include "analyzer/report/markdown.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/escape.h"
#include "analyzer/report/judge_words.h"
#include "analyzer/report/standings.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy_words.h"
#include "analyzer/report/reruns.h"
#include "analyzer/report/story.h"

#define GROUPS_LIMIT 6
#define VERDICTS_LIMIT 40
#define JUDGES_LIMIT 8
#define COMMENT_LIMIT 60000 /* bytes */
#define POLICY_LIMIT 30000
#define CHECKLIST_LIMIT 58000 /* of all before and of it, a row aside */
#define CAUSES_LIMIT 12000    /* of a group, from where on none is begun */

/* Takes over what is in text. */
static void put_text(struct buf *to, struct buf *text)
{
	escape_markdown(to, buf_cstr(text));
	buf_finish(text);
}

static void put_figure(
        struct buf *to, const json_t *group, const json_t *split, const struct metric *m)
{
	struct metric_value v, excess;
	const json_t *blamed = json_object_get(node_at(group, "blame.figures"), m->name);
	if (!metric_read(m, split, &v)) {
		return;
	}
	buf_printf(to, "| %s | ", m->label);
	metric_put_value(to, m->unit, &v);
	buf_append_str(to, " | ");
	if (!isnan(v.n)) {
		buf_printf(to, "%.0f", v.n);
	}
	buf_append_str(to, " | ");
	if (metric_read_node(json_object_get(blamed, "excess"), NULL, &excess)) {
		metric_put_value(to, m->unit, &excess);
	}
	buf_append_str(to, " |\n");
}

static void put_figures(struct buf *to, const json_t *group)
{
	const json_t *greedy = story_greedy(group);
	if (!greedy) {
		return;
	}
	buf_append_str(to, "\n| greedy answers | value [95 %] | n | over the noise floor |\n"
	                   "|---|---|--:|---|\n");
	for (size_t i = 0; i < metric_count(); i++) {
		const struct metric *m = metric_at(i);
		if (m->is_main && m->place == METRIC_OF_SPLIT) {
			put_figure(to, group, greedy, m);
		}
	}
}

static void put_cause(struct buf *to, const struct story_cause *c)
{
	buf_append_str(to, "* ");
	if (*c->title) {
		buf_append_str(to, "**");
		escape_markdown(to, c->title);
		buf_append_str(to, ".** ");
	}
	escape_markdown(to, c->text);
	buf_append_str(to, story_full_stop(c->text));
	if (c->has_explained) {
		buf_append_str(to, " Explains ");
		metric_put_value(to, METRIC_SHARE, &c->explained);
		buf_append_str(to, " of the differing answers.");
	}
	if (*c->fix) {
		buf_append_str(to, " To try: ");
		escape_markdown(to, c->fix);
		buf_append_str(to, story_full_stop(c->fix));
	}
	if (*c->confirm) {
		buf_append_str(to, " To confirm: ");
		escape_markdown_code(to, c->confirm);
	}
	buf_append_char(to, '\n');
}

static void put_causes(struct buf *to, const json_t *group)
{
	struct story_cause causes[STORY_CAUSES_LIMIT];
	const char *limits[STORY_CAUSES_LIMIT];
	size_t n = story_causes(group, causes), n_limits = story_limits(group, limits);
	if (n > 0) {
		buf_append_str(to, "\nWhat it points to:\n\n");
	}
	for (size_t i = 0; i < n && to->len < CAUSES_LIMIT; i++) {
		put_cause(to, &causes[i]);
	}
	if (n_limits > 0) {
		buf_append_str(to, "\nWhat the figures lack:\n\n");
	}
	for (size_t i = 0; i < n_limits && to->len < CAUSES_LIMIT; i++) {
		buf_append_str(to, "* ");
		escape_markdown(to, limits[i]);
		buf_append_char(to, '\n');
	}
}

/* One row: who, what was said until the parting and then, the token and how probable both held it. */
static void put_side(struct buf *to, const char *name, const json_t *side)
{
	double lp = node_number(side, "logprob"), other = node_number(side, "logprob_of_other");
	buf_append_str(to, "| ");
	escape_markdown(to, name);
	buf_append_str(to, " | ");
	escape_markdown_code(to, node_text(side, "token"));
	buf_append_str(to, " | ");
	if (!isnan(lp)) {
		buf_printf(to, "%.1f %%", 100 * exp(fmin(lp, 0)));
	}
	buf_append_str(to, " | ");
	if (!isnan(other)) {
		buf_printf(to, "%.1f %%", 100 * exp(fmin(other, 0)));
	}
	buf_append_str(to, " | ");
	escape_markdown_code(to, node_text(side, "text"));
	buf_append_str(to, " |\n");
}

static void put_example(
        struct buf *to, const json_t *group, const json_t *example, const char *title)
{
	double token = node_number(example, "at_token"), byte = node_number(example, "at_byte");
	buf_printf(to, "\n%s: exchange ", title);
	escape_markdown_code(to, node_text(example, "exchange"));
	if (!isnan(token)) {
		buf_printf(to, ", token %.0f", token + 1);
	} else if (!isnan(byte)) {
		buf_printf(to, ", byte %.0f", byte + 1);
	}
	if (*node_text(example, "before")) {
		buf_append_str(to, ", after ");
		escape_markdown_code(to, node_text(example, "before"));
	}
	buf_append_str(to, "\n\n| | chose | held it for | and the other's | went on |\n"
	                   "|---|---|--:|--:|---|\n");
	put_side(to, node_text(group, "base"), json_object_get(example, "base"));
	put_side(to, node_text(group, "test"), json_object_get(example, "test"));
}

static void put_examples(struct buf *to, const json_t *group)
{
	bool any = false;
	const char *title = "";
	for (size_t i = 0; i < 3; i++) {
		const json_t *e = story_example(group, i, &title);
		if (e && !any) {
			buf_append_str(to, "\n<details><summary>Where they part</summary>\n");
			any = true;
		}
		if (e) {
			put_example(to, group, e, title);
		}
	}
	if (any) {
		buf_append_str(to, "\n</details>\n");
	}
}

/* Beside the figures and never in them. */
static void put_judges(struct buf *to, const json_t *group)
{
	const json_t *judges = json_object_get(story_greedy(group), "judges");
	struct buf text = {0};
	for (size_t i = 0; i < MIN(json_array_size(judges), (size_t)JUDGES_LIMIT); i++) {
		judge_words(json_array_get(judges, i), &text);
		buf_append_str(to, "\n> ");
		put_text(to, &text);
		buf_append_str(to, "\n");
	}
	buf_finish(&text);
}

static void put_group(struct buf *to, const json_t *group)
{
	static const char *const MARKS[] = {"&#9989; ", "&#10060; ", "&#9898; "};
	struct buf text = {0};
	buf_printf(to, "\n**%s", MARKS[story_verdict_of(group)]);
	story_sentence(group, &text);
	put_text(to, &text);
	buf_append_str(to, "**");
	story_floor(group, &text);
	if (text.len > 0) {
		buf_append_char(to, ' ');
		put_text(to, &text);
	}
	buf_append_char(to, '\n');
	put_figures(to, group);
	put_judges(to, group);
	put_causes(to, group);
	put_examples(to, group);
}

static void put_verdict(struct buf *to, const json_t *v)
{
	static const char *const MARKS[] = {"&#9989;", "&#10060;", "&#9898;"};
	const char *as = node_text(v, "counts_as");
	struct buf text = {0};
	size_t mark = strcmp(as, "pass") == 0 ? 0 : strcmp(as, "fail") == 0 ? 1 : 2;
	buf_printf(to, "| %s | ", MARKS[mark]);
	if (*node_text(v, "name")) {
		buf_printf(&text, "%s: ", node_text(v, "name"));
	}
	policy_words_subject(v, &text);
	put_text(to, &text);
	buf_append_str(to, " | ");
	policy_words_measured(v, to);
	buf_append_str(to, " | ");
	policy_words_limit(v, to);
	buf_append_str(to, " | ");
	escape_markdown(to, node_text(v, "why"));
	buf_append_str(to, " |\n");
}

static void put_alarms(struct buf *to, const json_t *alarms)
{
	struct buf text = {0};
	size_t n = json_array_size(alarms);
	for (size_t i = 0; i < MIN(n, (size_t)VERDICTS_LIMIT); i++) {
		const json_t *alarm = json_array_get(alarms, i);
		bool fails = strcmp(node_text(alarm, "counts_as"), "fail") == 0;
		buf_printf(to, "%s* **Alarm%s.** ", i == 0 ? "\n" : "", fails ? ", fails" : "");
		policy_words_alarm(alarm, &text);
		put_text(to, &text);
		buf_append_str(to, ".\n");
	}
	buf_finish(&text);
}

/* Those that fail, then those that are not decided, then the rest. */
static void put_policy(struct buf *to, const json_t *document)
{
	static const char *const ORDER[] = {"fail", "not-enough", "pass"};
	const json_t *policy = json_object_get(document, "policy");
	const json_t *rules = json_object_get(policy, "rules");
	size_t shown = 0, n = json_array_size(rules);
	if (!json_is_object(policy)) {
		return;
	}
	buf_append_str(to, "\n**The policy ");
	escape_markdown_code(to, node_text(policy, "file"));
	buf_append_char(to, ' ');
	policy_words_summary(policy, to);
	buf_append_str(
	        to, ".**\n\n| | rule | measured [95 %] | limit | |\n|---|---|---|---|---|\n");
	for (size_t k = 0; k < ARRAY_LEN(ORDER); k++) {
		for (size_t i = 0; i < n && shown < VERDICTS_LIMIT; i++) {
			const json_t *v = json_array_get(rules, i);
			if (strcmp(node_text(v, "counts_as"), ORDER[k]) == 0 &&
			        to->len < POLICY_LIMIT) {
				put_verdict(to, v);
				shown++;
			}
		}
	}
	if (shown < n) {
		buf_printf(to, "\nAnd %zu more.\n", n - shown);
	}
	put_alarms(to, json_object_get(policy, "alarms"));
}

static void put_capture(struct buf *to, const json_t *document)
{
	const json_t *problems = json_object_get(document, "problems");
	buf_append_str(to, "\n<sub>plumbline");
	if (!isnan(node_number(document, "exchanges"))) {
		buf_printf(to, ", %.0f exchanges", node_number(document, "exchanges"));
	}
	if (json_array_size(problems) > 0) {
		buf_printf(to, ", %zu problems: ", json_array_size(problems));
		const char *first = json_string_value(json_array_get(problems, 0));
		escape_markdown(to, first ? first : "");
	}
	buf_append_str(to, "</sub>\n");
}

void markdown_write(const json_t *document, FILE *to)
{
	struct buf text = {0}, group = {0};
	struct story story;
	size_t shown = 0;
	story_read(document, &story);
	buf_append_str(&text, "### ");
	if (*node_text(document, "sentence")) {
		escape_markdown(&text, node_text(document, "sentence"));
	} else {
		buf_append_str(&text, "plumbline: where the answers lean");
	}
	buf_append_char(&text, '\n');
	story_selection(document, &group);
	if (group.len > 0) {
		buf_append_char(&text, '\n');
		put_text(&text, &group);
		buf_append_char(&text, '\n');
	}
	put_policy(&text, document);
	standings_markdown(json_object_get(document, "standings"), &text);
	reruns_markdown(json_object_get(document, "reruns"), &text);
	for (; shown < MIN(story.n, (size_t)GROUPS_LIMIT) && text.len < COMMENT_LIMIT / 2;
	        shown++) {
		put_group(&text, story.groups[shown]);
	}
	if (story.n == 0) {
		buf_append_str(&text, "\nNo two answers could be compared.\n");
	} else if (shown < story.n + story.beyond) {
		buf_printf(&text, "\nAnd %zu more pairs of backends.\n",
		        story.n + story.beyond - shown);
	}
	if (json_object_get(document, "standings")) {
		standings_checklists(document, CHECKLIST_LIMIT, &text);
	}
	put_capture(&text, document);
	fwrite(text.data, 1, text.len, to);
	buf_finish(&text);
	buf_finish(&group);
}
