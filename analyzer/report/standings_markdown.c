/*
 * The standings in a comment: the table with each target against itself under it, what is behind each, where answers part by
 * suite, and, folded, each stack's checklist.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/shell.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/node.h"
#include "analyzer/report/standings_parts.h"

#define CAUSES_SHOWN 3
#define SUITES_SHOWN 60
#define VALUE_BYTES 200 /* of a checklist's item */

static void put_row(const json_t *rows, const char *name, const char *behind, const json_t *figures,
        struct buf *to)
{
	size_t n;
	const struct standings_figure *shown = standings_figures(&n);
	buf_append_str(to, "| ");
	escape_markdown(to, name);
	buf_append_str(to, behind);
	for (size_t i = 0; i < n; i++) {
		if (standings_is_told(rows, &shown[i])) {
			buf_append_str(to, " | ");
			standings_put_cell(to, figures, &shown[i]);
		}
	}
	buf_append_str(to, " |\n");
}

static void put_head(const json_t *rows, struct buf *to)
{
	size_t n;
	const struct standings_figure *shown = standings_figures(&n);
	buf_append_str(to, "| target");
	for (size_t k = 0; k < n; k++) {
		if (standings_is_told(rows, &shown[k])) {
			buf_printf(to, " | %s", shown[k].title);
			if (shown[k].of_paper) {
				buf_printf(to, " (%s)", shown[k].of_paper);
			}
		}
	}
	buf_append_str(to, " |\n|---");
	for (size_t k = 0; k < n; k++) {
		buf_append_str(to, standings_is_told(rows, &shown[k]) ? "|---" : "");
	}
	buf_append_str(to, "|\n");
}

static void put_rows(const json_t *rows, struct buf *to)
{
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row)
	{
		const char *name = node_text(row, "target");
		const json_t *floor = json_object_get(row, "floor");
		put_row(rows, name, "", json_object_get(row, "figures"), to);
		if (json_is_object(floor)) {
			put_row(rows, name,
			        standings_is_over_seeds(row) ? " itself, other seeds" : " itself",
			        floor, to);
		}
	}
}

/* The paper has it by benchmark. */
static void put_suites(const json_t *rows, struct buf *to)
{
	const struct standings_figure index = {.name = "divergence_index"};
	size_t i, k, n = 0;
	json_t *row, *suite;
	json_array_foreach(rows, i, row)
	{
		json_array_foreach(json_object_get(row, "suites"), k, suite)
		{
			if (n == SUITES_SHOWN) {
				return;
			}
			if (n++ == 0) {
				buf_append_str(to, "\n| target | suite | divergence index (Figures "
				                   "5 to 8) | answers |\n"
				                   "|---|---|---|--:|\n");
			}
			buf_append_str(to, "| ");
			escape_markdown(to, node_text(row, "target"));
			buf_append_str(to, " | ");
			escape_markdown(to, node_text(suite, "suite"));
			buf_append_str(to, " | ");
			standings_put_cell(to, suite, &index);
			buf_printf(to, " | %.0f |\n", node_number(suite, "pairs"));
		}
	}
}

static void put_causes(const json_t *row, struct buf *to)
{
	const json_t *causes = json_object_get(row, "causes");
	buf_append_str(to, "* ");
	escape_markdown(to, node_text(row, "target"));
	buf_append_str(to, ": ");
	for (size_t k = 0; k < MIN(json_array_size(causes), (size_t)CAUSES_SHOWN); k++) {
		const json_t *cause = json_array_get(causes, k);
		double share = node_number(json_object_get(cause, "explained"), "rate");
		buf_append_str(to, k ? "; " : "");
		escape_markdown(to, node_text(cause, "title"));
		if (!isnan(share)) {
			buf_printf(to, " (%.0f %% of what differs)", 100 * share);
		}
	}
	buf_append_str(to, json_array_size(causes) ? "\n" : "none found\n");
}

