/*
 * What the recipes add: standings of several targets, repeated answers, load, and factors.
 */
#include <math.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/reruns_sentence.h"
#include "analyzer/report/standings.h"
#include "analyzer/report/sweep_cliff.h"
#include "analyzer/report/screen/summary_parts.h"
#include "base/plural.h"
#include "base/shell.h"

#define CAUSES_SHOWN 3
#define SUITES_SHOWN 60
#define WORST_SHOWN 5
#define CHART_WIDTH 20 /* columns */

static size_t filled(double share, size_t width)
{
	return share > 0 ? MAX((size_t)lround(share * (double)width), (size_t)1) : 0;
}

void summary_put_bar(struct buf *to, double share, double most, size_t width)
{
	for (size_t i = 0; i < width; i++) {
		bool sure = i < filled(share, width);
		buf_append_char(to, sure ? '#' : i < filled(most, width) ? '+' : '.');
	}
}

/* A share with its interval, or a dash. */
static void write_share(struct writer *w, const json_t *o, const char *name)
{
	metric_put_node(writer_cell(w), METRIC_SHARE, json_object_get(o, name));
}

static void write_number(struct writer *w, const json_t *o, const char *name)
{
	buf_printf(writer_cell(w), "%.0f", node_number(o, name));
}

/* Writes the parts of an interval's error: over prompts and over seeds. */
static void put_errors(struct buf *to, const json_t *figure, enum metric_unit unit)
{
	const json_t *crossed = json_object_get(figure, "crossed_with_seeds");
	double prompts = node_number(crossed, "error_of_prompts");
	double seeds = node_number(crossed, "error_of_seeds");
	if (!isnan(prompts) && !isnan(seeds)) {
		buf_append_str(to, ", standard error ");
		metric_put(to, unit, prompts);
		buf_append_str(to, " by prompts, ");
		metric_put(to, unit, seeds);
		buf_append_str(to, " by seeds");
	}
}

/* Writes one figure, with a row for each target. */
static void write_standings_figure(
        struct writer *w, const json_t *rows, const struct standings_figure *s)
{
	bool other_seeds = standings_is_over_seeds(json_array_get(rows, 0));
	const struct writer_column columns[] = {{"target", 16}, {s->title, 31},
	        {other_seeds ? "itself, other seeds" : "itself", 31}};
	if (!standings_has(rows, s)) {
		return;
	}
	writer_heading(w, "%s (%s)%s%s", s->title, s->note, s->of_paper ? ", paper's " : "",
	        s->of_paper ? s->of_paper : "");
	writer_table(w, columns, ARRAY_LEN(columns));
	NODE_EACH(row, rows) {
		const json_t *figures = json_object_get(row, "figures");
		buf_append_str(writer_cell(w), node_text(row, "target"));
		standings_put_cell(writer_cell(w), figures, s);
		put_errors(
		        &w->cells[1], json_object_get(figures, s->name), metric_unit_of(s->name));
		standings_put_cell(writer_cell(w), json_object_get(row, "floor"), s);
		writer_row(w);
	}
}

static void write_suites(struct writer *w, const json_t *rows)
{
	static const struct writer_column COLUMNS[] = {
	        {"target", 16}, {"suite", 20}, {"divergence index", 31}, {"answers", 10}};
	const struct standings_figure index = {.name = "divergence_index"};
	size_t shown = 0;
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_EACH(row, rows) {
		NODE_EACH(suite, json_object_get(row, "suites")) {
			if (shown++ == SUITES_SHOWN) {
				return;
			}
			buf_append_str(writer_cell(w), node_text(row, "target"));
			buf_append_str(writer_cell(w), node_text(suite, "suite"));
			standings_put_cell(writer_cell(w), suite, &index);
			write_number(w, suite, "pairs");
			writer_row(w);
		}
	}
}

static void write_standing_causes(struct writer *w, const json_t *row)
{
	const json_t *causes = json_object_get(row, "causes");
	size_t n = MIN(json_array_size(causes), (size_t)CAUSES_SHOWN);
	struct buf *text = writer_text(w);
	for (size_t k = 0; k < n; k++) {
		const json_t *cause = json_array_get(causes, k);
		struct buf explained = {0};
		buf_printf(text, "%s%s", k ? "; " : "", node_text(cause, "title"));
		if (summary_put_explained(&explained, cause)) {
			buf_printf(text, ", %s", buf_cstr(&explained));
		}
		buf_finish(&explained);
	}
	writer_item(w, node_text(row, "target"), "%s", n ? buf_cstr(text) : "no cause found");
}

