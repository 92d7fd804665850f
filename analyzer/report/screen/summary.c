#include "analyzer/report/screen/summary.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/groups.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/screen/summary_parts.h"
#include "base/plural.h"

#define ITEMS_LIMIT 24

void summary_put_label(struct buf *to, const json_t *figure)
{
	const char *name = node_text(figure, "name");
	struct metric_value v;
	if (strcmp(name, "answer_changed") == 0 && metric_read_node(figure, NULL, &v) &&
	        metric_is_open(&v) && v.n > 0) {
		double changed = round(v.value * v.n), most = round(v.most * v.n);
		buf_printf(to, "meaning: %.0f changed, %.0f undecided", changed, most - changed);
	} else {
		buf_append_str(to, node_text(figure, "label"));
	}
}

/* Writes a deciding figure, or its excess over the floor. label: the row's first cell. */
static void write_value(struct writer *w, enum metric_unit unit, const json_t *figure, double least)
{
	struct metric_value v, bare;
	struct buf *value = writer_cell(w), *interval = writer_cell(w), *n = writer_cell(w);
	if (metric_read_node(figure, NULL, &v)) {
		bare = v;
		bare.low = NAN;
		metric_put_value(value, unit, &bare);
		metric_put_interval(interval, unit, &v);
	} else {
		buf_append_str(value, "not known");
	}
	if (json_object_get(figure, "n")) {
		buf_printf(n, "%.0f", node_number(figure, "n"));
	}
	struct buf *effect = writer_cell(w);
	if (!isnan(least) && unit == METRIC_SHARE) {
		buf_printf(effect, "%.3g %%", 100 * least);
	} else if (!isnan(least)) {
		buf_printf(effect, "%.3g", least);
	}
	writer_row(w);
}

static void write_deciding_figure(struct writer *w, const json_t *f)
{
	enum metric_unit unit = metric_unit_of(node_text(f, "name"));
	const char *is = node_text(f, "floor_is");
	double floor = node_number(f, "floor"), least = node_number(f, "least_effect");
	bool alone = isnan(floor) || strcmp(is, "self") == 0;
	summary_put_label(writer_cell(w), f);
	write_value(w, unit, f, alone ? least : NAN);
	if (alone) {
		return;
	}
	struct buf *label = writer_cell(w);
	buf_append_str(label, strcmp(is, "expected") == 0 ? "  over expected noise of "
	                                                  : "  over the noise floor of ");
	metric_put(label, unit, floor);
	write_value(w, unit, json_object_get(f, "over_floor"), least);
}

static void write_deciding_figures(struct writer *w, const json_t *group)
{
	static const struct writer_column COLUMNS[] = {
	        {"Main figures", 34}, {"value", 15}, {"95 % interval", 15}, {"n", 6}, {"least", 7}};
	const json_t *figures = json_object_get(group, "figures");
	if (!(node_number(json_array_get(figures, 0), "n") > 0)) {
		return;
	}
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
	NODE_SOME(figure, figures, ITEMS_LIMIT) {
		write_deciding_figure(w, figure);
	}
}

void summary_put_side(struct buf *to, const json_t *of, const json_t *cause)
{
	const json_t *verdict = json_object_get(of, "verdict");
	const char *side = node_text(cause, "side"), *from = node_text(cause, "side_from");
	const char *base = node_text(verdict, "base"), *test = node_text(verdict, "test");
	bool is_both = strcmp(side, "both") == 0 && strcmp(base, test) != 0;
	bool is_own = strcmp(from, "own_answers") == 0;
	if (is_both && is_own) {
		buf_printf(to, " (seen in the answers of %s and in those of %s)", test, base);
	} else if ((strcmp(side, "test") == 0 && *test) || (strcmp(side, "base") == 0 && *base)) {
		buf_printf(to, " (%s%s)", node_text(verdict, side),
		        is_own                              ? ", seen in its own answers"
		        : strcmp(from, "noise_floors") == 0 ? ", by both noise floors"
		                                            : "");
	}
}

