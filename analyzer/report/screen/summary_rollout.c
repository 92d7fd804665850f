/*
 * What a training run has to correct if it uses one engine's answers in place of another's.
 */

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/screen/summary_parts.h"

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