static void write_stack(struct writer *w, const json_t *stack)
{
	static const struct writer_column COLUMNS[] = {{"item", 30}, {"value", 30}, {"", 16}};
	writer_heading(w, "%s", node_text(stack, "backend"));
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_EACH(item, json_object_get(stack, "items")) {
		const char *value = node_text(item, "value");
		buf_append_str(writer_cell(w), node_text(item, "title"));
		buf_printf(writer_cell(w), "%.200s", *value ? value : "unknown");
		buf_append_str(writer_cell(w), node_text(item, "status"));
		writer_row(w);
	}
}

bool summary_put_captures(struct buf *to, const json_t *captures)
{
	bool all = json_array_size(captures) > 0;
	for (size_t i = 0; i < json_array_size(captures) && all; i++) {
		const char *dir = json_string_value(json_array_get(captures, i));
		buf_append_char(to, ' ');
		all = dir && shell_put_pastable_path(to, dir);
	}
	return all;
}

/* What a publication should state about each stack; on a terminal, only the command that shows
 * it. */
static void write_checklists(struct writer *w, const json_t *document)
{
	const json_t *stacks = json_object_get(json_object_get(document, "manifest"), "stacks");
	struct buf *command = writer_text(w);
	if (json_array_size(stacks) == 0) {
		return;
	}
	buf_append_str(command, "plumbline manifest");
	if (summary_put_captures(command, json_object_get(document, "captures"))) {
		buf_append_str(command, " --format markdown");
		writer_item(w, "", "The reporting checklist of each stack:");
		writer_command(w, buf_cstr(command));
	}
	if (w->form != WRITER_TEXT) {
		writer_fold(w, "The reporting checklist of each stack");
		NODE_EACH(stack, stacks) {
			write_stack(w, stack);
		}
		writer_unfold(w);
	}
}

void summary_cliff(const json_t *document, struct writer *w)
{
	const json_t *standings = json_object_get(document, "standings");
	struct buf *text = writer_text(w);
	if (node_flag(standings, "is_sweep")) {
		sweep_cliff_put(text, standings);
	}
	if (text->len > 0) {
		writer_labelled(w, "Cliff", "%s", buf_cstr(text));
	}
}

void summary_standings(const json_t *document, struct writer *w)
{
	const json_t *standings = json_object_get(document, "standings");
	const json_t *rows = json_object_get(standings, "rows");
	struct buf *head = writer_text(w);
	size_t n;
	const struct standings_figure *figures = standings_figures(&n);
	if (json_array_size(rows) == 0) {
		return;
	}
	standings_put_seeds(head, standings);
	writer_paragraph(w, "Targets against %s, %s. %s", node_text(standings, "base"),
	        STANDINGS_DEFINITIONS, buf_cstr(head));
	for (size_t i = 0; i < n; i++) {
		write_standings_figure(w, rows, &figures[i]);
	}
	write_suites(w, rows);
	writer_heading(w, "Causes by target");
	NODE_EACH(row, rows) {
		write_standing_causes(w, row);
	}
	write_checklists(w, document);
}

static void write_levels(struct writer *w, const json_t *levels)
{
	static const struct writer_column COLUMNS[] = {{"in progress", 11}, {"always the same", 22},
	        {"determinism score", 22}, {"output consistency", 22}};
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < json_array_size(levels) && json_array_size(levels) > 1; i++) {
		const json_t *level = json_array_get(levels, i);
		write_number(w, level, "concurrency");
		write_share(w, level, "all_alike");
		write_share(w, level, "determinism_score");
		write_share(w, level, "output_consistency");
		writer_row(w);
	}
}

static void write_first(struct writer *w, const json_t *reruns)
{
	static const char *const UNITS[][2] = {{"first_token", "token"}, {"first_byte", "byte"}};
	for (size_t i = 0; i < ARRAY_LEN(UNITS); i++) {
		const json_t *first = json_object_get(reruns, UNITS[i][0]);
		if (node_number(first, "n") > 0) {
			writer_paragraph(w,
			        "Different texts besides the most common ones: %.0f. The first %s "
			        "that differs has the median position %.0f; the earliest is %.0f.",
			        node_number(first, "n"), UNITS[i][1],
			        node_number(first, "median") + 1, node_number(first, "least") + 1);
		}
	}
}

