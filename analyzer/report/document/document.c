#include "analyzer/report/document/document.h"

#include <jansson.h>

#include "analyzer/report/document/document_parts.h"
#include "analyzer/report/document/document_values.h"
#include "analyzer/report/document/document_verdict.h"
#include "analyzer/report/saved.h"
#include "base/mem.h"
#include "base/moment.h"

#define PROBLEMS_LIMIT 20 /* the most problems that are limits, too */

static json_t *moment(uint64_t ns)
{
	char text[MOMENT_TEXT_SIZE];
	return ns > 0 ? json_string(moment_format(ns, text)) : json_null();
}

static json_t *selection(const struct analysis *a)
{
	const struct selection *s = &a->selection;
	const struct selection_counts *n = &a->counts.left_out;
	if (!selection_has_conditions(s)) {
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
	node_set_count(out, "before", n->before);
	node_set_count(out, "after", n->after);
	node_set_count(out, "where", n->others);
	node_set_count(out, "answers", n->legs);
	json_object_set_new(o, "left_out", out);
	return o;
}

static json_t *repeats(const struct analysis *a)
{
	const struct repeat_counts *f = &a->repeated;
	return json_pack("{s:o, s:o, s:o, s:b}", "prompts", document_integer(f->prompts), "pairs",
	        document_integer(f->pairs), "unlike_requests", document_integer(f->unlike),
	        "sampled", (int)a->repeats_sampled);
}

/* Counts the stacks of each backend that the legs name. */
static json_t *stacks_of(const struct analysis *a)
{
	json_t *o = json_object();
	size_t n;
	for (size_t i = 0; i < a->stacks.n; i += n) {
		n = stacks_of_backend(&a->stacks, i);
		node_set_count(o, a->stacks.items[i].backend, n);
	}
	return o;
}

/* Data that could not be read limit what the figures mean, so they are the first limits. */
static void set_problems(json_t *document, const char *const *problems, size_t n)
{
	json_t *list = json_array(), *limits = json_object_get(document, "limits");
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(list, node_string(problems[i]));
		if (i < PROBLEMS_LIMIT) {
			json_array_insert_new(
			        limits, i, document_limit("incomplete", xstrdup(problems[i])));
		}
	}
	json_object_set_new(document, "problems", list);
}

json_t *document_of_analysis(
        const struct analysis *a, const char *const *problems, size_t n_problems)
{
	json_t *o = json_object(), *groups = json_array();
	for (size_t i = 0; i < a->n_groups && a->groups[i].is_judged; i++) { /* judged ones first */
		json_array_append_new(groups, document_group(&a->groups[i]));
	}
	json_object_set_new(o, "plumbline_analysis", json_integer(ANALYSIS_VERSION));
	document_verdict_of_document(o, groups, a);
	node_set_count(o, "exchanges", a->counts.chosen);
	json_object_set_new(o, "selection", selection(a));
	json_object_set_new(o, "repeats", repeats(a));
	json_object_set_new(o, "stacks", stacks_of(a));
	node_set_count(o, "not_understood", a->counts.not_understood);
	node_set_count(o, "not_read", a->counts.not_read);
	node_set_count(o, "unpaired", a->counts.unpaired);
	node_set_count(o, "absent", a->counts.absent);
	node_set_count(o, "ungrouped_pairs", a->ungrouped);
	node_set_count(o, "segments", a->figures.segments);
	node_set_count(o, "refused_segments", a->figures.refused);
	node_set_count(o, "damaged_rows", a->figures.damaged_rows);
	node_set_count(o, "greedy_compared", analysis_compared(a));
	node_set_count(o, "greedy_differing", analysis_differing(a));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "traffic", document_traffic(&a->traffic));
	json_object_set_new(o, "sampling", document_draws(&a->draws));
	json_object_set_new(o, "teacher_forced", document_scores(a));
	set_problems(o, problems, n_problems);
	return o;
}
