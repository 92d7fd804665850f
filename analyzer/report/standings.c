#include "analyzer/report/standings.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/sweep_cliff.h"

static const char DEFINITIONS[] = STANDINGS_DEFINITIONS;

/* name: of a figure of a split. */
static const struct standings_figure SHOWN[] = {
        {"answer_changed", "Figure 3", "output disagreement",
                "share of answers whose meaning changed; the upper end also counts undecided "
                "answers"},
        {"text_differs", NULL, "texts that differ", "byte for byte"},
        {"length_bias", "Figure 4", "length bias", "tokens, mean change"},
        {"length_magnitude", "Figure 4", "length magnitude", "tokens, mean size of the change"},
        {"divergence_index", "Figures 5 to 8", "divergence index",
                "position of the first difference, as a share of the base's length; 1: no "
                "difference"},
        {"hazard", NULL, "first differences per 1,000 tokens", "of comparable positions"},
        {"top1_logprob_rmse", "Figure 9", "logprob RMSE",
                "of the base's most probable token, at comparable positions"},
        {"jaccard_5", "Figure 10", "top-5 Jaccard", "at comparable positions; 1: the same five"},
        {"score_shift", NULL, "score shift", "percentage points"},
};

static json_t *copy_of(const json_t *value)
{
	return value ? json_deep_copy(value) : json_null();
}

const json_t *standings_split(const json_t *group, const char **ret_name)
{
	const json_t *found = NULL;
	NODE_MEMBERS(split, json_object_get(group, "by_decoding")) {
		bool greedy = strcmp(split.key, "greedy") == 0;
		if (!found || greedy ||
		        node_number(split.value, "pairs") > node_number(found, "pairs")) {
			found = split.value;
			*ret_name = split.key;
		}
		if (greedy) {
			break;
		}
	}
	return found;
}

static json_t *figures_of(const json_t *group)
{
	const char *decoding;
	const json_t *split = group ? standings_split(group, &decoding) : NULL;
	if (!split) {
		return json_null();
	}
	json_t *all = json_object();
	for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
		const json_t *figure =
		        json_object_get(json_object_get(split, "figures"), SHOWN[i].name);
		json_object_set_new(all, SHOWN[i].name, copy_of(figure));
	}
	return all;
}

static const json_t *group_of(
        const json_t *document, const char *base, const char *test, bool is_floor)
{
	NODE_EACH(group, json_object_get(document, "groups")) {
		bool floor = groups_is_floor(group);
		if (floor == is_floor && node_is(group, "base", base) &&
		        node_is(group, "test", test)) {
			return group;
		}
	}
	return NULL;
}

/* The figures by benchmark, for the answers of this row; the paper reports its divergence index
 * by benchmark. */