static void write_worst(struct writer *w, const json_t *worst)
{
	static const struct writer_column COLUMNS[] = {
	        {"least alike", 28}, {"most common", 12}, {"distinct", 9}, {"differ at", 29}};
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_SOME(p, worst, WORST_SHOWN) {
		const char *item = node_text(p, "item"), *mode = node_text(p, "mode_token");
		const char *other = node_text(p, "other_token");
		bool is_token = node_is(p, "unit", "token");
		buf_append_str(writer_cell(w), *item ? item : node_text(p, "exchange"));
		buf_printf(writer_cell(w), "%.0f of %.0f", node_number(p, "of_mode"),
		        node_number(p, "answers"));
		write_number(w, p, "distinct");
		struct buf *at = writer_cell(w);
		buf_printf(at, "%s %.0f", is_token ? "token" : "byte", node_number(p, "first") + 1);
		if (*mode || *other) {
			buf_printf(at, ": \"%s\" or \"%s\"", mode, other);
		}
		writer_row(w);
	}
}

/* Writes one figure in each row, with its n. */
void summary_rerun_figures(const json_t *document, struct writer *w)
{
	static const struct writer_column COLUMNS[] = {
	        {"figure", 39}, {"value [95 % interval]", 25}, {"n", 11}};
	static const struct {
		const char *name, *label, *n, *one;
	} FIGURES[] = {{"output_consistency", "pairs of answers to a prompt that agree", "prompts",
	                       "prompt"},
	        {"all_alike", "prompts with the same answer every time", "prompts", "prompt"},
	        {"determinism_score", "answers that are the most common one", "answers", "answer"}};
	const json_t *all = node_at(document, "reruns.all");
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < ARRAY_LEN(FIGURES); i++) {
		double n = node_number(all, FIGURES[i].n);
		buf_append_str(writer_cell(w), FIGURES[i].label);
		write_share(w, all, FIGURES[i].name);
		buf_printf(writer_cell(w), "%.0f %s", n, plural(n, FIGURES[i].one, FIGURES[i].n));
		writer_row(w);
	}
}

void summary_reruns(const json_t *document, struct writer *w)
{
	const json_t *reruns = json_object_get(document, "reruns");
	struct buf *text = writer_text(w);
	reruns_put_gaps(reruns, text);
	if (text->len > 0) {
		writer_paragraph(w, "%s", buf_cstr(text));
	}
	write_levels(w, json_object_get(reruns, "levels"));
	write_first(w, reruns);
	write_worst(w, json_object_get(reruns, "worst"));
}

static void write_effects(struct writer *w, const json_t *ablation, size_t most)
{
	static const struct writer_column COLUMNS[] = {
	        {"effect of", 35}, {"answers that change", 24}, {"prompts", 9}, {"p", 9}};
	const json_t *effects = json_object_get(ablation, "effects");
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_SOME(each, effects, most) {
		const char *given = node_text(each, "given");
		double p = node_number(each, "p_adjusted");
		bool found = node_flag(each, "found");
		buf_printf(writer_cell(w), "%s%s%s%s", found ? "FOUND: " : "",
		        node_text(each, "factor"), *given ? ", more with " : "", given);
		write_share(w, each, "flip");
		write_number(w, ablation, "prompts");
		buf_printf(writer_cell(w), isnan(p) ? "-" : "%.2g", p);
		writer_row(w);
	}
}

static void write_cells(struct writer *w, const json_t *ablation)
{
	static const struct writer_column COLUMNS[] = {{"settings", 32}, {"answers", 8},
	        {"failed", 7}, {"cached", 7}, {"differ from themselves", 24}};
	const json_t *factors = json_object_get(ablation, "factors");
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_EACH(cell, json_object_get(ablation, "cells")) {
		struct buf *settings = writer_cell(w);
		double known = node_number(cell, "tell_cached");
		for (size_t k = 0; k < json_array_size(factors); k++) {
			const char *name = node_text(json_array_get(factors, k), "name");
			bool is_number = strcmp(name, "concurrency") == 0;
			buf_printf(settings, "%s%s%s", k ? ", " : "",
			        is_number ? "concurrency " : "",
			        node_text(json_object_get(cell, "settings"), name));
		}
		write_number(w, cell, "answers");
		write_number(w, cell, "failed");
		struct buf *cached = writer_cell(w);
		if (known > 0) {
			metric_put(cached, METRIC_SHARE, node_number(cell, "cached") / known);
		} else {
			buf_append_char(cached, '-');
		}
		write_share(w, cell, "floor");
		writer_row(w);
	}
}

void summary_effects(const json_t *document, struct writer *w)
{
	write_effects(w, json_object_get(document, "ablation"), SUMMARY_ROWS);
}

