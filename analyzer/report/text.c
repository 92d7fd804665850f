#include "analyzer/report/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analyzer/report/ablation.h"
#include "analyzer/report/lines.h"
#include "analyzer/report/reruns.h"
#include "analyzer/report/standings.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy_words.h"
#include "analyzer/report/story.h"

#define LABEL_COLUMNS 33
#define VALUE_COLUMNS 30
#define N_COLUMNS 8
#define NAME_COLUMNS 20
#define TEXT_COLUMNS 60
#define PROBLEMS_LIMIT 20

/* Empties text. */
static void put(struct buf *text, FILE *to)
{
	lines_wrapped(buf_cstr(text), "", "", to);
	buf_clear(text);
}

static void write_figure(const json_t *group, const json_t *split, const struct metric *m, FILE *to)
{
	struct metric_value v, excess;
	struct buf value = {0}, n = {0}, left = {0};
	if (!metric_read(m, split, &v)) {
		return;
	}
	metric_put_value(&value, m->unit, &v);
	if (!isnan(v.n)) {
		buf_printf(&n, "%.0f", v.n);
	}
	const json_t *blamed = json_object_get(node_at(group, "blame.figures"), m->name);
	if (metric_read_node(json_object_get(blamed, "excess"), NULL, &excess)) {
		buf_append_str(&left, "  ");
		excess.low = metric_is_open(&excess) ? NAN : excess.low; /* a line is short */
		metric_put_value(&left, m->unit, &excess);
	}
	fprintf(to, "  %-*s %-*s %*s%s\n", LABEL_COLUMNS, m->label, VALUE_COLUMNS, buf_cstr(&value),
	        N_COLUMNS, buf_cstr(&n), buf_cstr(&left));
	buf_finish(&value);
	buf_finish(&n);
	buf_finish(&left);
}

static void write_figures(const json_t *group, FILE *to)
{
	const json_t *greedy = story_greedy(group);
	if (!greedy) {
		return;
	}
	fprintf(to, "\n  %-*s %-*s %*s  over the floor\n", LABEL_COLUMNS, "greedy answers",
	        VALUE_COLUMNS, "value [95 %]", N_COLUMNS, "n");
	for (size_t i = 0; i < metric_count(); i++) {
		const struct metric *m = metric_at(i);
		if (m->is_main && m->place == METRIC_OF_SPLIT) {
			write_figure(group, greedy, m, to);
		}
	}
}

static void write_causes(const json_t *group, FILE *to)
{
	struct story_cause causes[STORY_CAUSES_LIMIT];
	struct buf text = {0};
	size_t n = story_causes(group, causes);
	if (n > 0) {
		fputs("\nWhat it points to\n", to);
	}
	for (size_t i = 0; i < n; i++) {
		const struct story_cause *c = &causes[i];
		buf_printf(&text, "%s%s%s%s", c->title, *c->title ? ". " : "", c->text,
		        story_full_stop(c->text));
		if (c->has_explained) {
			buf_append_str(&text, " Explains ");
			metric_put_value(&text, METRIC_SHARE, &c->explained);
			buf_append_str(&text, " of the differing answers.");
		}
		buf_printf(&text, "%s%s%s", *c->fix ? " To try: " : "", c->fix,
		        story_full_stop(c->fix));
		lines_wrapped(buf_cstr(&text), "  * ", "    ", to);
		if (*c->confirm) {
			fputs("    To confirm: ", to); /* in one line, so that it can be pasted */
			lines_put(c->confirm, SIZE_MAX, to);
			fputc('\n', to);
		}
		buf_clear(&text);
	}
	buf_finish(&text);
}

static void write_limits(const json_t *group, FILE *to)
{
	const char *limits[STORY_CAUSES_LIMIT];
	size_t n = story_limits(group, limits);
	if (n > 0) {
		fputs("\nWhat the figures lack\n", to);
	}
	for (size_t i = 0; i < n; i++) {
		lines_wrapped(limits[i], "  * ", "    ", to);
	}
}

static void write_side(const char *name, const json_t *side, FILE *to)
{
	fputs("  ", to);
	lines_put(name, NAME_COLUMNS, to);
	fputs(" |", to);
	lines_put(node_text(side, "text"), TEXT_COLUMNS, to);
	if (!isnan(node_number(side, "logprob"))) {
		fputs("|  chose \"", to);
		lines_put(node_text(side, "token"), NAME_COLUMNS, to);
		fprintf(to, "\", %.1f %%", 100 * exp(fmin(node_number(side, "logprob"), 0)));
	}
	fputc('\n', to);
}

static void write_examples(const json_t *group, FILE *to)
{
	const char *title = "";
	for (size_t i = 0; i < 3; i++) {
		const json_t *e = story_example(group, i, &title);
		if (!e) {
			continue;
		}
		fprintf(to, "\n%s: exchange ", title);
		lines_put(node_text(e, "exchange"), TEXT_COLUMNS, to);
		fputs("\n  both |", to);
		lines_put(node_text(e, "before"), TEXT_COLUMNS, to);
		fputc('\n', to);
		write_side(node_text(group, "base"), json_object_get(e, "base"), to);
		write_side(node_text(group, "test"), json_object_get(e, "test"), to);
	}
}

static void write_group(const json_t *group, FILE *to)
{
	struct buf text = {0};
	story_sentence(group, &text);
	put(&text, to);
	story_floor(group, &text);
	if (text.len > 0) {
		put(&text, to);
	}
	write_figures(group, to);
	write_causes(group, to);
	write_examples(group, to);
	write_limits(group, to);
	double out = node_number(json_object_get(group, "left_out"), "pairs");
	if (out > 0) {
		fprintf(to,
		        "\nLeft out: %.0f of %.0f pairs: cut, failed, or kept without what would "
		        "be judged.\n",
		        out, node_number(group, "pairs"));
	}
	fputc('\n', to);
	buf_finish(&text);
}

static void write_capture(const json_t *document, FILE *to)
{
	const json_t *problems = json_object_get(document, "problems");
	double exchanges = node_number(document, "exchanges");
	if (!isnan(exchanges)) {
		fprintf(to, "%.0f exchanges.\n", exchanges);
	}
	for (size_t i = 0; i < MIN(json_array_size(problems), (size_t)PROBLEMS_LIMIT); i++) {
		const char *problem = json_string_value(json_array_get(problems, i));
		lines_wrapped(problem ? problem : "(not text)", "problem: ", "  ", to);
	}
}

void text_write(const json_t *document, FILE *to)
{
	struct story story;
	story_read(document, &story);
	if (*node_text(document, "sentence")) {
		lines_wrapped(node_text(document, "sentence"), "", "", to);
		fputc('\n', to);
	}
	struct buf selection = {0};
	story_selection(document, &selection);
	if (selection.len > 0) {
		put(&selection, to);
		fputc('\n', to);
	}
	buf_finish(&selection);
	standings_text(json_object_get(document, "standings"), to);
	reruns_text(json_object_get(document, "reruns"), to);
	ablation_text(json_object_get(document, "ablation"), to);
	for (size_t i = 0; i < story.n; i++) {
		write_group(story.groups[i], to);
	}
	if (story.n == 0) {
		fputs("No two answers could be compared.\n", to);
	} else if (story.beyond > 0) {
		fprintf(to, "And %zu more pairs of backends.\n", story.beyond);
	}
	policy_words_text(document, to);
	write_capture(document, to);
}