static json_t *suites_of(const json_t *group, const char *decoding)
{
	bool sampled = strcmp(decoding, "sampled") == 0;
	const json_t *suites =
	        node_at(group, sampled ? "by_decoding.sampled.suites" : "slices.suite");
	json_t *all = json_array();
	NODE_EACH(value, json_object_get(suites, "values")) {
		json_t *o = json_object();
		json_object_set_new(o, "suite", copy_of(json_object_get(value, "value")));
		static const char *const SAME[] = {
		        "pairs", "differ", "answer_changed", "divergence_index", "gold"};
		for (size_t k = 0; k < ARRAY_LEN(SAME); k++) {
			json_object_set_new(o, SAME[k], copy_of(json_object_get(value, SAME[k])));
		}
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *causes_of(const json_t *group)
{
	json_t *all = json_array();
	NODE_EACH(cause, json_object_get(group, "causes")) {
		static const char *const KEPT[] = {
		        "key", "title", "side", "text", "explained", "p"};
		json_t *o = json_object();
		for (size_t k = 0; k < ARRAY_LEN(KEPT); k++) {
			json_object_set_new(o, KEPT[k], copy_of(json_object_get(cause, KEPT[k])));
		}
		json_array_append_new(all, o);
	}
	return all;
}

/* group: NULL if there is none. */
static json_t *row_of(
        const json_t *document, const json_t *group, const char *base, const char *name)
{
	const char *decoding = "none";
	const json_t *split = group ? standings_split(group, &decoding) : NULL;
	json_t *row = json_object();
	node_set_text(row, "target", name);
	node_set_text(row, "decoding", decoding);
	node_set_number(row, "pairs", split ? node_number(split, "pairs") : 0);
	json_object_set_new(row, "finding",
	        copy_of(json_object_get(json_object_get(group, "noise_floor"), "finding")));
	json_object_set_new(row, "first_differing_token",
	        copy_of(json_object_get(split, "first_differing_token")));
	json_object_set_new(row, "figures", split ? figures_of(group) : json_object());
	json_object_set_new(row, "floor", figures_of(group_of(document, name, name, true)));
	json_object_set_new(row, "base_floor", figures_of(group_of(document, base, base, true)));
	node_set_text(
	        row, "floor_over", strcmp(decoding, "sampled") == 0 ? "other_seeds" : "repeats");
	json_object_set_new(
	        row, "excess", copy_of(node_at(group, "noise_floor.figures.differ.excess")));
	json_object_set_new(row, "suites", suites_of(group, decoding));
	json_object_set_new(row, "causes", causes_of(group));
	return row;
}

json_t *standings_row(const json_t *document, const json_t *group)
{
	return row_of(document, group, node_text(group, "base"), node_text(group, "test"));
}

bool standings_is_over_seeds(const json_t *row)
{
	return node_is(row, "floor_over", "other_seeds");
}

json_t *standings_make(
        const json_t *document, const char *base, const char *const *names, size_t n, bool is_sweep)
{
	json_t *o = json_object(), *figures = json_array(), *rows = json_array();
	for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
		const struct standings_figure *s = &SHOWN[i];
		json_array_append_new(figures,
		        json_pack("{s:s, s:s?, s:s, s:s, s:s}", "name", s->name, "of_paper",
		                s->of_paper, "title", s->title, "note", s->note, "unit",
		                metric_unit_name(metric_unit_of(s->name))));
	}
	for (size_t i = 0; i < n; i++) {
		const json_t *group = group_of(document, base, names[i], false);
		json_array_append_new(rows, row_of(document, group, base, names[i]));
	}
	node_set_text(o, "definitions", DEFINITIONS);
	node_set_text(o, "base", base);
	json_object_set_new(o, "figures", figures);
	node_set_flag(o, "is_sweep", is_sweep);
	json_object_set_new(o, "cliff", is_sweep ? sweep_cliff(rows) : json_null());
	json_object_set_new(o, "rows", rows);
	return o;
}

void standings_put_cell(struct buf *to, const json_t *figures, const struct standings_figure *s)
{
	struct metric_value value;
	if (metric_read_member(figures, s->name, &value)) {
		if (value.n < METRIC_FEW) {
			buf_append_str(to, "too few");
		} else {
			metric_put_value(to, metric_unit_of(s->name), &value);
		}
		if (!isnan(value.n)) {
			buf_printf(to, ", n %.0f", value.n);
		}
	} else {
		buf_append_str(to, "-");
	}
}

bool standings_has(const json_t *rows, const struct standings_figure *s)
{
	struct metric_value value;
	NODE_EACH(row, rows) {
		if (metric_read_member(json_object_get(row, "figures"), s->name, &value)) {
			return true;
		}
	}
	return false;
}

/* The number of seeds that the intervals cover; 0: they cover prompts only. */
static double seeds_of(const json_t *rows)
{
	double most = 0;
	size_t k;
	NODE_EACH(row, rows) {
		for (k = 0; k < ARRAY_LEN(SHOWN); k++) {
			const json_t *figure =
			        json_object_get(json_object_get(row, "figures"), SHOWN[k].name);
			double n = node_number(json_object_get(figure, "crossed_with_seeds"), "n");
			most = fmax(most, n);
		}
	}
	return most;
}

void standings_put_seeds(struct buf *to, const json_t *standings)
{
	double seeds = seeds_of(json_object_get(standings, "rows"));
	if (seeds > 0) {
		buf_printf(to, "Intervals are over prompts and %.0f seeds. ", seeds);
	}
	NODE_EACH(row, json_object_get(standings, "rows")) {
		if (standings_is_over_seeds(row) && json_is_object(json_object_get(row, "floor"))) {
			buf_append_str(to, STANDINGS_OTHER_SEEDS);
			break;
		}
	}
}

const struct standings_figure *standings_figures(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(SHOWN);
	return SHOWN;
}