bool summary_put_explained(struct buf *to, const json_t *cause)
{
	const json_t *explained = json_object_get(cause, "explained");
	bool of_greedy = node_flag(explained, "of_greedy");
	if (of_greedy) {
		buf_printf(to, "explains %.0f of %.0f differing greedy answers (",
		        node_number(explained, "n"), node_number(explained, "of"));
		metric_put(to, METRIC_SHARE, node_number(explained, "rate"));
		buf_append_char(to, ')');
	}
	return of_greedy;
}

/* "A repetition penalty (prod), explains 17 of 30 differing greedy answers (56.7 %), p < 0.0001:
 * ..." */
static void write_cause(struct writer *w, const json_t *group, const json_t *cause)
{
	struct buf *lead = writer_text(w), explained = {0};
	double p = node_number(cause, "p");
	buf_append_str(lead, node_text(cause, "title"));
	summary_put_side(lead, group, cause);
	if (summary_put_explained(&explained, cause)) {
		buf_printf(lead, ", %s", buf_cstr(&explained));
	}
	buf_finish(&explained);
	if (!isnan(p)) {
		buf_printf(lead, p < 1e-4 ? ", p < 0.0001" : ", p %.2g", p);
	}
	const char *remedy = node_text(cause, "fix"), *confirm = node_text(cause, "confirm");
	struct buf text = {0};
	buf_append_str(&text, node_text(cause, "text"));
	if (*remedy) {
		buf_printf(&text, " Remedy: %s.", remedy);
	}
	buf_append_str(&text, *confirm ? " To confirm it:" : "");
	writer_item(w, buf_cstr(lead), "%s", buf_cstr(&text));
	writer_command(w, confirm);
	buf_finish(&text);
}

static void write_causes(struct writer *w, const json_t *group)
{
	const json_t *causes = json_object_get(group, "causes");
	size_t n = MIN(json_array_size(causes), (size_t)ITEMS_LIMIT);
	if (n > 0) {
		writer_heading(w, "Causes");
	}
	for (size_t i = 0; i < n; i++) {
		write_cause(w, group, json_array_get(causes, i));
	}
}

/* A list of {"text", "command"}, except the one that the first screen shows. */
static void write_list(struct writer *w, const char *title, const json_t *list, const json_t *shown)
{
	size_t n = MIN(json_array_size(list), (size_t)ITEMS_LIMIT);
	bool begun = false;
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(list, i);
		if (item == shown) {
			continue;
		}
		if (!begun) {
			writer_heading(w, "%s", title);
			begun = true;
		}
		writer_item(w, "", "%s", node_text(item, "text"));
		writer_command(w, node_text(item, "command"));
	}
}

/* head: the object with the limits and next steps of this group. */
static void write_group(
        struct writer *w, const json_t *document, const json_t *head, const json_t *group)
{
	write_deciding_figures(w, group);
	if (node_is(document, "as", "rollout")) {
		summary_rollout(group, w);
	}
	write_causes(w, group);
	write_list(w, "Limitations", json_object_get(head, "limits"), NULL);
	write_list(w, "Next", json_object_get(head, "next"), summary_first_step(document));
	write_list(w, "Findings", json_object_get(group, "findings"), NULL);
	summary_examples(group, w);
	summary_figures(group, w);
	summary_right_answers(group, w);
	summary_embeddings(group, w);
	summary_redacted(group, w);
	summary_left_out(group, w);
}

static bool has_item(const struct groups *groups, const char *name, const json_t *item)
{
	for (size_t i = 0; i < groups->n; i++) {
		NODE_EACH(each, json_object_get(groups->items[i], name)) {
			if (json_equal(each, item)) {
				return true;
			}
		}
	}
	return false;
}

/* Writes those items of the document's list that no group has, because they concern the whole
 * capture. */
static void write_own_list(struct writer *w, const char *title, const json_t *document,
        const char *name, const struct groups *groups)
{
	json_t *own = json_array();
	NODE_EACH(item, json_object_get(document, name)) {
		if (!has_item(groups, name, item)) {
			json_array_append(own, item);
		}
	}
	write_list(w, title, own, strcmp(name, "next") == 0 ? summary_first_step(document) : NULL);
	json_decref(own);
}

/* A recipe that judges repeated answers, load or switches by itself. */
static bool has_own_verdict(const json_t *document)
{
	static const char *const RECIPES[] = {"reruns", "stress", "ablation"};
	bool has = false;
	for (size_t i = 0; i < ARRAY_LEN(RECIPES); i++) {
		has |= json_is_object(json_object_get(document, RECIPES[i]));
	}
	return has;
}