void summary_ablation(const json_t *document, struct writer *w)
{
	const json_t *ablation = json_object_get(document, "ablation");
	if (!json_is_object(ablation)) {
		return;
	}
	if (json_array_size(json_object_get(ablation, "effects")) > SUMMARY_ROWS) {
		write_effects(w, ablation, SIZE_MAX);
	}
	write_cells(w, ablation);
	writer_paragraph(w,
	        "Answers that change: the share of pairs that differ if one answer has "
	        "the switch off and the other on, minus the noise floors. \"A, more with "
	        "B\": this figure of A with B on, minus that with B off.");
}

static void write_level(struct writer *w, const json_t *level)
{
	static const char *const EVENTS[] = {"jumps", "errors", "loops", "empty", "foreign"};
	const json_t *differing = json_object_get(level, "differing");
	write_number(w, level, "concurrency");
	write_number(w, level, "answers");
	write_number(w, differing, "hits");
	struct buf *interval = writer_cell(w);
	metric_put_percents(interval, 100 * node_number(differing, "low"), " to ",
	        100 * node_number(differing, "high"));
	buf_append_str(interval, " %");
	for (size_t i = 0; i < ARRAY_LEN(EVENTS); i++) {
		write_number(w, level, EVENTS[i]);
	}
	writer_row(w);
}

static void write_poison(struct writer *w, const json_t *poison)
{
	const json_t *before = json_object_get(poison, "before");
	const json_t *after = json_object_get(poison, "after");
	double failing = node_number(poison, "failing"), failed = node_number(poison, "failed");
	if (failing > 0 && !(failed > 0)) {
		writer_item(w, "",
		        "The engine answered all %.0f requests that it should have refused, so "
		        "poison could not be tested.",
		        failing);
	} else if (failing > 0) {
		writer_item(w, "",
		        "Poison: of %.0f invalid requests, the engine refused %.0f and answered "
		        "%.0f. Of the valid requests after them, %.0f of %.0f got a different "
		        "answer; before them, %.0f of %.0f.",
		        failing, failed, failing - failed, node_number(after, "hits"),
		        node_number(after, "n"), node_number(before, "hits"),
		        node_number(before, "n"));
	}
}

/* The share of answers that differ at each number of requests in progress, as a chart: the first
 * level, and the highest ones. */
void summary_levels(const json_t *document, struct writer *w)
{
	static const struct writer_column COLUMNS[] = {{"in progress", 11}, {"answers", 9},
	        {"differ", 8}, {"share [95 % interval]", 25},
	        {"differ, 0 to 100 %", CHART_WIDTH + 2, true}};
	const json_t *levels = node_at(document, "stress.levels");
	size_t n = json_array_size(levels), skipped = n - MIN(n, SUMMARY_ROWS);
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	for (size_t i = 0; i < n; i += i == 0 ? 1 + skipped : 1) {
		const json_t *level = json_array_get(levels, i);
		const json_t *differing = json_object_get(level, "differing");
		const struct metric_value share = {
		        .value = node_number(differing, "hits") / node_number(differing, "n"),
		        .low = node_number(differing, "low"),
		        .high = node_number(differing, "high")};
		write_number(w, level, "concurrency");
		write_number(w, level, "answers");
		write_number(w, differing, "hits");
		metric_put_value(writer_cell(w), METRIC_SHARE, &share);
		summary_put_bar(writer_cell(w), share.value, share.value, CHART_WIDTH);
		writer_row(w);
	}
}

void summary_stress(const json_t *document, struct writer *w)
{
	static const struct writer_column COLUMNS[] = {{"level", 6}, {"answers", 8},
	        {"differing", 10}, {"95 % interval", 15}, {"jumps", 6}, {"errors", 7}, {"loops", 6},
	        {"empty", 6}, {"other script", 13}};
	const json_t *stress = json_object_get(document, "stress");
	const json_t *talk = node_at(stress, "tests.cross_talk");
	if (!json_is_object(stress)) {
		return;
	}
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_EACH(level, json_object_get(stress, "levels")) {
		write_level(w, level);
	}
	writer_item(w, "",
	        "Level: requests in progress. Differing: answers that are not equal to the first "
	        "answer to the same request alone. This first answer does not count. The lowest "
	        "level shows how often the engine alone differs from itself. Requests with "
	        "canaries are not in this table.");
	writer_item(w, "",
	        "Jumps: the first difference is larger than rounding can cause. Loops, empty, "
	        "other script: the answer repeats its end, has no text, or has characters of a "
	        "script that the request does not contain.");
	writer_item(w, "", "Canaries: %.0f of %.0f answers contain the canary of another request.",
	        node_number(talk, "hits"), node_number(talk, "n"));
	write_poison(w, node_at(stress, "tests.poison"));
}
