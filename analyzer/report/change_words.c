#include "analyzer/report/change_words.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/change.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

static enum metric_unit unit_of(const json_t *figure)
{
	return metric_unit_of(node_text(figure, "metric"));
}

const char *change_words_label(const json_t *figure)
{
	const struct metric *m = metric_find(node_text(figure, "metric"));
	return m ? m->label : "(a figure that is not known)";
}

bool change_words_is_excess(const json_t *figure)
{
	return json_is_true(json_object_get(figure, "excess"));
}

void change_words_value(const json_t *figure, const char *side, struct buf *to)
{
	struct metric_value v;
	if (metric_read_node(json_object_get(figure, side), NULL, &v)) {
		v.low = NAN;
		metric_put_value(to, unit_of(figure), &v);
	}
}

/* Whether there is one. */
static bool read_change(const json_t *figure, struct metric_value *ret)
{
	json_t *change = json_pack("{s:O?, s:O?, s:O?, s:O?}", "value",
	        json_object_get(figure, "change"), "ci95", json_object_get(figure, "ci95"),
	        "at_least", json_object_get(figure, "at_least"), "at_most",
	        json_object_get(figure, "at_most"));
	bool known = metric_read_node(change, NULL, ret);
	json_decref(change);
	return known;
}

void change_words_change(const json_t *figure, struct buf *to)
{
	struct metric_value v;
	if (read_change(figure, &v)) {
		metric_put_change(to, unit_of(figure), &v);
	}
}

const char *change_words_verdict(const json_t *figure)
{
	const char *verdict = node_text(figure, "verdict");
	return strcmp(verdict, "none") == 0         ? "not shown"
	       : strcmp(verdict, "not-enough") == 0 ? "too few"
	                                            : verdict;
}

bool change_words_is_tested(const json_t *figure)
{
	return strcmp(node_text(figure, "verdict"), "untested") != 0;
}

const json_t *change_words_figures(const json_t *group)
{
	const json_t *scores = json_object_get(group, "figures");
	return scores ? scores : node_at(group, "by_decoding.greedy");
}

static void each_of(const json_t *groups, change_words_fn show, void *arg)
{
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i);
		const json_t *figures = change_words_figures(group);
		for (size_t k = 0; k < json_array_size(figures); k++) {
			const json_t *figure = json_array_get(figures, k);
			if (change_words_is_tested(figure)) {
				show(arg, group, figure);
			}
		}
	}
}

void change_words_each(const json_t *change, change_words_fn show, void *arg)
{
	each_of(json_object_get(change, "groups"), show, arg);
	each_of(json_object_get(change, "teacher_forced"), show, arg);
}

/* The figure that moved most surely, of those with the verdict that counts. */
struct loudest {
	bool worse_only;
	const json_t *group, *figure;
	double z;
};

/* How many half intervals the change is away from 0. */
static double clearness(const json_t *figure)
{
	const json_t *ci = json_object_get(figure, "ci95");
	double change = node_number(figure, "change");
	double near = json_number_value(json_array_get(ci, change > 0 ? 0 : 1));
	return fabs(change) / fabs(change - near);
}

static void listen(void *arg, const json_t *group, const json_t *figure)
{
	struct loudest *l = arg;
	const char *verdict = node_text(figure, "verdict");
	bool worse = strcmp(verdict, "worse") == 0;
	bool moved = worse || strcmp(verdict, "better") == 0 || strcmp(verdict, "changed") == 0;
	double z = clearness(figure);
	if ((l->worse_only ? worse : moved) && (!l->figure || z > l->z)) {
		l->group = group;
		l->figure = figure;
		l->z = z;
	}
}

static void put_loudest(const json_t *change, bool worse_only, struct buf *to)
{
	struct loudest l = {.worse_only = worse_only};
	change_words_each(change, listen, &l);
	if (!l.figure) {
		return;
	}
	buf_printf(to, " %s against %s: ", node_text(l.group, "test"), node_text(l.group, "base"));
	buf_printf(to, "%s%s went from ", change_words_label(l.figure),
	        change_words_is_excess(l.figure) ? ", over the floor," : "");
	change_words_value(l.figure, "before", to);
	buf_append_str(to, " to ");
	change_words_value(l.figure, "after", to);
	buf_append_str(to, ", ");
	change_words_change(l.figure, to);
	double more = node_number(change, worse_only ? "figures_worse" : "figures_changed") - 1;
	if (more > 0) {
		buf_printf(to, "; and %.0f more", more);
	}
	buf_append_char(to, '.');
}

void change_words_sentence(const json_t *change, struct buf *to)
{
	bool fails = json_array_size(node_at(change, "policy.changed")) > 0;
	double tested = node_number(change, "figures_tested");
	switch (change_verdict_of(change)) {
	case CHANGE_WORSE:
		buf_append_str(to, "It changed for the worse.");
		put_loudest(change, true, to);
		if (fails) {
			buf_append_str(to, " Rules of the policy are not what they were.");
		}
		break;
	case CHANGE_SEEN:
		buf_append_str(to, "It changed, and nothing for the worse is shown.");
		put_loudest(change, false, to);
		break;
	case CHANGE_NONE:
		buf_printf(to, "No change is shown in any of %.0f figures.", tested);
		break;
	default:
		buf_append_str(to, "There is not enough to compare: no pair of backends has greedy "
		                   "answers with intervals in both analyses.");
	}
}
