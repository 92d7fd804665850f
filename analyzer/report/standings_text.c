/*
 * The standings for a terminal.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "analyzer/report/lines.h"
#include "analyzer/report/node.h"
#include "analyzer/report/standings_parts.h"

#define NAME_COLUMNS 18
#define CELL_COLUMNS 36
#define CAUSES_SHOWN 3

/* In a column; wide characters are few in names of engines. */
static void put_name(const char *name, FILE *to)
{
	lines_put(name, NAME_COLUMNS, to);
	fprintf(to, "%*s", (int)(NAME_COLUMNS - MIN(strlen(name), (size_t)NAME_COLUMNS)), "");
}

/* What the error of an interval over prompts and seeds is made of. */
static void text_parts(const json_t *figure, const struct standings_figure *s, FILE *to)
{
	const json_t *crossed = json_object_get(figure, "crossed_with_seeds");
	double prompts = node_number(crossed, "error_of_prompts");
	double seeds = node_number(crossed, "error_of_seeds");
	struct buf text = {0};
	if (isnan(prompts) || isnan(seeds)) {
		return;
	}
	metric_put(&text, metric_unit_of(s->name), prompts);
	buf_append_str(&text, " by prompts, ");
	metric_put(&text, metric_unit_of(s->name), seeds);
	fprintf(to, "    %*s standard error: %s by seeds\n", NAME_COLUMNS, "", buf_cstr(&text));
	buf_finish(&text);
}

/* One figure a block, one target a line: names are of any length and intervals take room. */
static void text_figure(const json_t *rows, const struct standings_figure *s, FILE *to)
{
	struct buf cell = {0};
	size_t i;
	json_t *row;
	fprintf(to, "\n  %s (%s)%s%s\n", s->title, s->note, s->of_paper ? ", paper's " : "",
	        s->of_paper ? s->of_paper : "");
	json_array_foreach(rows, i, row)
	{
		buf_clear(&cell);
		standings_put_cell(&cell, json_object_get(row, "figures"), s);
		fputs("    ", to);
		put_name(node_text(row, "target"), to);
		fprintf(to, " %-*s  itself%s ", CELL_COLUMNS, buf_cstr(&cell),
		        standings_is_over_seeds(row) ? ", other seeds" : "");
		buf_clear(&cell);
		standings_put_cell(&cell, json_object_get(row, "floor"), s);
		fprintf(to, "%s\n", buf_cstr(&cell));
		text_parts(json_object_get(json_object_get(row, "figures"), s->name), s, to);
	}
	buf_finish(&cell);
}

static void text_suites(const json_t *rows, FILE *to)
{
	const struct standings_figure index = {.name = "divergence_index"};
	struct buf cell = {0};
	size_t i, k;
	json_t *row, *suite;
	bool told = false;
	json_array_foreach(rows, i, row)
	{
		json_array_foreach(json_object_get(row, "suites"), k, suite)
		{
			fputs(told ? "" : "\n  divergence index by suite\n", to);
			told = true;
			buf_clear(&cell);
			standings_put_cell(&cell, suite, &index);
			fputs("    ", to);
			put_name(node_text(row, "target"), to);
			fprintf(to, " %-*s  ", CELL_COLUMNS, buf_cstr(&cell));
			put_name(node_text(suite, "suite"), to);
			fprintf(to, "  %.0f answers\n", node_number(suite, "pairs"));
		}
	}
	buf_finish(&cell);
}

static void text_causes(const json_t *rows, FILE *to)
{
	size_t i, k;
	json_t *row, *cause;
	fputs("\n  what is behind it\n", to);
	json_array_foreach(rows, i, row)
	{
		const json_t *causes = json_object_get(row, "causes");
		json_array_foreach(causes, k, cause)
		{
			double share = node_number(json_object_get(cause, "explained"), "rate");
			if (k == CAUSES_SHOWN) {
				break;
			}
			fputs("    ", to);
			put_name(node_text(row, "target"), to);
			fputc(' ', to);
			lines_put(node_text(cause, "title"), LINES_WIDTH, to);
			fprintf(to, isnan(share) ? "\n" : ", %.0f %% of what differs\n",
			        100 * share);
		}
		if (json_array_size(causes) == 0) {
			fputs("    ", to);
			put_name(node_text(row, "target"), to);
			fputs(" none found\n", to);
		}
	}
}

void standings_text(const json_t *standings, FILE *to)
{
	const json_t *rows = json_object_get(standings, "rows");
	struct buf head = {0};
	size_t n;
	const struct standings_figure *shown = standings_figures(&n);
	if (json_array_size(rows) == 0) {
		return;
	}
	buf_printf(&head, "Targets against %s, %s. ", node_text(standings, "base"),
	        STANDINGS_DEFINITIONS);
	standings_put_seeds(&head, standings);
	standings_put_cliff(&head, standings);
	lines_wrapped(buf_cstr(&head), "", "", to);
	buf_finish(&head);
	for (size_t i = 0; i < n; i++) {
		if (standings_is_told(rows, &shown[i])) {
			text_figure(rows, &shown[i], to);
		}
	}
	text_suites(rows, to);
	text_causes(rows, to);
	fputc('\n', to);
}
