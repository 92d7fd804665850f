/*
 * How tokens are drawn, and what a training run has to correct if it uses one engine's answers in
 * place of another's.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/screen/summary_parts.h"
#include "base/mem.h"
#include "base/plural.h"

/* "prod, server 2" */
static struct buf *put_name(struct writer *w, const json_t *side)
{
	struct buf *text = writer_text(w);
	const char *replica = node_text(side, "replica");
	buf_append_str(text, node_text(side, "backend"));
	if (replica[0]) {
		buf_printf(text, " (%s)", replica);
	}
	return text;
}

static void write_found(struct writer *w, const json_t *side)
{
	NODE_EACH(f, json_object_get(side, "findings")) {
		struct buf *text = put_name(w, side);
		buf_printf(text, " %s", node_text(f, "text"));
		writer_item(w, "", "%s.", buf_cstr(text));
	}
}

/* Why an answer is not tested, by its key in the document. */
static const char *reason_text(const char *key)
{
	static const struct {
		const char *key, *text;
	} TEXTS[] = {
	        {"no_lists", "no alternatives were recorded"},
	        {"unlisted", "most of their tokens are not in the lists"},
	        {"unknown", "the request or its temperature is not known"},
	        {"tools", "tool calls"},
	        {"penalty_asked", "a penalty was requested"},
	        {"other_sampler", "another sampler was requested"},
	        {"repeated", "they may repeat the draws of another answer, as with one seed"},
	        {"outside", "their tokens are outside of lists that are nearly complete"},
	        {"other_temperatures", "too many different temperatures"},
	};
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		if (strcmp(TEXTS[i].key, key) == 0) {
			return TEXTS[i].text;
		}
	}
	return key;
}

/* "prod: not tested: 40 answers (response_format), 7 answers (tool calls)." */
static void write_excluded(struct writer *w, const json_t *side)
{
	const char *before = ": not tested: ";
	json_t *excluded = json_object_get(side, "excluded");
	if (json_object_size(excluded) == 0) {
		return;
	}
	struct buf *text = put_name(w, side);
	NODE_MEMBERS(reason, excluded) {
		uint64_t count = (uint64_t)json_integer_value(reason.value);
		buf_printf(text, "%s%" PRIu64 " %s (%s)", before, count,
		        plural(count, "answer", "answers"), reason_text(reason.key));
		before = ", ";
	}
	writer_item(w, "", "%s.", buf_cstr(text));
}

static bool has_findings(const json_t *side)
{
	return json_array_size(json_object_get(side, "findings")) > 0;
}

/* The engines with the finding come first; the others are there to compare with. */
json_t *summary_draws_figures(const json_t *document)
{
	static const struct {
		const char *member, *value, *found, *unit;
	} KINDS[] = {{"penalty", "shift_nats", "found", "nats"},
	        {"temperature", "ratio", "not_as_asked", "times requested"}};
	const json_t *sides = json_object_get(document, "sampling");
	json_t *list = json_array();
	for (size_t k = 0; k < ARRAY_LEN(KINDS); k++) {
		size_t n_found = 0, begin = json_array_size(list);
		for (size_t i = 0; i < json_array_size(sides); i++) {
			const json_t *side = json_array_get(sides, i);
			const json_t *of = json_object_get(side, KINDS[k].member);
			bool found = strcmp(node_text(of, "state"), KINDS[k].found) == 0;
			json_t *figure = json_pack("{s:O?, s:O?, s:O?}", "value",
			        json_object_get(of, KINDS[k].value), "ci95",
			        json_object_get(of, "ci95"), "n", json_object_get(of, "n"));
			char *label = xasprintf("%s of %s, %s", KINDS[k].member,
			        node_text(side, "backend"), KINDS[k].unit);
			node_set_text(figure, "label", label);
			json_array_insert_new(
			        list, found ? begin + n_found++ : json_array_size(list), figure);
			free(label);
		}
		while (n_found == 0 && json_array_size(list) > begin) {
			json_array_remove(list, begin);
		}
	}
	return list;
}

void summary_sampling(const json_t *document, bool found, struct writer *w)
{
	const json_t *sides = json_object_get(document, "sampling");
	bool any = false, begun = false;
	NODE_EACH(each, sides) {
		any |= has_findings(each);
	}
	for (size_t i = 0; any == found && i < json_array_size(sides); i++) {
		const json_t *side = json_array_get(sides, i);
		bool drawn = node_number(side, "draws") > 0;
		bool excluded = json_object_size(json_object_get(side, "excluded")) > 0;
		if ((drawn || excluded) && !begun) {
			writer_heading(w, "How tokens are drawn");
			begun = true;
		}
		if (has_findings(side)) {
			write_found(w, side);
		} else if (*node_text(side, "text")) {
			struct buf *text = put_name(w, side);
			buf_printf(text, ": %s.", node_text(side, "text"));
			writer_item(w, "", "%s", buf_cstr(text));
		}
		write_excluded(w, side);
	}
}

static void write_row(struct writer *w, const json_t *group, const char *metric)
{
	const struct metric *m = metric_find(metric);
	struct metric_value v;
	if (metric_read(m, group, &v)) {
		buf_append_str(writer_cell(w), m->label);
		metric_put_value(writer_cell(w), m->unit, &v);
		writer_row(w);
	}
}

static void write_positions(struct writer *w, const json_t *positions)
{
	static const struct writer_column COLUMNS[] = {
	        {"By position in the answer", 34}, {"tokens", 10}, {"|delta|", 12}, {"k3", 12}};
	if (json_array_size(positions) == 0) {
		return;
	}
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_EACH(at, positions) {
		buf_printf(writer_cell(w), "from token %.0f", node_number(at, "from"));
		buf_printf(writer_cell(w), "%.0f", node_number(at, "n"));
		buf_printf(writer_cell(w), "%.3g", node_number(at, "delta"));
		buf_printf(writer_cell(w), "%.3g", node_number(at, "k3"));
		writer_row(w);
	}
}

void summary_rollout(const json_t *group, struct writer *w)
{
	static const struct writer_column COLUMNS[] = {{"As rollout", 34}, {"value", 40}};
	static const char *const ROWS[] = {"rollout.delta", "rollout.delta_max", "rollout.k1",
	        "rollout.k3", "rollout.ratio", "rollout.ratio.p99", "rollout.ratio.outside",
	        "rollout.sample_size", "rollout.answers.sample_size"};
	const json_t *rollout = json_object_get(group, "rollout");
	if (!json_is_object(rollout)) {
		writer_heading(w, "As rollout");
		writer_item(w, "", "Not shown: no tokens of these answers were scored.");
		return;
	}
	if (node_number(rollout, "tokens") > 0) {
		writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
		for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
			write_row(w, group, ROWS[i]);
		}
		write_positions(w, json_object_get(rollout, "positions"));
	} else {
		writer_heading(w, "As rollout");
	}
	if (json_is_string(json_object_get(rollout, "why"))) {
		writer_item(w, "left out", "%s", node_text(rollout, "why"));
	}
}
