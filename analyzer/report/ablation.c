#include "analyzer/report/ablation.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "analyzer/report/lines.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

#define NAME_COLUMNS 34

static bool is_found(const json_t *effect)
{
	return json_is_true(json_object_get(effect, "found"));
}

static bool is_main(const json_t *effect)
{
	return !json_is_string(json_object_get(effect, "given"));
}

static const json_t *factor_of(const json_t *ablation, const char *name)
{
	const json_t *factors = json_object_get(ablation, "factors");
	size_t i;
	json_t *each;
	json_array_foreach(factors, i, each)
	{
		if (strcmp(node_text(each, "name"), name) == 0) {
			return each;
		}
	}
	return NULL;
}

static bool put_points(struct buf *to, const json_t *effect, const char *member)
{
	struct metric_value v;
	bool known = metric_read_node(json_object_get(effect, member), NULL, &v);
	if (known) {
		metric_put_value(to, METRIC_SHARE, &v);
	} else {
		buf_append_str(to, "-");
	}
	return known;
}

/* Could it be nothing at all? */
static bool holds_nothing(const json_t *effect, const char *member)
{
	struct metric_value v;
	return metric_read_node(json_object_get(effect, member), NULL, &v) && v.low <= 0;
}

/* "; only with cache warm (4 % [..]), not with cold" */
static void put_given(struct buf *to, const json_t *ablation, const json_t *effect)
{
	const json_t *other = factor_of(ablation, node_text(effect, "given"));
	bool rises = node_number(json_object_get(effect, "flip"), "value") > 0;
	const char *more = rises ? "on" : "off", *less = rises ? "off" : "on";
	buf_printf(to, "; %s with %s %s: ", holds_nothing(effect, less) ? "only" : "more",
	        node_text(effect, "given"), node_text(other, more));
	put_points(to, effect, more);
	buf_printf(to, ", with %s ", node_text(other, less));
	put_points(to, effect, less);
}

/* In the mean over the settings of the others, or given one of them. */
static bool is_carrier(const json_t *effects, const char *name)
{
	size_t i;
	json_t *each;
	json_array_foreach(effects, i, each)
	{
		if (is_found(each) && strcmp(node_text(each, "factor"), name) == 0) {
			return true;
		}
	}
	return false;
}

static void put_carrier(struct buf *to, const json_t *ablation, const json_t *main)
{
	const json_t *effects = json_object_get(ablation, "effects");
	const char *name = node_text(main, "factor");
	const json_t *factor = factor_of(ablation, name);
	size_t i;
	json_t *each;
	buf_printf(to, "%s%s (%s to %s) carries a difference: beyond both noise floors ",
	        to->len ? " " : "", name, node_text(factor, "off"), node_text(factor, "on"));
	put_points(to, main, "flip");
	buf_printf(to, " of answers change with it%s",
	        is_found(main) ? "" : " in the mean over the others' settings");
	json_array_foreach(effects, i, each)
	{
		if (!is_main(each) && is_found(each) &&
		        strcmp(node_text(each, "factor"), name) == 0) {
			put_given(to, ablation, each);
		}
	}
	buf_append_char(to, '.');
}

/* The largest effect that could have gone unseen. */
static void put_none(struct buf *to, const json_t *effects)
{
	const char *name = "";
	double most = -1;
	size_t i;
	json_t *each;
	json_array_foreach(effects, i, each)
	{
		struct metric_value v;
		bool known =
		        is_main(each) && metric_read_node(json_object_get(each, "flip"), NULL, &v);
		if (known && v.high > most) {
			most = v.high;
			name = node_text(each, "factor");
		}
	}
	buf_append_str(to, "No factor carries a difference");
	if (most >= 0) {
		buf_printf(to, "; what could be there unseen is at most %.1f %% of answers (%s)",
		        100 * most, name);
	}
	buf_append_char(to, '.');
}