void standings_markdown(const json_t *standings, struct buf *to)
{
	const json_t *rows = json_object_get(standings, "rows");
	struct buf text = {0};
	size_t i;
	json_t *row;
	if (json_array_size(rows) == 0) {
		return;
	}
	buf_append_str(to, "\n#### Targets against ");
	escape_markdown(to, node_text(standings, "base"));
	buf_append_str(to,
	        "\n\nEach " STANDINGS_DEFINITIONS "; Figures are the paper's. Under a target "
	        "stands what it differs from itself.\n\n");
	put_head(rows, to);
	put_rows(rows, to);
	standings_put_seeds(&text, standings);
	standings_put_cliff(&text, standings);
	if (text.len) {
		buf_append_char(to, '\n');
		escape_markdown(to, buf_cstr(&text));
		buf_append_char(to, '\n');
	}
	buf_finish(&text);
	put_suites(rows, to);
	buf_append_str(to, "\nWhat is behind each:\n\n");
	json_array_foreach(rows, i, row)
	{
		put_causes(row, to);
	}
}

/* A text that may be long, as a template is. */
static void put_value(struct buf *to, const char *value)
{
	size_t n = strlen(value);
	char *cut = xstrndup(value, VALUE_BYTES);
	escape_markdown(to, n > 0 ? cut : "unknown");
	buf_append_str(to, n > VALUE_BYTES ? "..." : "");
	free(cut);
}

static void put_stack(const json_t *stack, size_t limit, struct buf *to)
{
	const json_t *items = json_object_get(stack, "items");
	buf_append_str(to, "\n**");
	escape_markdown(to, node_text(stack, "backend"));
	buf_append_str(to, "**\n\n| item | value | |\n|---|---|---|\n");
	for (size_t i = 0; i < json_array_size(items) && to->len < limit; i++) {
		const json_t *item = json_array_get(items, i);
		buf_append_str(to, "| ");
		escape_markdown(to, node_text(item, "title"));
		buf_append_str(to, " | ");
		put_value(to, node_text(item, "value"));
		buf_append_str(to, " | ");
		escape_markdown(to, node_text(item, "status"));
		buf_append_str(to, " |\n");
	}
}

/* The directories as operands; empty: one is not known, or can't be pasted. */
static void put_captures(const json_t *captures, struct buf *to)
{
	for (size_t i = 0; i < json_array_size(captures); i++) {
		const char *dir = json_string_value(json_array_get(captures, i));
		buf_append_char(to, ' ');
		if (!shell_put_pastable_path(to, dir)) {
			buf_clear(to);
			return;
		}
	}
}

/* Where those that were left out are found. */
static void put_rest(const json_t *captures, struct buf *to)
{
	struct buf command = {0}, dirs = {0};
	put_captures(captures, &dirs);
	buf_append_str(to, "\nThe list is cut short.");
	if (dirs.len > 0) {
		buf_printf(&command, "plumbline manifest%s --format markdown", buf_cstr(&dirs));
		buf_append_str(to, " The whole of it: ");
		escape_markdown_code(to, buf_cstr(&command));
	}
	buf_append_char(to, '\n');
	buf_finish(&command);
	buf_finish(&dirs);
}

void standings_checklists(const json_t *document, size_t limit, struct buf *to)
{
	const json_t *stacks = json_object_get(json_object_get(document, "manifest"), "stacks");
	size_t n = json_array_size(stacks), shown = 0;
	if (n == 0 || to->len >= limit) {
		return;
	}
	buf_append_str(to, "\n<details><summary>The reporting checklist of each stack</summary>\n");
	for (; shown < n && to->len < limit; shown++) {
		put_stack(json_array_get(stacks, shown), limit, to);
	}
	if (shown < n || to->len >= limit) {
		put_rest(json_object_get(document, "captures"), to);
	}
	buf_append_str(to, "\n</details>\n");
}