/* The verdict of a document with one group is that group's, unless a command has its own. */
static void write_groups(struct writer *w, const json_t *document)
{
	struct groups groups;
	groups_read(document, &groups);
	bool same = groups.n == 1 &&
	            strcmp(groups_sentence(groups.items[0]), groups_sentence(document)) == 0;
	if (same || (groups.n == 1 && has_own_verdict(document))) {
		write_group(w, document, document, groups.items[0]);
		return;
	}
	for (size_t i = 0; i < groups.n; i++) {
		const json_t *group = groups.items[i];
		if (!has_own_verdict(document)) {
			struct buf *of = writer_text(w);
			buf_printf(of, "%s against %s", node_text(group, "test"),
			        node_text(group, "base"));
			writer_verdict(
			        w, buf_cstr(of), groups_verdict(group), groups_sentence(group));
		}
		write_group(w, document, group, group);
	}
	if (groups.beyond > 0) {
		writer_paragraph(w, "And %zu more %s of backends.", groups.beyond,
		        plural(groups.beyond, "pair", "pairs"));
	}
	write_own_list(w, "Limitations", document, "limits", &groups);
	write_own_list(w, "Next", document, "next", &groups);
}

static void put_count(struct buf *to, const json_t *document, const char *name, const char *what)
{
	double n = node_number(document, name);
	if (n > 0) {
		buf_printf(to, "; %.0f %s", n, what);
	}
}

static void write_capture(struct writer *w, const json_t *document)
{
	double exchanges = node_number(document, "exchanges");
	struct buf *text = writer_text(w);
	if (!isnan(exchanges)) {
		double segments = node_number(document, "segments");
		buf_printf(text, "%.0f %s", exchanges, plural(exchanges, "exchange", "exchanges"));
		if (segments > 0) {
			buf_printf(text, " in %.0f segment%s", segments, plural(segments, "", "s"));
		}
		put_count(text, document, "not_understood", "of endpoints that are not known");
		put_count(text, document, "not_read", "kept as bytes and not parsed");
		put_count(text, document, "unpaired", "without a second generated answer");
		put_count(text, document, "absent", "known only from answers in this capture");
		put_count(text, document, "damaged_rows", "damaged and skipped");
		put_count(text, document, "ungrouped_pairs",
		        "left out, because there are too many backends");
		writer_heading(w, "Capture");
		writer_item(w, "", "%s.", buf_cstr(text));
	}
}

static void write_left_out(struct writer *w, const json_t *document)
{
	static const struct {
		const char *name, *what;
	} PARTS[] = {{"before", "exchanges before --since"}, {"after", "exchanges after --until"},
	        {"where", "exchanges by --where"}, {"answers", "answers by --where"}};
	const json_t *left_out = node_at(document, "selection.left_out");
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
		double n = node_number(left_out, PARTS[i].name);
		if (n > 0) {
			writer_item(w, "", "Left out: %.0f %s.", n, PARTS[i].what);
		}
	}
}

void summary_of_analysis(const json_t *document, struct writer *w)
{
	const json_t *policy = json_object_get(document, "policy");
	bool folds = w->form == WRITER_MARKDOWN; /* there is room for it on a page and in a file */
	writer_section(w, "summary-verdict");
	summary_screen(document, false, w);
	writer_section(w, "summary-command");
	if (folds) {
		writer_fold(w, "Details");
	}
	if (json_is_object(policy)) {
		writer_heading(w, "The policy %s", node_text(policy, "file"));
		summary_policy(policy, w);
	}
	summary_standings(document, w);
	summary_reruns(document, w);
	summary_stress(document, w);
	summary_ablation(document, w);
	summary_sampling(document, true, w);
	writer_section(w, "summary-figures");
	write_groups(w, document);
	summary_sampling(document, false, w);
	summary_teacher_forced(document, w);
	summary_traffic(document, w);
	writer_section(w, "summary-capture");
	write_capture(w, document);
	write_left_out(w, document);
	if (folds) {
		writer_unfold(w);
	}
}