void ablation_sentence(const json_t *ablation, struct buf *to)
{
	const json_t *effects = json_object_get(ablation, "effects");
	size_t i, before = to->len;
	json_t *each;
	if (json_array_size(effects) == 0) {
		return;
	}
	if (!json_is_true(json_object_get(ablation, "enough"))) {
		buf_printf(to,
		        "Only %.0f prompts can be compared: too few to tell which factor carries "
		        "a difference.",
		        node_number(ablation, "prompts"));
		return;
	}
	json_array_foreach(effects, i, each)
	{
		if (is_main(each) && is_carrier(effects, node_text(each, "factor"))) {
			put_carrier(to, ablation, each);
		}
	}
	if (to->len == before) {
		put_none(to, effects);
	}
}

static void text_effects(const json_t *effects, FILE *to)
{
	struct buf line = {0};
	size_t i;
	json_t *each;
	fprintf(to, "\n  %-*s %-28s %-30s %s\n", NAME_COLUMNS, "effect of", "answers that change",
	        "partings per 1,000 tokens", "p (Holm)");
	json_array_foreach(effects, i, each)
	{
		struct metric_value v;
		const char *given = node_text(each, "given");
		buf_printf(&line, "%s%s%s", node_text(each, "factor"), *given ? ", more with " : "",
		        given);
		fputs("  ", to);
		lines_put(buf_cstr(&line), NAME_COLUMNS, to);
		fprintf(to, "%*s ", (int)(NAME_COLUMNS - MIN(line.len, (size_t)NAME_COLUMNS)), "");
		buf_clear(&line);
		put_points(&line, each, "flip");
		fprintf(to, "%-28s ", buf_cstr(&line));
		buf_clear(&line);
		if (metric_read_node(json_object_get(each, "hazard"), NULL, &v)) {
			metric_put_value(&line, METRIC_NUMBER, &v);
		}
		double p = node_number(each, "p_adjusted");
		fprintf(to, "%-30s ", buf_cstr(&line));
		fprintf(to, isnan(p) ? "-\n" : "%.2g%s\n", p, is_found(each) ? "  FOUND" : "");
		buf_clear(&line);
	}
	buf_finish(&line);
}

static void put_settings(const json_t *ablation, const json_t *cell, struct buf *to)
{
	const json_t *settings = json_object_get(cell, "settings");
	const json_t *factors = json_object_get(ablation, "factors");
	size_t i;
	json_t *each;
	json_array_foreach(factors, i, each)
	{
		const char *name = node_text(each, "name");
		buf_printf(to, "%s%s %s", i ? ", " : "", name, node_text(settings, name));
	}
}

static void text_cells(const json_t *ablation, FILE *to)
{
	const json_t *cells = json_object_get(ablation, "cells");
	struct buf line = {0};
	size_t i;
	json_t *each;
	fputs("\n  answers  failed  cached  differ from themselves\n", to);
	json_array_foreach(cells, i, each)
	{
		double told = node_number(each, "tell_cached");
		char cached[16] = "-";
		if (told > 0) {
			snprintf(cached, sizeof(cached), "%.0f %%",
			        100 * node_number(each, "cached") / told);
		}
		put_points(&line, each, "floor");
		fprintf(to, "  %7.0f %7.0f %7s  %-26s", node_number(each, "answers"),
		        node_number(each, "failed"), cached, buf_cstr(&line));
		buf_clear(&line);
		put_settings(ablation, each, &line);
		lines_put(buf_cstr(&line), 60, to);
		fputc('\n', to);
		buf_clear(&line);
	}
	buf_finish(&line);
}

void ablation_text(const json_t *ablation, FILE *to)
{
	struct buf sentence = {0};
	ablation_sentence(ablation, &sentence);
	if (sentence.len > 0) {
		lines_wrapped(buf_cstr(&sentence), "", "", to);
		text_effects(json_object_get(ablation, "effects"), to);
		text_cells(ablation, to);
		fputs("\n  Answers that change: pairs across the switch that differ, less what "
		      "both "
		      "sides differ from themselves.\n\n",
		        to);
	}
	buf_finish(&sentence);
}
