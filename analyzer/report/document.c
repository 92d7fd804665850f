#include "analyzer/report/document.h"

#include <jansson.h>

#include "analyzer/report/document_parts.h"
#include "analyzer/report/document_scores.h"
#include "analyzer/report/document_values.h"
#include "analyzer/report/document_verdict.h"
#include "base/moment.h"

static json_t *moment(uint64_t ns)
{
	char text[MOMENT_TEXT_SIZE];
	return ns > 0 ? json_string(moment_format(ns, text)) : json_null();
}

static json_t *selection(const struct analysis *a)
{
	const struct selection *s = &a->selection;
	const struct selection_counts *n = &a->counts.left_out;
	if (!selection_chooses(s)) {
		return json_null();
	}
	json_t *o = json_object(), *where = json_array(), *out = json_object();
	for (size_t i = 0; i < s->filters.n; i++) {
		const struct filter *f = &s->filters.items[i];
		json_t *text = json_sprintf(
		        "%s%s%s", filter_key_name(f->key), f->not ? "!=" : "=", f->value);
		json_array_append_new(where, text ? text : json_null());
	}
	json_object_set_new(o, "since", moment(s->since_ns));
	json_object_set_new(o, "until", moment(s->until_ns));
	json_object_set_new(o, "where", where);
	json_object_set_new(out, "before", report_integer(n->before));
	json_object_set_new(out, "after", report_integer(n->after));
	json_object_set_new(out, "where", report_integer(n->others));
	json_object_set_new(out, "answers", report_integer(n->legs));
	json_object_set_new(o, "left_out", out);
	return o;
}

static json_t *repeats(const struct analysis *a)
{
	const struct repeat_counts *f = &a->repeated;
	return json_pack("{s:o, s:o, s:o, s:b}", "prompts", report_integer(f->prompts), "pairs",
	        report_integer(f->pairs), "unlike_requests", report_integer(f->unlike), "sampled",
	        (int)a->repeats_sampled);
}

/* How many stacks of each backend the legs name. */
static json_t *stacks_of(const struct analysis *a)
{
	json_t *o = json_object();
	size_t n;
	for (size_t i = 0; i < a->stacks.n; i += n) {
		n = stacks_of_backend(&a->stacks, i);
		json_object_set_new(o, a->stacks.items[i].backend, report_integer(n));
	}
	return o;
}

static json_t *problems_json(const char *const *problems, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(list, document_text(problems[i]));
	}
	return list;
}

json_t *report_document(const struct analysis *a, const char *const *problems, size_t n_problems)
{
	json_t *o = json_object(), *groups = json_array();
	for (size_t i = 0; i < a->n_groups && a->groups[i].is_judged; i++) {
		json_array_append_new(groups, report_group_json(&a->groups[i]));
	}
	json_object_set_new(o, "plumbline_analysis", json_integer(2));
	report_verdict_of_document(o, groups, a);
	json_object_set_new(o, "exchanges", report_integer(a->counts.chosen));
	json_object_set_new(o, "selection", selection(a));
	json_object_set_new(o, "repeats", repeats(a));
	json_object_set_new(o, "stacks", stacks_of(a));
	json_object_set_new(o, "not_understood", report_integer(a->counts.not_understood));
	json_object_set_new(o, "not_read", report_integer(a->counts.not_read));
	json_object_set_new(o, "unpaired", report_integer(a->counts.unpaired));
	json_object_set_new(o, "absent", report_integer(a->counts.absent));
	json_object_set_new(o, "ungrouped_pairs", report_integer(a->ungrouped));
	json_object_set_new(o, "segments", report_integer(a->figures.segments));
	json_object_set_new(o, "refused_segments", report_integer(a->figures.refused));
	json_object_set_new(o, "damaged_rows", report_integer(a->figures.damaged_rows));
	json_object_set_new(o, "greedy_compared", report_integer(analysis_compared(a)));
	json_object_set_new(o, "greedy_differing", report_integer(analysis_differing(a)));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "traffic", report_traffic_json(&a->traffic));
	json_object_set_new(o, "sampling", report_draws_json(&a->draws));
	json_object_set_new(o, "teacher_forced", report_scores_json(a));
	json_object_set_new(o, "problems", problems_json(problems, n_problems));
	return o;
}
